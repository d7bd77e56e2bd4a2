package presence

import (
	"context"
	"time"

	"github.com/callgate/callgate/host/store"
)

// resetDelay is how long a reset waits, so that the person whose PIN it is sees
// it coming and can stop it.
const resetDelay = time.Hour

// Reset is the way out of a lock: the PIN is dropped, and the next Set chooses
// one. It takes effect at the time returned, in an hour; at once for who is root
// while the daemon is not (proven by the account, not by the caller). Until then
// the right PIN, or CancelReset, ends it.
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
	k.c.Log.Warn("a reset of the approver PIN was asked for; if it was not you: callgate pin reset --cancel", "by", w.By, "effective", r.ResetAt)
	return r.ResetAt, k.save(ctx, r, store.EventPINReset, w, "effective "+r.ResetAt.Format(time.RFC3339))
}

// CancelReset takes back a reset that has not taken effect.
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
	return k.save(ctx, r, store.EventPINResetCancelled, w, "")
}
