package engine

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// About says which rules can concern a request: those of its tool, of the tool's
// MCP server, and of the tools that own what the call touches. It is wider than
// what Decide looks at and never narrower: a rule that is left out changes no
// decision.
type About struct {
	// names are the keys of the names that rules may use.
	names []string
}

// About tells which rules Decide can need for the request, whose Call, Entry and
// Related are set.
func (r *Request) About() *About {
	a := &About{}
	a.add(append(r.Entry.Names(r.Call.Tool), r.Call.Tool))
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

func (a *About) add(names []string) {
	for _, name := range names {
		a.names = append(a.names, key(name))
	}
}

// key is equal for names that differ by case alone, however cases are compared.
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
	// globs are by what comes before their first star; sizes counts how many there
	// are of each length of that, in bytes.
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

// Remove takes out what Add put in.
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

// Find returns the numbers of the rules that can concern what about says, each
// once, in rising order.
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

// placesOf are under what a rule's tool is found: as it is typed and, for names of
// MCP servers and their tools, as clients write it within a tool's name.
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

// NewRuleList makes a list of rules, which belong to it from then on.
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

// For returns the rules that can concern what about says, in their order, or all of
// them when it is nil. The list is the caller's own.
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
