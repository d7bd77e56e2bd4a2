package bash

import (
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// ruleKind says how a rule's content is compared.
type ruleKind int

const (
	noRule      ruleKind = iota // means nothing: allows nothing, denies everything
	exactRule                   // plain text
	prefixRule                  // "words:*" and "words *", with their exceptions
	globRule                    // text with other unescaped stars
	postRule                    // words for people at a kind of place of a repository
	requestRule                 // requests of a method to a host; as a deny or ask rule a globRule, too
	placeRule                   // reading at a place elsewhere
	editRule                    // edits of files inside the working directories
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
	// lines means: the text has several lines; as a deny or ask rule such a one matches
	// everything.
	lines bool
	// bare means: only options may follow the words (":-*").
	bare bool
	// without are the words forbidden behind the rule's: options in any spelling, or other
	// words as they stand.
	without []string
	// request is the part allowed by a rule for requests.
	request *request
	// post is the part allowed by a rule for posts.
	post *post
	// place is the part allowed by a rule for reading elsewhere.
	place *elsewhere
	// use is the words as their program reads them, once asked for.
	use *program.Use
}

// parseRule reads a rule's content. A content without meaning, such as ":*", is noRule. One
// with a line feed is an exact text.
func parseRule(content string) rule {
	if strings.TrimSpace(content) == "" || strings.Contains(content, "\x00") {
		return rule{}
	}
	if strings.Contains(content, "\n") {
		if hasStar(content) {
			return rule{}
		}
		return rule{kind: exactRule, text: unescapeRule(content), lines: true}
	}
	if head, ok := strings.CutSuffix(content, ":*"); ok {
		return prefixed(head)
	}
	if p := parsePost(content); p != nil {
		return rule{kind: postRule, text: content, post: p}
	}
	if q := parseRequest(content); q != nil {
		return rule{kind: requestRule, text: content, request: q}
	}
	if content == editContent {
		return rule{kind: editRule, text: content}
	}
	if e := parseElsewhere(content); e != nil {
		return rule{kind: placeRule, text: content, place: e}
	}
	if head, bare, without, ok := limits(content); ok {
		if r := prefixed(head); r.kind == prefixRule {
			r.bare, r.without = bare, without
			return r
		}
		return rule{} // a star among the words leaves no place for an option behind
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

// limits splits "words:-*" and "words:* without -f --force" into the words and their
// exceptions.
func limits(content string) (head string, bare bool, without []string, ok bool) {
	head, tail, limited := strings.Cut(content, ":* without ")
	if !limited {
		if head, tail, limited = strings.Cut(content, ":-* without "); !limited {
			head, bare = strings.CutSuffix(content, ":-*")
			return head, bare, nil, bare
		}
		bare = true
	}
	without = strings.Fields(tail)
	return head, bare, without, len(without) > 0
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

// hasStar reports whether s has an unescaped star.
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

// shellSigns are the characters besides blanks with a meaning to a shell.
const shellSigns = "\\'\"$`;&|<>(){}#!~=*?["

// splitWords splits the text of a rule as a shell would; any other text than a simple command
// is split at blanks.
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

// globMatch matches s against a pattern: an unescaped star stands for any text and a backslash
// escapes. A trailing " *" may be absent altogether.
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

// globToken returns the token at i: a byte, starToken, or -2 at the end; and its length.
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
