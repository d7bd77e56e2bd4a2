package command

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/callgate/callgate/engine"
)

// exactly precedes a rule for a tool with exactly this spelling, known or not.
const exactly = "exactly "

// customName is the form of an unknown tool's name in a rule. Only ASCII: a letter similar to
// another must not appear beside the tool it imitates.
var customName = regexp.MustCompile(`^[A-Za-z0-9*?_.:/-]*[A-Za-z0-9][A-Za-z0-9*?_.:/-]*$`)

// severalWords is a name of more than one word, as clients and MCP servers give to tools of their
// own: deploy_prod, sendMail, browser.open. A single word is more often a slip, and a rule for it
// would match nothing.
var severalWords = regexp.MustCompile(`[A-Za-z0-9][_.:/-]+[A-Za-z0-9*?]|[a-z0-9][A-Z]`)

// custom notes that no known tool has the name in a rule, or refuses the rule: a name similar to a
// known one, a single word, and any name on the allow list need the person's explicit word for
// exactly this spelling.
func (k Known) custom(r engine.Rule, exact bool) (note string, err error) {
	switch near := meant(r.Tool, k.all()); {
	case !customName.MatchString(r.Tool), k.owned(r.Tool):
		return "", k.unknown(r)
	case exact || r.Behavior != engine.Allow && near == "" && severalWords.MatchString(r.Tool):
		return fmt.Sprintf("no known tool has the name %s%s: the rule holds for a tool of exactly this name", r.Tool, near), nil
	}
	return "", fmt.Errorf("%w; when the tool has exactly this name: /%s %s%s", k.unknown(r), r.Behavior, exactly, r)
}

// owned reports whether a name begins, in any case, like the names of a catalogue's glob. The glob
// has refused it.
func (k Known) owned(name string) bool {
	for _, t := range k.Tools {
		prefix, _, glob := strings.Cut(t.Name, "*")
		if glob && len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
			return true
		}
	}
	return false
}

// unknown refuses a rule because no known tool has its name.
func (k Known) unknown(r engine.Rule) error {
	return fmt.Errorf("unknown tool %q%s: want one of %s", r.Tool, meant(r.Tool, k.all()), k.names())
}
