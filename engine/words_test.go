package engine_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
)

// TestModeNames has every name of a mode used by agents and people.
func TestModeNames(t *testing.T) {
	t.Parallel()
	names := map[string]engine.Mode{
		"default": engine.DefaultMode, "manual": engine.DefaultMode,
		"accept_edits": engine.AcceptEdits, "acceptEdits": engine.AcceptEdits,
		"explore": engine.Explore, "plan": engine.Explore,
		"bypass": engine.Bypass, "bypassPermissions": engine.Bypass, "bypass_permissions": engine.Bypass,
		"trusted":  engine.Trusted,
		"dont_ask": engine.DontAsk, "dontAsk": engine.DontAsk,
	}
	for name, want := range names {
		if got, err := engine.ParseMode(name); err != nil || got != want {
			t.Errorf("ParseMode(%q) = %s, %v; want %s", name, got, err, want)
		}
	}
	for _, name := range []string{"", "Default", "acceptedits", "yolo", "BYPASS", " default"} {
		if got, err := engine.ParseMode(name); err == nil || got != engine.DefaultMode || !strings.Contains(err.Error(), "trusted") {
			t.Errorf("ParseMode(%q) = %s, %v; want default with an error that lists the names", name, got, err)
		}
	}
	if _, err := engine.ParseMode("auto"); !errors.Is(err, engine.ErrAutoReserved) {
		t.Errorf("ParseMode(auto) = %v, want ErrAutoReserved", err)
	}
	if got := strings.Join(engine.Modes(), " "); got != "default accept_edits explore bypass trusted dont_ask" {
		t.Errorf("Modes() = %s", got)
	}
}

// TestWordsRoundTrip: every word is read back as its value, in JSON too.
func TestWordsRoundTrip(t *testing.T) {
	t.Parallel()
	for _, b := range []engine.Behavior{engine.Deny, engine.Ask, engine.Allow, engine.Passthrough} {
		var back engine.Behavior
		if err := json.Unmarshal(marshal(t, b), &back); err != nil || back != b {
			t.Errorf("%s came back as %s, %v", b, back, err)
		}
	}
	for _, m := range columns {
		var back engine.Mode
		if err := json.Unmarshal(marshal(t, m), &back); err != nil || back != m {
			t.Errorf("%s came back as %s, %v", m, back, err)
		}
	}
}

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestUnknownWordsDeny: an unknown word leaves the strictest value behind, replacing any
// earlier one.
func TestUnknownWordsDeny(t *testing.T) {
	t.Parallel()
	b := engine.Allow
	if err := b.UnmarshalText([]byte("Allow")); err == nil || b != engine.Deny {
		t.Errorf("behavior Allow: got %s, %v; want deny and an error", b, err)
	}
	m := engine.Explore
	if err := m.UnmarshalText([]byte("auto")); err == nil || m != engine.Explore {
		t.Errorf("mode auto: got %s, %v; want the mode unchanged and an error", m, err)
	}
	if got := engine.Behavior(99).String(); got != "deny" {
		t.Errorf("Behavior(99) reads %q, want deny", got)
	}
	if got := engine.Mode(99).String(); got != "default" {
		t.Errorf("Mode(99) reads %q, want default", got)
	}
	if k, err := engine.ParseKind("fork"); err == nil || k != engine.Background {
		t.Errorf("kind fork: got %s, %v; want background and an error", k, err)
	}
	if s, err := engine.ParseScope("everywhere"); err == nil || s != "" {
		t.Errorf("scope everywhere: got %q, %v; want an error", s, err)
	}
}

func TestKindsAndScopes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]engine.Kind{"": engine.Main, "main": engine.Main, "interactive_fork": engine.InteractiveFork, "background": engine.Background} {
		if got, err := engine.ParseKind(text); err != nil || got != want {
			t.Errorf("ParseKind(%q) = %s, %v; want %s", text, got, err, want)
		}
	}
	for _, s := range []engine.Scope{engine.Global, engine.Project, engine.Agent, engine.Session} {
		if got, err := engine.ParseScope(string(s)); err != nil || got != s {
			t.Errorf("ParseScope(%q) = %s, %v", s, got, err)
		}
	}
}
