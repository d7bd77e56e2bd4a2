package daemon

import (
	"context"

	"github.com/callgate/callgate/host/store"
)

// verify looks once, beside serving, at whether the audit is what was written,
// and tells where it is not. It changes nothing: calls are decided on by rules,
// and an allow rule without its own row is not used. Threat T15.
func (d *Daemon) verify(ctx context.Context, audit func(context.Context) (store.Report, error)) {
	report, err := audit(ctx)
	switch {
	case ctx.Err() != nil: // the daemon stops
	case err != nil:
		d.log.Error("the audit could not be verified: try `callgate audit verify`", "error", err)
	case !report.OK():
		d.log.Error("the audit was changed outside Callgate: see `callgate audit verify`, find out who writes the store, and restore a copy of it",
			"row", report.Break.Seq, "what", report.Break.What, "sound_rows", report.Rows)
	}
}
