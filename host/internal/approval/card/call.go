package card

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// Input is the input of an ask taken apart, once for all that is said of it.
type Input struct {
	list  []member
	text  string // of all, as Full has it
	names string // of what calls, and of what is called
	kept  bool
}

// InputOf takes an ask's input apart.
func InputOf(a ask.Ask) Input {
	list := members(a.Input)
	names := strings.Join([]string{a.Tool, a.Decision.Server, a.Agent, a.SubAgent, a.Session}, "\n")
	return Input{list: list, text: fullText(list), names: names, kept: a.Input != nil}
}

// Letters warns, in the card's own words, of letters in the input, and in the names of the
// call, that look like Latin ones: a tool's name may be written in them altogether. Empty
// when there are none.
func (in Input) Letters() string {
	found := scripts(in.text + "\n" + in.names)
	if len(found) == 0 {
		return ""
	}
	where := "the input has "
	switch inText, inNames := len(scripts(in.text)) > 0, len(scripts(in.names)) > 0; {
	case inText && inNames:
		where = "the input and a name have "
	case inNames:
		where = "a name has "
	}
	return where + strings.Join(found, " and ") + " letters, some of which look like Latin ones"
}

// Parameter is one piece of an input, whole and safe to show.
type Parameter struct {
	// Name is one line. JSON tells that Text is laid out as JSON and is not a text by
	// itself; a Name of "(raw)" that Text is the input as it came.
	Name string
	JSON bool
	Text string
}

// Parameters are the whole input, in the order in which people read it; none when it is
// empty or was erased.
func (in Input) Parameters() []Parameter {
	if !in.kept {
		return nil
	}
	var list []Parameter
	for _, m := range in.list {
		name, laidOut := strings.CutSuffix(m.name, jsonSuffix)
		list = append(list, Parameter{Name: name, JSON: laidOut, Text: Visible(m.text)})
	}
	return list
}

// Ends is an input from its two ends. Its texts are safe to show.
type Ends struct {
	// Name is that of the only parameter, with "(JSON)" behind it if it is laid out so.
	// It is empty when there are several: then the texts have their names, as Full does.
	Name string
	// Front has everything when Gap is 0; Gap counts the characters between the ends.
	Front, Back string
	Gap         int
}

// Ends returns the ends of the whole input, of which at most limit bytes are looked at.
func (in Input) Ends(limit int) Ends {
	var e Ends
	text := in.text
	if len(in.list) == 1 {
		e.Name, text = in.list[0].name, in.list[0].text
	}
	if len(text) <= limit {
		e.Front = Visible(text)
		return e
	}
	head, gap, tail := cut(text, limit*2/3, limit/3)
	e.Front, e.Back = Visible(head), Visible(tail)
	e.Gap = utf8.RuneCountInString(text[len(head) : len(head)+gap])
	return e
}

// fullText is the whole input as one text. What belongs to a parameter stands
// two spaces in, so that no text can look like the name of another.
func fullText(list []member) string {
	var out strings.Builder
	for _, m := range list {
		out.WriteString(m.name + ":\n")
		for line := range strings.Lines(m.text) {
			if line != "\n" {
				out.WriteString("  ")
			}
			out.WriteString(line)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// Full returns the whole call as a card would show it if it had room: the
// input, then all targets. The input is gone once the ask has ended.
func Full(a ask.Ask) string { return InputOf(a).Full(a.Targets) }

// Full is the function Full, with the targets of the ask.
func (in Input) Full(targets []engine.Target) string {
	var out strings.Builder
	out.WriteString(Visible(in.text))
	for _, t := range targets {
		out.WriteString(targetWord(t) + ": " + targetText(t) + "\n")
	}
	return out.String()
}

// cutMark stands where a line was divided. Visible escapes it in any text.
const cutMark = string(openMark) + "cut" + string(closeMark)

// cutParts are the two ends of a long input and the truth about the middle.
func cutParts(text string) []Part {
	head := firstLines(text[:boundary(text, min(headBytes, len(text)))], headLines)
	rest := text[len(head):]
	tail := lastLines(rest[boundary(rest, max(0, len(rest)-tailBytes)):], tailLines)
	middle := rest[:len(rest)-len(tail)]
	shownHead, shownTail := Visible(head), Visible(tail)
	if !strings.HasSuffix(head, "\n") {
		shownHead += cutMark
	}
	if middle != "" && !strings.HasSuffix(middle, "\n") {
		shownTail = cutMark + shownTail
	}
	return []Part{
		{Text: shownHead, Block: true},
		{Gap: true, Text: fmt.Sprintf("%d bytes with %d line feeds are not shown here, of %d bytes", len(middle), strings.Count(middle, "\n"), len(text))},
		{Text: shownTail, Block: true},
	}
}

// firstLines returns at most n lines from the front.
func firstLines(text string, n int) string {
	at := 0
	for range n {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return text
		}
		at += next + 1
	}
	return text[:at]
}

// lastLines returns at most n lines from the back; a line feed at the end ends
// the last one.
func lastLines(text string, n int) string {
	at := len(text) - 1
	for range n {
		if at <= 0 {
			return text
		}
		if at = strings.LastIndexByte(text[:at], '\n'); at < 0 {
			return text
		}
	}
	return text[at+1:]
}
