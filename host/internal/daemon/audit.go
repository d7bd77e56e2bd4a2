package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/notary"
	"github.com/callgate/callgate/host/internal/store/proof"
)

// verifyEvery is the time between two verifications of the whole audit.
const verifyEvery = 24 * time.Hour

// openNotary reads the key of the audit, and the accepted witnesses.
func (d *Daemon) openNotary(ctx context.Context, state string) (*notary.Notary, error) {
	c := notary.Config{Store: d.Host.Store, State: state, Others: d.others, Log: d.log, Now: d.now}
	for _, w := range d.Host.Accepted().Audit.Witnesses {
		key, err := proof.ParseWitness(w.Key)
		if err != nil {
			return nil, fmt.Errorf("audit.witnesses: %w", err)
		}
		c.Witnesses = append(c.Witnesses, notary.Address{URL: w.URL, Key: key})
	}
	return notary.Open(ctx, c)
}

// verifyDaily verifies the rows since the last checkpoint, then the whole audit, and that again every
// day, until ctx ends.
func (d *Daemon) verifyDaily(ctx context.Context) {
	tick := time.NewTicker(verifyEvery)
	defer tick.Stop()
	if report, err := d.notary.VerifyNew(ctx); err == nil { // a failure is named by what follows
		d.verified.note(d.now(), report)
	}
	for ctx.Err() == nil {
		d.verify(ctx, d.notary.Verify)
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
			"row", report.Break.Seq, "error", report.Break.What, "rows", report.Rows)
	}
}
