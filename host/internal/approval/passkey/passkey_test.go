package passkey_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/passkeytest"
)

// memory is a store of settings.
type memory struct {
	mu   sync.Mutex
	kept map[string][]byte
	rows []store.Row
}

func (m *memory) Setting(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if value, ok := m.kept[name]; ok {
		return value, nil
	}
	return nil, store.ErrNotFound
}

func (m *memory) SaveSetting(_ context.Context, name string, value []byte, row store.Row) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[name] = value
	m.rows = append(m.rows, row)
	return nil
}

func (m *memory) ReplaceSetting(ctx context.Context, name string, was, value []byte, row store.Row) error {
	m.mu.Lock()
	now, ok := m.kept[name]
	m.mu.Unlock()
	if ok != (was != nil) || !bytes.Equal(now, was) {
		return store.ErrStale
	}
	return m.SaveSetting(ctx, name, value, row)
}

// bench is a keeper with a clock and a person's device.
type bench struct {
	*passkey.Keeper
	t      *testing.T
	store  *memory
	origin string
	now    time.Time
	ann    *passkeytest.Device
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, store: &memory{kept: map[string][]byte{}}, now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)}
	b.Keeper = passkey.New(passkey.Config{Store: b.store, Origin: func() string { return b.origin }, Now: func() time.Time { return b.now }})
	name, err := b.Name(t.Context())
	must(t, err)
	b.origin = "http://" + name + ":4711"
	b.ann = b.enrol("ann", "phone")
	return b
}

func (b *bench) enrol(person, name string) *passkeytest.Device {
	b.t.Helper()
	d := passkeytest.New(b.t, b.origin)
	options, err := b.Enrol(b.t.Context(), person)
	must(b.t, err)
	_, err = b.Add(b.t.Context(), person, name, person, d.Create(asJSON(b.t, options)))
	must(b.t, err)
	return d
}

var waiting = ask.Ask{ID: "7kq", Digest: strings.Repeat("ab", 32), Tool: "Bash", Agent: "builder", Session: "s1", State: ask.Shown}

func allow(content string, until time.Time) []engine.Rule {
	return []engine.Rule{{Tool: "Bash", Content: &content, Behavior: engine.Allow, Scope: engine.Project, ScopeKey: "/project", ExpiresAt: until}}
}

func approval() ask.Answer { return ask.Answer{Verdict: ask.Approve, By: "ann"} }

// signed is an approval with the answer of a device to a fresh challenge.
func (b *bench) signed(d *passkeytest.Device, a ask.Ask, answer ask.Answer, rules []engine.Rule) ask.Answer {
	b.t.Helper()
	c, err := b.Challenge(b.t.Context(), a, answer, rules)
	must(b.t, err)
	answer.Assertion = d.Get(asJSON(b.t, c.Options))
	return answer
}

func TestSigned_isProvenOffline(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rules := allow("npm run:*", b.now.Add(24*time.Hour))
	evidence, err := b.Verify(t.Context(), waiting, b.signed(b.ann, waiting, approval(), rules), rules)
	must(t, err)
	proof, statement, err := passkey.Check(evidence)
	must(t, err)
	want := passkey.Rule{Text: "Bash(npm run:*)", Scope: engine.Project, Key: "/project", Until: b.now.Add(24 * time.Hour)}
	if statement.Call != waiting.Digest || statement.By != "ann" || len(statement.Rules) != 1 || statement.Rules[0] != want {
		t.Errorf("the statement is %+v", statement)
	}
	row := b.store.rows[len(b.store.rows)-1]
	if row.Event != store.EventPasskeyAdded || !strings.Contains(row.Detail, proof.Credential.Fingerprint()) {
		t.Errorf("the enrolment's row is %+v, the key's fingerprint %s", row, proof.Credential.Fingerprint())
	}
	for name, change := range map[string]func(*passkey.Proof){
		"statement":  func(p *passkey.Proof) { p.Statement = strings.Replace(p.Statement, "npm run", "npm rum", 1) },
		"person":     func(p *passkey.Proof) { p.Credential.Person = "bob" },
		"daemon":     func(p *passkey.Proof) { p.Credential.Daemon = "cg-other.localhost" },
		"origin":     func(p *passkey.Proof) { p.Origin = "http://evil.example" },
		"port":       func(p *passkey.Proof) { p.Origin = strings.Replace(p.Origin, "4711", "4712", 1) },
		"credential": func(p *passkey.Proof) { p.Credential.ID = "AAAA" },
		"assertion": func(p *passkey.Proof) {
			p.Assertion = strings.Replace(p.Assertion, `"signature":"ME`, `"signature":"MF`, 1)
		},
		"no JSON": func(p *passkey.Proof) { p.Assertion = "" },
	} {
		forged := proof
		change(&forged)
		if _, _, err := passkey.Check(asJSON(t, forged)); err == nil {
			t.Errorf("%s: a changed proof passed", name)
		}
	}
}

