package engine

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// About selects the rules relevant for a request: those of its tool, of the tool's MCP server, and
// of the tools owning its targets. It is wider than Decide's own selection and never narrower: an
// omitted rule changes no decision.
type About struct {
	// names are the keys of the names in rules.
	names []string
}

// About returns the rules Decide can need for the request; its Call, Entry and Related are set.
func (r *Request) About() *About {
	a := &About{names: make([]string, 0, len(effectNames)+16)}
	a.add(append(r.Entry.Names(r.Call.Tool), r.Call.Tool))
	a.names = append(a.names, effectNames...)
	for _, name := range r.Call.servers() {
		a.add([]string{mcpPrefix + name})
	}
	if called := key(r.Call.Tool); strings.HasPrefix(called, mcpPrefix) {
		// A server's name alone means all its tools, in every reading of the name.
		for i := len(mcpPrefix); i < len(called); i++ {
			if strings.HasPrefix(called[i:], "__") {
				a.names = append(a.names, called[:i])
			}
		}
	}
	for i, rel := range r.Related {
		if i == 0 || rel.Entry.Name != r.Related[i-1].Entry.Name {
			a.add(rel.Entry.Names(""))
		}
	}
	slices.Sort(a.names)
	a.names = slices.Compact(a.names)
	return a
}

// effectNames are the keys of rules about effects.
var effectNames = func() []string {
	names := make([]string, len(EffectKinds))
	for i, kind := range EffectKinds {
		names[i] = key(effectPrefix + string(kind))
	}
	return names
}()

func (a *About) add(names []string) {
	for _, name := range names {
		a.names = append(a.names, key(name))
	}
}

// key is equal for names differing by case alone, under every comparison of cases.
func key(name string) string {
	lower := strings.ToLower(name)
	if isPlain(lower) {
		return lower
	}
	return strings.Map(func(r rune) rune {
		if r == 0 {
			return '/' // so MatchName compares them
		}
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		if least < utf8.RuneSelf {
			return unicode.ToLower(least)
		}
		return least
	}, lower)
}

// isPlain reports whether a text is ASCII without NUL.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] == 0 || s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Index finds rules by their tool names and globs. Rules are known by numbers of
// the caller's. The zero value is empty and ready; it may be read, not changed, by
// several goroutines at once.
type Index struct {
	exact map[string][]int
	// globs are indexed by the text before their first star; sizes counts the globs of each length
	// of this text, in bytes.
	globs map[string][]int
	sizes map[int]int
}

// Add puts in a rule under a number, by its tool.
func (x *Index) Add(number int, tool string) {
	if x.exact == nil {
		x.exact, x.globs, x.sizes = map[string][]int{}, map[string][]int{}, map[int]int{}
	}
	for _, p := range placesOf(tool) {
		if !p.glob {
			x.exact[p.key] = append(x.exact[p.key], number)
			continue
		}
		x.globs[p.key] = append(x.globs[p.key], number)
		x.sizes[len(p.key)]++
	}
}

// Remove removes a rule added by Add.
func (x *Index) Remove(number int, tool string) {
	is := func(n int) bool { return n == number }
	for _, p := range placesOf(tool) {
		in := x.exact
		if p.glob {
			in = x.globs
			if x.sizes[len(p.key)]--; x.sizes[len(p.key)] == 0 {
				delete(x.sizes, len(p.key))
			}
		}
		if in[p.key] = slices.DeleteFunc(in[p.key], is); len(in[p.key]) == 0 {
			delete(in, p.key)
		}
	}
}

// Find returns the numbers of the rules relevant for about, each once, in rising order.
func (x *Index) Find(about *About) []int {
	var found []int
	for _, name := range about.names {
		found = append(found, x.exact[name]...)
		for size := range x.sizes {
			if size <= len(name) {
				found = append(found, x.globs[name[:size]]...)
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// indexPlace is where a rule stands in an index.
type indexPlace struct {
	key  string
	glob bool
}

// placesOf are the keys of a rule's tool: as it is typed and, for names of MCP servers and their
// tools, as clients write it within a tool's name.
func placesOf(tool string) []indexPlace {
	if !utf8.ValidString(tool) {
		return []indexPlace{{"", true}} // a pattern may end within a letter
	}
	place := func(name string) indexPlace {
		literal, glob := literalOf(name)
		return indexPlace{key(literal), glob}
	}
	places := []indexPlace{place(tool)}
	if written := inToolName(tool); written != tool {
		if p := place(written); p != places[0] {
			places = append(places, p)
		}
	}
	return places
}

// RuleList is a list of rules with an index. It does not change, and is safe for
// concurrent use. A nil list is empty.
type RuleList struct {
	rules []Rule
	index Index
}

// NewRuleList makes a list of rules; it owns them from then on.
func NewRuleList(rules []Rule) *RuleList {
	l := &RuleList{rules: rules}
	for i := range rules {
		l.index.Add(i, rules[i].Tool)
	}
	return l
}

// All returns the rules in their order. The caller must not change them.
func (l *RuleList) All() []Rule {
	if l == nil {
		return nil
	}
	return l.rules[:len(l.rules):len(l.rules)]
}

// For returns the rules relevant for about, in their order, or all of them when it is nil. The
// caller owns the list.
func (l *RuleList) For(about *About) []Rule {
	if l == nil {
		return nil
	}
	if about == nil {
		return slices.Clone(l.rules)
	}
	numbers := l.index.Find(about)
	found := make([]Rule, len(numbers))
	for i, n := range numbers {
		found[i] = l.rules[n]
	}
	return found
}
