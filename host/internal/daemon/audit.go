package daemon

import (
	"context"

	"github.com/callgate/callgate/host/internal/store"
)

// verify checks once, beside serving, whether the audit is unaltered, and logs the place of a
// change. It changes nothing: rules decide calls, and an allow rule without its own row is not
// used. Threat T15.
func (d *Daemon) verify(ctx context.Context, audit func(context.Context) (store.Report, error)) {
	report, err := audit(ctx)
	switch {
	case ctx.Err() != nil: // the daemon stops
	case err != nil:
		d.log.Error("the audit log could not be verified; try `callgate audit verify`", "error", err)
	case !report.OK():
		d.log.Error("the audit log was changed outside Callgate: run `callgate audit verify`, find out which program wrote to the store, and restore a copy",
			"row", report.Break.Seq, "what", report.Break.What, "sound_rows", report.Rows)
	}
}
