package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/checkup"
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
	d.of(ctx, checkup.Reachable)
	d.of(ctx, checkup.Ready)
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

// of makes a check of the daemon.
func (d *examination) of(ctx context.Context, c checkup.Check) {
	if d.client == nil {
		d.skip(c.Name, d.untold, "")
		return
	}
	d.findings = append(d.findings, c.Find(ctx, checkup.Subject{Daemon: d.client, Health: *d.health, Now: d.Now()})...)
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
	d.of(ctx, checkup.PIN)
	d.of(ctx, checkup.Surfaces)
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
	d.of(ctx, checkup.Rules)
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

// clock compares the clock with times in the past.
func (d *examination) clock(ctx context.Context) {
	now := d.Now()
	if !d.Built.IsZero() && now.Before(d.Built) {
		d.bad("clock", fmt.Sprintf("The clock says %s, which is before this program was built (%s). Rules and approvals will not expire correctly.", now.Format(time.RFC3339), d.Built.Format(time.RFC3339)), "set the system clock")
		return
	}
	d.of(ctx, checkup.Clock)
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
