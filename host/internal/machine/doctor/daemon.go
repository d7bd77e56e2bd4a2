package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// daemon connects, and examines the answering process.
func (d *examination) daemon(ctx context.Context) {
	daemon, h, err := health(ctx, d.Connect)
	if err != nil && !errors.Is(err, client.ErrNotOurs) && d.asHook(ctx) {
		return
	}
	if err != nil {
		fix := "callgate serve, or callgate service install"
		if errors.Is(err, client.ErrNotOurs) {
			fix = "Stop that process. Until then every call is denied"
		}
		d.untold = "the daemon is not reachable"
		d.bad("daemon.reachable", err.Error(), fix)
		return
	}
	d.client, d.health = daemon, &h
	d.ok("daemon.reachable", fmt.Sprintf("Daemon is running (%s, up since %s).", h.Version, h.StartedAt.Format(time.RFC3339)))
	d.version(h)
}

func health(ctx context.Context, connect func() (Daemon, error)) (Daemon, protocol.Health, error) {
	client, err := connect()
	if err != nil {
		return nil, protocol.Health{}, err
	}
	h, err := client.Health(ctx)
	return client, h, err
}

// asHook asks the installed hook's daemon, and reports whether it answers. At level B an agent's
// account has no other way.
func (d *examination) asHook(ctx context.Context) bool {
	own := d.Settings.Own(settings.PreToolUse)
	if d.ConnectHook == nil || len(own) == 0 {
		return false
	}
	_, h, err := health(ctx, func() (Daemon, error) { return d.ConnectHook(own[0]) })
	if err != nil {
		return false
	}
	d.untold, d.answered = "an agent's token may not read this", true
	d.ok("daemon.reachable", fmt.Sprintf("The daemon answers the hook (%s). For the other checks use an approver's token: callgate doctor --endpoint ... --token-file ...", h.Version))
	d.version(h)
	return true
}

