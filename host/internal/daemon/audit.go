package daemon

import (
	"context"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// verifyEvery is the time between two verifications of the whole audit.
const verifyEvery = 24 * time.Hour

// verifyDaily verifies the audit at once and every day, until ctx ends.
func (d *Daemon) verifyDaily(ctx context.Context) {
	tick := time.NewTicker(verifyEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		d.verify(ctx, d.Host.Store.VerifyAudit)
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// verify checks, beside serving, whether the audit is unaltered, and logs the place of a change. It
// changes nothing: rules decide calls, and an allow rule without its own row is not used. Threat
// T15.
func (d *Daemon) verify(ctx context.Context, audit func(context.Context) (store.Report, error)) {
	report, err := audit(ctx)
	if err == nil {
		d.verified.note(d.now(), report)
	}
	switch {
	case ctx.Err() != nil: // the daemon stops
	case err != nil:
		d.log.Error("the audit log could not be verified; try `callgate audit verify`", "error", err)
	case !report.OK():
		d.log.Error("the audit log was changed outside Callgate: run `callgate audit verify`, find out which program wrote to the store, and restore a copy",
			"row", report.Break.Seq, "what", report.Break.What, "sound_rows", report.Rows)
	}
}
