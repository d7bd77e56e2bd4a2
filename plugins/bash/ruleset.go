package bash

import (
	"path"
	"strings"
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
		if first, plain := firstWord(content); plain && firsts != nil && !firsts[strings.ToLower(first)] {
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

// glance tells for each byte whether the words of a rule with it can be told
// without reading it as a shell would: splitWords splits such a text at blanks.
var glance = func() (table [256]bool) {
	for c := range table {
		table[c] = c == '\t' || c >= ' ' && c < 0x7f && !strings.ContainsRune(shellSigns, rune(c))
	}
	return table
}()

// firstWord returns the first word of an exact or prefix rule with words that are plain at a
// glance.
func firstWord(content string) (first string, plain bool) {
	if content == editContent {
		return "", false
	}
	head, cut := strings.CutSuffix(content, ":*")
	if !cut {
		head = strings.TrimSuffix(content, " *")
	}
	for i := range len(head) {
		if !glance[head[i]] {
			return "", false
		}
	}
	for head != "" && isBlank(head[0]) {
		head = head[1:]
	}
	for i := range len(head) {
		if isBlank(head[i]) {
			return head[:i], true
		}
	}
	return head, head != ""
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

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
		text = strings.ToLower(text)
		for _, word := range strings.Fields(text) {
			set[word], set[path.Base(word)] = true, true
		}
		set[text], set[path.Base(text)] = true, true
	}
	whole := func(text string) {
		if words := strings.Fields(strings.ToLower(text)); len(words) > 0 {
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
				set[strings.ToLower(cmd.Words[0].Text)] = true
				set[strings.ToLower(cmd.Name())] = true
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
	return set
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
