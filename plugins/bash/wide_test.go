package bash_test

import (
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/sdk/go/tool"
)

// TestSuggestionsAreNotTooWide: no rule offered for an innocent call allows a dangerous one, and
// each allows its own call, and those marked with "= ".
func TestSuggestionsAreNotTooWide(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/wide.txt")
	if err != nil {
		t.Fatal(err)
	}
	rows, pairs := 0, 0
	for n, line := range strings.Split(string(data), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		calls := strings.Split(line, " @@ ")
		offered := suggested(calls[0])
		if len(offered) > 0 && !matches(calls[0], tool.Allow, offered...) {
			t.Errorf("wide.txt:%d: %q does not cover %q", n+1, offered, calls[0])
		}
		for _, dangerous := range calls[1:] {
			pairs++
			if like, same := strings.CutPrefix(dangerous, "= "); same {
				if !matches(like, tool.Allow, offered...) {
					t.Errorf("wide.txt:%d: what is offered for %q does not allow %q: %q", n+1, calls[0], like, offered)
				}
				continue
			}
			if matches(dangerous, tool.Allow, offered...) {
				t.Errorf("wide.txt:%d: what is offered for %q allows %q: %q", n+1, calls[0], dangerous, offered)
			}
		}
		rows++
	}
	if rows < 200 || pairs < 600 {
		t.Errorf("%d rows, %d pairs: the table is cut short", rows, pairs)
	}
}
