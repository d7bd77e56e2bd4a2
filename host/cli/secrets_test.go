package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// canaries are secrets of several kinds, as they stand in a call: the text, and its secret
// part.
var canaries = map[string]struct{ text, secret string }{
	"key":       {"sk-ant-api03-c4n4ryAAAABBBBCCCC1", "c4n4ryAAAABBBBCCCC1"},
	"aws":       {"AKIAC4N4RYAAAABBBBCC", "C4N4RYAAAABBBBCC"},
	"github":    {"ghp_c4n4ryAAAABBBBCCCCDDDDEEEEFFFF1", "c4n4ryAAAABBBBCCCCDDDDEEEEFFFF1"},
	"bearer":    {"curl -H 'Authorization: Bearer c4n4ry-bearer-value' x", "c4n4ry-bearer-value"},
	"url":       {"curl https://bob:c4n4ry-url-value@example.com/x", "c4n4ry-url-value"},
	"env":       {"API_TOKEN=c4n4ry-env-value make", "c4n4ry-env-value"},
	"flag":      {"mysql --password=c4n4ry-flag-value db", "c4n4ry-flag-value"},
	"key block": {"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiC4n4ryKeyBlockAAAABBBBccccDDDD0123456789\n-----END PRIVATE KEY-----", "C4n4ryKeyBlock"},
}

// payloadOf is a payload of a tool with some members replaced.
func payloadOf(t *testing.T, with map[string]any) string {
	t.Helper()
	p := map[string]any{"session_id": "5e0a", "cwd": "/", "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": map[string]any{"command": "ls"}, "tool_use_id": "toolu_0"}
	for name, v := range with {
		p[name] = v
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestT14_canaries plants secrets in every field of a client, through the hook's process, and
// looks for them in everything kept or sent after the asks. Only the card and the waiting ask
// show a call.
func TestT14_canaries(t *testing.T) {
	t.Parallel()
	w := newGateWorld(t, "agents:\n  default: {mode: dontAsk}\n")
	w.stop()
	var log bytes.Buffer
	w.log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.start()
	told := map[string]string{}
	send := func(name string, with map[string]any) {
		o := startHook(t, w.command(patience), payloadOf(t, with), "ANTHROPIC_API_KEY="+canaries["key"].text).end(patience)
		told["the hook's answer to "+name] = string(o.Stdout) + string(o.Stderr)
	}
	n := 0
	for kind, c := range canaries {
		for field, with := range map[string]map[string]any{
			"command":   {"tool_input": map[string]any{"command": c.text}},
			"a command": {"tool_input": map[string]any{"command": "ls; " + strings.ReplaceAll(c.text, "\n", " "), "description": c.text}},
			"content":   {"tool_name": "Write", "tool_input": map[string]any{"file_path": "/tmp/x", "content": c.text}},
			"mcp":       {"tool_name": "mcp__a__b", "tool_input": map[string]any{"note": c.text, "deep": []any{map[string]any{"x": c.text}}}},
		} {
			n++
			with["tool_use_id"] = fmt.Sprint("toolu_", n)
			send(kind+" in "+field, with)
			with["hook_event_name"] = claudecode.PostToolUse
			send("the end of "+kind+" in "+field, with)
		}
		send("a prompt with "+kind, map[string]any{"hook_event_name": claudecode.UserPromptSubmit, "prompt": c.text})
		send("no JSON with "+kind, map[string]any{"tool_input": c.text})
	}
	// The session, the call's id, the tool, the sub-agent and the directory are
	// names: rows are found by them, so they are kept as they are.
	send("a key as the mode", map[string]any{"permission_mode": canaries["key"].text})
	for row, err := range w.d.Host.Store.Audit(t.Context(), store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		told["the audit"] += string(text) + "\n"
	}
	admin := w.Admin(w.Dirs.Socket())
	sessions, err := admin.Sessions(t.Context(), store.SessionFilter{})
	if err != nil {
		t.Fatal(err)
	}
	told["the sessions"] = fmt.Sprintf("%+v", sessions)
	_, err = admin.Check(t.Context(), wire.Request{Tool: "Bash", Input: json.RawMessage(`{"command": 1, "x": "` + canaries["key"].text + `"}`)}, nil)
	told["an error of the API"] = fmt.Sprint(err)
	w.stop()
	told["the log"] = log.String()
	err = filepath.WalkDir(w.Dirs.State, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		told["the file "+filepath.Base(path)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range slices.Sorted(func(yield func(string) bool) {
		for where := range told {
			if !yield(where) {
				return
			}
		}
	}) {
		for kind, c := range canaries {
			if at := strings.Index(told[where], c.secret); at >= 0 {
				t.Errorf("%s tells %s: …%q…", where, kind, told[where][max(0, at-80):min(len(told[where]), at+60)])
			}
		}
	}
}
