package doctor

import (
	"context"
	"time"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/discord/setup"
	"github.com/callgate/callgate/host/finding"
	"github.com/callgate/callgate/host/hook/claudecode/settings"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/service"
	"github.com/callgate/callgate/host/store"
)

// Daemon is what the daemon tells an admin. *api.Client is one.
type Daemon interface {
	Health(ctx context.Context) (api.Health, error)
	Tools(ctx context.Context) ([]catalog.Info, error)
	Audit(ctx context.Context, f store.Filter) (api.AuditPage, error)
	VerifyAudit(ctx context.Context) (store.Report, error)
	Presence(ctx context.Context) (api.PresenceView, error)
	ConfigState(ctx context.Context) (config.State, error)
	Modules(ctx context.Context) (modules.List, error)
}

// Options say what is looked at. Settings, Dirs and Connect are required.
type Options struct {
	// Settings are those of Claude Code for the directory asked about.
	Settings *settings.Settings
	// Binary is this program's file, Version its version, Built when its source
	// was committed (zero: unknown).
	Binary  string
	Version string
	Built   time.Time
	// Dirs are the account's places. Config is its configuration; nil when it
	// could not be read, which CheckConfig then says.
	Dirs   config.Dirs
	Config *config.Config
	// CheckConfig tries the configuration as serve would and returns what it
	// would warn about.
	CheckConfig func(ctx context.Context) (warnings []string, err error)
	// Connect reaches the daemon with a token that may ask how it stands.
	Connect func() (Daemon, error)
	// ConnectHook reaches it as an installed hook does, for an account that has no
	// such token; such a daemon tells little. nil for never.
	ConnectHook func(h settings.Hook) (Daemon, error)
	// Service tells how the service is installed and what stands between the
	// agent's account and the daemon's. Where none is installed, Holds is about
	// a daemon of this account.
	Service func(ctx context.Context) (service.Status, error)
	// Discord looks at the bot that the configuration names; an error says why its
	// token cannot be read here. nil for never.
	Discord func(ctx context.Context) (setup.Report, error)
	// Progress hears what takes a while; nil for nobody.
	Progress func(doing string)
	// Patience is how long one canary may take. Default 15 s.
	Patience time.Duration
	// Slow is the time-out that client and hook get where a daemon never answers.
	// Default 5 s.
	Slow time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Run looks at everything, in a fixed order. It changes nothing but the audit,
// into which the canaries' denials are written. What cannot be looked at is a
// finding as well. Checks are named group.word.
func Run(ctx context.Context, o Options) []finding.Finding {
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	if o.Patience <= 0 {
		o.Patience = 15 * time.Second
	}
	if o.Slow <= 0 {
		o.Slow = 5 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &examination{Options: o}
	for _, check := range []func(context.Context){
		d.settingsFiles, d.hooks, d.otherHooks, d.daemon, d.canaries,
		d.service, d.store, d.modules, d.pins, d.sandbox, d.people, d.clock,
		d.configuration, d.endpoints, d.private, d.disk,
	} {
		if ctx.Err() != nil {
			d.add(finding.Finding{Check: "doctor", State: finding.Bad, Text: "ended before everything was looked at: " + context.Cause(ctx).Error(), Cure: "run it again"})
			break
		}
		check(ctx)
	}
	return d.findings
}

// examination gathers findings.
type examination struct {
	Options
	findings []finding.Finding
	// client and health are what the daemon check found; nil when it is not there,
	// or does not tell this account.
	client Daemon
	health *api.Health
	// untold is why there is no client; answered tells that the daemon answers the
	// hook all the same.
	untold   string
	answered bool
	// session is that of the last canary call.
	session string
}

func (d *examination) add(f finding.Finding) { d.findings = append(d.findings, f) }

func (d *examination) ok(check, text string) {
	d.add(finding.Finding{Check: check, State: finding.OK, Text: text})
}

func (d *examination) warn(check, text, cure string) {
	d.add(finding.Finding{Check: check, State: finding.Warn, Text: text, Cure: cure})
}

func (d *examination) bad(check, text, cure string) {
	d.add(finding.Finding{Check: check, State: finding.Bad, Text: text, Cure: cure})
}

func (d *examination) skip(check, text, cure string) {
	d.add(finding.Finding{Check: check, State: finding.Skipped, Text: text, Cure: cure})
}
