package eval_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// TestDocs_rules tries every row of the tables of docs/rules.md with the real modules: its last
// column is the required result.
func TestDocs_rules(t *testing.T) {
	t.Parallel()
	e := evaluator(t)
	text, err := os.ReadFile(repo.File("docs/rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	var rows []docRow
	question := ""
	for i, line := range strings.Split(string(text), "\n") {
		cells := tableCells(line)
		switch {
		case len(cells) == 0:
			question = ""
		case question == "":
			question = cells[len(cells)-1]
		case strings.HasPrefix(cells[0], "---"), question == "means":
		default:
			rows = append(rows, docRow{i + 1, question, cells})
		}
	}
	if len(rows) < 60 {
		t.Fatalf("docs/rules.md has %d rows that say what comes out", len(rows))
	}
	var in bytes.Buffer
	for _, r := range rows {
		line, err := json.Marshal(r.request(t))
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	for i, a := range answers(t, e, &in) {
		if got := rows[i].answer(a); got != rows[i].want() {
			t.Errorf("docs/rules.md:%d: %s: got %s, want %s (%v)", rows[i].line, strings.Join(rows[i].cells[:len(rows[i].cells)-1], " | "), got, rows[i].want(), a)
		}
	}
}

// docRow is one row of a table: its cells, and the head of its last column.
type docRow struct {
	line     int
	question string
	cells    []string
}

func (r docRow) want() string { return r.cells[len(r.cells)-1] }

// request is the row's request to the evaluator.
func (r docRow) request(t *testing.T) map[string]any {
	t.Helper()
	out := map[string]any{"id": r.line, "context": map[string]any{"cwd": "/my/project", "home": "/home/dev", "working_directories": []string{"/my/project"}}}
	call := r.cells[len(r.cells)-2]
	tool, input := "Bash", map[string]any{"command": strings.Trim(call, "`")}
	if name, rest, ok := strings.Cut(strings.Trim(call, "`"), " "); ok && docFields[name] != "" && r.question == "matches" {
		tool, input = name, map[string]any{docFields[name]: rest}
	}
	out["tool"], out["input"] = tool, input
	switch r.question {
	case "matches":
		behavior, content := r.rule(t)
		if _, inner, ok := strings.Cut(content, "("); ok && tool != "Bash" {
			content = strings.TrimSuffix(inner, ")")
		}
		out["op"], out["behavior"], out["content"] = "match", behavior, content
	case "decision":
		behavior, text := r.rule(t)
		name, inner, _ := strings.Cut(text, "(")
		out["op"] = "decide"
		out["rules"] = []map[string]any{{"tool": name, "content": strings.TrimSuffix(inner, ")"), "behavior": behavior}, {"tool": "Bash", "behavior": "allow"}}
	case "only reads":
		out["op"] = "read_only"
	case "asked":
		out["op"] = "tool_check"
	default:
		t.Fatalf("docs/rules.md:%d: a table about %q", r.line, r.question)
	}
	return out
}

// rule reads "allow `npm run:*`".
func (r docRow) rule(t *testing.T) (behavior, content string) {
	t.Helper()
	behavior, content, ok := strings.Cut(r.cells[0], " ")
	if !ok {
		t.Fatalf("docs/rules.md:%d: no rule", r.line)
	}
	return behavior, strings.Trim(content, "`")
}

func (r docRow) answer(a map[string]any) string {
	yes := map[bool]string{true: "yes", false: "no"}
	switch r.question {
	case "matches":
		return yes[a["match"] == true]
	case "only reads":
		return yes[a["read_only"] == true]
	case "asked":
		return yes[a["behavior"] == "ask" && a["bypass_immune"] == true]
	}
	behavior, _ := a["behavior"].(string)
	return behavior
}

// docFields are the main fields of the document's calls.
var docFields = map[string]string{"Read": "file_path", "Write": "file_path", "Grep": "pattern", "Glob": "pattern", "WebFetch": "url"}

// tableCells splits a row of a Markdown table; "\|" is a bar.
func tableCells(line string) []string {
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	line = strings.ReplaceAll(strings.Trim(line, "| "), `\|`, "\x00")
	cells := strings.Split(line, " | ")
	for i, c := range cells {
		cells[i] = strings.TrimSpace(strings.ReplaceAll(c, "\x00", "|"))
	}
	return cells
}
