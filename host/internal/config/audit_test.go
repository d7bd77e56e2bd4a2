package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/config"
)

func TestKept(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"1d": 24 * time.Hour, "90d": 2160 * time.Hour, "2w": 336 * time.Hour, "2160h": 2160 * time.Hour, "36h30m": 36*time.Hour + 30*time.Minute} {
		var k config.Kept
		if err := k.UnmarshalText([]byte(text)); err != nil || time.Duration(k) != want {
			t.Errorf("%s: got %v, %v, want %v", text, time.Duration(k), err, want)
		}
		again, err := k.MarshalText()
		var k2 config.Kept
		if err != nil || k2.UnmarshalText(again) != nil || k2 != k {
			t.Errorf("%s: written as %s, %v", text, again, err)
		}
	}
	for _, text := range []string{"", "0d", "1h", "-3d", "90", "d", "1.5d", "forever", "99999999999d", "90 d"} {
		var k config.Kept
		if err := k.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got %v, want an error", text, k)
		}
	}
}

// A file removing rows sooner waits for a person; one keeping them for longer holds at once.
func TestAuditKeep_shorterWidens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		was, will, holds string
		widens           bool
	}{
		{"90d", "90d", "90d", false},
		{"90d", "30d", "90d", true},
		{"90d", "365d", "365d", false},
		{"", "30d", "forever", true},
		{"90d", "", "forever", false},
		{"", "", "forever", false},
	} {
		both, ws := keeping(t, c.was).Tighten(keeping(t, c.will))
		if got := both.Audit.Keep.String(); got != c.holds {
			t.Errorf("%q, then %q: %s holds, want %s", c.was, c.will, got, c.holds)
		}
		if (len(ws) > 0) != c.widens || c.widens && ws[0].Where != "audit.keep" {
			t.Errorf("%q, then %q: widens %+v, want %v", c.was, c.will, ws, c.widens)
		}
	}
}

func TestAuditKeep_badValueIsNamed(t *testing.T) {
	t.Parallel()
	_, err := config.Parse("x.yaml", []byte("audit:\n  keep: soon\n"), config.Dirs{Home: "/h", Config: "/c", State: "/s", Cache: "/ca"})
	if err == nil || !strings.Contains(err.Error(), "x.yaml:2") || !strings.Contains(err.Error(), "90d") {
		t.Errorf("got %v, want the line and the fix", err)
	}
}

func keeping(t *testing.T, keep string) *config.Config {
	t.Helper()
	text := ""
	if keep != "" {
		text = "audit: {keep: " + keep + "}\n"
	}
	c, err := config.Parse("x.yaml", []byte(text), config.Dirs{Home: "/h", Config: "/c", State: "/s", Cache: "/ca"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
