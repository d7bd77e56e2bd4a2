package card

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The marks of an escape. Both are escaped themselves, so an escape in the
// result is always ours.
const (
	openMark  = '‹'
	closeMark = '›'
	tabMark   = '⇥'
)

// Longer runs are written as one escape with a count, so blanks cannot push text out of sight.
const (
	maxSpaces = 40
	maxFeeds  = 3
)

// Visible returns text with every hiding or misleading character made visible. Letters, digits,
// marks, punctuation and symbols stay as they are, and so do single spaces and line feeds;
// anything else becomes an escape such as ‹U+202E›: control and format characters (ANSI
// escapes, bidirectional overrides, zero-width characters, CR), blanks other than the space, a
// space before a line's end, unassigned and private characters, characters drawn like ASCII
// punctuation or letters, combining marks that overlay or pile up, and letters of another
// script inside a Latin word, and letters and digits written from right to left. A tab reads "⇥
// ", long runs of spaces or line feeds ‹U+0020×40›, an invalid UTF-8 byte ‹byte FF›.
//
// It is injective: different texts have different results.
func Visible(text string) string { return escape(text, escaper{keepFeeds: true}) }

// Line is Visible for a text that belongs on one line: line feeds are escaped
// too.
func Line(text string) string { return escape(text, escaper{}) }

// Prose is Line for a person's or a tool's words outside the approval, such as a reason:
// letters written from right to left stay readable.
func Prose(text string) string { return escape(text, escaper{keepTurns: true}) }

func escape(text string, e escaper) string {
	if plain(text) {
		return text
	}
	e.out.Grow(len(text) + len(text)/8)
	for i := 0; i < len(text); {
		i += e.next(text[i:])
	}
	return e.out.String()
}

// plain reports whether the text has nothing to escape: the common case.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c <= ' ' && (c != ' ' || i+1 == len(text) || text[i+1] <= ' ') || c >= 0x7f {
			return false
		}
	}
	return true
}

// escaper carries the context for escaping one rune.
type escaper struct {
	out       strings.Builder
	keepFeeds bool
	keepTurns bool
	// wordLeft is how many bytes remain of the current word; mixed means: it mixes Latin
	// letters with letters of another script.
	wordLeft int
	mixed    bool
	// marks counts the combining marks since the last letter; base means: a letter carries
	// them.
	marks int
	base  bool
}

// next writes the beginning of rest and returns how many bytes it took.
func (e *escaper) next(rest string) int {
	r, size := utf8.DecodeRuneInString(rest)
	if r == utf8.RuneError && size == 1 {
		fmt.Fprintf(&e.out, "%cbyte %02X%c", openMark, rest[0], closeMark)
		return 1
	}
	if r == ' ' || r == '\n' {
		return e.blank(rest, r)
	}
	e.enter(rest)
	e.wordLeft -= size
	switch {
	case r == '\t':
		e.out.WriteRune(tabMark)
		e.out.WriteString("   ")
		e.base = false
	case unicode.IsMark(r):
		e.mark(r)
	case hidden(r) || turns(r) && !e.keepTurns || e.mixed && foreign(r):
		e.code(r, 1)
		e.base = false
	default:
		e.out.WriteRune(r)
		e.base, e.marks = unicode.IsLetter(r), 0
	}
	return size
}

// blank writes a run of spaces or line feeds.
func (e *escaper) blank(rest string, r rune) int {
	n := len(rest) - len(strings.TrimLeft(rest, string(r)))
	e.base, e.wordLeft = false, 0
	atEnd := n == len(rest) || rest[n] == '\n'
	switch {
	case r == '\n' && (!e.keepFeeds || n > maxFeeds), r == ' ' && n > maxSpaces:
		e.code(r, n)
	case r == ' ' && atEnd:
		e.out.WriteString(strings.Repeat(" ", n-1))
		e.code(r, 1)
	default:
		e.out.WriteString(rest[:n])
	}
	return n
}

// mark writes a combining mark: unchanged on a letter with fewer than two, unless it overlays
// its letter.
func (e *escaper) mark(r rune) {
	if !e.base || e.marks >= 2 || hidden(r) {
		e.code(r, 1)
		return
	}
	e.marks++
	e.out.WriteRune(r)
}

// code writes n times r as one escape.
func (e *escaper) code(r rune, n int) {
	if n == 1 {
		fmt.Fprintf(&e.out, "%cU+%04X%c", openMark, r, closeMark)
		return
	}
	fmt.Fprintf(&e.out, "%cU+%04X×%d%c", openMark, r, n, closeMark)
}

// enter looks at the whole word at the beginning of rest, once for each word.
func (e *escaper) enter(rest string) {
	if e.wordLeft > 0 {
		return
	}
	e.mixed = false
	latin, other := false, false
	end := strings.IndexFunc(rest, func(r rune) bool { return !wordRune(r) })
	if end < 0 {
		end = len(rest)
	}
	for _, r := range rest[:end] {
		latin = latin || unicode.Is(unicode.Latin, r)
		other = other || foreign(r)
	}
	e.wordLeft, e.mixed = end, latin && other
}

// wordRune stops at runes escaped next to any neighbour, so a zero-width character cannot
// divide a word in two.
func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || unicode.Is(unicode.Cf, r))
}
