package console

import (
	"encoding/base64"
	"testing"
	"time"
)

// TestSignIns_sealed: an unfinished sign-in is in its browser alone. Whatever is changed of it is
// refused, and so is one that is over, of another process, or that has let somebody in.
func TestSignIns_sealed(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_000_000, 0)
	clock := func() time.Time { return now }
	beyond := &Beyond{Origin: "https://gate.example.org", Provider: &Provider{}}
	s, other := newSignIns(beyond, clock), newSignIns(beyond, clock)
	one := signIn{State: "state", Nonce: "nonce", Verifier: "verifier", Expires: now.Add(signInHold)}
	cookie := s.sealed(one)
	if again := s.sealed(one); again == cookie {
		t.Error("two sealings of one are equal")
	}
	if got, ok := s.opened("state", cookie); !ok || got.Nonce != "nonce" || got.Verifier != "verifier" || !got.Expires.Equal(one.Expires) {
		t.Fatalf("opened %+v, %t", got, ok)
	}
	for i := range 1000 { // strangers who begin leave nothing
		s.sealed(signIn{State: string(rune(i)), Expires: now.Add(signInHold)})
	}
	if len(s.used) != 0 {
		t.Errorf("%d unfinished ones are in memory", len(s.used))
	}
	refused := func(what, state, cookie string) {
		t.Helper()
		if got, ok := s.opened(state, cookie); ok {
			t.Errorf("%s: opened %+v", what, got)
		}
	}
	raw, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		raw[i] ^= 1
		refused("a changed byte", "state", base64.RawURLEncoding.EncodeToString(raw))
		raw[i] ^= 1
	}
	for _, cut := range []int{0, 1, 12, 28, len(raw) - 1} {
		refused("a cut cookie", "state", base64.RawURLEncoding.EncodeToString(raw[:cut]))
	}
	refused("another state", "stata", cookie)
	refused("no state", "", cookie)
	refused("padding", "state", cookie+"=")
	refused("another process's", "state", other.sealed(one))

	if !s.use(one) {
		t.Error("the first use was refused")
	}
	if s.use(one) {
		t.Error("it was used twice")
	}
	refused("a used one", "state", cookie)
	late := signIn{State: "late", Expires: now.Add(signInHold)}
	kept := s.sealed(late)
	now = now.Add(signInHold)
	refused("one that is over", "late", kept)
	if s.use(late) {
		t.Error("one that is over was used")
	}
	if len(s.used) != 0 {
		t.Errorf("%d used ones are kept after their end", len(s.used))
	}
}
