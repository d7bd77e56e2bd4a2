package pin

import (
	"context"
	"time"
)

// Status is how the PIN stands, for one who asks.
type Status struct {
	// Set means: there is a PIN; Locked: it cannot be used.
	Set    bool `json:"set"`
	Locked bool `json:"locked"`
	// Why says why it cannot be used, and the fix.
	Why string `json:"why,omitempty"`
	// TriesLeft is how many wrong PINs are left.
	TriesLeft int `json:"tries_left"`
	// ResetAt is when a pending reset takes effect.
	ResetAt time.Time `json:"reset_at,omitzero"`
	// UnlockedUntil is until when who asks may widen; zero when not.
	UnlockedUntil time.Time `json:"unlocked_until,omitzero"`
}

// Status tells how the PIN stands for who.
func (k *Keeper) Status(ctx context.Context, w Who) (Status, error) {
	r, err := k.load(ctx)
	if err != nil {
		return Status{}, err
	}
	st := r.state(k.c.Now())
	out := Status{Set: st != unset, Locked: st == locked}
	if err := k.refusal(r); err != nil {
		out.Why = err.Error()
	}
	if st == set {
		out.TriesLeft = maxTries - r.Tries
	}
	if st != unset {
		out.ResetAt = r.ResetAt
	}
	out.UnlockedUntil, _ = k.open.until(w, k.c.Now())
	return out, nil
}
