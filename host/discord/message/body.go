package message

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
)

// callLine begins the last line of a body. Nothing of a call can stand at the start of a
// line outside code.
const callLine = "-# digest "

// layBody shows everything, when it fits; shortBody is for when it does not.
func layBody(c call) (text string, whole bool) {
	if c.Long() {
		return "", false
	}
	before, after, whole := around(c.Ask, 0)
	text = join(before, c.inputText(), c.warnings, after, lastLine(c.Ask, false))
	return text, whole && Units(text) <= roomBody
}

// join puts parts on lines of their own.
func join(parts ...string) string {
	var lines []string
	for _, p := range parts {
		if p != "" {
			lines = append(lines, p)
		}
	}
	return strings.Join(lines, "\n")
}

// around is what a person has to know besides the input: what comes before it and after
// it. Each code is bounded by limit; what is odd is said by call.warnings.
func around(a ask.Ask, limit int) (before, after string, whole bool) {
	whole = true
	add := func(to *string, write func(*writer)) {
		text, all := line(limit, write)
		*to, whole = join(*to, text), whole && all
	}
	for _, change := range a.Changed {
		add(&before, func(w *writer) {
			w.own("⚠ **changed since you approved:** ")
			w.raw(change)
		})
	}
	if a.CWD != "" {
		add(&after, func(w *writer) {
			w.own("in ")
			w.raw(a.CWD)
		})
	}
	for _, t := range card.Targets(a) {
		add(&after, func(w *writer) {
			if t.Warn {
				w.own("⚠ ")
			}
			w.own("**" + t.Name + "** ")
			w.field(t)
		})
	}
	return before, after, whole
}

// inputText is the whole input: the command first; without one what is short before what
// takes a block, so that a long content hides no path. What an edit replaces stands before
// what it puts there, in a block when that is in one.
func (c call) inputText() string {
	list := c.in.Parameters()
	blocks := blocksOf(list)
	if len(list) == 0 {
		none := "no parameters"
		if c.Input == nil {
			none = "the input is no longer kept"
		}
		return toolText(c.Ask) + " · " + none
	}
	first := isCommand
	if !slices.ContainsFunc(list, isCommand) {
		first = func(p card.Parameter) bool { return !blocks[p.Name] }
	}
	list = slices.SortedStableFunc(slices.Values(list), func(a, b card.Parameter) int {
		switch {
		case first(a) == first(b):
			return 0
		case first(a):
			return -1
		}
		return 1
	})
	text := toolText(c.Ask)
	for i, p := range list {
		sep := "\n"
		if i == 0 {
			sep = " · "
		}
		text += sep + parameterText(p, blocks[p.Name])
	}
	return text
}

func toolText(a ask.Ask) string {
	text, _ := line(0, func(w *writer) { w.raw(a.Tool) })
	return text
}

func isCommand(p card.Parameter) bool { return p.Name == "command" && !p.JSON }

// roomInline is what a parameter may take to stand beside its name.
const roomInline = 80

// parameterText names a parameter and shows it: one that is short and on one line beside
// its name, a command and any other in a block.
func parameterText(p card.Parameter, block bool) string {
	name := inline(p.Name)
	if p.JSON {
		name += " JSON"
	}
	if block {
		return name + "\n" + fenced(p.Text)
	}
	return name + ": " + inline(p.Text)
}

// blocksOf are the names of the parameters that take a block: the two texts of an edit
// both do, or neither.
func blocksOf(list []card.Parameter) map[string]bool {
	blocks := map[string]bool{}
	for _, p := range list {
		blocks[p.Name] = blocks[p.Name] || takesBlock(p)
	}
	if blocks["old_string"] || blocks["new_string"] {
		blocks["old_string"], blocks["new_string"] = true, true
	}
	return blocks
}

func takesBlock(p card.Parameter) bool {
	return isCommand(p) || Units(p.Text) > roomInline || strings.Contains(p.Text, "\n")
}

// warn says what is odd about the call. What an action and targets repeat of the input is
// counted once, so that the number is the one that a person finds.
func (c call) warn() string {
	var out string
	if c.told > 0 {
		out = "⚠ " + plural(c.told, "character is invisible, reorders text or looks like others", "characters are invisible, reorder text or look like others") + ": shown as ‹U+…›"
	}
	if says := c.in.Letters(); says != "" {
		out = join(out, "⚠ "+says)
	}
	return out
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// lastLine ends a body: the call's digest, whole or its beginning.
func lastLine(a ask.Ask, whole bool) string {
	digest := a.Digest
	if !whole && len(digest) > 12 {
		digest = front(card.Line(digest), 12)
	}
	text, _ := line(roomShort, func(w *writer) { w.raw(digest) })
	return callLine + text
}
