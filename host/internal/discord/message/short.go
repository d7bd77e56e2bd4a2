package message

import (
	"fmt"
	"strings"
)

const (
	// endBytes is how much of a long input is looked at for its ends.
	endBytes = 32 << 10
	// roomAround bounds what stands around a long input.
	roomAround = 450
)

// shortBody is a body that has no room for everything, and says so.
func shortBody(c call, says string) string {
	before, after, _ := around(c, roomShort)
	before = fitLines(before, roomAround/2)
	after = fitLines(after, roomAround-Units(before))
	tail := join(after, says, digestLine(c.Ask))
	head := c.card.Headline
	if !c.LongInput() {
		head.Pieces = head.Pieces[:1] // the subject stands in the input
	}
	headline, _ := rowText(roomShort, head)
	if !c.LongInput() && c.Input == nil {
		headline, _ = rowText(roomShort, c.card.Headline)
	}
	return join(before, headline, endsText(c, roomBody-Units(before)-Units(headline)-Units(tail)-3), tail)
}

// fitLines keeps as many lines as there is room for, and says how many it leaves out.
func fitLines(text string, room int) string {
	const note = "⚠ 1000 more lines of this are not shown here"
	if text == "" || Units(text) <= room {
		return text
	}
	var kept []string
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if room -= Units(l) + 1; room < len(note) {
			more := fmt.Sprintf("⚠ %s not shown here", plural(len(lines)-i, "more line of this is", "more lines of this are"))
			return join(join(kept...), more)
		}
		kept = append(kept, l)
	}
	return text
}

// endsText shows the two ends of an input in at most room units, or all of it.
func endsText(c call, room int) string {
	e := c.in.Ends(endBytes)
	label := "the whole input\n"
	if e.Name != "" {
		name, _ := clip(e.Name, roomName)
		label = inline(name) + "\n"
	}
	// Two fences, the line between them, and line feeds that turn into escapes.
	const around = 2*len("```\n\n```") + len("\n1000000000 characters are not shown here\n") + 80
	room -= Units(label)
	first := thirdBacktick.Replace(e.Front)
	if e.Gap == 0 && Units(first) <= room-around && drawnLines(first) <= maxHeadLines+maxTailLines {
		return label + fenced(e.Front)
	}
	head := firstLines(front(first, (room-around)*2/3), maxHeadLines)
	rest, between := first[len(head):], 0
	if e.Gap > 0 {
		rest, between = thirdBacktick.Replace(e.Back), e.Gap+characters(first[len(head):])
	}
	tail := lastLines(back(rest, room-around-(room-around)*2/3), maxTailLines)
	gap := between + characters(rest[:len(rest)-len(tail)])
	return label + fenced(head) + fmt.Sprintf("\n⚠ **%s not shown here**\n", plural(gap, "character is", "characters are")) + fenced(tail)
}

// firstLines takes as many drawn lines from the front as a phone may have, whole atoms of them.
func firstLines(safe string, n int) string {
	at := 0
	for l := range strings.SplitAfterSeq(safe, "\n") {
		bare := strings.TrimSuffix(l, "\n")
		if n -= drawnLines(bare); n < 0 {
			return safe[:at] + front(bare, max(0, n+drawnLines(bare))*lineUnits)
		}
		at += len(l)
	}
	return safe
}

// lastLines takes them from the back.
func lastLines(safe string, n int) string {
	lines := strings.SplitAfter(safe, "\n")
	at := len(safe)
	for i := len(lines) - 1; i >= 0; i-- {
		bare := strings.TrimSuffix(lines[i], "\n")
		if n -= drawnLines(bare); n < 0 {
			return back(bare, max(0, n+drawnLines(bare))*lineUnits) + lines[i][len(bare):] + safe[at:]
		}
		at -= len(lines[i])
	}
	return safe
}
