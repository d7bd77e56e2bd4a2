package card

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// The least and the usual width of a terminal, in columns.
const (
	minWidth     = 40
	defaultWidth = 80
)

// nameWidth is the column at which the values of short fields begin.
const nameWidth = 15

// The gutters of a block: of a line, and of a line's continuation. They stand
// in columns that no text of a call can reach, so nothing in a block can look
// like a part of the card.
const (
	lineGutter = "  │ "
	moreGutter = "  ┆ "
)

// The styles; each is a sequence of this package's own, never of a text.
const (
	styleReset  = "\x1b[0m"
	styleBold   = "\x1b[1m"
	styleDim    = "\x1b[2m"
	styleModule = "\x1b[33m"
	styleWarn   = "\x1b[1;31m"
)

// Terminal lays a card out for a terminal of the given width in columns (0
// means 80; less than 40 counts as 40). Lines that are too long are continued
// behind a gutter of their own, so that a line feed in the call and the edge of
// the screen look different. With color it adds ANSI styles; a plain text is
// complete without them.
func Terminal(c Card, columns int, color bool) string {
	switch {
	case columns <= 0:
		columns = defaultWidth
	case columns < minWidth:
		columns = minWidth
	}
	p := page{columns: columns, color: color}
	p.rule("ask " + c.ID)
	p.hanging("", p.style(styleBold), c.Title)
	for _, f := range c.Fields {
		p.field(f)
	}
	if c.Confirm != "" {
		p.hanging(pad("confirm:"), p.style(styleWarn), c.Confirm+": an approval has to be confirmed by typing "+c.ID)
	}
	for _, choice := range c.Choices {
		p.choice(choice)
	}
	p.rule("")
	return p.out.String()
}

// page is the terminal text being written.
type page struct {
	out     strings.Builder
	columns int
	color   bool
}

func (p *page) style(s string) string {
	if p.color {
		return s
	}
	return ""
}

func (p *page) line(gutter, style, text string) {
	end := ""
	if style != "" {
		end = styleReset
	}
	if text == "" {
		gutter = strings.TrimRight(gutter, " ")
	}
	p.out.WriteString(gutter + style + text + end + "\n")
}

// rule draws a line across with a title in it.
func (p *page) rule(title string) {
	text := "──"
	if title != "" {
		text += " " + title + " "
	}
	p.line("", p.style(styleDim), text+strings.Repeat("─", max(2, p.columns-columnsOf(text))))
}

func (p *page) field(f Field) {
	style := ""
	name := f.Name
	switch {
	case f.Warn:
		style = p.style(styleWarn)
		name = "! " + name
	case f.Module:
		style = p.style(styleModule)
		name += " (unchecked)"
	}
	if f.Block {
		p.hanging("", p.style(styleDim), name+":")
		p.block(style, f.Value)
		return
	}
	p.hanging(pad(name+":"), style, f.Value)
}

// pad brings the value of a short field to its column.
func pad(name string) string {
	return name + strings.Repeat(" ", max(1, nameWidth-columnsOf(name)))
}

// minIndent is where the continuation of a short text begins at the least, so
// that it cannot look like the name of a field.
const minIndent = 4

// hanging writes a text after a label; further lines are indented.
func (p *page) hanging(label, style, text string) {
	if columnsOf(label) > p.columns/2 {
		p.line(label, "", "")
		label = strings.Repeat(" ", nameWidth)
	}
	indent := max(columnsOf(label), minIndent)
	for i, line := range wrap(text, p.columns-indent) {
		if i > 0 {
			label = strings.Repeat(" ", indent)
		}
		p.line(label, style, line)
	}
}

// block writes lines of a call behind the gutter.
func (p *page) block(style, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		gutter := lineGutter
		for _, part := range split(line, p.columns-columnsOf(lineGutter)) {
			p.line(gutter, style, part)
			gutter = moreGutter
		}
	}
}

func (p *page) choice(c Choice) {
	p.hanging("["+c.Key+"] ", p.style(styleBold), c.Label)
	for _, r := range c.Rules {
		p.hanging("      rule:  ", "", r)
	}
	if len(c.Rules) > 0 {
		p.hanging("      where: ", "", c.Scope+", "+c.Expiry)
	}
	if c.Said != "" {
		p.hanging("      tool says (unchecked): ", p.style(styleModule), c.Said)
	}
}

// wrap divides a text at spaces where it can and within words where it must.
func wrap(text string, columns int) []string {
	var lines []string
	for _, word := range strings.SplitAfter(text, " ") {
		last := len(lines) - 1
		if last >= 0 && columnsOf(lines[last])+columnsOf(strings.TrimRight(word, " ")) <= columns {
			lines[last] += word
			continue
		}
		lines = append(lines, split(word, columns)...)
	}
	return lines
}

// split divides a text into parts of at most that many columns, at least one.
func split(text string, columns int) []string {
	var parts []string
	start, used := 0, 0
	for i, r := range text {
		w := runeColumns(r)
		if used+w > columns && i > start {
			parts = append(parts, text[start:i])
			start, used = i, 0
		}
		used += w
	}
	return append(parts, text[start:])
}

func columnsOf(text string) int {
	n := 0
	for _, r := range text {
		n += runeColumns(r)
	}
	return n
}

// runeColumns is how many columns a terminal gives a character that Visible let
// through. Terminals disagree about some; too many only wraps early.
func runeColumns(r rune) int {
	switch {
	case r < 0x7f:
		return 1
	case unicode.IsMark(r):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
