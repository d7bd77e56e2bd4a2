package eval_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/eval/corpus"
)

// TestCorpus runs every file of testdata/corpus through the evaluator with the
// real modules. To add a case is to add a line.
func TestCorpus(t *testing.T) {
	t.Parallel()
	e := evaluator(t)
	cases, err := corpus.Load(repo.File("testdata/corpus"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{corpus.MustNotAllow, corpus.MustAllow, corpus.Suggestions, corpus.Match, corpus.Actions, "agentscope", "eval"} {
		found := 0
		for _, f := range cases.Files {
			if f.Kind == kind {
				found += len(f.Cases)
			}
		}
		if found < 5 {
			t.Errorf("testdata/corpus/%s: got %d cases, want its files to be found", kind, found)
		}
	}
	report, err := cases.Run(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if !report.OK() {
		var text strings.Builder
		if err := report.Print(&text); err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s", &text)
	}
}
