package eval_test

import (
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// TestDocs_clients: each name of docs/clients.md is a name of the tool beside it.
func TestDocs_clients(t *testing.T) {
	t.Parallel()
	e := evaluator(t)
	text, err := os.ReadFile(repo.File("docs/clients.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := tableCells(strings.TrimSpace(line))
		if len(cells) < 3 || !strings.HasPrefix(cells[1], "`") {
			continue
		}
		rows++
		name := strings.Trim(cells[1], "`")
		if got := e.Lookup(name); got.Err != nil || got.Name != cells[2] {
			t.Errorf("%s of %s: got %q, %v, want %s", name, cells[0], got.Name, got.Err, cells[2])
		}
	}
	if rows < 70 {
		t.Errorf("got %d rows: is the table still one?", rows)
	}
}
