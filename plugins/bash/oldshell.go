package bash

import (
	"slices"
	"strings"
)

// bash 3.2, the /bin/bash of macOS, reads $( ) without knowing its syntax: it counts
// parentheses and skips quotes, also those of a here-document's text, and so may end
// a substitution elsewhere. Where it does, the line is read a second time as it would
// be there. RATIONALE.md, "Why is a line read twice for old shells?".

// Where an old shell ends a substitution, when at no place of the text.
const (
	endsNowhere = -1 // it finds no end, says so and runs nothing of it
	endsUnknown = -2 // it cannot be told
)

// oldEnd returns the place of the parenthesis where an old shell ends the substitution with
// commands from src[from]; comments says whether it knows comments, as this differs within
// quotes.
func oldEnd(src string, from int, comments bool) int { return oldPair(src, from, ')', comments, 0) }

// oldPair returns the place of the sign closing the construct at src[i].
func oldPair(src string, i int, closing byte, comments bool, depth int) int {
	if depth > maxDepth {
		return endsUnknown
	}
	open := 1
	for ; i < len(src); i++ {
		c := src[i]
		var inner byte
		switch {
		case closing == '\'' && c != closing:
			continue
		case c == closing:
			if open--; open == 0 {
				return i
			}
			continue
		case c == '\\':
			i++
			continue
		case closing == '`' && (c == '\'' || c == '"'), closing == '"' && (c == '`' || c == '$' && i+1 < len(src) && strings.IndexByte("({[", src[i+1]) >= 0):
			return endsUnknown // a quote inside a quote
		case closing == '`' || closing == '"':
			continue
		case c == '\'' || c == '"' || c == '`':
			inner = c
			i++
		case c == '$' && i+1 < len(src) && src[i+1] == '{':
			inner = '}'
			i += 2
		case c == '(' && closing == ')', c == '{' && closing == '}':
			open++
			continue
		case c == '#' && comments && closing == ')' && (i == 0 || strings.IndexByte(" \t\n", src[i-1]) >= 0):
			if n := strings.IndexByte(src[i:], '\n'); n >= 0 {
				i += n
				continue
			}
			return endsNowhere
		default:
			continue
		}
		if i = oldPair(src, i, inner, comments, depth+1); i < 0 {
			return i
		}
	}
	return endsNowhere
}

// oldEnds returns the other places where old shells end a substitution from src[from] to
// src[end]. known is false when they are unknown. quoting means: quotes may be no quotes, as in
// the text of a here-document.
func oldEnds(src string, from, end int, quoting bool) (elsewhere []int, known bool) {
	readings := []int{oldEnd(src, from, false), oldEnd(src, from, true)}
	if quoting {
		readings = append(readings, countedEnd(src, from))
	}
	for _, at := range readings {
		switch {
		case at == endsUnknown, at > end, at == endsNowhere && quotesClose(src[from:end], src[end:]):
			return nil, false
		case at != end && at != endsNowhere && !slices.Contains(elsewhere, at):
			elsewhere = append(elsewhere, at)
		}
	}
	return elsewhere, true
}

// countedEnd returns the place of the parenthesis closing the one before src[from], by counting
// alone.
func countedEnd(src string, from int) int {
	open := 1
	for i := from; i < len(src); i++ {
		switch src[i] {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return i
			}
		}
	}
	return endsNowhere
}

// quotesClose reports whether rest could close a quote left open in text, so that the line goes
// on elsewhere.
func quotesClose(text, rest string) bool {
	rest = strings.TrimPrefix(rest, ")\"")
	return strings.ContainsAny(text, "'\"`") && strings.ContainsAny(rest, "'\"`")
}

// readAsOld reads the line as an old shell does, with other ends of here-documents in
// substitutions, and hides it unless the same commands run.
func (l *Line) readAsOld(texts []string) {
	for _, text := range texts {
		if other := analyze(text, l.Setting, true); !l.runsLike(other) {
			l.hide("a here-document whose text an old shell reads as commands")
			return
		}
	}
}

// runsLike reports whether another reading of the line, with $(:) for a substitution, runs the
// same commands in the same places.
func (l *Line) runsLike(other *Line) bool {
	if other.Opaque != l.Opaque || other.Hidden != "" || len(other.Commands) != len(l.Commands) {
		return false
	}
	return slices.EqualFunc(l.Commands, other.Commands, func(a, b *Command) bool {
		if b.Name() == ":" && a.Name() == "cat" {
			return len(a.Words) == 1
		}
		same := func(v, w Word) bool {
			return v.Text == w.Text && v.Literal == w.Literal || v.Quoted && w.Quoted && strings.HasPrefix(w.Text, "$(...)")
		}
		return slices.EqualFunc(a.Words, b.Words, same) && slices.Equal(a.Dirs, b.Dirs) && a.Piped == b.Piped && (a.Parent == nil) == (b.Parent == nil) &&
			slices.EqualFunc(a.Assigns, b.Assigns, func(v, w Assign) bool { return v.Name == w.Name && same(v.Value, w.Value) }) &&
			slices.EqualFunc(a.Redirects, b.Redirects, func(v, w Redirect) bool { return v.Word.Text == w.Word.Text && v.Write == w.Write })
	})
}
