package command_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/admin/command"
)

// Attack: a person pastes a rule that reads otherwise than it is: text turning around, a false
// blank, characters without width. Every list refuses it, and an existing one can be removed.
func TestRun_whatCannotBeSeen(t *testing.T) {
	t.Parallel()
	for _, hidden := range []string{"\u202e", "\u200b", "\u00a0", "\u2028", "\u2066", "\ufeff", "\u00ad"} {
		for _, list := range []string{"/allow", "/ask", "/deny"} {
			rule := "Bash(npm" + hidden + " test)"
			a := command.Run(command.State{}, list+" "+rule, known)
			if a.OK || len(a.Allow)+len(a.Ask)+len(a.Deny) != 0 || strings.Contains(a.Message, hidden) {
				t.Errorf("%s %q: got %+v", list, rule, a)
			}
			there := command.State{Allow: []string{rule}, Ask: []string{rule}, Deny: []string{rule}}
			a = command.Run(there, list+" -"+rule, known)
			if got := slices.Concat(a.Allow, a.Ask, a.Deny); !a.OK || len(got) != 2 {
				t.Errorf("%s -%q: got %+v", list, rule, a)
			}
		}
	}
}
