package pin

import (
	"context"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// resetDelay is how long a reset waits, so the owner of the PIN sees it coming and can stop it.
const resetDelay = time.Hour

// Reset is the way out of a lock: the PIN is dropped, and the next Set chooses one. It takes
// effect at the returned time, in an hour; with atOnce now, which is for root where no agent
// can be root (proven by the account, not by the caller). Until then the right PIN, or
// CancelReset, ends it.
func (k *Keeper) Reset(ctx context.Context, w Who, atOnce bool) (time.Time, error) {
	release, err := k.take(ctx)
	if err != nil {
		return time.Time{}, err
	}
	defer release()
	r, err := k.load(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if r.state(k.c.Now()) == unset {
		return time.Time{}, ErrNoPIN
	}
	if r.forged != nil {
		r = record{Lost: true}
	}
	if r.ResetAt.IsZero() {
		r.ResetAt = k.c.Now().UTC().Round(0).Add(resetDelay)
	}
	if atOnce {
		r.ResetAt = k.c.Now().UTC().Round(0)
		k.open.clear()
	}
	k.c.Log.Warn("a reset of the approver PIN is pending. If you did not ask for it: callgate pin reset --cancel", "by", w.By, "effective", r.ResetAt)
	return r.ResetAt, k.save(ctx, &r, store.EventPINReset, w, "effective "+r.ResetAt.Format(time.RFC3339))
}

// CancelReset cancels a pending reset.
func (k *Keeper) CancelReset(ctx context.Context, w Who) error {
	release, err := k.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	r, err := k.load(ctx)
	if err != nil {
		return err
	}
	if r.ResetAt.IsZero() || r.state(k.c.Now()) == unset {
		return ErrNoReset
	}
	r.ResetAt = time.Time{}
	return k.save(ctx, &r, store.EventPINResetCancelled, w, "")
}
