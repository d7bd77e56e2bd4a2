package doctor

import (
	"context"
	"time"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/setup"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/checkup"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/internal/machine/service"

	"github.com/callgate/callgate/host/internal/store"
)

// Daemon is the part of the daemon's API for admins. *client.Client is one.
type Daemon interface {
	checkup.Daemon
	VerifyAudit(ctx context.Context) (store.Report, error)
}

// Options select the checks. Settings, Dirs and Connect are required.
type Options struct {
	// Settings are those of Claude Code for the directory asked about.
	Settings *settings.Settings
	// Clients are the other clients of this machine. ClaudeHere says that Claude Code is on PATH.
	Clients    []Client
	ClaudeHere bool
	// Binary is this program's file, Version its version, Built when its source
	// was committed (zero: unknown).
	Binary  string
	Version string
	Built   time.Time
	// HookVersion is the version of a program for the hook alone; nil for not compared.
	HookVersion func(path string) (string, error)
	// Dirs are the account's places. Config is its configuration; nil for an unreadable one,
	// reported by CheckConfig.
	Dirs   config.Dirs
	Config *config.Config
	// CheckConfig tries the configuration like serve and returns its warnings.
	CheckConfig func(ctx context.Context) (warnings []string, err error)
	// Connect reaches the daemon with a token allowed to read its state.
	Connect func() (Daemon, error)
	// ConnectHook reaches it like an installed hook, for an account without such a token; the
	// daemon then reveals little. nil for never.
	ConnectHook func(h settings.Hook) (Daemon, error)
	// Service describes the service's installation and the boundary between the agent's account and
	// the daemon's. Without an installation, Holds is about a daemon of this account.
	Service func(ctx context.Context) (service.Status, error)
	// Discord examines the configured bot; an error says why its token cannot be read here. nil for
	// never.
	Discord func(ctx context.Context) (setup.Report, error)
	// Progress receives the names of slow checks; it may be nil.
	Progress func(doing string)
	// Patience is how long one canary may take. Default 15 s.
	Patience time.Duration
	// Slow is the time-out of client and hook for a silent daemon. Default 5 s.
	Slow time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Run runs all checks, in a fixed order. It changes nothing but the audit: the canaries' denials go
// there. An impossible check is a finding as well. Checks are named group.word.
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
	daemon := func(c checkup.Check) func(context.Context) {
		return func(ctx context.Context) { d.of(ctx, c) }
	}
	for _, check := range []func(context.Context){
		d.settingsFiles, d.hooks, d.otherHooks, d.daemon, d.canaries, d.clients, daemon(checkup.Probes),
		d.service, d.store, daemon(checkup.Folders), daemon(checkup.Usable), daemon(checkup.Lock), daemon(checkup.Sandbox), d.people, d.clock,
		d.configuration, d.endpoints, d.private, d.disk,
	} {
		if ctx.Err() != nil {
			d.add(finding.Finding{Check: "doctor", State: finding.Error, Text: "doctor stopped before all checks were done: " + context.Cause(ctx).Error(), Fix: "run it again"})
			break
		}
		check(ctx)
	}
	return d.findings
}

// examination gathers findings.
type examination struct {
	Options
	findings checkup.Findings
	// client and health are results of the daemon check; nil for a missing daemon, or one silent to
	// this account.
	client Daemon
	health *protocol.Health
	// untold is the reason for a missing client; answered reports whether the daemon answers the
	// hook all the same.
	untold   string
	answered bool
	// session is the last canary call's.
	session string
}

func (d *examination) add(f finding.Finding) { d.findings = append(d.findings, f) }

func (d *examination) ok(check, text string) {
	d.findings.OK(check, text)
}

func (d *examination) warn(check, text, fix string) {
	d.findings.Warning(check, text, fix)
}

func (d *examination) bad(check, text, fix string) {
	d.findings.Bad(check, text, fix)
}

func (d *examination) skip(check, text, fix string) {
	d.findings.Skip(check, text, fix)
}