// TestT37_otherSignaturesDoNotCount: a signature counts for one answer to one call, once, from the
// person's own key in force, with user verification, on the console's own page. Threat T37.
func TestT37_otherSignaturesDoNotCount(t *testing.T) {
	t.Parallel()
	ten, rules := waiting, []engine.Rule(nil)
	ten.ID = "9xx"
	changed := waiting
	changed.Digest = strings.Repeat("cd", 32)
	for name, signed := range map[string]func(b *bench) (ask.Ask, ask.Answer, []engine.Rule){
		"for another ask": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			other := b.signed(b.ann, ten, approval(), nil)
			mine := b.signed(b.ann, waiting, approval(), nil)
			mine.Assertion = other.Assertion
			return waiting, mine, rules
		},
		"for another call": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			return changed, b.signed(b.ann, waiting, approval(), nil), rules
		},
		"for once, used for a rule": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			return waiting, b.signed(b.ann, waiting, approval(), nil), allow("npm run:*", time.Time{})
		},
		"for another rule": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			return waiting, b.signed(b.ann, waiting, approval(), allow("npm test", time.Time{})), allow("npm:*", time.Time{})
		},
		"for a rule with an end, used for one without": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			return waiting, b.signed(b.ann, waiting, approval(), allow("npm test", b.now.Add(time.Hour))), allow("npm test", time.Time{})
		},
		"for the call as it is, used for a changed input": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			a := b.signed(b.ann, waiting, approval(), nil)
			a.Input = json.RawMessage(`{"command":"true"}`)
			return waiting, a, rules
		},
		"used before": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			a := b.signed(b.ann, waiting, approval(), nil)
			_, err := b.Verify(b.t.Context(), waiting, a, nil)
			must(b.t, err)
			return waiting, a, rules
		},
		"late": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			a := b.signed(b.ann, waiting, approval(), nil)
			b.now = b.now.Add(2 * time.Minute)
			return waiting, a, rules
		},
		"without user verification": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			b.ann.Unverified = true
			return waiting, b.signed(b.ann, waiting, approval(), nil), rules
		},
		"of another origin": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			b.ann.Origin = "http://cg-evil.localhost:4711"
			return waiting, b.signed(b.ann, waiting, approval(), nil), rules
		},
		"of another port": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			b.ann.Origin = strings.Replace(b.origin, "4711", "4712", 1)
			return waiting, b.signed(b.ann, waiting, approval(), nil), rules
		},
		"of a revoked key": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			a := b.signed(b.ann, waiting, approval(), nil)
			_, err := b.Revoke(b.t.Context(), b.ann.ID(), "", "admin")
			must(b.t, err)
			return waiting, a, rules
		},
		"of another person's key": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			bob := b.enrol("bob", "laptop")
			return waiting, b.signed(bob, waiting, approval(), nil), rules
		},
		"of an unknown key": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			return waiting, b.signed(passkeytest.New(b.t, b.origin), waiting, approval(), nil), rules
		},
		"of a copied key": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			b.ann.Count = 5
			_, err := b.Verify(b.t.Context(), waiting, b.signed(b.ann, waiting, approval(), nil), nil)
			must(b.t, err)
			return waiting, b.signed(b.ann, waiting, approval(), nil), rules
		},
		"without a console": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			a := b.signed(b.ann, waiting, approval(), nil)
			b.origin = ""
			return waiting, a, rules
		},
		"that is no answer of a device": func(b *bench) (ask.Ask, ask.Answer, []engine.Rule) {
			a := b.signed(b.ann, waiting, approval(), nil)
			a.Assertion = json.RawMessage(`{"rawId":"` + b.ann.ID() + `"}`)
			return waiting, a, rules
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			a, answer, rules := signed(b)
			evidence, err := b.Verify(t.Context(), a, answer, rules)
			if !errors.Is(err, passkey.ErrNotSigned) || evidence != nil {
				t.Errorf("Verify: %s, %v; want ErrNotSigned", evidence, err)
			}
		})
	}
}

func TestChallenge_refuses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	answer := approval()
	answer.By = "bob"
	if _, err := b.Challenge(t.Context(), waiting, answer, nil); !errors.Is(err, passkey.ErrNoPasskey) {
		t.Errorf("a person without a passkey: %v", err)
	}
	if _, err := b.Challenge(t.Context(), waiting, ask.Answer{By: "ann"}, nil); !errors.Is(err, ask.ErrBadAnswer) {
		t.Errorf("a denial: %v", err)
	}
	if _, err := b.Challenge(t.Context(), waiting, approval(), allow("curl -H 'Authorization: Bearer ghp_16C7e42F292c6912E7710c838347Ae178B4a' x", time.Time{})); err == nil {
		t.Error("a rule with a secret was put into a statement")
	}
}

func TestEnrol_severalDevices(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	second := b.enrol("ann", "security key")
	for _, d := range []*passkeytest.Device{b.ann, second} {
		_, err := b.Verify(t.Context(), waiting, b.signed(d, waiting, approval(), nil), nil)
		must(t, err)
	}
	_, err := b.Revoke(t.Context(), b.ann.ID(), "bob", "bob")
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("bob revoked a passkey of ann: %v", err)
	}
	_, err = b.Revoke(t.Context(), b.ann.ID(), "ann", "ann")
	must(t, err)
	_, err = b.Verify(t.Context(), waiting, b.signed(second, waiting, approval(), nil), nil)
	must(t, err)

	options, err := b.Enrol(t.Context(), "ann")
	must(t, err)
	if _, err := b.Add(t.Context(), "ann", "again", "ann", second.Create(asJSON(t, options))); !errors.Is(err, passkey.ErrEnrol) {
		t.Errorf("a known passkey was added again: %v", err)
	}
	for name, bad := range map[string]func(d *passkeytest.Device){
		"unverified":     func(d *passkeytest.Device) { d.Unverified = true },
		"another origin": func(d *passkeytest.Device) { d.Origin = "https://evil.example" },
	} {
		d := passkeytest.New(t, b.origin)
		bad(d)
		options, err := b.Enrol(t.Context(), "ann")
		must(t, err)
		if _, err := b.Add(t.Context(), "ann", "x", "ann", d.Create(asJSON(t, options))); !errors.Is(err, passkey.ErrEnrol) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := b.Add(t.Context(), "ann", "x", "ann", passkeytest.New(t, b.origin).Create(asJSON(t, options))); !errors.Is(err, passkey.ErrEnrol) {
		t.Errorf("a used challenge: %v", err)
	}
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	return text
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
