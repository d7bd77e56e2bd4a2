package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/hook/claudecode/settings"
	"github.com/callgate/callgate/host/store"
)

// daemon connects, and looks at what answers.
func (d *examination) daemon(ctx context.Context) {
	client, h, err := health(ctx, d.Connect)
	if err != nil && !errors.Is(err, api.ErrNotOurs) && d.asHook(ctx) {
		return
	}
	if err != nil {
		cure := "callgate serve, or callgate service install"
		if errors.Is(err, api.ErrNotOurs) {
			cure = "stop what listens there; until then every call is denied"
		}
		d.untold = "the daemon could not be asked"
		d.bad("daemon.reachable", err.Error(), cure)
		return
	}
	d.client, d.health = client, &h
	d.ok("daemon.reachable", fmt.Sprintf("it answers and has proved itself; version %s, running since %s", h.Version, h.StartedAt.Format(time.RFC3339)))
	d.version(h)
}

func health(ctx context.Context, connect func() (Daemon, error)) (Daemon, api.Health, error) {
	client, err := connect()
	if err != nil {
		return nil, api.Health{}, err
	}
	h, err := client.Health(ctx)
	return client, h, err
}

// asHook asks the daemon that the installed hook asks, and tells whether that one
// answers. At level B an agent's account has no other way.
func (d *examination) asHook(ctx context.Context) bool {
	own := d.Settings.Own(settings.PreToolUse)
	if d.ConnectHook == nil || len(own) == 0 {
		return false
	}
	_, h, err := health(ctx, func() (Daemon, error) { return d.ConnectHook(own[0]) })
	if err != nil {
		return false
	}
	d.untold, d.answered = "an agent's token is not told", true
	d.ok("daemon.reachable", fmt.Sprintf("it answers the hook and has proved itself; version %s; more is told to an approver: callgate doctor --endpoint ... --token-file ...", h.Version))
	d.version(h)
	return true
}

func (d *examination) version(h api.Health) {
	if h.Version != d.Version {
		d.warn("daemon.version", fmt.Sprintf("the daemon is version %s, this program %s", h.Version, d.Version), "start the daemon again with this program")
	}
}

// people tells who can answer an ask.
func (d *examination) people(ctx context.Context) {
	d.discord(ctx)
	if d.health == nil {
		d.skip("people.surfaces", d.untold, "")
		return
	}
	d.pin(ctx)
	// The API counts as a place at all times; somebody has to look at it.
	places := slices.DeleteFunc(slices.Clone(d.health.Surfaces), func(name string) bool { return name == "api" })
	if len(places) == 0 {
		d.warn("people.surfaces", "nobody is watching: an ask runs out its time and is denied, unless somebody answers through the API", "callgate asks watch")
		return
	}
	d.ok("people.surfaces", "asks are shown at: "+strings.Join(places, ", "))
}

// pin tells whether anybody can approve on this machine.
func (d *examination) pin(ctx context.Context) {
	switch p, err := d.client.Presence(ctx); {
	case err != nil:
		d.skip("people.pin", "how the approver PIN stands could not be told: "+err.Error(), "")
	case p.Locked:
		d.bad("people.pin", "the approver PIN is locked, so nobody can approve on this machine: "+p.Why, "callgate pin reset")
	case !p.Set:
		d.warn("people.pin", "no approver PIN is set, so nobody can approve on this machine yet", "callgate pin set")
	default:
		d.ok("people.pin", "an approver PIN is set")
	}
}

// store looks at the audit and the rules.
func (d *examination) store(ctx context.Context) {
	if d.Config != nil {
		if info, err := os.Stat(d.Config.Store); err == nil {
			d.ok("store.size", fmt.Sprintf("%s: %s", d.Config.Store, size(uint64(info.Size()))))
		}
	}
	if d.client == nil {
		d.skip("store.audit", d.untold, "")
		return
	}
	if refused := d.health.RefusedRules; len(refused) > 0 {
		d.bad("store.rules", "stored allow rules that were changed outside Callgate are not used: "+strings.Join(refused, ", "), "callgate rules remove ID, and add again what you want; find out who writes the store")
	} else {
		d.ok("store.rules", "every stored rule is as Callgate stored it")
	}
	d.Progress("verifying the audit")
	report, err := d.client.VerifyAudit(ctx)
	switch {
	case err != nil:
		d.bad("store.audit", "the audit cannot be read: "+err.Error(), "see the daemon's log")
	case !report.OK():
		d.bad("store.audit", fmt.Sprintf("the audit was changed at row %d: %s", report.Break.Seq, report.Break.What), "callgate audit verify; compare with a copy (callgate audit export), find out who writes the store, restore a copy")
	default:
		d.ok("store.audit", fmt.Sprintf("%d rows, each follows from the one before", report.Rows))
	}
}

// modules looks for tools that cannot be judged.
func (d *examination) modules(ctx context.Context) {
	if d.client == nil {
		d.skip("modules.usable", d.untold, "")
		return
	}
	tools, err := d.client.Tools(ctx)
	if err != nil {
		d.bad("modules.usable", "the tools cannot be listed: "+err.Error(), "see the daemon's log")
		return
	}
	broken := slices.DeleteFunc(slices.Clone(tools), func(t catalog.Info) bool { return t.Error == "" })
	for _, t := range broken {
		d.bad("modules.usable", fmt.Sprintf("%s (%s): %s: its calls are asked about or denied", t.Name, t.File, t.Error), "callgate tools inspect "+t.Name+", then replace or remove the file")
	}
	for _, p := range d.health.ModuleProblems {
		d.bad("modules.usable", p+": its tools are asked about or denied", "correct or remove the file")
	}
	if len(broken)+len(d.health.ModuleProblems) == 0 {
		d.ok("modules.usable", fmt.Sprintf("%d tools, all usable", len(tools)))
	}
}

// clock compares the clock with what must lie behind it.
func (d *examination) clock(ctx context.Context) {
	now := d.Now()
	if !d.Built.IsZero() && now.Before(d.Built) {
		d.bad("clock", fmt.Sprintf("it is %s, before this program was made (%s): expiry of rules and approvals goes wrong", now.Format(time.RFC3339), d.Built.Format(time.RFC3339)), "set the system's clock")
		return
	}
	if d.client == nil {
		d.skip("clock", d.untold, "")
		return
	}
	page, err := d.client.Audit(ctx, store.Filter{Newest: true, Limit: 1})
	if err != nil {
		d.skip("clock", "the newest audit row could not be read: "+err.Error(), "")
		return
	}
	for _, row := range page.Rows {
		// A row may be written while we look.
		if now.Add(time.Second).Before(row.Time) {
			d.bad("clock", fmt.Sprintf("it is %s, and the newest audit row is of %s: rules and approvals live too long", now.Format(time.RFC3339), row.Time.Format(time.RFC3339)), "set the system's clock")
			return
		}
	}
	d.ok("clock", "it is "+now.Format(time.RFC3339)+", not before the newest audit row")
}

func size(n uint64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	if i == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f %s", f, units[i])
}
