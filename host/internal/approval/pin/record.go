package pin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// Store keeps the PIN's record, and the audit row of every change to it.
type Store interface {
	Setting(ctx context.Context, name string) ([]byte, error)
	SaveSetting(ctx context.Context, name string, value []byte, row store.Row) error
	ReplaceSetting(ctx context.Context, name string, was, value []byte, row store.Row) error
}

// setting is the record's name in the store.
const setting = "pin"

// maxTries is how many wrong PINs in a row lock. RATIONALE.md, "Why argon2id and
// eight characters, when five wrong tries lock the PIN?".
const maxTries = 5

// record is the stored state. The zero record has no PIN.
type record struct {
	PIN *digest `json:"pin,omitempty"`
	// Tries are those begun since the last right one.
	Tries int `json:"tries"`
	// ResetAt is when a pending reset takes effect; zero for none.
	ResetAt time.Time `json:"reset_at,omitzero"`

	// Lost means: a reset was requested while the record was not one of ours, so it stays
	// locked until the reset takes effect.
	Lost bool `json:"lost,omitempty"`

	// forged is why the record cannot be used; it then counts as locked.
	forged error
	// text is the stored record this one was made from; nil for none.
	text []byte
}

// state is the state of a record at a time.
type state uint8

// The zero state refuses everything.
const (
	locked state = iota
	unset
	set
)

func (r record) state(now time.Time) state {
	switch {
	case !r.ResetAt.IsZero() && !now.Before(r.ResetAt):
		return unset
	case r.Lost || r.forged != nil || r.Tries >= maxTries:
		return locked
	case r.PIN == nil:
		return unset
	}
	return set
}

// load reads the record. One changed outside Callgate, or unreadable, is locked; only a failing
// store is an error.
func (k *Keeper) load(ctx context.Context) (record, error) {
	text, err := k.c.Store.Setting(ctx, setting)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return record{}, nil
	case errors.Is(err, store.ErrForged):
		return record{forged: err}, nil
	case err != nil:
		return record{}, fmt.Errorf("read the PIN: %w", err)
	}
	var r record
	err = json.Unmarshal(text, &r)
	if err == nil && r.PIN != nil {
		err = r.PIN.check()
	}
	if err != nil {
		return record{forged: fmt.Errorf("the stored PIN cannot be read: %w", err)}, nil
	}
	r.text = text
	return r, nil
}

// save stores the record with the row for the change. It is store.ErrStale, and nothing is stored,
// when the record it was made from is no longer the present one: another daemon took a try. A lost
// record is replaced as it is.
func (k *Keeper) save(ctx context.Context, r *record, event store.Event, w Who, detail string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("save the PIN: %w", err)
	}
	row := store.Row{Event: event, DecidedBy: w.By, Detail: detail}
	ctx = context.WithoutCancel(ctx) // a try begun is counted, with or without its caller
	if r.Lost && r.text == nil {
		err = k.c.Store.SaveSetting(ctx, setting, text, row)
	} else {
		err = k.c.Store.ReplaceSetting(ctx, setting, r.text, text, row)
	}
	if err != nil {
		return fmt.Errorf("save the PIN: %w", err)
	}
	r.text = text
	return nil
}
