package eval_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// TestDocs_profiles tries every row of the tables of docs/profiles.md about presets and
// patterns: its last column is the required result.
func TestDocs_profiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(repo.File("docs/profiles.md"))
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	var rows []docRow
	question := ""
	for i, line := range strings.Split(string(text), "\n") {
		cells := tableCells(line)
		switch {
		case len(cells) == 0:
			question = ""
			continue
		case question == "":
			question = cells[len(cells)-1]
			continue
		case strings.HasPrefix(cells[0], "---"):
			continue
		}
		request := map[string]any{"id": i + 1, "op": "profile", "action": "tool:bash:x"}
		pattern := strings.Trim(cells[0], "`")
		switch question {
		case "answer":
			request["profile"], request["action"] = pattern, strings.Trim(cells[1], "`")
		case "matches":
			request["profile"], request["action"] = map[string]any{"allow": []string{pattern}}, strings.Trim(cells[1], "`")
		case "refused because":
			request["profile"] = map[string]any{"allow": []string{pattern}}
		default:
			continue
		}
		out, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(out, '\n'))
		rows = append(rows, docRow{i + 1, question, cells})
	}
	if len(rows) < 25 {
		t.Fatalf("docs/profiles.md has %d rows that say what comes out", len(rows))
	}
	for i, a := range answers(t, evaluator(t), &in) {
		got, _ := a["behavior"].(string)
		refusal, _ := a["error"].(string)
		switch rows[i].question {
		case "matches":
			got = map[string]string{"allow": "yes", "deny": "no"}[got]
		case "refused because":
			if strings.Contains(refusal, rows[i].want()) {
				got = rows[i].want()
			}
		}
		if got != rows[i].want() {
			t.Errorf("docs/profiles.md:%d: got %q, want %q (%v)", rows[i].line, got, rows[i].want(), a)
		}
	}
}
