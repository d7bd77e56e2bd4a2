package card

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
)

// inputFields show the input whole, or say how much of it they do not show.
func inputFields(a ask.Ask) []Field {
	if a.Input == nil {
		return []Field{{Name: "input", Value: "erased when the ask ended"}}
	}
	list := members(a.Input)
	text := fullText(list)
	var fields []Field
	switch {
	case a.LongInput():
		fields = cutFields(text)
	case len(list) == 0:
		fields = []Field{{Name: "input", Value: "no parameters"}}
	}
	for _, m := range list {
		if !a.LongInput() {
			fields = append(fields, Field{Name: "input " + m.name, Value: orEmpty(Visible(m.text)), Block: true})
		}
	}
	if names := scripts(text); len(names) > 0 {
		fields = append(fields, Field{
			Name: "letters", Warn: true,
			Value: "the input has " + strings.Join(names, " and ") + " letters, some of which look like Latin ones",
		})
	}
	return fields
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
func Full(a ask.Ask) string {
	var out strings.Builder
	out.WriteString(Visible(fullText(members(a.Input))))
	for _, t := range a.Targets {
		out.WriteString(targetName(t) + ": " + targetValue(t) + "\n")
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

// targetFields say what the call touches, and how; a path is told as the kernel
// would reach it, and as it was written when that differs.
func targetFields(a ask.Ask) []Field {
	var fields []Field
	for i, t := range a.Targets {
		if i == ask.MaxShownTargets {
			fields = append(fields, Field{Name: "not shown here", Warn: true, Value: fmt.Sprintf(
				"%d more targets", len(a.Targets)-i)})
			break
		}
		fields = append(fields, Field{Name: targetName(t), Value: targetValue(t), Warn: t.Error != ""})
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

func targetValue(t engine.Target) string {
	if t.Kind != "path" {
		return short(t.Kind) + " " + short(t.Value)
	}
	if t.Error != "" {
		return short(t.Value) + " (cannot be resolved: " + short(t.Error) + ")"
	}
	text := short(t.Resolved)
	if t.Resolved == "" {
		text = short(t.Value)
	}
	var notes []string
	if t.Lexical != "" && t.Lexical != t.Resolved {
		notes = append(notes, "through a link: written as "+short(t.Lexical))
	}
	if !t.Exists {
		notes = append(notes, "does not exist")
	}
	if t.Inside == "" {
		notes = append(notes, "outside the working directories")
	}
	if t.Claimed {
		notes = append(notes, "only the tool says so")
	}
	if t.Repo != nil && len(t.Repo.Dirty) > 0 {
		notes = append(notes, "its repository sets "+short(strings.Join(t.Repo.Dirty, ", ")))
	}
	if len(notes) == 0 {
		return text
	}
	return text + " (" + strings.Join(notes, "; ") + ")"
}
