package bash_test

import (
	"strings"
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

// TestFamiliesAreAsNarrow: behind a runner, a rule for a family of tools allows a command of its
// members exactly when the member's own rule does.
func TestFamiliesAreAsNarrow(t *testing.T) {
	t.Parallel()
	members, allowed, refused := map[string]bool{}, 0, 0
	for _, c := range readCases(t, "choices.txt") {
		name, more, _ := strings.Cut(strings.TrimSuffix(c.rules[0], ":*"), " ")
		rest, begins := strings.CutPrefix(c.command, name+" ")
		if !begins || more != "" {
			continue
		}
		for _, runner := range []string{"npx ", "pnpm exec ", "uv run ", "python -m "} {
			offered := suggested(runner + name)
			if len(offered) == 0 || !strings.Contains(offered[0], "{") {
				continue
			}
			own, command := runner+name+":*", runner+name+" "+rest
			got, want := matches(command, tool.Allow, offered[0]), matches(command, tool.Allow, own)
			if got != want {
				t.Errorf("choices.txt:%d: %s covers %s: %v, %s: %v", c.line, offered[0], command, got, own, want)
			}
			members[name] = true
			if want {
				allowed++
			} else {
				refused++
			}
		}
	}
	if len(members) < 5 || allowed < 5 || refused < 20 {
		t.Errorf("%d members, %d allowed, %d refused: the table is cut short", len(members), allowed, refused)
	}
}
