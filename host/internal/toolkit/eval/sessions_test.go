package eval_test

import (
	"io/fs"
	"testing"

	"github.com/callgate/callgate/testdata/sessions"
)

// TestRecordedSessions: eval reads the output of `callgate record`, and allows no call of an
// injected agent there except read-only ones.
func TestRecordedSessions(t *testing.T) {
	t.Parallel()
	e := evaluator(t)
	allowed := map[string]int{"fix-a-bug.jsonl": 2, "injected.jsonl": 4, "upgrade-a-dependency.jsonl": 3}
	names, err := fs.Glob(sessions.Files, "*.jsonl")
	if err != nil || len(names) < 2 {
		t.Fatalf("got %d sessions, %v", len(names), err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, err := sessions.Files.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = file.Close() }() // only read
			got := 0
			for _, a := range answers(t, e, file) {
				if a["error"] != nil {
					t.Errorf("call %v: %v", a["id"], a["error"])
				}
				if a["behavior"] == "allow" {
					got++
				}
			}
			if got != allowed[name] {
				t.Errorf("allowed without rules: got %d calls, want %d", got, allowed[name])
			}
		})
	}
}
