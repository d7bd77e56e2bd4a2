package doctor_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/hook/canary"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/doctor"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// line is the hook of a client as an install writes it, with a character.
func (w *world) line(word settings.Client, kind string) settings.Hook {
	e := w.entry
	e.Client = word
	line := strings.Replace(e.Line(), " hook ", " hook --config "+kind+" ", 1)
	return settings.Hook{Type: "command", Command: strings.Replace(line, "--config "+kind+" "+string(word), string(word)+" --config "+kind, 1), File: "f"}
}

// TestClients: each canary goes through the line of the client's own file, and the line blocks
// whatever becomes of the program.
func TestClients(t *testing.T) {
	t.Parallel()
	checks := []string{"denied", "harmless", "missing", "killed", "silent", "garbage", "no_daemon", "garbage_input"}
	for name, test := range map[string]struct {
		kind    string
		idle    bool // the daemon decides nothing
		naked   bool // a line without the part that blocks
		bad     []string
		nothing bool // not installed
	}{
		"sound":                    {kind: "sound"},
		"careless":                 {kind: "careless"},
		"daemon sees nothing":      {kind: "sound", idle: true, bad: []string{"denied", "harmless"}},
		"prints its log":           {kind: "chatty", idle: true, bad: []string{"denied", "harmless"}},
		"a line of another's hand": {kind: "sound", naked: true, bad: []string{"denied"}},
		"not installed":            {nothing: true, bad: []string{"installed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.daemon.idle, w.daemon.rows[0].Decision = test.idle, wire.Denied
			c := doctor.Client{Program: "/usr/bin/codex", Installed: !test.nothing, Hook: w.line(settings.Codex, test.kind)}
			c.Client, _ = canary.Find(settings.Codex)
			if test.naked {
				c.Hook.Command = strings.Join(c.Hook.Program(), " ")
			}
			w.o.Clients = []doctor.Client{c}
			bad := map[string]bool{}
			found := w.run()
			for _, f := range found {
				if check, ours := strings.CutPrefix(f.Check, "codex."); ours && (f.State == finding.Error || f.State == finding.Warning && check != "unproven") {
					bad[check] = true
					if f.Fix == "" {
						t.Errorf("%s: no fix", f.Check)
					}
				}
			}
			if !test.nothing && !test.naked {
				for _, check := range checks {
					find(t, found, "codex."+check)
				}
			}
			for _, check := range test.bad {
				if !bad[check] {
					t.Errorf("%s: got fine, want a finding", check)
				}
				delete(bad, check)
			}
			if len(bad) > 0 {
				t.Errorf("got findings %v, want none", bad)
			}
		})
	}
}

// TestClients_instead: an account with Codex alone has no error about Claude Code.
func TestClients_instead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.daemon.rows = []store.Row{{Decision: wire.Denied, Time: now}}
	c := doctor.Client{Installed: true, Hook: w.line(settings.Codex, "sound")}
	c.Client, _ = canary.Find(settings.Codex)
	w.o.Clients = []doctor.Client{c}
	if f := find(t, w.run(), "hook.installed"); f.State != finding.Skipped || !strings.Contains(f.Text, "Codex") {
		t.Errorf("got %+v, want skipped", f)
	}
	w.o.ClaudeHere = true
	if f := find(t, w.run(), "hook.installed"); f.State != finding.Error {
		t.Errorf("with Claude Code on PATH: got %+v, want an error", f)
	}
}
