package corpus_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/toolkit/eval/corpus"
)

const tail = `,"why":"w","source":"s"}`

func write(t *testing.T, dir, file, lines string) {
	t.Helper()
	path := filepath.Join(dir, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLinesThatAreNoCases: each is named with its file and line, all at once.
func TestLinesThatAreNoCases(t *testing.T) {
	t.Parallel()
	cases := []struct{ kind, line, want string }{
		{"must-allow", `{"command":"ls","source":"s"}`, "why: missing"},
		{"must-allow", `{"command":"ls","why":"w","source":" "}`, "source: missing"},
		{"must-allow", `{"comand":"ls"` + tail, "comand: there is no such member"},
		{"must-allow", `{"command":7` + tail, "command: got a JSON number"},
		{"must-allow", `{"command":"ls","command":"ls"` + tail, "not strict JSON"},
		{"must-allow", `{"command":"ls"`, "not strict JSON"},
		{"must-allow", `["ls"]`, "got a JSON ["},
		{"must-allow", `{"why":"w","source":"s"}`, "give command, or tool"},
		{"must-allow", `{"command":"ls","tool":"Bash"` + tail, "give it alone"},
		{"must-allow", `{"tool":"Read"` + tail, "give one of input and raw_input"},
		{"must-allow", `{"tool":"Read","input":{},"raw_input":"{}"` + tail, "give one of input and raw_input"},
		{"must-allow", `{"command":"ls","mode":"yolo"` + tail, "mode: unknown mode"},
		{"must-allow", `{"command":"ls","mode":[]` + tail, "mode: want a mode"},
		{"must-allow", `{"command":"ls","rules":["Bash(ls)"]` + tail, "rules.0: "},
		{"must-allow", `{"command":"ls","rules":["deny Bash(ls"]` + tail, "rules.0: "},
		{"must-allow", `{"command":"ls","want":"deny"` + tail, "want: only deny or ask"},
		{"must-not-allow", `{"command":"ls","want":"allow"` + tail, "want: only deny or ask"},
		{"must-not-allow", `{"command":"ls","near":["x"]` + tail, "near: there is no such member"},
		{"suggestions", `{"command":"ls","none":true,"near":["x"]` + tail, "none: "},
		{"suggestions", `{"command":"ls","near":[7]` + tail, "want a command or an input"},
		{"match", `{"command":"ls","allow":true` + tail, "want rule"},
		{"match", `{"command":"ls","rule":"ls"` + tail, "want rule"},
		{"match", `{"command":"ls","rule":"ls","allow":["ls"]` + tail, "allow: got a JSON ["},
		{"actions", `{"command":"ls"` + tail, "want actions"},
		{"actions", `{"command":"ls","actions":"tool:bash:ls"` + tail, "actions: got a JSON string"},
		{"anything", `{"command":"ls"` + tail, "command: there is no such member"},
		{"anything", `{"name":"n","request":{}}`, "want name, request and want"},
	}
	dir := t.TempDir()
	for i, c := range cases {
		write(t, dir, fmt.Sprintf("%s/c%d.jsonl", c.kind, i), "\n"+c.line+"\n")
	}
	_, err := corpus.Load(dir)
	if err == nil {
		t.Fatal("no error")
	}
	found := map[string]string{}
	for line := range strings.Lines(err.Error()) {
		place, text, _ := strings.Cut(strings.TrimPrefix(line, dir+"/"), ":2: ")
		found[place] = text
	}
	for i, c := range cases {
		if got := found[fmt.Sprintf("%s/c%d.jsonl", c.kind, i)]; !strings.Contains(got, c.want) {
			t.Errorf("%s: %s\n got %q, want %q", c.kind, c.line, got, c.want)
		}
	}
}

// TestNothingThere: a corpus without a file is a mistake, not a success.
func TestNothingThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := corpus.Load(dir); err == nil || !strings.Contains(err.Error(), "no .jsonl file") {
		t.Errorf("an empty directory: got %v", err)
	}
	if _, err := corpus.Load(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("no directory: no error")
	}
}

// script answers every request by its command: "MODE BEHAVIOR..." of the text.
type script func(request map[string]any) map[string]any

func (s script) Run(_ context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var r map[string]any
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		a := s(r)
		a["id"] = r["id"]
		text, err := json.Marshal(a)
		if err != nil {
			return err
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	return lines.Err()
}

// TestModesOfALine: without a mode a line runs where it says most.
func TestModesOfALine(t *testing.T) {
	t.Parallel()
	cases := []struct{ kind, line, want string }{
		{"must-not-allow", `{"command":"x"` + tail, "default explore"},
		{"must-not-allow", `{"command":"x","allow":["x"]` + tail, "default"},
		{"must-not-allow", `{"command":"x","deny":["x"]` + tail, "bypass"},
		{"must-not-allow", `{"command":"x","rules":["ask Bash(x)"]` + tail, "bypass"},
		{"must-not-allow", `{"command":"x","rules":["deny Bash(x)","allow Bash"]` + tail, "default"},
		{"must-not-allow", `{"command":"x","mode":["dont_ask","explore"]` + tail, "dont_ask explore"},
		{"must-allow", `{"command":"x"` + tail, "default explore"},
		{"must-allow", `{"command":"x","deny":["y"]` + tail, "default"},
		{"must-allow", `{"command":"x","profile":"open"` + tail, "default"},
		{"suggestions", `{"command":"x","none":true` + tail, "default"},
	}
	for _, c := range cases {
		dir := t.TempDir()
		write(t, dir, c.kind+"/c.jsonl", c.line)
		all, err := corpus.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		var modes []string
		if _, err := all.Run(t.Context(), script(func(r map[string]any) map[string]any {
			modes = append(modes, r["mode"].(string))
			return map[string]any{"behavior": "ask"}
		})); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(modes, " "); got != c.want {
			t.Errorf("%s: %s: got %s, want %s", c.kind, c.line, got, c.want)
		}
	}
}

// TestWhatIsWrong: every difference of an answer is reported, and an error of the request never
// passes for a call not allowed.
func TestWhatIsWrong(t *testing.T) {
	t.Parallel()
	suggestion := map[string]any{"tool": "Bash", "content": "s", "behavior": "allow"}
	// The command's text is the answer; with a stored rule, the part after "/".
	s := script(func(r map[string]any) map[string]any {
		command := r["input"].(map[string]any)["command"].(string)
		first, later, _ := strings.Cut(command, "/")
		if rules, _ := r["rules"].([]any); len(rules) > 0 {
			first = later
		}
		switch first {
		case "error":
			return map[string]any{"error": "bad"}
		case "offer":
			return map[string]any{"behavior": "ask", "suggestions": []any{suggestion}}
		case "act":
			return map[string]any{"action": "a", "actions": []any{"a", "b"}}
		case "match":
			return map[string]any{"match": true}
		case "no match":
			return map[string]any{"match": false}
		}
		return map[string]any{"behavior": first, "suggestions": []any{}}
	})
	cases := []struct {
		kind, line string
		right      bool
	}{
		{"must-not-allow", `{"command":"ask","mode":"default"` + tail, true},
		{"must-not-allow", `{"command":"deny"` + tail, true},
		{"must-not-allow", `{"command":"allow"` + tail, false},
		{"must-not-allow", `{"command":"error"` + tail, false},
		{"must-not-allow", `{"command":"ask","want":"deny"` + tail, false},
		{"must-not-allow", `{"command":"deny","want":"deny"` + tail, true},
		{"must-allow", `{"command":"allow"` + tail, true},
		{"must-allow", `{"command":"ask"` + tail, false},
		{"must-allow", `{"command":"error"` + tail, false},
		{"match", `{"rule":"r","command":"match","allow":true,"deny":true` + tail, true},
		{"match", `{"rule":"r","command":"match","deny":false` + tail, false},
		{"match", `{"rule":"r","command":"no match","allow":false` + tail, true},
		{"match", `{"rule":"r","command":"error","allow":false` + tail, false},
		{"suggestions", `{"command":"offer/allow"` + tail, true},
		{"suggestions", `{"command":"offer/allow","offer":["s"],"accept":["s"],"also":["ask/allow"],"near":["ask/ask"]` + tail, true},
		{"suggestions", `{"command":"offer/ask"` + tail, false},
		{"suggestions", `{"command":"offer/allow","offer":["t"]` + tail, false},
		{"suggestions", `{"command":"offer/allow","accept":["t"]` + tail, false},
		{"suggestions", `{"command":"offer/allow","also":["ask/ask"]` + tail, false},
		{"suggestions", `{"command":"offer/allow","near":["ask/allow"]` + tail, false},
		{"suggestions", `{"command":"offer/allow","near":["ask/error"]` + tail, false},
		{"suggestions", `{"command":"ask"` + tail, false},
		{"suggestions", `{"command":"allow"` + tail, false},
		{"suggestions", `{"command":"ask","none":true` + tail, true},
		{"suggestions", `{"command":"offer/allow","none":true` + tail, false},
		{"actions", `{"command":"act","actions":["a","b"]` + tail, true},
		{"actions", `{"command":"act","actions":["a"]` + tail, false},
		{"actions", `{"command":"error","actions":["a"]` + tail, false},
		{"other", `{"name":"n","request":{"input":{"command":"ask"}},"want":{"behavior":"ask"}}`, true},
		{"other", `{"name":"n","request":{"input":{"command":"ask"}},"want":{"behavior":"deny"}}`, false},
		{"other", `{"name":"n","request":{"input":{"command":"error"}},"want":{"error":"ba"}}`, true},
		{"other", `{"name":"n","request":{"input":{"command":"error"}},"want":{"behavior":"ask"}}`, false},
		{"other", `{"name":"n","request":{"input":{"command":"ask"}},"want":{"error":"bad"}}`, false},
	}
	for _, c := range cases {
		dir := t.TempDir()
		write(t, dir, c.kind+"/c.jsonl", c.line)
		all, err := corpus.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		report, err := all.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if report.OK() != c.right || report.Cases != 1 || (len(report.Wrong) == 0) != c.right {
			t.Errorf("%s: %s\n got %+v, want right: %v", c.kind, c.line, report.Wrong, c.right)
		}
	}
}

// TestReportIsOneLinePerThing: a case's content cannot forge lines or reach the terminal.
func TestReportIsOneLinePerThing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "must-allow/c.jsonl", `{"command":"a\nb\u001b[31m`+strings.Repeat("x", 1000)+`"`+tail)
	all, err := corpus.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	report, err := all.Run(t.Context(), script(func(map[string]any) map[string]any {
		return map[string]any{"behavior": "ask", "reason": "r\nall 0 0"}
	}))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := report.Print(&text); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text.String(), "\x1b") || strings.Count(text.String(), "\nall ") != 1 || text.Len() > 3000 {
		t.Errorf("got %q", &text)
	}
}
