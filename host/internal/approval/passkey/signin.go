package passkey

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
)

// signInKind names the layout of what a device signs to let its person in: no approval reads like it.
const signInKind = "callgate sign-in 1"

// signIn is what a device signs to let its person in.
type signIn struct {
	Kind     string    `json:"kind"`
	Daemon   string    `json:"daemon"`
	IssuedAt time.Time `json:"issued_at"`
	Nonce    string    `json:"nonce"`
}

// SignIn makes a challenge for whoever holds a passkey of this console; it names no person and no
// key. The caller keeps the statement for the browser that gets the options, and gives it to SignedIn
// once. A statement counts for two minutes.
func (k *Keeper) SignIn(ctx context.Context) (Challenge, error) {
	name, err := k.Name(ctx)
	if err != nil {
		return Challenge{}, err
	}
	text := compact(signIn{signInKind, name, k.c.Now().UTC(), rand.Text()})
	sum := sha256.Sum256([]byte(text))
	return Challenge{Statement: text, Options: requestOptions(sum[:], name, nil)}, nil
}

// SignedIn returns the passkey that has signed a statement of SignIn, after verifying its user; an
// ErrNotSigned for every other answer of a device.
func (k *Keeper) SignedIn(ctx context.Context, statement string, assertion []byte) (Credential, error) {
	var s signIn
	name, err := k.Name(ctx)
	if err != nil {
		return Credential{}, err
	}
	age := k.c.Now()
	if err := json.Unmarshal([]byte(statement), &s, json.RejectUnknownMembers(true)); err != nil || s.Kind != signInKind || s.Daemon != name ||
		!s.IssuedAt.Add(challengeHold).After(age) {
		return Credential{}, fmt.Errorf("%w: its challenge is older than two minutes, or of another console", ErrNotSigned)
	}
	all, _, err := k.load(ctx)
	if err != nil {
		return Credential{}, err
	}
	id := credentialID(assertion)
	i := slices.IndexFunc(all, func(c Credential) bool { return c.ID == id && c.stands(name) })
	if i < 0 {
		return Credential{}, fmt.Errorf("%w: there is no such passkey, or it was revoked", ErrNotSigned)
	}
	count, err := verify([]byte(statement), assertion, all[i], k.c.Origin())
	switch {
	case err != nil:
	case !ofUser(assertion, all[i].Person):
		err = errors.New("the device names another user")
	case !k.counted(all[i], count):
		err = errCopied
	}
	if err != nil {
		return Credential{}, fmt.Errorf("%w: %w", ErrNotSigned, err)
	}
	return all[i], nil
}

// Stands reports whether a passkey counts now; false where that cannot be read.
func (k *Keeper) Stands(ctx context.Context, c Credential) bool {
	held, err := k.held(ctx, c.Person)
	return err == nil && slices.ContainsFunc(held, func(now Credential) bool { return now.ID == c.ID && bytes.Equal(now.PublicKey, c.PublicKey) })
}

// stands reports whether the credential counts for a daemon of this name.
func (c Credential) stands(daemon string) bool {
	return c.Person != "" && c.Daemon == daemon && c.RevokedAt.IsZero()
}

// ofUser reports whether an assertion names a person's user handle, or none.
func ofUser(assertion []byte, person string) bool {
	var named struct {
		Response struct {
			UserHandle string `json:"userHandle"`
		} `json:"response"`
	}
	if json.Unmarshal(assertion, &named) != nil {
		return false
	}
	handle := named.Response.UserHandle
	return handle == "" || handle == userHandle(person)
}

// userHandle is a person's at their devices.
func userHandle(person string) string {
	sum := sha256.Sum256([]byte("callgate passkey\x00" + person))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
