package bash_test

import (
	"testing"

	"github.com/callgate/callgate/sdk/go/tool"
)

// TestChoices: an allow rule covers a word choosing the code to run, the configuration, the
// output file or the machine only when the rule shows it, and everyday arguments as before.
func TestChoices(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t, "choices.txt") {
		if got := matches(c.command, tool.Allow, c.rules...); got != c.want {
			t.Errorf("choices.txt:%d: %s covers %s: %v", c.line, c.rules[0], c.command, got)
		}
	}
}
