package engine

import (
	"slices"
	"strings"
)

// RuleWords say which rules can match a call, by the FirstWord of their contents: those of one of
// these words, and those without a first word. They are the word of the call's module about rules
// for its own tool. RATIONALE.md, "Why does a module name the first words of rules?".
type RuleWords struct {
	// Allow are the words of allow rules, Other those of deny and ask rules.
	Allow []string `json:"allow"`
	Other []string `json:"other"`
}

// Name reports whether a rule of this behavior and content is one of those that can match.
func (w *RuleWords) Name(b Behavior, content string) bool {
	word := FirstWord(content)
	return word == "" || slices.Contains(w.of(b), word)
}

// of are the words for rules of a behavior.
func (w *RuleWords) of(b Behavior) []string {
	if b == Allow {
		return w.Allow
	}
	return w.Other
}

// plainSigns are the signs besides letters, digits, blanks and tabs in a content with a first word.
const plainSigns = "%+,-./:@]^_"

// FirstWord returns the first word of a rule's content, in small letters and without ":*" or " *" at
// the content's end. It is empty where another sign than those of docs/abi.md stands in the content,
// or none: such a rule may match any call.
func FirstWord(content string) string {
	head, cut := strings.CutSuffix(content, ":*")
	if !cut {
		head = strings.TrimSuffix(content, " *")
	}
	for i := range len(head) {
		c := head[i]
		if lower := c | ' '; c != ' ' && c != '\t' && (lower < 'a' || lower > 'z') && (c < '0' || c > '9') && strings.IndexByte(plainSigns, c) < 0 {
			return ""
		}
	}
	head = strings.TrimLeft(head, " \t")
	if end := strings.IndexAny(head, " \t"); end >= 0 {
		head = head[:end]
	}
	return strings.ToLower(head)
}
