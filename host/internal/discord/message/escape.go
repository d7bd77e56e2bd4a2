package message

import (
	"strings"

	"github.com/callgate/callgate/host/internal/approval/card"
)

// backtick replaces a backtick where it would end a code.
const backtick = "‹U+0060›"

// empty stands for a text without characters; no text reads like it, because the marks
// are escaped in any.
const empty = "‹empty›"

// Code shows foreign text on one line, in inline code. Hidden or misleading characters are
// escaped as by card.Line; so are backticks and a blank at the front. Different texts come out
// differently. RATIONALE.md, "Where may foreign text stand on a card in Discord?".
func Code(text string) string { return inline(card.Line(text)) }

// Fence shows foreign text in a code block: escaped as by card.Visible, with the third backtick
// of a run and the line feeds at both ends, otherwise dropped by Discord. There is no language
// behind the opening: it could colour text away. Different texts come out differently.
func Fence(text string) string { return fenced(card.Visible(text)) }

// FenceLines is Fence for texts on one line each, escaped as by card.Line.
func FenceLines(texts []string) string {
	lines := make([]string, len(texts))
	for i, text := range texts {
		lines[i] = card.Line(text)
	}
	return fenced(strings.Join(lines, "\n"))
}

// inline puts text made safe by card in inline code.
func inline(safe string) string {
	if safe == "" {
		safe = empty
	}
	safe = strings.ReplaceAll(safe, "`", backtick)
	if rest, ok := strings.CutPrefix(safe, " "); ok {
		safe = "‹U+0020›" + rest
	}
	return "`" + safe + "`"
}

// fenced puts text made safe by card in a code block.
func fenced(safe string) string { return "```\n" + inFence(safe) + "\n```" }

// feed is a line feed that Discord would drop.
const feed = "‹U+000A›"

func inFence(safe string) string {
	if safe == "" {
		return empty
	}
	body := strings.Trim(safe, "\n")
	front := len(safe) - len(strings.TrimLeft(safe, "\n"))
	back := len(safe) - front - len(body)
	return strings.Repeat(feed, front) + thirdBacktick.Replace(body) + strings.Repeat(feed, back)
}

var thirdBacktick = strings.NewReplacer("```", "``"+backtick)

// Units is the length of a text as Discord counts it at the strictest: in UTF-16 units.
func Units(text string) int {
	n := 0
	for _, r := range text {
		n += runeUnits(r)
	}
	return n
}

func runeUnits(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}
