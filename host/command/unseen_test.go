package command_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/command"
)

// Attack: a rule that somebody is made to paste reads otherwise than it is: text that
// turns around, a blank that is none, characters without width. Every list refuses it,
// and one that is there already can be taken off.
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
