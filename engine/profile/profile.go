package profile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/engine"
)

// Profile limits an agent by patterns over action strings. An action without a matching pattern is
// denied.
type Profile struct {
	// Name is for messages and the audit; empty reads "custom".
	Name string `json:"name,omitempty" yaml:"name,omitempty"`
	// Allow beats Ask. Deny, added to its document by the Chorus program, beats both.
	Allow []string `json:"allow" yaml:"allow"`
	Ask   []string `json:"ask" yaml:"ask"`
	Deny  []string `json:"deny,omitempty" yaml:"deny,omitempty"`
}

// Limits of one profile; more is refused when it is compiled.
const (
	maxPatterns      = 1000
	maxPatternLength = 16_384  // bytes
	maxLength        = 262_144 // bytes of all patterns
)

// maxSteps bounds one decision, about 60 ms of programs and 100 ms of backtracking: a profile must
// deny within 250 ms.
const maxSteps = 5_000_000

// presets are the built-in profiles of Chorus. Theirs is the meaning of
// its document's words, "matches every action string", line feeds included,
// and not Python's dot.
var presets = []Profile{
	{Name: "open", Allow: []string{"(?s)tool:.*"}},
	{
		Name: "standard",
		Allow: []string{
			"(?s)tool:create_file:.*", "(?s)tool:str_replace:.*", "(?s)tool:view:.*",
			"tool:git:init", "tool:git:commit", "(?s)tool:git:branch .*",
		},
		Ask: []string{"(?s)tool:bash:.*", "(?s)tool:git:push .*", "(?s)tool:git:merge_request .*", "(?s)tool:self_edit:.*"},
	},
	{Name: "locked", Allow: []string{"(?s)tool:view:.*"}},
}

// Presets lists the names of the built-in profiles, from open to strict.
func Presets() []string {
	names := make([]string, len(presets))
	for i, p := range presets {
		names[i] = p.Name
	}
	return names
}

// Preset returns a built-in profile by its exact name. The error lists the
// names.
func Preset(name string) (Profile, error) {
	for _, p := range presets {
		if p.Name == name {
			return p, nil
		}
	}
	return Profile{}, fmt.Errorf("unknown profile %q: want one of %s, or allow and ask lists", name, strings.Join(Presets(), ", "))
}

// Compiled is a profile ready to decide.
type Compiled struct {
	name             string
	deny, allow, ask []pattern
}

// pattern is one compiled pattern.
type pattern struct {
	text string
	root *node
	// prefix begins every match.
	prefix string
	// plain is set when nothing but a repeat follows the prefix; else prog, unless
	// the pattern needs backtracking, and slow then.
	plain *plain
	prog  *program
	slow  *backtracker
	// skip is how many characters the prefix has, entry where prog goes on behind.
	skip, entry int
}

// Compile reads all patterns of a profile. One bad pattern refuses the whole; the error names the
// list, the pattern, the place in it and the fix.
func Compile(p Profile) (*Compiled, error) {
	c := &Compiled{name: p.Name}
	if c.name == "" {
		c.name = "custom"
	}
	if n := len(p.Allow) + len(p.Ask) + len(p.Deny); n > maxPatterns {
		return nil, fmt.Errorf("profile %s: %d patterns: at most %d", c.name, n, maxPatterns)
	}
	room := &room{instructions: maxAllInstructions, translation: maxTranslation, length: maxLength}
	var err error
	for _, l := range []struct {
		name string
		from []string
		to   *[]pattern
	}{{"deny", p.Deny, &c.deny}, {"allow", p.Allow, &c.allow}, {"ask", p.Ask, &c.ask}} {
		if *l.to, err = compileList(l.name, l.from, room); err != nil {
			return nil, fmt.Errorf("profile %s: %w", c.name, err)
		}
	}
	return c, nil
}

// room is the remaining size for a profile's patterns.
type room struct{ instructions, translation, length int }

func compileList(list string, texts []string, room *room) ([]pattern, error) {
	out := make([]pattern, len(texts))
	for i, text := range texts {
		p, err := compilePattern(text, room)
		if err != nil {
			return nil, &PatternError{list, i, text, err}
		}
		out[i] = p
	}
	return out, nil
}

