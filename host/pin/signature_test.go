package pin_test

import (
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/pin"
)

func newKey(t testing.TB) (ed25519.PrivateKey, ed25519.PublicKey) {
	t.Helper()
	text, public, err := pin.NewKey()
	must(t, err)
	private, err := pin.ParsePrivateKey(text)
	must(t, err)
	key, err := pin.ParseKey(public)
	must(t, err)
	return private, key
}

func TestKeys_Verify(t *testing.T) {
	t.Parallel()
	private, public := newKey(t)
	other, otherPublic := newKey(t)
	digest := strings.Repeat("a", 64)
	keys := pin.Keys{"acme": public, "zeta": otherPublic}
	sign := func(key ed25519.PrivateKey, name, digest string) *pin.Signature {
		s := pin.Sign(key, name, digest)
		return &s
	}
	for name, tc := range map[string]struct {
		s    *pin.Signature
		key  string
		want error
	}{
		"by name":          {sign(private, "acme", digest), "acme", nil},
		"by any":           {sign(other, "", digest), "zeta", nil},
		"by another":       {sign(private, "zeta", digest), "", pin.ErrBadSignature},
		"of another file":  {sign(private, "acme", strings.Repeat("b", 64)), "", pin.ErrBadSignature},
		"of none we know":  {sign(private, "", strings.Repeat("b", 64)), "", pin.ErrBadSignature},
		"unknown key":      {sign(private, "nobody", digest), "", pin.ErrUnknownKey},
		"none":             {nil, "", pin.ErrUnsigned},
		"not base64":       {&pin.Signature{Key: "acme", Value: "?"}, "", pin.ErrBadSignature},
		"of another shape": {&pin.Signature{Key: "acme", Value: "AAAA"}, "", pin.ErrBadSignature},
	} {
		got, err := keys.Verify(digest, tc.s)
		if !errors.Is(err, tc.want) || tc.want == nil && err != nil || got.Key != tc.key {
			t.Errorf("%s: got key %q, %v, want %q, %v", name, got.Key, err, tc.key, tc.want)
		}
	}
	if _, err := (pin.Keys{"empty": nil}).Verify(digest, sign(private, "empty", digest)); err == nil {
		t.Error("a key of no bytes verified")
	}
}

// TestSigned pins what is signed: signatures made elsewhere have to go on being good.
func TestSigned(t *testing.T) {
	t.Parallel()
	if got := string(pin.Signed("ab")); got != "callgate-module-v1 ab\n" {
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
		s, err := pin.ParseSignature([]byte(tc.text))
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
		s, err := pin.ParseSignature(data)
		if err != nil {
			return
		}
		again, err := pin.ParseSignature(s.Text())
		if err != nil || again != s {
			t.Errorf("%q: read %+v, written and read again %+v, %v", data, s, again, err)
		}
		if _, err := (pin.Keys{}).Verify(strings.Repeat("a", 64), &s); err == nil {
			t.Errorf("%q verified without a key", data)
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
		if _, err := pin.ParseKey(text); (err == nil) != good {
			t.Errorf("%q: got %v, want good %t", text, err, good)
		}
	}
	for _, text := range []string{"", "AAAA", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"} {
		if _, err := pin.ParsePrivateKey([]byte(text)); err == nil {
			t.Errorf("%q is no private key", text)
		}
	}
}

func FuzzParseKey(f *testing.F) {
	for text := range keyTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if key, err := pin.ParseKey(text); err == nil {
			if again, err := pin.ParseKey(pin.PublicText(key)); err != nil || !again.Equal(key) {
				t.Errorf("%q: written and read again: %v", text, err)
			}
		}
	})
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	private, public := newKey(t)
	digest := strings.Repeat("a", 64)
	good, foreign := pin.Sign(private, "acme", digest), pin.Sign(private, "other", digest)
	some := pin.Policy{Keys: pin.Keys{"acme": public}, Modules: []string{"deploy"}}
	all := pin.Policy{All: true}
	for name, tc := range map[string]struct {
		policy    pin.Policy
		file, mod string
		s         *pin.Signature
		want      string
	}{
		"not required":        {some, "x.wasm", "x", nil, ""},
		"by the module":       {some, "x.wasm", "deploy", nil, "require_signature"},
		"by the file":         {some, "deploy.wasm", "x", nil, "require_signature"},
		"of all":              {all, "x.wasm", "x", nil, "require_signature"},
		"of all, no key":      {all, "x.wasm", "x", &good, "modules.keys"},
		"signed":              {some, "deploy.wasm", "deploy", &good, ""},
		"not required, wrong": {some, "x.wasm", "x", &foreign, "modules.keys"},
	} {
		s, err := tc.policy.Check(tc.file, tc.mod, digest, tc.s)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) || err != nil && s != nil {
			t.Errorf("%s: got %v, %v, want %q", name, s, err, tc.want)
		}
	}
}
