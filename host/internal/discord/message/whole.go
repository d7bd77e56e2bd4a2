package message

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// call is an ask with everything about it as one text.
type call struct {
	ask.Ask
	card card.Card
	in   card.Input
	// text is empty when it is larger than a file may be.
	text     string
	warnings string
	odd      int // characters that hide or mislead, on the card or in what is attached
	told     int // how many of them warnings tell of
}

func callOf(a ask.Ask) call {
	shown := card.Render(a, time.Time{})
	c := call{Ask: a, card: shown, in: shown.Input()}
	text, fits := c.wholeText()
	c.odd = countOddities(text)
	if fits {
		c.text = text
		c.told = c.odd - countOddities(repeated(a))
	} else {
		e := c.in.Ends(endBytes)
		c.odd = countOddities(e.Front) + countOddities(e.Back)
	}
	if c.told == 0 {
		c.told = c.odd
	}
	c.warnings = c.warn()
	return c
}

// attach makes call.txt, escaped, and call.json, the input as it came, where that hides
// nothing from who opens it, and says in a line of ours what they are or why there is none.
func (c call) attach() (files []File, says string) {
	if c.text == "" {
		return nil, "⚠ the whole call is too large to attach: see it with " + Code("callgate asks show "+c.ID)
	}
	sum := sha256.Sum256([]byte(c.text))
	files = []File{{Name: "call.txt", Type: "text/plain; charset=utf-8", Data: []byte(c.text)}}
	if len(c.text)+len(c.Input) <= MaxFile && c.opensSafely() {
		files = append(files, File{Name: "call.json", Type: "application/json", Data: c.Input})
	}
	return files, attachedLine + Code(hex.EncodeToString(sum[:]))
}

// attachedLine begins the line of a body that says what is attached. Nothing of a call
// can stand at the start of a line outside code.
const attachedLine = "call.txt has it whole, SHA-256 "

// opensSafely reports whether nothing in the input hides or misleads as it stands.
func (c call) opensSafely() bool {
	return c.odd == 0 && len(c.Input) > 0 && json.Valid(c.Input) && utf8.Valid(c.Input)
}

// wholeText is everything about the ask, nothing shortened but the words of a module;
// false when it is larger than a file may be.
func (c call) wholeText() (text string, ok bool) {
	a := c.Ask
	if len(a.Input) > MaxFile {
		return "", false
	}
	text = c.in.DetailsText(a)
	return text, len(text) <= MaxFile
}

// repeated is what the details say again of the input: the action, and the targets.
func repeated(a ask.Ask) string {
	var out strings.Builder
	for _, f := range card.Details(a) {
		if f.Name == "action" {
			out.WriteString(f.Value)
		}
	}
	return out.String() + card.Input{}.Full(a.Targets)
}

// countOddities counts the characters that are shown as escapes because they are
// invisible, reorder text or look like others. Of an input that is too large to attach
// only the ends are counted.
func countOddities(safe string) int {
	n := 0
	for {
		at := strings.Index(safe, "‹")
		if at < 0 {
			return n
		}
		a := firstAtom(safe[at:])
		safe = safe[at+len(a):]
		if isOdd(strings.TrimPrefix(a, "‹")) {
			n += weight(a)
		}
	}
}

// isOdd tells escapes of what misleads from those of blanks and from words of ours.
func isOdd(escape string) bool {
	if strings.HasPrefix(escape, "byte ") {
		return true
	}
	return strings.HasPrefix(escape, "U+") && !strings.HasPrefix(escape, "U+0020") && !strings.HasPrefix(escape, "U+000A")
}
