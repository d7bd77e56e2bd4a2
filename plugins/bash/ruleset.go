package bash

import (
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// ruleSet are the relevant rules of one call; the others are excluded by their first word, and
// are not even parsed. Most rules of a long list are about other programs than the line's.
type ruleSet struct {
	rules []rule
	// at are the indices of rules in the list as given.
	at []int
}

// readRules parses the rules whose first word is one of firsts, or unknown at a glance. A nil
// firsts parses all.
func readRules(contents []string, firsts map[string]bool) ruleSet {
	var set ruleSet
	for i, content := range contents {
		if first := firstWord(content); first != "" && firsts != nil && !firsts[first] {
			continue
		}
		set.rules = append(set.rules, parseRule(content))
		set.at = append(set.at, i)
	}
	return set
}

// coveredBy returns the indices, as given, of the rules covering the line together.
func (s ruleSet) coveredBy(l *Line, world surroundings, inside func(*Command) bool) []int {
	used := l.coveredBy(s.rules, world, inside)
	out := make([]int, 0, len(used))
	for _, i := range used {
		out = append(out, s.at[i])
	}
	return out
}

// hit returns the indices, as given, of the deny or ask rules matching the line.
func (s ruleSet) hit(l *Line) []int {
	var out []int
	for i, r := range s.rules {
		if r.kind == noRule || r.lines || l.hitBy(r) {
			out = append(out, s.at[i])
		}
	}
	return out
}

// firstWord returns the first word of an exact or prefix rule in small letters; empty where a
// shell would not split the rule at its blanks, because of one of shellSigns.
func firstWord(content string) string {
	if content == editContent {
		return ""
	}
	return tool.FirstWord(content)
}

// firsts returns the possible first words, in small letters, of a rule matching some command of
// the line: for an allow rule the command's own first word, for any other each word, its base,
// or one of the code in a command; and for an exact text the first word of a whole command. Nil
// when every rule may match.
func (l *Line) firsts(allow bool) map[string]bool {
	if l.Opaque != "" && !allow {
		return nil
	}
	set := map[string]bool{}
	add := func(text string) {
		text = folded(text)
		for _, word := range strings.Fields(text) {
			set[word], set[path.Base(word)] = true, true
		}
		set[text], set[path.Base(text)] = true, true
	}
	whole := func(text string) {
		if words := strings.Fields(folded(text)); len(words) > 0 {
			set[words[0]] = true
		}
	}
	whole(l.Text)
	if !allow {
		texts, unread := l.written()
		if unread {
			return nil
		}
		for _, words := range texts {
			for _, word := range words {
				add(word)
			}
		}
	}
	for _, cmd := range l.Commands {
		whole(cmd.Source)
		if allow {
			if len(cmd.Words) > 0 {
				set[folded(cmd.Words[0].Text)] = true
				set[folded(cmd.Name())] = true
			}
			continue
		}
		for _, word := range cmd.Words {
			add(word.Text)
		}
		if unfolded := cmd.unfolded(); unfolded != nil {
			for _, word := range unfolded.Words {
				add(word.Text)
			}
		}
		for _, words := range cmd.codeWords() {
			for _, word := range words {
				add(word)
			}
		}
		for _, inner := range cmd.handed() {
			add(inner[0].Text)
		}
	}
	if l.exported() != "" {
		set["aws"] = true // a rule for a place covers the export before it
	}
	return set
}

// folded is text in small letters: the same for any two that are equal but for the case of letters,
// the Kelvin sign and the long s included.
func folded(text string) string { return strings.ToLower(strings.ToUpper(text)) }

// ruleWords are the first words of rules that can match the line, for the host; nil when every rule
// can.
func (l *Line) ruleWords() *tool.RuleWords {
	other := l.firsts(false)
	if other == nil {
		return nil
	}
	edits := tool.FirstWord(editContent) // any line may be an edit
	list := func(set map[string]bool) []string {
		words := []string{edits}
		for word := range set {
			if tool.FirstWord(word) == word && word != edits { // the others begin no rule
				words = append(words, word)
			}
		}
		slices.Sort(words)
		return words
	}
	return &tool.RuleWords{Allow: list(l.firsts(true)), Other: list(other)}
}

// few is how many rules are parsed without a filter.
const few = 8

// rulesFor parses the rules with possible influence on the line.
func (l *Line) rulesFor(contents []string, allow bool) ruleSet {
	if len(contents) <= few {
		return readRules(contents, nil)
	}
	return readRules(contents, l.firsts(allow))
}
