package pin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// Hold is how long a terminal stays unlocked.
const Hold = 15 * time.Minute

// The refusals of a Keeper; the texts say what to type.
var (
	// ErrLocked: the PIN was not typed here lately.
	ErrLocked = errors.New("the approver PIN is required, typed in this terminal within the last 15 minutes. Enter it: callgate pin unlock")
	// ErrNoPIN: none was set yet, so no one can approve.
	ErrNoPIN = errors.New("no approver PIN is set, so approvals on this machine are not possible. Set it in a terminal: callgate pin set")
	// ErrLockedOut: too many wrong tries, or the record is not one of ours.
	ErrLockedOut = errors.New("the approver PIN is locked. Denying still works. To recover: callgate pin reset")
	// ErrNoReset: there is none to cancel.
	ErrNoReset = errors.New("no reset of the approver PIN is pending")
	// ErrWrong: this is not the PIN.
	ErrWrong = errors.New("wrong PIN")
)

// Who is who wants to widen something.
type Who struct {
	// By is a name for the audit.
	By string
	// Token names the request's token. A ticket is good only with its own token.
	Token string
	// Terminal is the terminal session of the process, see Process.Terminal;
	// empty when it has none.
	Terminal string
	// Ticket is the result of Unlock without a visible terminal.
	Ticket Ticket
}

// Config are the parts of a Keeper. Store is required.
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

// New returns a Keeper without an unlocked terminal.
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
		return fmt.Errorf("%w (a reset is pending and takes effect at %s)", ErrLockedOut, r.ResetAt.Local().Format(time.DateTime))
	case r.forged != nil:
		return fmt.Errorf("%w (%w)", ErrLockedOut, r.forged)
	}
	return ErrLockedOut
}

// Unlock tries a PIN. With the right one the terminal of who is unlocked for Hold, or, without
// one, the returned ticket; and a pending reset is cancelled. ErrWrong says how many tries are
// left; the last one locks the PIN.
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

// begin counts a try in the store.
func (k *Keeper) begin(ctx context.Context, w Who) (r record, err error) {
	for range maxTries + 1 { // each other daemon's try leaves fewer
		if r, err = k.load(ctx); err == nil {
			err = k.refusal(r)
		}
		if err != nil {
			return r, err
		}
		r.Tries++
		err = k.save(ctx, &r, store.EventPINTried, w, fmt.Sprintf("attempt %d of %d", r.Tries, maxTries))
		if !errors.Is(err, store.ErrStale) {
			break
		}
	}
	return r, err
}

// try counts the try in the store, and only then looks at the PIN: who kills the
// daemon in between has used it up.
func (k *Keeper) try(ctx context.Context, pin string, w Who) (record, error) {
	r, err := k.begin(ctx, w)
	if err != nil {
		return r, err
	}
	switch {
	case len(pin) <= maxLength && r.PIN.is(pin):
		r.Tries, r.ResetAt = 0, time.Time{}
		err := k.save(ctx, &r, store.EventPINUnlocked, w, "")
		return r, err
	case r.Tries < maxTries:
		left := fmt.Sprintf("%d attempts left", maxTries-r.Tries)
		if r.Tries == maxTries-1 {
			left = "one attempt left"
		}
		return r, fmt.Errorf("%w: %s", ErrWrong, left)
	}
	k.open.clear()
	k.c.Log.Warn("the approver PIN is locked after too many wrong attempts; to recover: callgate pin reset", "by", w.By)
	if err := k.save(ctx, &r, store.EventPINLocked, w, fmt.Sprintf("%d wrong attempts in a row", r.Tries)); err != nil {
		return r, err
	}
	return r, fmt.Errorf("%w: %w", ErrWrong, ErrLockedOut)
}

// Set chooses the first PIN, or another one when old is the current PIN; a wrong old one is a
// try like any other. It locks everything except the terminal of who.
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
		if old == "" { // the first choice, twice at once: no guess
			return cmp.Or(k.refusal(r), fmt.Errorf("%w: a PIN is already set; changing it needs the current PIN", ErrWrong))
		}
		if r, err = k.try(ctx, old, w); err != nil {
			return err
		}
	}
	k.open.clear()
	if err := k.save(ctx, &record{PIN: digestOf(pin, k.c.cost), text: r.text}, event, w, ""); err != nil {
		return err
	}
	if w.Terminal != "" {
		k.open.add(w, k.c.Now())
	}
	return nil
}

// Unlocked reports whether any terminal or ticket is unlocked, or was until its time ended.
func (k *Keeper) Unlocked() bool { return k.open.any() }

// Lock ends the unlocking of who.
func (k *Keeper) Lock(w Who) { k.open.remove(w) }

// take waits for its turn.
func (k *Keeper) take(ctx context.Context) (release func(), err error) {
	select {
	case k.turn <- struct{}{}:
		return func() { <-k.turn }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("approver PIN: %w", ctx.Err())
	}
}
