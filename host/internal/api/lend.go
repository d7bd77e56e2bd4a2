package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
)

// maxLent bounds the lent secrets, so that a loop of one client cannot fill the memory.
const maxLent = 256

// Lend returns a further secret for a token in force, by its name: the holder has the same rights,
// and no longer than the token. It lives in memory, at most for as long as hold: until alive ends,
// which end does at once. store.ErrNotFound for a token not in force. A console's session is such a holder.
// RATIONALE.md, "Why is the console a client of the API inside the daemon?".
func (t *Tokens) Lend(name string, hold time.Duration) (secret string, alive context.Context, end func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	i := slices.IndexFunc(t.held, func(k token) bool { return k.caller.Token == name && k.lives(now) })
	if i < 0 {
		return "", nil, nil, fmt.Errorf("token %q: %w", name, store.ErrNotFound)
	}
	parent := t.held[i]
	expires := now.Add(hold)
	if !parent.expires.IsZero() && parent.expires.Before(expires) {
		expires = parent.expires
	}
	k := token{id: parent.id, expires: expires, caller: parent.caller, noted: new(atomic.Int64)}
	k.noted.Store(parent.noted.Load())
	return t.lend(parent.life, k)
}

// LendPerson returns a secret with the rights of an approver's token of this person, as Lend does. It
// belongs to no stored token: the caller has seen the person prove themselves, at a provider.
func (t *Tokens) LendPerson(person string, hold time.Duration) (secret string, alive context.Context, end func(), err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := token{expires: t.now().Add(hold), caller: authority.Caller{Token: person, Kind: authority.Approver}, noted: new(atomic.Int64)}
	k.noted.Store(math.MaxInt64) // there is no use to write down
	return t.lend(context.Background(), k)
}

// lend gives k a secret and a life within another. The caller holds mu.
func (t *Tokens) lend(within context.Context, k token) (secret string, alive context.Context, end func(), err error) {
	now := t.now()
	t.lent = slices.DeleteFunc(t.lent, func(k token) bool { return !k.lives(now) })
	if len(t.lent) >= maxLent {
		return "", nil, nil, fmt.Errorf("%d consoles are open; close some, or wait until they end", maxLent)
	}
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	secret = "cg_console_" + base64.RawURLEncoding.EncodeToString(random)
	ctx, stop := context.WithDeadline(within, k.expires)
	k.sum, k.life = sha256.Sum256([]byte(secret)), life{ctx, stop}
	t.lent = append(t.lent, k)
	return secret, ctx, stop, nil
}

// lives reports whether the token is in force.
func (k token) lives(now time.Time) bool { return !k.expired(now) && k.life.Err() == nil }
