package passkey_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/passkey"
)

// begun is a sign-in's statement with ann's answer to it.
func (b *bench) begun() (statement string, assertion []byte) {
	b.t.Helper()
	c, err := b.SignIn(b.t.Context())
	must(b.t, err)
	return c.Statement, b.ann.Get(asJSON(b.t, c.Options))
}

func TestSignedIn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	options, err := b.Enrol(t.Context(), "ann")
	must(t, err)
	for _, user := range []string{"", options.User.ID} {
		b.ann.User = user
		statement, assertion := b.begun()
		c, err := b.SignedIn(t.Context(), statement, assertion)
		if err != nil || c.Person != "ann" || c.ID != b.ann.ID() || !b.Stands(t.Context(), c) {
			t.Errorf("user handle %q: %+v, %v", user, c, err)
		}
	}
	statement, assertion := b.begun()
	c, err := b.SignedIn(t.Context(), statement, assertion)
	must(t, err)
	_, err = b.Revoke(t.Context(), c.ID, "ann", "ann")
	must(t, err)
	if b.Stands(t.Context(), c) {
		t.Error("a revoked passkey stands")
	}
}

// TestT37_SignedIn: what lets nobody in.
func TestT37_SignedIn(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(b *bench) (string, []byte){
		"late": func(b *bench) (string, []byte) {
			s, a := b.begun()
			b.now = b.now.Add(2 * time.Minute)
			return s, a
		},
		"for another statement": func(b *bench) (string, []byte) {
			_, a := b.begun()
			s, _ := b.begun()
			return s, a
		},
		"for an approval": func(b *bench) (string, []byte) {
			c, err := b.Challenge(b.t.Context(), waiting, approval(), nil)
			must(b.t, err)
			return c.Statement, b.ann.Get(asJSON(b.t, c.Options))
		},
		"without user verification": func(b *bench) (string, []byte) {
			b.ann.Unverified = true
			return b.begun()
		},
		"of another origin": func(b *bench) (string, []byte) {
			b.ann.Origin = "http://cg-evil.localhost:4711"
			return b.begun()
		},
		"of another user": func(b *bench) (string, []byte) {
			b.ann.User = "Ym9i"
			return b.begun()
		},
		"of a copied key": func(b *bench) (string, []byte) {
			b.ann.Count = 5
			s, a := b.begun()
			_, err := b.SignedIn(b.t.Context(), s, a)
			must(b.t, err)
			return b.begun()
		},
		"of a revoked key": func(b *bench) (string, []byte) {
			s, a := b.begun()
			_, err := b.Revoke(b.t.Context(), b.ann.ID(), "", "admin")
			must(b.t, err)
			return s, a
		},
		"of a name that has changed": func(b *bench) (string, []byte) {
			s, a := b.begun()
			b.store.mu.Lock()
			delete(b.store.kept, "console_name")
			b.store.mu.Unlock()
			b.Keeper = passkey.New(passkey.Config{Store: b.store, Origin: func() string { return b.origin }, Now: func() time.Time { return b.now }})
			return s, a
		},
		"that is no answer of a device": func(b *bench) (string, []byte) {
			s, _ := b.begun()
			return s, []byte(`{"rawId":"` + b.ann.ID() + `"}`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			statement, assertion := spoil(b)
			if c, err := b.SignedIn(t.Context(), statement, assertion); !errors.Is(err, passkey.ErrNotSigned) || c.Person != "" {
				t.Errorf("%+v, %v; want ErrNotSigned", c, err)
			}
		})
	}
}

// TestT37_SignInIsNoApproval: what a device signs to let its person in approves nothing.
func TestT37_SignInIsNoApproval(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := b.Challenge(t.Context(), waiting, approval(), nil)
	must(t, err)
	statement, assertion := b.begun()
	a := approval()
	a.Assertion = json.RawMessage(assertion)
	if evidence, err := b.Verify(t.Context(), waiting, a, nil); !errors.Is(err, passkey.ErrNotSigned) || evidence != nil {
		t.Errorf("Verify: %s, %v", evidence, err)
	}
	keys, err := b.List(t.Context(), "ann")
	must(t, err)
	if _, _, err := passkey.Check(asJSON(t, passkey.Proof{Statement: statement, Credential: keys[0], Origin: b.origin, Assertion: string(assertion)})); err == nil {
		t.Error("a sign-in proves an approval")
	}
}
