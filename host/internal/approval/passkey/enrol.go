package passkey

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/store"
)

// setting is the credentials' name in the store.
const setting = "passkeys"

// The bounds of the record.
const (
	maxPerPerson = 20
	maxAll       = 500
	maxName      = 60
)

// ErrEnrol marks an enrolment that cannot be made; nothing has changed.
var ErrEnrol = errors.New("the passkey was not added")

// Enrol makes the options for a new passkey of a person. The caller has made sure that the person,
// or an administrator, is present.
func (k *Keeper) Enrol(ctx context.Context, person string) (CreationOptions, error) {
	rp, err := k.Name(ctx)
	if err != nil {
		return CreationOptions{}, err
	}
	all, _, err := k.load(ctx)
	if err != nil {
		return CreationOptions{}, err
	}
	held := inForce(all, person, rp)
	if len(held) >= maxPerPerson || len(all) >= maxAll {
		return CreationOptions{}, fmt.Errorf("%w: %s has %d passkeys, and the store %d; at most %d and %d are kept", ErrEnrol, person, len(held), len(all), maxPerPerson, maxAll)
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	now := k.c.Now()
	if err := k.open(challengeKey{person: person}, challenge{signed: random, at: now, expires: now.Add(challengeHold)}); err != nil {
		return CreationOptions{}, err
	}
	return creationOptions(random, rp, person, held), nil
}

// Add finishes an enrolment with the browser's answer; name is the person's word for the device.
// by is who did it.
func (k *Keeper) Add(ctx context.Context, person, name, by string, body []byte) (Credential, error) {
	name = strings.TrimSpace(name)
	if name == "" || len(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return Credential{}, fmt.Errorf("%w: give the device a name of at most %d printable bytes", ErrEnrol, maxName)
	}
	open, ok := k.take(challengeKey{person: person})
	if !ok {
		return Credential{}, fmt.Errorf("%w: its challenge was used, is older than two minutes, or was never made; begin again", ErrEnrol)
	}
	rp, err := k.Name(ctx)
	if err != nil {
		return Credential{}, err
	}
	c, err := enrolled(body, open.signed, rp, k.c.Origin())
	if err != nil {
		return Credential{}, fmt.Errorf("%w: %w", ErrEnrol, err)
	}
	c.Person, c.Name, c.AddedAt = person, name, k.c.Now().UTC()
	return c, k.change(ctx, func(all []Credential) ([]Credential, store.Row, error) {
		if slices.ContainsFunc(all, func(other Credential) bool { return other.ID == c.ID }) {
			return nil, store.Row{}, fmt.Errorf("%w: this passkey is known already", ErrEnrol)
		}
		return append(all, c), k.row(store.EventPasskeyAdded, c, by), nil
	})
}

// Revoke ends a credential, in the name of by: no later signature of it counts. person limits it to
// theirs; empty means anybody's. store.ErrNotFound for none such in force.
func (k *Keeper) Revoke(ctx context.Context, id, person, by string) (Credential, error) {
	var out Credential
	err := k.change(ctx, func(all []Credential) ([]Credential, store.Row, error) {
		i := slices.IndexFunc(all, func(c Credential) bool {
			return c.ID == id && c.RevokedAt.IsZero() && (person == "" || c.Person == person)
		})
		if i < 0 {
			return nil, store.Row{}, fmt.Errorf("passkey %q: %w", id, store.ErrNotFound)
		}
		all[i].RevokedAt = k.c.Now().UTC()
		out = all[i]
		return all, k.row(store.EventPasskeyRevoked, out, by), nil
	})
	return out, err
}

// List returns the credentials, the revoked ones too, in the order of their enrolment; person limits
// it to theirs.
func (k *Keeper) List(ctx context.Context, person string) ([]Credential, error) {
	all, _, err := k.load(ctx)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(c Credential) bool { return person != "" && c.Person != person }), nil
}

// row is the audit's row of a change, with the public key.
func (k *Keeper) row(event store.Event, c Credential, by string) store.Row {
	return store.Row{
		Time: k.c.Now(), Event: event, User: c.Person, DecidedBy: by,
		Detail: fmt.Sprintf("passkey %q of %s, key %s", c.Name, c.Person, c.Fingerprint()), Evidence: compact(c),
	}
}

// held are a person's credentials in force.
func (k *Keeper) held(ctx context.Context, person string) ([]Credential, error) {
	rp, err := k.Name(ctx)
	if err != nil {
		return nil, err
	}
	all, _, err := k.load(ctx)
	return inForce(all, person, rp), err
}

// Has reports whether a person has a passkey in force.
func (k *Keeper) Has(ctx context.Context, person string) (bool, error) {
	held, err := k.held(ctx, person)
	return len(held) > 0, err
}

func inForce(all []Credential, person, daemon string) []Credential {
	return slices.DeleteFunc(slices.Clone(all), func(c Credential) bool {
		return c.Person != person || !c.stands(daemon)
	})
}

// load reads the credentials, and their text. A record changed outside Callgate is an error: none of
// it counts.
func (k *Keeper) load(ctx context.Context) ([]Credential, []byte, error) {
	text, err := k.c.Store.Setting(ctx, setting)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil, nil
	}
	var all []Credential
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the passkeys: %w", err)
	}
	return all, text, nil
}

// maxStale bounds how often a change is made anew because another daemon was first.
const maxStale = 5

// change changes the record, with a row of its own.
func (k *Keeper) change(ctx context.Context, make func([]Credential) ([]Credential, store.Row, error)) (err error) {
	k.saving.Lock()
	defer k.saving.Unlock()
	for range maxStale {
		if err = k.changeOnce(ctx, make); !errors.Is(err, store.ErrStale) {
			break
		}
	}
	return err
}

func (k *Keeper) changeOnce(ctx context.Context, make func([]Credential) ([]Credential, store.Row, error)) error {
	all, was, err := k.load(ctx)
	if err != nil {
		return err
	}
	next, row, err := make(all)
	if err != nil {
		return err
	}
	return k.c.Store.ReplaceSetting(ctx, setting, was, []byte(compact(next)), row)
}
