package presence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/callgate/callgate/host/store"
)

// Hold is how long a terminal stays unlocked. Source: design section 8.
const Hold = 15 * time.Minute

// What a Keeper refuses with; the texts say what to type.
var (
	// ErrLocked: nobody typed the PIN here lately.
	ErrLocked = errors.New("this needs the approver PIN, typed here within the last 15 minutes: in a terminal, callgate pin unlock")
	// ErrNoPIN: none was set yet, so nobody can approve.
	ErrNoPIN = errors.New("no approver PIN is set, so nobody can approve on this machine yet: in a terminal, callgate pin set")
	// ErrLockedOut: too many wrong tries, or the record is not one of ours.
	ErrLockedOut = errors.New("the approver PIN is locked: deny goes on, and callgate pin reset is the way out")
	// ErrNoReset: there is none to cancel.
	ErrNoReset = errors.New("no reset of the approver PIN is under way")
	// ErrWrong: this is not the PIN.
	ErrWrong = errors.New("wrong PIN")
)

// Who is who wants to widen something.
type Who struct {
	// By is a name for the audit.
	By string
	// Token names the token that came with the request. A ticket is good with
	// the token that it was given to.
	Token string
	// Terminal is the terminal session of the process, see Process.Terminal;
	// empty when it has none.
	Terminal string
	// Ticket is what Unlock gave where no terminal can be seen.
	Ticket Ticket
}

// Config is what a Keeper is made of. Store is required.
type Config struct {
	Store Store
	// Log hears of locks and resets; nil means silence.
	Log *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	cost cost // of new PINs; zero means usual
}

// Keeper keeps the PIN and knows who has typed it. Safe for concurrent use.
type Keeper struct {
	c    Config
	turn chan struct{} // tries come one after the other
	open unlocked
}

// New returns a Keeper for which nobody has typed the PIN yet.
func New(c Config) *Keeper {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.cost == (cost{}) {
		c.cost = usual
	}
	return &Keeper{c: c, turn: make(chan struct{}, 1)}
}

// Require is nil when who has typed the PIN within Hold. Otherwise it is
// ErrLocked, ErrNoPIN or ErrLockedOut, or the store's error.
func (k *Keeper) Require(ctx context.Context, w Who) error {
	if _, ok := k.open.until(w, k.c.Now()); ok {
		return nil
	}
	r, err := k.load(ctx)
	if err != nil {
		return err
	}
	if err := k.refusal(r); err != nil {
		return err
	}
	return ErrLocked
}

// refusal is why no PIN can be tried now; nil when one can.
func (k *Keeper) refusal(r record) error {
	switch r.state(k.c.Now()) {
	case set:
		return nil
	case unset:
		return ErrNoPIN
	}
	switch {
	case !r.ResetAt.IsZero():
		return fmt.Errorf("%w (a reset was asked for, and takes effect at %s)", ErrLockedOut, r.ResetAt.Local().Format(time.DateTime))
	case r.forged != nil:
		return fmt.Errorf("%w (%w)", ErrLockedOut, r.forged)
	}
	return ErrLockedOut
}

// Unlock tries a PIN. With the right one the terminal of who is unlocked for
// Hold, or, where there is none, the ticket that comes back; and a reset that
// was asked for is off. ErrWrong says how many tries are left; the last one
// locks the PIN.
func (k *Keeper) Unlock(ctx context.Context, pin string, w Who) (Ticket, error) {
	release, err := k.take(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	if _, err := k.try(ctx, pin, w); err != nil {
		return "", err
	}
	return k.open.add(w, k.c.Now()), nil
}

// try counts the try in the store, and only then looks at the PIN: who kills the
// daemon in between has used it up.
func (k *Keeper) try(ctx context.Context, pin string, w Who) (record, error) {
	r, err := k.load(ctx)
	if err == nil {
		err = k.refusal(r)
	}
	if err != nil {
		return r, err
	}
	r.Tries++
	if err := k.save(ctx, r, store.EventPINTried, w, fmt.Sprintf("try %d of %d", r.Tries, maxTries)); err != nil {
		return r, err
	}
	switch {
	case len(pin) <= maxLength && r.PIN.is(pin):
		r.Tries, r.ResetAt = 0, time.Time{}
		return r, k.save(ctx, r, store.EventPINUnlocked, w, "")
	case r.Tries < maxTries:
		left := fmt.Sprintf("%d tries left", maxTries-r.Tries)
		if r.Tries == maxTries-1 {
			left = "one try left"
		}
		return r, fmt.Errorf("%w: %s", ErrWrong, left)
	}
	k.open.clear()
	k.c.Log.Warn("the approver PIN is locked after wrong tries in a row: callgate pin reset is the way out", "by", w.By)
	if err := k.save(ctx, r, store.EventPINLocked, w, fmt.Sprintf("%d wrong tries in a row", r.Tries)); err != nil {
		return r, err
	}
	return r, fmt.Errorf("%w: %w", ErrWrong, ErrLockedOut)
}

// Set chooses the first PIN, or another one when old is the PIN that holds; a
// wrong old one is a try like any other. Whatever was unlocked no longer is, but
// for the terminal of who.
func (k *Keeper) Set(ctx context.Context, old, pin string, w Who) error {
	if err := Check(pin); err != nil {
		return err
	}
	release, err := k.take(ctx)
	if err != nil {
		return err
	}
	defer release()
	r, err := k.load(ctx)
	if err != nil {
		return err
	}
	event := store.EventPINSet
	if r.state(k.c.Now()) != unset {
		event = store.EventPINChanged
		if old == "" { // chosen for the first time, twice at once: that is no guess
			return cmp.Or(k.refusal(r), fmt.Errorf("%w: there is a PIN already, and changing it wants that one", ErrWrong))
		}
		if _, err := k.try(ctx, old, w); err != nil {
			return err
		}
	}
	k.open.clear()
	if err := k.save(ctx, record{PIN: digestOf(pin, k.c.cost)}, event, w, ""); err != nil {
		return err
	}
	if w.Terminal != "" {
		k.open.add(w, k.c.Now())
	}
	return nil
}

// Lock ends what who has unlocked.
func (k *Keeper) Lock(w Who) { k.open.remove(w) }

// take waits for its turn.
func (k *Keeper) take(ctx context.Context) (release func(), err error) {
	select {
	case k.turn <- struct{}{}:
		return func() { <-k.turn }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("the approver PIN: %w", ctx.Err())
	}
}
