package bash

import (
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// ruleKind says how a rule's content is compared.
type ruleKind int

const (
	noRule     ruleKind = iota // means nothing: allows nothing, denies everything
	exactRule                  // plain text
	prefixRule                 // "words:*" and "words *"
	globRule                   // text with other unescaped stars
)

// rule is the content of a rule, read.
type rule struct {
	kind ruleKind
	// text is the plain text with the escapes \* and \\ resolved; for globs the
	// content itself.
	text string
	// words are the words of the text, as a shell would split them.
	words []string
	// fixed is how many words of a glob stand before its first star.
	fixed int
	// use is the words as their program reads them, once asked for.
	use *program.Use
}

// parseRule reads a rule's content. A content that means nothing, such as ":*"
// or one with a line feed, is noRule.
func parseRule(content string) rule {
	if strings.TrimSpace(content) == "" || strings.ContainsAny(content, "\n\x00") {
		return rule{}
	}
	if head, ok := strings.CutSuffix(content, ":*"); ok {
		return prefixed(head)
	}
	if !hasStar(content) {
		text := unescapeRule(content)
		return rule{kind: exactRule, text: text, words: splitWords(text)}
	}
	if head, ok := strings.CutSuffix(content, " *"); ok && !hasStar(head) {
		return prefixed(head)
	}
	fixed, _, _ := strings.Cut(content, "*")
	words := strings.Fields(fixed)
	if n := len(words); n > 0 && !strings.HasSuffix(fixed, " ") {
		words = words[:n-1]
	}
	return rule{kind: globRule, text: content, fixed: len(words)}
}

func prefixed(head string) rule {
	head = strings.TrimSpace(head)
	if head == "" {
		return rule{}
	}
	if hasStar(head) {
		fixed, _, _ := strings.Cut(head, "*")
		return rule{kind: globRule, text: head + " *", fixed: len(strings.Fields(fixed))}
	}
	text := unescapeRule(head)
	return rule{kind: prefixRule, text: text, words: splitWords(text)}
}

// hasStar reports whether s has a star that no backslash escapes.
func hasStar(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '*':
			return true
		}
	}
	return false
}

var (
	ruleUnescaper = strings.NewReplacer(`\\`, `\`, `\*`, `*`)
	ruleEscaper   = strings.NewReplacer(`\`, `\\`, `*`, `\*`)
)

// unescapeRule resolves \* and \\.
func unescapeRule(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return ruleUnescaper.Replace(s)
}

// escapeRule is the inverse of unescapeRule.
func escapeRule(s string) string { return ruleEscaper.Replace(s) }

// shellSigns are the characters that mean something to a shell besides blanks.
const shellSigns = "\\'\"$`;&|<>(){}#!~=*?["

// splitWords splits the text of a rule as a shell would; a text that is no
// simple command is split at blanks.
func splitWords(text string) []string {
	if !strings.ContainsAny(text, shellSigns) {
		return strings.Fields(text)
	}
	line := Analyze(text, Setting{})
	if line.Opaque == "" && line.Hidden == "" && len(line.Commands) > 0 {
		first := line.Commands[0]
		roots := 0
		for _, c := range line.Commands {
			if c.Parent == nil {
				roots++
			}
		}
		if roots == 1 && len(first.Redirects) == 0 && len(first.Words) > 0 && allLiteral(first.Words) && len(line.Commands[0].Assigns) == 0 {
			return texts(first.Words)
		}
	}
	return strings.Fields(text)
}

// globMatch matches s against a pattern in which an unescaped star stands for
// any text and a backslash escapes. A trailing " *" may be absent altogether.
func globMatch(pattern, s string) bool {
	if head, ok := strings.CutSuffix(pattern, " *"); ok && globMatch(head, s) {
		return true
	}
	// The classic linear matcher: on a mismatch, let the last star eat one more.
	star, mark := -1, 0
	i, j := 0, 0
	for j < len(s) {
		c, width := globToken(pattern, i)
		switch {
		case c == starToken:
			star, mark = i+width, j
			i = star
		case c == int(s[j]):
			i += width
			j++
		case star >= 0:
			mark++
			i, j = star, mark
		default:
			return false
		}
	}
	for i < len(pattern) && pattern[i] == '*' {
		i++
	}
	return i == len(pattern)
}

const starToken = -1

// globToken returns what stands at i: a byte, starToken, or -2 at the end; and its
// length.
func globToken(pattern string, i int) (c, width int) {
	switch {
	case i >= len(pattern):
		return -2, 0
	case pattern[i] == '*':
		return starToken, 1
	case pattern[i] == '\\' && i+1 < len(pattern) && (pattern[i+1] == '*' || pattern[i+1] == '\\'):
		return int(pattern[i+1]), 2
	}
	return int(pattern[i]), 1
}
