package tool

import "strings"

// RuleWords say which rules can match a call, by the FirstWord of their contents. The host does
// not ask Spec.Match about another rule with a first word, so each list must have the word of every
// rule that can match this input in any context. A list too many costs time, one too few a rule.
type RuleWords struct {
	// Allow are the words of allow rules, Other those of deny and ask rules.
	Allow []string `json:"allow"`
	Other []string `json:"other"`
}

// maxRuleWords is how many words the host takes. Source: docs/abi.md, Caps.
const maxRuleWords = 4096

// wordSigns tells the bytes of a content with a first word, blanks and tabs among them.
var wordSigns = func() (table [256]bool) {
	for _, c := range []byte("\t abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:@]^_") {
		table[c] = true
	}
	return table
}()

// FirstWord returns the first word of a rule's content as the host finds it, in small letters; empty
// for a content without one: such a rule is tried on every call (docs/abi.md, "rule_words").
func FirstWord(content string) string {
	head, cut := strings.CutSuffix(content, ":*")
	if !cut {
		head = strings.TrimSuffix(content, " *")
	}
	for i := range len(head) {
		if !wordSigns[head[i]] {
			return ""
		}
	}
	head = strings.TrimLeft(head, " \t")
	if end := strings.IndexAny(head, " \t"); end >= 0 {
		head = head[:end]
	}
	return strings.ToLower(head)
}

// withWords leaves out rule words that the host does not read, or refuses.
func (r *reading) withWords(answer Description) Description {
	if w := answer.RuleWords; w != nil && (!r.env.RuleWords || len(w.Allow)+len(w.Other) > maxRuleWords) {
		answer.RuleWords = nil
	}
	return answer
}
