package engine

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// About selects the rules relevant for a request: those of its tool, as far as its Words go, of the
// tool's MCP server, and of the tools owning its targets. It is wider than Decide's own selection and
// never narrower: an omitted rule changes no decision.
type About struct {
	// names are the keys of the names in rules.
	names []string
	// words are the module's, for rules by the names in own; nil for none.
	words *RuleWords
	own   []string
}

// About returns the rules Decide can need for the request; its Call, Entry and Related are set.
func (r *Request) About() *About {
	a := &About{names: make([]string, 0, len(effectNames)+16)}
	a.add(append(r.Entry.Names(r.Call.Tool), r.Call.Tool))
	own := len(a.names)
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
			var room [8]string
			a.add(rel.Entry.appendNames(room[:0], ""))
		}
	}
	if r.Words != nil && cmp.Or(r.Err, r.Entry.Err) == nil { // after an error untried rules count as matched
		a.words = r.Words
		for _, name := range a.names[:own] { // a rule by another of the names is tried on another call
			if !slices.Contains(a.names[own:], name) {
				a.own = append(a.own, name)
			}
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

// Index finds rules by their tool names and globs, and by the first words of their contents. Rules
// are known by numbers of the caller's. The zero value is empty and ready; it may be read, not
// changed, by several goroutines at once.
type Index struct {
	exact map[string]*sameTool
	// globs are indexed by the text before their first star; sizes counts the globs of each length
	// of this text, in bytes.
	globs map[string][]int
	sizes map[int]int
}

// sameTool are the rules of one name.
type sameTool struct {
	all []int
	// wordless are those of all without a first word, worded the others.
	wordless []int
	worded   map[ruleWord][]int
}

// ruleWord is a first word of allow rules, or of the others.
type ruleWord struct {
	allow bool
	word  string
}

func wordOf(r *Rule) ruleWord {
	if r.Content == nil {
		return ruleWord{}
	}
	return ruleWord{r.Behavior == Allow, FirstWord(*r.Content)}
}

func (s *sameTool) add(number int, w ruleWord) {
	s.all = append(s.all, number)
	if w.word == "" {
		s.wordless = append(s.wordless, number)
		return
	}
	if s.worded == nil {
		s.worded = map[ruleWord][]int{}
	}
	s.worded[w] = append(s.worded[w], number)
}

func (s *sameTool) remove(number int, w ruleWord) {
	is := func(n int) bool { return n == number }
	s.all = slices.DeleteFunc(s.all, is)
	if w.word == "" {
		s.wordless = slices.DeleteFunc(s.wordless, is)
	} else if s.worded[w] = slices.DeleteFunc(s.worded[w], is); len(s.worded[w]) == 0 {
		delete(s.worded, w)
	}
}

// find adds the numbers of the rules that can match a call with these words.
func (s *sameTool) find(found []int, words *RuleWords) []int {
	found = append(found, s.wordless...)
	for _, b := range []Behavior{Allow, Deny} {
		for _, word := range words.of(b) {
			found = append(found, s.worded[ruleWord{b == Allow, word}]...)
		}
	}
	return found
}

// Add puts in a rule under a number.
func (x *Index) Add(number int, r *Rule) {
	if x.exact == nil {
		x.exact, x.globs, x.sizes = map[string]*sameTool{}, map[string][]int{}, map[int]int{}
	}
	for _, p := range placesOf(r.Tool) {
		if !p.glob {
			same := x.exact[p.key]
			if same == nil {
				same = &sameTool{}
				x.exact[p.key] = same
			}
			same.add(number, wordOf(r))
			continue
		}
		x.globs[p.key] = append(x.globs[p.key], number)
		x.sizes[len(p.key)]++
	}
}

// Remove removes a rule added by Add; its tool, content and behavior are as they were then.
func (x *Index) Remove(number int, r *Rule) {
	for _, p := range placesOf(r.Tool) {
		if !p.glob {
			if same := x.exact[p.key]; same != nil {
				if same.remove(number, wordOf(r)); len(same.all) == 0 {
					delete(x.exact, p.key)
				}
			}
			continue
		}
		if x.sizes[len(p.key)]--; x.sizes[len(p.key)] == 0 {
			delete(x.sizes, len(p.key))
		}
		if x.globs[p.key] = slices.DeleteFunc(x.globs[p.key], func(n int) bool { return n == number }); len(x.globs[p.key]) == 0 {
			delete(x.globs, p.key)
		}
	}
}

// Find returns the numbers of the rules relevant for about, each once, in rising order.
func (x *Index) Find(about *About) []int {
	var found []int
	for _, name := range about.names {
		switch same := x.exact[name]; {
		case same == nil:
		case about.words != nil && slices.Contains(about.own, name):
			found = same.find(found, about.words)
		default:
			found = append(found, same.all...)
		}
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
		l.index.Add(i, &rules[i])
	}
	return l
}

// Len is how many rules the list has.
func (l *RuleList) Len() int {
	if l == nil {
		return 0
	}
	return len(l.rules)
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
