package modules_test

import (
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"
)

func newKey(t testing.TB) (ed25519.PrivateKey, ed25519.PublicKey) {
	t.Helper()
	text, public, err := modules.NewKey()
	must(t, err)
	private, err := modules.ParsePrivateKey(text)
	must(t, err)
	key, err := modules.ParseKey(public)
	must(t, err)
	return private, key
}

func TestKeys_Verify(t *testing.T) {
	t.Parallel()
	private, public := newKey(t)
	other, otherPublic := newKey(t)
	stranger, _ := newKey(t)
	digest := strings.Repeat("a", 64)
	keys := modules.Keys{"acme": public, "zeta": otherPublic}
	sign := func(key ed25519.PrivateKey, name, digest string) *wire.ModuleSignature {
		s := modules.Sign(key, name, digest)
		return &s
	}
	for name, tc := range map[string]struct {
		s    *wire.ModuleSignature
		key  string
		want error
	}{
		"by name":          {sign(private, "acme", digest), "acme", nil},
		"by any":           {sign(other, "", digest), "zeta", nil},
		"by another":       {sign(private, "zeta", digest), "", modules.ErrBadSignature},
		"of another file":  {sign(private, "acme", strings.Repeat("b", 64)), "", modules.ErrBadSignature},
		"of none we know":  {sign(private, "", strings.Repeat("b", 64)), "", modules.ErrBadSignature},
		"unknown key":      {&wire.ModuleSignature{Key: "nobody", Value: modules.Sign(stranger, "", digest).Value}, "", modules.ErrUnknownKey},
		"brings its key":   {sign(stranger, "nobody", digest), "nobody", nil},
		"a listed name":    {sign(stranger, "acme", digest), "", modules.ErrBadSignature},
		"a listed key":     {sign(private, "nobody", digest), "acme", nil},
		"another's key":    {&wire.ModuleSignature{Key: "x", Value: modules.Sign(stranger, "", digest).Value, Public: modules.PublicText(public)}, "", modules.ErrBadSignature},
		"none":             {nil, "", modules.ErrUnsigned},
		"not base64":       {&wire.ModuleSignature{Key: "acme", Value: "?"}, "", modules.ErrBadSignature},
		"of another shape": {&wire.ModuleSignature{Key: "acme", Value: "AAAA"}, "", modules.ErrBadSignature},
	} {
		got, err := keys.Verify(digest, tc.s)
		if !errors.Is(err, tc.want) || tc.want == nil && err != nil || got.Key != tc.key {
			t.Errorf("%s: got key %q, %v, want %q, %v", name, got.Key, err, tc.key, tc.want)
		}
	}
	if _, err := (modules.Keys{"empty": nil}).Verify(digest, sign(private, "empty", digest)); err == nil {
		t.Error("a key of no bytes verified")
	}
}

// TestSigned pins the signed text: signatures made elsewhere have to stay good.
func TestSigned(t *testing.T) {
	t.Parallel()
	if got := string(modules.Signed("ab")); got != "callgate-module-v1 ab\n" {
		t.Errorf("got %q", got)
	}
}

var signatureFiles = map[string]struct {
	text, key string
	good      bool
}{
	"base64 alone":     {strings.Repeat("A", 86) + "==\n", "", true},
	"with a key":       {`{"key":"acme","value":"` + strings.Repeat("A", 86) + `=="}`, "acme", true},
	"no key":           {`{"value":"` + strings.Repeat("A", 86) + `=="}`, "", false},
	"member unknown":   {`{"key":"acme","value":"` + strings.Repeat("A", 86) + `==","trusted":true}`, "", false},
	"member twice":     {`{"key":"acme","key":"b","value":"` + strings.Repeat("A", 86) + `=="}`, "", false},
	"something behind": {`{"key":"acme","value":"` + strings.Repeat("A", 86) + `=="} x`, "", false},
	"bits left over":   {strings.Repeat("A", 85) + "B==", "", false},
	"short":            {"AAAA", "", false},
	"empty":            {"", "", false},
	"key with a blank": {`{"key":"a b","value":"` + strings.Repeat("A", 86) + `=="}`, "", false},
	"huge":             {strings.Repeat("A", 5000), "", false},
}

func TestParseSignature(t *testing.T) {
	t.Parallel()
	for name, tc := range signatureFiles {
		s, err := modules.ParseSignature([]byte(tc.text))
		if (err == nil) != tc.good || s.Key != tc.key {
			t.Errorf("%s: got %+v, %v", name, s, err)
		}
	}
}

