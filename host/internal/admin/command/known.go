package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/text/didyoumean"
)

// Tool is a tool a person may name.
type Tool struct {
	// Name is canonical and may be a glob (mcp__*) for the names it matches; Aliases are other
	// names of the same tool.
	Name    string
	Aliases []string
}

// Known is the knowledge for reading commands. Only Tools are required.
type Known struct {
	Tools []Tool
	// Try refuses a rule unreadable for its tool; its Behavior is set.
	Try func(engine.Rule) error
	// Overlap returns an input matched by both a and b, each as a rule of its behavior, in readable
	// form; false for none found, and this proves nothing.
	Overlap func(a, b engine.Rule) (string, bool)
	// Incomplete, when it is not nil, reports whether Overlap has given up, because there were too
	// many rules to try.
	Incomplete func() bool
	// Others are rules in force beside the lists.
	Others []Other
}

// Other is a rule in force outside the lists.
type Other struct {
	Rule engine.Rule
	// From says where it is written: "the configuration", "the project /home/ann/shop".
	From string
}

// parse reads "Tool" or "Tool(content)" of a known tool, as read does; another tool is
// an error. RATIONALE.md, "Why does `/deny` take `deploy_prod` and refuse `Deploy`?".
func (k Known) parse(text string) (engine.Rule, error) {
	r, found, err := k.read(text)
	if err == nil && !found {
		err = k.unknown(r)
	}
	return r, err
}

// read reads "Tool" or "Tool(content)" and reports whether the tool is known: its name
// is then in the canonical spelling. The content is kept as it was typed. The result
// denies until its Behavior is set.
func (k Known) read(text string) (r engine.Rule, found bool, err error) {
	if r, err = engine.ParseRule(text); err != nil {
		return r, false, fmt.Errorf("%w%s; the tools are %s", err, several(text), k.names())
	}
	name, found := k.canonical(r.Tool)
	if engine.IsEffectName(r.Tool) {
		name, found = strings.ToLower(r.Tool), true
	}
	if !found {
		name = r.Tool
	}
	if found && strings.HasSuffix(text, "()") {
		return r, found, fmt.Errorf("%s has no content: write %s for every call of it; the tools are %s", text, name, k.names())
	}
	if content, cut := strings.CutPrefix(text, r.Tool); cut && content != "" {
		inner := content[1 : len(content)-1]
		r.Content = &inner
	}
	r.Tool = name
	if r.WholeTool() {
		r.Content = nil
	}
	return r, found, nil
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

// sameName compares names as people type them: the case of ASCII letters does not count. A letter
// merely folding to one of them (the long s of "baſh") is another.
func sameName(name, typed string) bool {
	return name == typed || len(name) == len(typed) && strings.EqualFold(name, typed)
}

// beyond reports whether a name, or a glob, covers more than the glob owning it.
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

// all are all names a person may have meant.
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
	if near := didyoumean.Nearest(word, names); near != "" {
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

// ofTool are the rules of a list for, or perhaps for, the same tool.
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

// rest names the remaining rules of a list for a rule's tool.
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

// covered names a rule of a list already covering r: known only for a rule for the whole tool.
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
