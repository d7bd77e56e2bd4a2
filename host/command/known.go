package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/spelling"
)

// Tool is a tool that a person may name.
type Tool struct {
	// Name is canonical and may be a glob (mcp__*), which then stands for the names
	// it matches; Aliases are other names of the same tool.
	Name    string
	Aliases []string
}

// Known is what commands are read against. Only Tools are required.
type Known struct {
	Tools []Tool
	// Try refuses a rule that its tool cannot read; its Behavior is set.
	Try func(engine.Rule) error
	// Meet returns an input that a and b both match, each as a rule of its behavior,
	// as a person reads it; false when none was found, which proves nothing.
	Meet func(a, b engine.Rule) (string, bool)
	// Incomplete, when it is not nil, tells that Meet has given up, because there were
	// too many rules to try.
	Incomplete func() bool
	// Others are rules that are in force beside the lists.
	Others []Other
}

// Other is a rule in force that the lists do not hold.
type Other struct {
	Rule engine.Rule
	// From says where it is written: "the configuration", "the project /home/ann/shop".
	From string
}

// parse reads "Tool" or "Tool(content)", with the tool's name in its canonical
// spelling; the content is kept as it was typed. The result denies until its
// Behavior is set.
func (k Known) parse(text string) (engine.Rule, error) {
	r, err := engine.ParseRule(text)
	if err != nil {
		return r, fmt.Errorf("%w%s; the tools are %s", err, several(text), k.names())
	}
	name, ok := k.canonical(r.Tool)
	if !ok {
		return r, fmt.Errorf("unknown tool %q%s: want one of %s", r.Tool, meant(r.Tool, k.all()), k.names())
	}
	if strings.HasSuffix(text, "()") {
		return r, fmt.Errorf("%s has no content: write %s for every call of it; the tools are %s", text, name, k.names())
	}
	if content, found := strings.CutPrefix(text, r.Tool); found && content != "" {
		inner := content[1 : len(content)-1]
		r.Content = &inner
	}
	r.Tool = name
	if r.WholeTool() {
		r.Content = nil
	}
	return r, nil
}

// several tells a person who typed several rules how to give them; a comma inside
// a rule belongs to it.
func several(text string) string {
	name, _, _ := strings.Cut(text, "(")
	if strings.ContainsAny(strings.TrimSpace(name), ", ") || strings.Contains(text, "),") {
		return ": give one rule a command"
	}
	return ""
}

// canonical finds a tool by a name typed by a person. A glob stands for itself
// when it names a known tool.
func (k Known) canonical(name string) (string, bool) {
	for _, t := range k.Tools {
		if !wild(t.Name) && sameName(t.Name, name) {
			return t.Name, true
		}
	}
	for _, t := range k.Tools {
		for _, alias := range t.Aliases {
			if sameName(alias, name) {
				return t.Name, true
			}
		}
	}
	if strings.Trim(name, "*?") == "" {
		return "", false
	}
	for _, t := range k.Tools {
		// An MCP server's name is a name of the server's: its case counts.
		if t.Name == name || wild(t.Name) && beyond(t.Name, name) || wild(name) && engine.MatchName(name, append([]string{t.Name}, t.Aliases...)...) {
			return name, true
		}
	}
	return "", false
}

// sameName compares names as people type them: the case of ASCII letters does not
// count. A letter that only folds to one of them (the long s of "baſh") is another.
func sameName(name, typed string) bool {
	return name == typed || len(name) == len(typed) && strings.EqualFold(name, typed)
}

// beyond reports whether a name, or a glob, says more than the glob that owns it.
func beyond(owner, name string) bool {
	prefix, _, _ := strings.Cut(owner, "*")
	return engine.MatchName(owner, name) && strings.Trim(name[min(len(prefix), len(name)):], "*?_") != ""
}

func wild(name string) bool { return strings.ContainsAny(name, "*?") }

// names are the tools, for people.
func (k Known) names() string {
	var out []string
	for _, t := range k.Tools {
		out = append(out, t.Name)
	}
	return strings.Join(out, ", ")
}

// all are all names that a person may have meant.
func (k Known) all() []string {
	var out []string
	for _, t := range k.Tools {
		if !wild(t.Name) {
			out = append(out, t.Name)
		}
		out = append(out, t.Aliases...)
	}
	return out
}

func meant(word string, names []string) string {
	if near := spelling.Nearest(word, names); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// same reports whether two texts are one rule.
func (k Known) same(a, b string) bool {
	ra, errA := k.parse(a)
	rb, errB := k.parse(b)
	return errA == nil && errB == nil && ra.String() == rb.String()
}

// ofTool are the rules of a list that are about the same tool, or may be.
func (k Known) ofTool(r engine.Rule, list []string) []engine.Rule {
	var out []engine.Rule
	for _, text := range list {
		other, err := engine.ParseRule(text)
		if err != nil {
			continue
		}
		if name, ok := k.canonical(other.Tool); ok {
			other.Tool = name
		}
		if engine.MatchName(other.Tool, r.Tool) || engine.MatchName(r.Tool, other.Tool) {
			out = append(out, other)
		}
	}
	return out
}

// rest names what a list still holds of a rule's tool.
func (k Known) rest(entry string, list []string) string {
	r, err := k.parse(entry)
	if err != nil {
		return ""
	}
	var left []string
	for _, other := range k.ofTool(r, list) {
		left = append(left, other.String())
	}
	if len(left) == 0 {
		return ""
	}
	return "; the list still has " + strings.Join(slices.Compact(left), ", ")
}

// covered names a rule of a list that already says all that r says: only a rule
// for the whole tool is known to.
func (k Known) covered(r engine.Rule, list []string) string {
	for _, other := range k.ofTool(r, list) {
		if other.WholeTool() && engine.MatchName(other.Tool, r.Tool) {
			return other.String()
		}
	}
	return ""
}

// commandNames are the commands.
var commandNames = []string{"/allow", "/ask", "/deny", "/permission", "/permissions", "/help"}

func unknownCommand(name string) error {
	return fmt.Errorf("unknown command %q%s: want %s", name, meant(name, commandNames), strings.Join(commandNames, ", "))
}
