package settings_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

// TestClients_restore: for each client with hooks in a JSON file, an install adds the hook once, a
// second one changes nothing, and an uninstall gives the text back, to the byte.
func TestClients_restore(t *testing.T) {
	t.Parallel()
	for _, client := range []settings.Client{settings.Codex, settings.GeminiCLI} {
		t.Run(string(client), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				before := []byte(file(t))
				e := entry
				e.Client = client
				c, err := settings.Install("s.json", before, e)
				if err != nil {
					t.Fatal(err)
				}
				again, err := settings.Install("s.json", c.Text, e)
				if err != nil || !bytes.Equal(again.Text, c.Text) || !slices.Equal(again.Same, client.Events()) {
					t.Fatalf("a second install: %v, %+v\n%s", err, again, again.Text)
				}
				back, err := settings.Uninstall(client, "s.json", c.Text, settings.Before{Known: true, Text: before})
				if err != nil || !back.Restored || !bytes.Equal(back.Text, before) {
					t.Fatalf("got %q, %+v, %v, want %q", back.Text, back, err, before)
				}
				if other, err := settings.Uninstall(settings.ClaudeCode, "s.json", c.Text, settings.Before{}); err != nil || len(other.Removed) > 0 && !bytes.Contains(before, []byte("claude-code")) {
					t.Fatalf("the uninstall of another client removed %v, %v", other.Removed, err)
				}
			})
		})
	}
}

// TestLine: the shell gives the answer only of a program that ended with 0 and said the allow;
// every other end is code 2, a text on standard error, and nothing on standard output.
func TestLine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		script string
		allow  bool
	}{
		"answers":             {`cat >/dev/null; printf '{"decision":"allow"}'`, true},
		"denies":              {"cat >/dev/null; echo no >&2; exit 2", false},
		"denies without text": {"exit 2", false},
		"answers, then fails": {`printf '{"decision":"allow"}'; exit 1`, false},
		"answers, then dies":  {`printf '{"decision":"allow"}'; kill -9 $$`, false},
		"is silent":           {"exit 0", false},
		"says another word":   {"echo loading", false},
		"says two words":      {`printf 'log\n{"decision":"allow"}'`, false},
		"dies":                {"kill -9 $$", false},
		"crashes":             {"exit 134", false},
		"is missing":          {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "it's a place")
			e := entry
			e.Client, e.Binary = settings.GeminiCLI, filepath.Join(dir, "callgate")
			if test.script != "" {
				program(t, e.Binary, test.script)
			}
			for _, size := range []int{10, 400 << 10} {
				cmd := exec.Command("sh", "-c", e.Line())
				var out, errOut bytes.Buffer
				cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(strings.Repeat("x", size)), &out, &errOut
				_ = cmd.Run() // its code counts
				code := cmd.ProcessState.ExitCode()
				if test.allow && (code != 0 || out.String() != `{"decision":"allow"}`) {
					t.Errorf("got code %d, %q, want the answer", code, out.String())
				}
				if !test.allow && (code != 2 || out.Len() > 0 || !strings.Contains(errOut.String(), settings.NotRun)) {
					t.Errorf("got code %d, %q, %q, want 2, nothing, and a text", code, out.String(), errOut.String())
				}
			}
			h := settings.Hook{Type: "command", Command: e.Line()}
			if got := h.Program(); !slices.Equal(got, append([]string{e.Binary}, e.Args()...)) || !h.OwnOf(settings.GeminiCLI) || h.OwnOf(settings.Codex) {
				t.Errorf("read again: %q", got)
			}
		})
	}
}

// program makes a shell script at a path.
func program(t *testing.T, path, script string) {
	t.Helper()
	// A file that a test has just written may still be open in a child of another one, and then
	// cannot be started: the shell itself writes it.
	out, err := exec.Command("sh", "-c", `mkdir -p "$(dirname "$0")" && printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 700 "$0"`, path, script).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}
