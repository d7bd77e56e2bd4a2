package card

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// The least and the usual width of a terminal, in columns.
const (
	minWidth     = 40
	defaultWidth = 80
)

// The gutters of a block: of a line, and of a line's continuation. They stand
// in columns that no text of a call can reach, so nothing in a block can look
// like a part of the card.
const (
	lineGutter = "  │ "
	moreGutter = "  ┆ "
)

// The styles; each is a sequence of this package's own, never of a text.
const (
	styleReset = "\x1b[0m"
	styleBold  = "\x1b[1m"
	styleDim   = "\x1b[2m"
	styleWarn  = "\x1b[1;31m"
)

// Terminal draws a card for a terminal of the given width in columns (0
// means 80; less than 40 counts as 40). Lines that are too long are continued
// behind a gutter of their own, so that a line feed in the call and the edge of
// the screen look different. With color it adds ANSI styles; a plain text is
// complete without them.
func Terminal(c Card, columns int, color bool) string {
	p := newPage(columns, color)
	p.rule(c)
	if len(c.Ended) > 0 {
		for _, r := range c.Ended {
			p.row(r)
		}
		p.line("", p.style(styleDim), strings.Repeat("─", p.columns))
		return p.out.String()
	}
	for _, r := range slices.Concat([]Row{c.Careful}, c.Changed) {
		p.row(r)
	}
	p.headline(c)
	for rest := c.Call; len(rest) > 0; {
		n := p.together(rest)
		if n < 2 {
			p.part(rest[0])
			n = 1
		}
		rest = rest[n:]
	}
	for _, r := range c.Does {
		p.row(r)
	}
	if c.Odd != "" {
		p.row(Row{Pieces: []Piece{own(c.Odd)}, Warn: true})
	}
	for _, r := range slices.Concat(c.Why, []Row{c.Who}, c.Asked) {
		p.row(r)
	}
	if c.Confirm != "" {
		p.row(Row{Pieces: []Piece{own(c.Confirm + ": an approval has to be confirmed by typing " + c.ID)}, Warn: true})
	}
	p.choices(c)
	p.line("", p.style(styleDim), strings.Repeat("─", p.columns))
	return p.out.String()
}

// page is the terminal text being written.
type page struct {
	out     strings.Builder
	columns int
	color   bool
}

// newPage is an empty page; see Terminal for its width.
func newPage(columns int, color bool) *page {
	switch {
	case columns <= 0:
		columns = defaultWidth
	case columns < minWidth:
		columns = minWidth
	}
	return &page{columns: columns, color: color}
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

// rule draws a line across with the ask's id in it, and until when it waits.
func (p *page) rule(c Card) {
	text, rest := "── ask "+c.ID+" ", ""
	if c.Session != "" {
		rest = "· session " + spoken(c.Session) + " "
	}
	if c.Until != "" {
		rest += "· " + c.Until + " "
	}
	if columnsOf(text+rest) <= p.columns-2 {
		text, rest = text+rest, ""
	}
	p.line("", p.style(styleDim), text+strings.Repeat("─", max(2, p.columns-columnsOf(text))))
	if rest != "" {
		p.hanging("", p.style(styleDim), strings.TrimPrefix(rest, "· "))
	}
}

// plainWord is a text that cannot be taken for anything else in a row of a terminal.
func plainWord(text string) bool {
	const of = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_/~@*%+=#-.:"
	return text != "" && strings.Trim(text, of) == "" && !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, ":")
}

// spoken is a text of somebody else in a row with other words: quoted unless it is a word.
func spoken(text string) string {
	if plainWord(text) {
		return text
	}
	return `"` + quoteEscapes.Replace(text) + `"`
}

// Text is a row without styles. The text of another author is quoted unless it is a plain word, or
// ends the row behind a colon.
func (r Row) Text() string {
	var out strings.Builder
	for i, piece := range r.Pieces {
		switch {
		case piece.Own, i > 0 && i == len(r.Pieces)-1 && strings.HasSuffix(r.Pieces[i-1].Text, ": "):
			out.WriteString(piece.Text)
		default:
			out.WriteString(spoken(piece.Text))
		}
	}
	return out.String()
}

func (p *page) row(r Row) {
	switch {
	case r.Empty():
	case r.Warn:
		p.hanging("! ", p.style(styleWarn), r.Text())
	case r.Small:
		p.hanging("", p.style(styleDim), r.Text())
	default:
		p.hanging("", "", r.Text())
	}
}

// headline ends with what the call is about, as it stands.
func (p *page) headline(c Card) { p.hanging("", p.style(styleBold), headText(c.Headline)) }

// headText is the text of a headline.
func headText(r Row) string {
	if last := len(r.Pieces) - 1; last > 1 && !r.Pieces[last].Own {
		r.Pieces = append(slices.Clone(r.Pieces[:last]), Piece{Text: r.Pieces[last].Text, Own: true})
	}
	return r.Text()
}

// part draws a piece of the call: two blanks in, where no row of the card begins.
func (p *page) part(part Part) {
	text := part.Text
	if text == "" {
		text = empty
	}
	name := "  " + part.Name
	if part.JSON {
		name += " (JSON)"
	}
	switch {
	case part.Gap:
		p.hanging("! ", p.style(styleWarn), text)
		return
	case !part.Block:
		p.hanging(name+": ", "", text)
		return
	case part.Name != "":
		p.hanging("", p.style(styleDim), name+":")
	}
	p.block("", text)
}

// together draws short parameters on one line, as many as fit, and returns how many. Names and
// values are single words there, so that none can look like the next parameter.
func (p *page) together(parts []Part) int {
	line, n := "", 0
	for _, part := range parts {
		if part.Gap || part.Block || part.JSON || !plainWord(part.Name) || !plainWord(part.Text) {
			break
		}
		next := line + "  " + part.Name + ": " + part.Text
		if columnsOf(next) > p.columns {
			break
		}
		line = next
		n++
	}
	if n > 1 {
		p.line("", "", line)
	}
	return n
}

// empty is a text without characters. Visible escapes the marks, so no text reads like it.
const empty = string(openMark) + "empty" + string(closeMark)

// minIndent is where the continuation of a short text begins at the least, so
// that it cannot look like the name of a field.
const minIndent = 4

// hanging writes a text after a label; further lines are indented.
func (p *page) hanging(label, style, text string) {
	if columnsOf(label) > p.columns/2 {
		p.line(label, "", "")
		label = strings.Repeat(" ", minIndent)
	}
	indent := max(columnsOf(label), minIndent)
	for i, line := range Wrap(text, p.columns-indent) {
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

// choices name the keys: in one row those that store nothing, then each rule with the
// place where it holds.
func (p *page) choices(c Card) {
	var once []string
	for _, one := range c.Choices {
		if one.Where == "" {
			once = append(once, "["+one.Key+"] "+one.Label)
		}
	}
	if len(once) > 0 {
		p.hanging("", p.style(styleBold), strings.Join(once, "  "))
	}
	for _, one := range c.Choices {
		if one.Where == "" {
			continue
		}
		more := ""
		if one.WantsID {
			more = " (type the id)"
		}
		if one.Folder != "" {
			p.hanging("["+one.Key+"] ", "", "trust it for "+one.Where+": "+one.Allows) // the question names it
			continue
		}
		p.hanging("["+one.Key+"] ", "", one.Where+more+": "+strings.Join(one.Rules, " and "))
	}
}

// Wrap divides a text at spaces where it can and within words where it must.
func Wrap(text string, columns int) []string {
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
