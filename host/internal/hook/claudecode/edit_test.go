package claudecode_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/wire"
)

// TestChangedInput: an input changed by a person reaches the client as the whole input of the
// call, where nothing else may change it; else the call says so, and is denied when the daemon
// changes its input all the same.
func TestChangedInput(t *testing.T) {
	t.Parallel()
	ours := `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"/usr/bin/callgate","args":["hook","claude-code"]}]}]}}`
	for name, tt := range map[string]struct {
		user, project string
		takes         bool
	}{
		"no settings":           {takes: true},
		"our hook":              {user: ours, takes: true},
		"another hook":          {user: ours, project: `{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"rewrite"}]}]}}`},
		"one that may answer":   {user: `{"hooks":{"PermissionRequest":[{"hooks":[{"type":"command","command":"x"}]}]}}`},
		"one after the call":    {user: `{"hooks":{"PostToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}`, takes: true},
		"a plugin":              {user: `{"enabledPlugins":{"x@y":true}}`},
		"a file that is broken": {user: `{"hooks":`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, project := t.TempDir(), t.TempDir()
			for dir, text := range map[string]string{home: tt.user, project: tt.project} {
				if text == "" {
					continue
				}
				path := filepath.Join(dir, ".claude", "settings.json")
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			d := allows()
			var asked wire.Request
			d.check = func(_ context.Context, _ int, r wire.Request, _ func(protocol.Progress)) (wire.Result, error) {
				asked = r
				return wire.Result{Decision: engine.Decision{Behavior: engine.Allow, Reason: "approved by ann"}, Input: json.RawMessage(`{"command":"ls"}`)}, nil
			}
			h := hookOf(d)
			h.Settings = func(dir string) *settings.Settings {
				if dir != project {
					t.Errorf("the settings of %s are read, want those of %s", dir, project)
				}
				return settings.Read(settings.Places{Managed: filepath.Join(home, "none.json"), Home: home, Project: dir})
			}
			payload, err := json.Marshal(members{
				"hook_event_name": "PreToolUse", "session_id": "s", "cwd": project, "tool_name": "Bash", "tool_use_id": "t1", "tool_input": members{"command": "ls -R"},
			})
			if err != nil {
				t.Fatal(err)
			}
			o := run(t, h, string(payload))
			if asked.TakesInput != tt.takes {
				t.Errorf("takes_input: got %t, want %t", asked.TakesInput, tt.takes)
			}
			if !tt.takes {
				wantEffect(t, claudecode.PreToolUse, o, runner.Blocked)
				return
			}
			wantEffect(t, claudecode.PreToolUse, o, runner.Allowed)
			var out struct {
				Specific struct {
					Input json.RawMessage `json:"updatedInput"`
				} `json:"hookSpecificOutput"`
			}
			if err := json.Unmarshal(o.Stdout, &out); err != nil || string(out.Specific.Input) != `{"command":"ls"}` {
				t.Errorf("stdout: got %s, %v", o.Stdout, err)
			}
		})
	}
}