func FuzzParseSignature(f *testing.F) {
	for _, tc := range signatureFiles {
		f.Add([]byte(tc.text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := modules.ParseSignature(data)
		if err != nil {
			return
		}
		again, err := modules.ParseSignature(s.Text())
		if err != nil || again != s {
			t.Errorf("%q: read %+v, written and read again %+v, %v", data, s, again, err)
		}
		if v, err := (modules.Keys{}).Verify(strings.Repeat("a", 64), &s); err == nil && !v.Trusted {
			t.Errorf("%q verified by a key that nobody listed", data)
		}
	})
}

var keyTexts = map[string]bool{
	"": false, "AAAA": false, strings.Repeat("A", 43) + "=": true, " " + strings.Repeat("A", 43) + "=\n": true,
	"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n":     true,
	"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n":                                                             false,
	"-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----": false,
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	for text, good := range keyTexts {
		if _, err := modules.ParseKey(text); (err == nil) != good {
			t.Errorf("%q: got %v, want good %t", text, err, good)
		}
	}
	for _, text := range []string{"", "AAAA", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"} {
		if _, err := modules.ParsePrivateKey([]byte(text)); err == nil {
			t.Errorf("%q is no private key", text)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for text := range keyTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if key, err := modules.ParseKey(text); err == nil {
			if again, err := modules.ParseKey(modules.PublicText(key)); err != nil || !again.Equal(key) {
				t.Errorf("%q: written and read again: %v", text, err)
			}
		}
	})
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	private, public := newKey(t)
	digest := strings.Repeat("a", 64)
	good, foreign := modules.Sign(private, "acme", digest), modules.Sign(private, "other", digest)
	some := modules.Policy{Keys: modules.Keys{"acme": public}, Modules: []string{"deploy"}}
	all := modules.Policy{All: true}
	for name, tc := range map[string]struct {
		policy    modules.Policy
		file, mod string
		s         *wire.ModuleSignature
		want      string
	}{
		"not required":        {some, "x.wasm", "x", nil, ""},
		"by the module":       {some, "x.wasm", "deploy", nil, "require_signature"},
		"by the file":         {some, "deploy.wasm", "x", nil, "require_signature"},
		"of all":              {all, "x.wasm", "x", nil, "require_signature"},
		"of all, no key":      {all, "x.wasm", "x", &good, "modules.keys"},
		"signed":              {some, "deploy.wasm", "deploy", &good, ""},
		"another name for it": {some, "deploy.wasm", "deploy", &foreign, ""},
		"of all, unlisted":    {all, "x.wasm", "x", &foreign, "modules.keys"},
	} {
		s, _, err := tc.policy.Judge(tc.file, tc.mod, digest, tc.s)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) || err != nil && s != nil {
			t.Errorf("%s: got %v, %v, want %q", name, s, err, tc.want)
		}
	}
}

// TestPolicy_signers: a signer once trusted is held: another key, a key of the same name, or no
// signature is reported, also where both keys are listed.
func TestPolicy_signers(t *testing.T) {
	t.Parallel()
	one, onePublic := newKey(t)
	two, twoPublic := newKey(t)
	digest := strings.Repeat("a", 64)
	both := modules.Policy{Keys: modules.Keys{"one": onePublic, "two": twoPublic}}
	for name, policy := range map[string]modules.Policy{"no key listed": {}, "both listed": both} {
		judge := func(s *wire.ModuleSignature) *wire.ModuleSignature {
			got, doubt, err := policy.Judge("d.wasm", "d", digest, s)
			must(t, err)
			if (got == nil) != (doubt != "" || s == nil) {
				t.Errorf("%s: got %+v, %q", name, got, doubt)
			}
			return got
		}
		byOne, byTwo := modules.Sign(one, "one", digest), modules.Sign(two, "two", digest)
		bad := byOne
		bad.Value = byTwo.Value
		first := judge(&byOne)
		if was, will := policy.Resigned(first, judge(&byOne)); was != "" || will != "" {
			t.Errorf("%s, the same: got %q, %q", name, was, will)
		}
		if was, _ := policy.Resigned(nil, first); was != "" {
			t.Errorf("%s, signed for the first time: got %q", name, was)
		}
		for what, now := range map[string]*wire.ModuleSignature{"another key": judge(&byTwo), "none": nil, "bad": judge(&bad)} {
			if was, will := policy.Resigned(first, now); was == "" || will == "" {
				t.Errorf("%s, %s: got %q, %q; want both signers", name, what, was, will)
			}
		}
		e := modules.LockEntry{File: "d.wasm", GrantedModule: wire.GrantedModule{Name: "d", Digest: digest, Signature: first}}
		must(t, policy.Holds(e))
		required := modules.Policy{Keys: policy.Keys, All: true}
		if err := required.Holds(e); (err == nil) != (len(policy.Keys) > 0) {
			t.Errorf("%s, required: got %v", name, err)
		}
	}
	e := modules.LockEntry{File: "d.wasm", GrantedModule: wire.GrantedModule{Name: "d", Digest: digest, Signature: &wire.ModuleSignature{Key: "one", Value: modules.Sign(one, "one", digest).Value, Public: modules.PublicText(onePublic)}}}
	if err := (modules.Policy{}).Holds(e); !errors.Is(err, modules.ErrUnknownKey) {
		t.Errorf("a key that was listed and is not any more: got %v", err)
	}
}
