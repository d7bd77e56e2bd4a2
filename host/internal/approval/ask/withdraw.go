package ask

import (
	"context"
	"fmt"
)

// withdrawals are the causes for Withdraw.
var withdrawals = map[Cause]bool{CauseCardChanged: true}

// Withdraw cancels a waiting ask because its answers can no longer be trusted; its approvals
// count for nothing. CauseCardChanged is the only cause. A *SettledError when it has ended,
// ErrUnknown when there is none.
func (b *Broker) Withdraw(ctx context.Context, id string, cause Cause) (Ask, error) {
	if !withdrawals[cause] {
		return Ask{}, fmt.Errorf("withdraw ask %s: %q is no cause to withdraw it", NormalID(id), cause)
	}
	e, err := b.turnFor(ctx, "withdraw", id)
	if err != nil {
		return Ask{}, err
	}
	defer b.release()
	b.forceEnd(ctx, e, Cancelled, cause)
	b.advance(ctx, laneOf(e.ask))
	ended := b.cfg.Ended(e.ask)
	if ended.State != Cancelled || ended.Cause != cause {
		return ended, &SettledError{Ask: ended}
	}
	return ended, nil
}

// TurnAway refuses a person's answer to a waiting ask, where their surface knows the reason
// before the broker does: the error is a *NotApproverError, with Again for a person who was
// refused before. A *SettledError when the ask has ended, ErrUnknown when there is none.
func (b *Broker) TurnAway(ctx context.Context, id, who, reason string) (Ask, error) {
	e, err := b.turnFor(ctx, "answer", id)
	if err != nil {
		return Ask{}, err
	}
	defer b.release()
	return e.ask, fmt.Errorf("answer ask %s: %w", e.ask.ID, e.refused(who, reason))
}
