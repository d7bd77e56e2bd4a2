package message

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// tab is how card shows one.
const tab = "⇥   "

// firstAtom is the first character or escape of a safe text.
func firstAtom(safe string) string {
	if strings.HasPrefix(safe, tab) {
		return tab
	}
	r, size := utf8.DecodeRuneInString(safe)
	if r == '‹' {
		if end := strings.Index(safe, "›"); end > 0 {
			return safe[:end+len("›")]
		}
	}
	return safe[:size]
}

// lastAtom is the last one.
func lastAtom(safe string) string {
	if strings.HasSuffix(safe, tab) {
		return tab
	}
	r, size := utf8.DecodeLastRuneInString(safe)
	if r == '›' {
		if start := strings.LastIndex(safe, "‹"); start >= 0 {
			return safe[start:]
		}
	}
	return safe[len(safe)-size:]
}

// weight is how many characters of the text itself an atom stands for.
func weight(atom string) int {
	inner, escape := strings.CutPrefix(atom, "‹")
	if !escape {
		return 1
	}
	inner = strings.TrimSuffix(inner, "›")
	if _, count, run := strings.Cut(inner, "×"); run {
		if n, err := strconv.Atoi(count); err == nil {
			return n
		}
	}
	return 1
}

// characters counts what a safe text stands for.
func characters(safe string) int {
	n := 0
	for safe != "" {
		a := firstAtom(safe)
		n += weight(a)
		safe = safe[len(a):]
	}
	return n
}

// front takes as many whole atoms from the front as fit in room units.
func front(safe string, room int) string {
	at := 0
	for at < len(safe) {
		a := firstAtom(safe[at:])
		if room -= Units(a); room < 0 {
			break
		}
		at += len(a)
	}
	return safe[:at]
}

// back takes them from the back.
func back(safe string, room int) string {
	at := len(safe)
	for at > 0 {
		a := lastAtom(safe[:at])
		if room -= Units(a); room < 0 {
			break
		}
		at -= len(a)
	}
	return safe[at:]
}

// ends divides a safe text into a front of two thirds and a back of one third of room
// units, and counts the characters between them.
func ends(safe string, room int) (head string, gap int, tail string) {
	head = front(safe, room*2/3)
	rest := safe[len(head):]
	tail = back(rest, room-room*2/3)
	return head, characters(rest[:len(rest)-len(tail)]), tail
}

// minClip is the smallest limit of clip.
const minClip = 60

// clip brings a safe text on one line down to limit units; what is left out is said in
// the place where it was. The limit is at least minClip.
func clip(safe string, limit int) (shown string, whole bool) {
	if Units(safe) <= limit {
		return safe, true
	}
	head, gap, tail := ends(safe, limit-len("‹1000000000 characters not shown›"))
	return fmt.Sprintf("%s‹%d characters not shown›%s", head, gap, tail), false
}
