package doctor_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/machine/finding"
)

// names are the canaries, in their order.
var names = []string{
	"canary.normal", "canary.missing", "canary.killed", "canary.slow_hook", "canary.slow_daemon",
	"canary.garbage_input", "canary.garbage_daemon", "canary.switched_off",
}

// TestT09_Canaries: the doctor's word on each failure is Claude Code's measured behaviour
// (2.1.329), for hooks of several characters, with onFailure "block" and without.
func TestT09_Canaries(t *testing.T) {
	t.Parallel()
	const b, r = "blocked", "RUNS"
	cases := map[string]struct {
		kind  string
		block bool
		want  [8]string
	}{
		"sound, block":      {"sound", true, [8]string{b, b, b, b, b, b, b, r}},
		"sound, no block":   {"sound", false, [8]string{b, r, r, r, b, b, b, r}},
		"careless, block":   {"careless", true, [8]string{b, b, b, b, b, b, b, r}},
		"careless":          {"careless", false, [8]string{b, r, r, r, r, r, r, r}},
		"chatty, block":     {"chatty", true, [8]string{r, b, b, b, r, r, r, r}},
		"deaf, block":       {"deaf", true, [8]string{b, b, b, b, b, b, b, r}},
		"deaf and no block": {"deaf", false, [8]string{b, r, r, r, r, b, b, r}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.install(c.kind, func(text string) string {
				if c.block {
					return text
				}
				return strings.ReplaceAll(text, `"onFailure": "block",`, "")
			})
			found := w.run()
			for i, check := range names {
				f := find(t, found, check)
				if f.Effect != c.want[i] || f.Effect == r != (f.State == finding.Error || f.State == finding.Warning) || f.Effect == r && f.Fix == "" {
					t.Errorf("%s: got %s (%s): %s; fix %q, want %s", check, f.Effect, f.State, f.Text, f.Fix, c.want[i])
				}
			}
			if got := find(t, found, "hook.entry").State == finding.Error; got == c.block {
				t.Errorf("the entry is bad: got %t, want %t", got, !c.block)
			}
		})
	}
}

// TestT09_SwitchedOff: a hook switched off by settings is reported as letting calls run, from
// any place; one in managed settings is not.
func TestT09_SwitchedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.install("sound", nil)
	w.write(w.places.Project+"/.claude/settings.local.json", `{"disableAllHooks": true}`)
	if f := find(t, w.run(), "canary.switched_off"); f.State != finding.Error || f.Effect != "RUNS" || !strings.Contains(f.Text, "settings.local.json") {
		t.Errorf("switched off by the project: got %+v, want bad, naming the file", f)
	}
	w.places.Managed = w.places.UserFile()
	w.places.Home = w.root + "/nobody"
	if f := find(t, w.run(), "canary.switched_off"); f.State != finding.Passed || f.Effect != "blocked" {
		t.Errorf("in managed settings: got %+v, want ok", f)
	}
}

// TestManagedCure: the command to install the hook for the whole machine is complete. Without
// the endpoint and the token root would install its own places, without a daemon.
func TestManagedCure(t *testing.T) {
	t.Parallel()
	const switches, other = "canary.switched_off", "hook.others"
	w := newWorld(t)
	w.entry.TokenFile = w.root + "/state/agents/shop's.token"
	uid := 4242
	w.entry.DaemonUID = &uid
	w.install("sound", nil)
	installed := "sudo " + w.root + "/bin/callgate hook claude-code --install --managed --endpoint unix:" + w.root + "/state/callgate.sock --token-file '" + w.root + `/state/agents/shop'\''s.token' --daemon-uid 4242`
	if f := find(t, w.run(), switches); !strings.HasSuffix(f.Fix, ": "+installed) {
		t.Errorf("of the installed hook: got %q, want %q", f.Fix, installed)
	}
	w.write(w.places.Project+"/.claude/settings.local.json", `{"disableAllHooks": true}`)
	if f := find(t, w.run(), switches); !strings.HasSuffix(f.Fix, ": "+installed) {
		t.Errorf("switched off: got %q, want %q", f.Fix, installed)
	}
	w.write(w.places.Project+"/.claude/settings.local.json", `{}`)
	w.write(w.places.UserFile(), `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./lint.sh"}]}]}}`)
	network, address := w.o.Config.Endpoint()
	plain := "(sudo " + w.root + "/bin/callgate hook claude-code --install --managed --endpoint " + network + ":" + address + " --token-file " + w.root + "/state/agents/default.token)"
	if f := find(t, w.run(), other); !strings.HasSuffix(f.Fix, plain) {
		t.Errorf("without a hook: got %q, want %q", f.Fix, plain)
	}
}

// TestNoDaemon: a hook blocking for want of a daemon is distinguished from a denying gate.
func TestNoDaemon(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"careless", "sound"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.entry.Endpoint = "unix:" + w.root + "/state/none.sock"
			w.install(kind, nil)
			w.daemon.idle = true
			if f := find(t, w.run(), "canary.normal"); f.State != finding.Error || f.Effect != "blocked" || f.Fix == "" {
				t.Errorf("got %+v, want blocked, and bad with a fix", f)
			}
		})
	}
}

// TestThroughAShell: an entry in the older form, passed to a shell by the client, is tried the
// same way and reported.
func TestThroughAShell(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	line := strings.Join(append([]string{w.entry.Binary}, w.entry.Args()...), " ") + " " + character + " careless"
	text, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	w.write(w.places.UserFile(), fmt.Sprintf(`{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": %s, "timeout": 3600, "onFailure": "block"}]}]}}`, text))
	found := w.run()
	if f := find(t, found, "hook.entry"); f.State != finding.Warning || !strings.Contains(f.Text, "through a shell") {
		t.Errorf("the entry: got %+v, want a warning", f)
	}
	for check, want := range map[string]string{"canary.normal": "exits with code 2", "canary.missing": "exits with code 127", "canary.killed": "with a signal", "canary.garbage_input": "exits with code 1 "} {
		if f := find(t, found, check); f.Effect != "blocked" || !strings.Contains(f.Text, want) {
			t.Errorf("%s: got %+v, want blocked, and %q", check, f, want)
		}
	}
}