func (d *examination) version(h protocol.Health) {
	if h.Version != d.Version {
		d.warn("daemon.version", fmt.Sprintf("The daemon is version %s, this program is %s.", h.Version, d.Version), "restart the daemon with this program")
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
	// The API counts as a place at all times, but a person must watch it.
	places := slices.DeleteFunc(slices.Clone(d.health.Surfaces), func(name string) bool { return name == "api" })
	if len(places) == 0 {
		d.warn("people.surfaces", "No approver is connected. Asks will time out and be denied.", "callgate asks watch")
		return
	}
	d.ok("people.surfaces", "Asks are shown at: "+strings.Join(places, ", "))
}

// pin tells whether anybody can approve on this machine.
func (d *examination) pin(ctx context.Context) {
	switch p, err := d.client.Presence(ctx); {
	case err != nil:
		d.skip("people.pin", "cannot read the PIN status: "+err.Error(), "")
	case p.Locked:
		d.bad("people.pin", "The approver PIN is locked; no approval is possible on this machine: "+p.Why, "callgate pin reset")
	case !p.Set:
		d.warn("people.pin", "No approver PIN is set; no approval is possible on this machine.", "callgate pin set")
	default:
		d.ok("people.pin", "An approver PIN is set.")
	}
}

// store looks at the audit and the rules.
func (d *examination) store(ctx context.Context) {
	if d.Config != nil {
		if info, err := os.Stat(d.Config.StoreFile()); err == nil {
			d.ok("store.size", fmt.Sprintf("%s: %s", d.Config.Store, size(uint64(info.Size()))))
		}
	}
	if d.client == nil {
		d.skip("store.audit", d.untold, "")
		return
	}
	if refused := d.health.RefusedRules; len(refused) > 0 {
		d.bad("store.rules", "Stored allow rules were changed outside Callgate and are disabled: "+strings.Join(refused, ", "), "callgate rules remove ID, then add the rules you want. Find out which program wrote to the store")
	} else {
		d.ok("store.rules", "Stored rules are intact.")
	}
	d.Progress("verifying the audit log")
	report, err := d.client.VerifyAudit(ctx)
	switch {
	case err != nil:
		d.bad("store.audit", "Cannot read the audit log: "+err.Error(), "read the daemon's log")
	case !report.OK():
		d.bad("store.audit", fmt.Sprintf("The audit log was changed at row %d: %s.", report.Break.Seq, report.Break.What), "run callgate audit verify, compare with a copy (callgate audit export), find out which program wrote to the store, restore a copy")
	case report.Tree != nil && report.Tree.Unsigned != "":
		d.warn("store.audit", fmt.Sprintf("Audit chain verified (%d rows), but this daemon has another key than its newest checkpoint: %s.", report.Rows, report.Tree.Unsigned), "copy audit.key from another machine of this store (callgate nodes) into the state directory, and restart the daemon")
	default:
		d.ok("store.audit", fmt.Sprintf("Audit chain verified (%d rows).", report.Rows))
	}
}

// folders shows the trusted folders, so people need not remember them.
func (d *examination) folders(ctx context.Context) {
	if d.client == nil {
		d.skip("store.folders", d.untold, "")
		return
	}
	list, err := d.client.Folders(ctx, "")
	if err != nil {
		d.bad("store.folders", "the trusted folders cannot be read, so none counts: "+err.Error(), "callgate folders forget --all, then trust them again")
		return
	}
	var texts []string
	for _, f := range list {
		if f.Problem != "" {
			d.warn("store.folders", fmt.Sprintf("%s is not trusted any more for %s: %s", f.Path, f.Agent, f.Problem), "callgate folders forget "+f.ID)
			continue
		}
		texts = append(texts, fmt.Sprintf("%s: %s may %s", f.Path, f.Agent, f.Access))
	}
	if len(texts) > 0 {
		d.ok("store.folders", "trusted project folders: "+strings.Join(texts, "; ")+" (callgate folders list)")
	}
}

// modules looks for tools without a judge.
func (d *examination) modules(ctx context.Context) {
	if d.client == nil {
		d.skip("modules.usable", d.untold, "")
		return
	}
	tools, err := d.client.Tools(ctx)
	if err != nil {
		d.bad("modules.usable", "Cannot list the tools: "+err.Error(), "read the daemon's log")
		return
	}
	broken := slices.DeleteFunc(slices.Clone(tools), func(t wire.Tool) bool { return t.Error == "" })
	for _, t := range broken {
		d.bad("modules.usable", fmt.Sprintf("%s (%s): %s. Its calls are denied or need approval.", t.Name, t.File, t.Error), "run callgate tools inspect "+t.Name+", then replace or remove the file")
	}
	for _, p := range d.health.ModuleProblems {
		d.bad("modules.usable", p+". Its tools are denied or need approval.", "fix or remove the file")
	}
	if len(broken)+len(d.health.ModuleProblems) == 0 {
		d.ok("modules.usable", fmt.Sprintf("%d tools, all usable.", len(tools)))
	}
}

// clock compares the clock with times in the past.
func (d *examination) clock(ctx context.Context) {
	now := d.Now()
	if !d.Built.IsZero() && now.Before(d.Built) {
		d.bad("clock", fmt.Sprintf("The clock says %s, which is before this program was built (%s). Rules and approvals will not expire correctly.", now.Format(time.RFC3339), d.Built.Format(time.RFC3339)), "set the system clock")
		return
	}
	if d.client == nil {
		d.skip("clock", d.untold, "")
		return
	}
	page, err := d.client.Audit(ctx, store.Filter{Newest: true, Limit: 1})
	if err != nil {
		d.skip("clock", "cannot read the newest audit row: "+err.Error(), "")
		return
	}
	for _, row := range page.Rows {
		// A row may be written while we look.
		if now.Add(time.Second).Before(row.Time) {
			d.bad("clock", fmt.Sprintf("The clock says %s, but the newest audit row is from %s. Rules and approvals will expire too late.", now.Format(time.RFC3339), row.Time.Format(time.RFC3339)), "set the system clock")
			return
		}
	}
	d.ok("clock", "The clock is correct as far as known: "+now.Format(time.RFC3339)+", after the newest audit row.")
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
