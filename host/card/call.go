package card

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
)

// inputFields show the input whole, or say how much of it they do not show.
func inputFields(a ask.Ask) []Field {
	if a.Input == nil {
		return []Field{{Name: "input", Value: "erased when the ask ended"}}
	}
	in := InputOf(a)
	var fields []Field
	switch {
	case a.LongInput():
		fields = cutFields(in.text)
	case len(in.list) == 0:
		fields = []Field{{Name: "input", Value: "no parameters"}}
	}
	for _, m := range in.list {
		if !a.LongInput() {
			fields = append(fields, Field{Name: "input " + m.name, Value: orEmpty(Visible(m.text)), Block: true})
		}
	}
	if says := in.Letters(); says != "" {
		fields = append(fields, Field{Name: "letters", Warn: true, Value: says, Pieces: []Piece{own(says)}})
	}
	return fields
}

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

func orEmpty(text string) string {
	if text == "" {
		return "‹empty›" // Visible escapes the marks, so no text reads like this
	}
	return text
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
		out.WriteString(targetName(t) + ": " + join(targetPieces(t)) + "\n")
	}
	return out.String()
}

// cutMark stands where a line was divided. Visible escapes it in any text.
const cutMark = string(openMark) + "cut" + string(closeMark)

// cutFields are the two ends of a long input and the truth about the middle.
func cutFields(text string) []Field {
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
	return []Field{
		{Name: fmt.Sprintf("input, the first %d of %d bytes", len(head), len(text)), Value: shownHead, Block: true},
		{Name: "not shown here", Warn: true, Value: fmt.Sprintf(
			"%d bytes with %d line feeds in the middle; the digest below is over all", len(middle), strings.Count(middle, "\n"))},
		{Name: fmt.Sprintf("input, the last %d bytes", len(tail)), Value: shownTail, Block: true},
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

// Targets say what the call touches, and how; a path is told as the kernel
// would reach it, and as it was written when that differs.
func Targets(a ask.Ask) []Field {
	var fields []Field
	for i, t := range a.Targets {
		if i == ask.MaxShownTargets {
			rest := fmt.Sprintf("%d more targets", len(a.Targets)-i)
			fields = append(fields, Field{Name: "not shown here", Value: rest, Pieces: []Piece{own(rest)}, Warn: true})
			break
		}
		value := targetPieces(t)
		fields = append(fields, Field{Name: targetName(t), Value: join(value), Pieces: value, Warn: t.Error != ""})
	}
	return fields
}

func targetName(t engine.Target) string {
	switch t.Access {
	case "read":
		return "reads"
	case "write":
		return "writes"
	case "run":
		return "runs"
	}
	return "touches"
}

func targetPieces(t engine.Target) []Piece {
	switch {
	case t.Kind == "host":
		return []Piece{own("host "), theirs(t.Value)}
	case t.Kind != "path":
		return []Piece{theirs(t.Kind + " " + t.Value)}
	case t.Error != "":
		return []Piece{theirs(t.Value), own(" (cannot be resolved: "), theirs(t.Error), own(")")}
	}
	list := []Piece{theirs(t.Resolved)}
	if t.Resolved == "" {
		list[0] = theirs(t.Value)
	}
	next := " ("
	note := func(pieces ...Piece) {
		list = append(append(list, own(next)), pieces...)
		next = "; "
	}
	if t.Lexical != "" && t.Lexical != t.Resolved {
		note(own("through a link: written as "), theirs(t.Lexical))
	}
	if !t.Exists {
		note(own("does not exist"))
	}
	if t.Inside == "" {
		note(own("outside the working directories"))
	}
	if t.Claimed {
		note(own("only the tool says so"))
	}
	if t.Repo != nil && len(t.Repo.Dirty) > 0 {
		note(own("its repository sets "), theirs(strings.Join(t.Repo.Dirty, ", ")))
	}
	if next == "; " {
		list = append(list, own(")"))
	}
	return list
}
