package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/internal/text/didyoumean"
)

// Advice lists lawful but probably unintended patterns in the file's profiles, each a
// *strictyaml.Error with its place: patterns stopping at a line feed, patterns without any matching
// action, and patterns decided by an earlier list. tools are the names for actions of the form
// tool:NAME:. It proves each finding and may take a second.
func (c *Config) Advice(tools []string) []error {
	var out []error
	advise := func(p *AgentProfile, field string) {
		a := &adviser{c: c, p: p, field: field, tools: tools}
		a.all()
		out = append(out, a.found...)
	}
	for _, name := range sortedKeys(c.named) {
		advise(c.named[name], "profiles."+name)
	}
	c.eachChoice(func(choice *ProfileChoice, field, _ string) {
		if choice.own != nil {
			advise(choice.own, field)
		}
	})
	return out
}

// adviser looks at one profile.
type adviser struct {
	c     *Config
	p     *AgentProfile
	field string
	tools []string
	found []error
}

func (a *adviser) add(field, format string, args ...any) {
	a.found = append(a.found, a.c.problem(field, format, args...))
}

func (a *adviser) all() {
	lists := a.p.lists
	if len(lists.Allow)+len(lists.Ask) == 0 {
		a.add(a.field, "it has no allow and no ask pattern, so it denies everything")
	}
	a.list("deny", lists.Deny, nil)
	a.list("allow", lists.Allow, map[string][]string{"deny": lists.Deny})
	a.list("ask", lists.Ask, map[string][]string{"allow": lists.Allow, "deny": lists.Deny})
}

// list looks at one list; before are the lists that decide first.
func (a *adviser) list(name string, patterns []string, before map[string][]string) {
	stops := 0
	for i, text := range patterns {
		field := fmt.Sprintf("%s.%s[%d]", a.field, name, i)
		switch {
		case !offers(profile.Profile{Allow: []string{text}}, "tool:"):
			a.impossible(field, text)
			continue
		case stopsAtLineFeed(text):
			if stops++; stops == 1 {
				a.lineFeed(field, name, text)
			}
		}
		a.unknownTool(field, text)
		for _, other := range []string{"deny", "allow"} {
			if covered := before[other]; len(covered) > 0 && !offers(profile.Profile{Ask: []string{text}, Deny: covered}, "tool:") {
				a.add(field, "pattern %q has no effect: the %s patterns match everything it matches, and %s comes before %s; narrow them, or remove this one", text, other, other, name)
				break
			}
		}
	}
}

// offers reports whether a profile of patterns known to be good may allow or ask
// about an action with this beginning.
func offers(p profile.Profile, beginning string) bool {
	return mustCompile(p).Offers(profile.Shape{Text: beginning})
}

func (a *adviser) impossible(field, text string) {
	hint := ""
	if with := "tool:" + text; len(text) < 1000 && compiles(with) && offers(profile.Profile{Allow: []string{with}}, "tool:") {
		hint = fmt.Sprintf("; did you mean %q?", with)
	}
	a.add(field, "pattern %q matches no action; an action is tool:NAME:DETAIL%s", text, hint)
}

func compiles(text string) bool {
	_, err := profile.Compile(profile.Profile{Allow: []string{text}})
	return err == nil
}

func (a *adviser) lineFeed(field, list, text string) {
	what := "a command of several lines is then not " + map[string]string{"allow": "allowed", "ask": "asked about", "deny": "denied"}[list]
	a.add(field, `pattern %q: "." does not match a line feed, and %s by it; to include it, write (?s) at the beginning, here and in the other %s patterns`, text, what, list)
}

// literalTool is the beginning of a pattern up to the end of a spelled-out tool name.
var literalTool = regexp.MustCompile(`^(?:\(\?s\))?tool:([A-Za-z0-9_]+):`)

func (a *adviser) unknownTool(field, text string) {
	m := literalTool.FindStringSubmatch(text)
	if m == nil || slices.Contains(a.tools, m[1]) {
		return
	}
	hint := didyoumean.Nearest(m[1], a.tools)
	if hint != "" {
		hint = "; did you mean tool:" + hint + ":?"
	}
	a.add(field, "pattern %q: no known tool module produces actions tool:%s:...%s", text, m[1], hint)
}

// stopsAtLineFeed reports whether a "." in a pattern for shell commands excludes line feeds.
func stopsAtLineFeed(text string) bool {
	if flags := regexp.MustCompile(`\(\?[a-zA-Z]*s`); flags.MatchString(text) || !bareDot(text) {
		return false
	}
	return offers(profile.Profile{Allow: []string{text}}, "tool:bash:")
}

// bareDot reports whether a "." in the pattern stands for any character.
func bareDot(text string) bool {
	class := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
			if rest := text[i+1:]; strings.HasPrefix(rest, "]") || strings.HasPrefix(rest, "^]") {
				i += strings.IndexByte(rest, ']') + 1
			}
		case c == '.':
			return true
		}
	}
	return false
}