// quote shows a pattern in a message, shortened when its full text would not help.
func quote(text string) string {
	const shown = 300
	if len(text) > shown {
		return strconv.Quote(text[:shown]) + "..."
	}
	return strconv.Quote(text)
}

func compilePattern(text string, room *room) (pattern, error) {
	if len(text) > maxPatternLength {
		return pattern{}, fmt.Errorf("%d bytes: at most %d", len(text), maxPatternLength)
	}
	if room.length -= len(text); room.length < 0 {
		return pattern{}, fmt.Errorf("the patterns of a profile have at most %d bytes together: split the profile, or merge patterns with |", maxLength)
	}
	root, err := parse(text)
	if err != nil {
		return pattern{}, err
	}
	p := pattern{text: text, root: root}
	p.prefix, p.plain = plainOf(root)
	if p.prog = compileLinear(root, false, &room.instructions); p.prog == nil {
		p.slow, err = compileBacktracker(root, &room.translation)
		return p, err
	}
	p.entry = p.prog.start
	for range p.prefix {
		p.skip, p.entry = p.skip+1, p.prog.insts[p.entry].x
	}
	return p, nil
}

// matches reports whether the pattern matches the whole action.
func (p *pattern) matches(a *subject, m *machine) (bool, error) {
	switch {
	case !strings.HasPrefix(a.text, p.prefix):
		return false, nil
	case p.plain != nil:
		return p.plain.fullMatch(a.text[len(p.prefix):], m.spent)
	case p.prog != nil:
		return p.prog.fullMatch(a.characters(), p.skip, p.entry, m)
	}
	return p.slow.fullMatch(a.characters(), m.spent)
}

// Decide answers for all actions of a call: the strictest answer over them. Without an action, and
// when the patterns need more than the step limit, it denies. The answer names the deciding action
// and pattern.
func (c *Compiled) Decide(actions []string) engine.ProfileAnswer {
	return c.strictest(actions, c.allow)
}

// DecideUnanalysed answers for a call without an analysis: only patterns for every call of its
// tool, such as the presets', allow it.
func (c *Compiled) DecideUnanalysed(actions []string) engine.ProfileAnswer {
	everything := slices.DeleteFunc(slices.Clone(c.allow), func(p pattern) bool { return !speaksOfEverything(p.text) })
	return c.strictest(actions, everything)
}

// speaksOfEverything reports whether a pattern is "tool:.*" or "tool:NAME:.*",
// with (?s) or without.
func speaksOfEverything(text string) bool {
	name, ok := strings.CutPrefix(strings.TrimPrefix(text, "(?s)"), "tool:")
	if !ok || name == ".*" {
		return ok
	}
	name, ok = strings.CutSuffix(name, ":.*")
	return ok && name != "" && strings.IndexFunc(name, func(c rune) bool { return c != '-' && !asciiWordSet.has(c) }) < 0
}

func (c *Compiled) strictest(actions []string, allow []pattern) engine.ProfileAnswer {
	worst := engine.ProfileAnswer{Name: c.name, Note: "the call has no action string"}
	m := machines.Get().(*machine)
	defer m.release()
	m.own.left = maxSteps
	m.spent = &m.own
	for i, action := range actions {
		a := c.one(action, allow, m)
		if i == 0 || a.Behavior < worst.Behavior {
			worst = a
		}
	}
	return worst
}

// one answers for a single action: deny, allow, ask, and denied by default.
func (c *Compiled) one(action string, allow []pattern, m *machine) engine.ProfileAnswer {
	m.on = subject{text: action}
	a := engine.ProfileAnswer{Name: c.name, Action: action}
	for _, l := range []struct {
		behavior engine.Behavior
		patterns []pattern
	}{{engine.Deny, c.deny}, {engine.Allow, allow}, {engine.Ask, c.ask}} {
		for i := range l.patterns {
			p := &l.patterns[i]
			ok, err := p.matches(&m.on, m)
			if err != nil {
				a.Pattern, a.Note = p.text, fmt.Sprintf("pattern %s: gave up: %v", p.text, err)
				return a
			}
			if ok {
				a.Behavior, a.Pattern = l.behavior, p.text
				return a
			}
		}
	}
	return a
}
