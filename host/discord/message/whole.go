package message

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
)

// call is an ask with everything about it as one text.
type call struct {
	ask.Ask
	in card.Input
	// text is empty when it is larger than a file may be.
	text     string
	warnings string
	odd      int // characters that hide or mislead, on the card or in what is attached
	told     int // how many of them warnings tell of
}

func callOf(a ask.Ask) call {
	c := call{Ask: a, in: card.InputOf(a)}
	text, fits := c.wholeText()
	c.odd = countOddities(text)
	if fits {
		c.text = text
		c.told = c.odd - countOddities(c.actionText()) - countOddities(card.Input{}.Full(a.Targets))
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

// Attaches reports whether a body (of Shown) speaks of files that are attached.
func Attaches(body string) bool {
	for i, part := range strings.Split("\n"+body, "```") {
		if i%2 == 0 && strings.Contains(part, "\n"+attachedLine) {
			return true
		}
	}
	return false
}

// opensSafely reports whether nothing in the input hides or misleads as it stands.
func (c call) opensSafely() bool {
	return c.odd == 0 && len(c.Input) > 0 && json.Valid(c.Input) && utf8.Valid(c.Input)
}

// wholeText is what stands on a card, nothing shortened but the words of a module; false
// when it is larger than a file may be.
func (c call) wholeText() (text string, ok bool) {
	a := c.Ask
	if len(a.Input) > MaxFile {
		return "", false
	}
	var out strings.Builder
	say := func(name, value string) {
		if value != "" {
			out.WriteString(name + ": " + value + "\n")
		}
	}
	raw := func(name, value string) { say(name, card.Line(value)) }
	raw("approval", a.ID)
	raw("tool", a.Tool)
	raw("agent", a.Agent)
	raw("sub-agent", a.SubAgent)
	raw("session", a.Session)
	raw("fork or main", string(a.Kind))
	raw("user", a.User)
	raw("cwd", a.CWD)
	say("action", c.actionText())
	raw("digest", a.Digest)
	raw("MCP server", a.Decision.Server)
	for _, change := range a.Changed {
		raw("changed since you approved", change)
	}
	for _, f := range card.Why(a) {
		name := f.Name
		if f.Module {
			name += " (unchecked)"
		}
		say(name, f.Value)
	}
	out.WriteString("\n── the input, then what it touches ──\n" + c.in.Full(a.Targets))
	if out.Len() > MaxFile {
		return "", false
	}
	return out.String(), true
}

// actionText is the action, without what repeats the input, and of a very long one, which
// does, only the beginning.
func (c call) actionText() string {
	a := c.Ask
	if operation, repeats := c.saidByInput(); repeats {
		return operation + "‹the input below›"
	}
	if len(a.Action) <= ask.MaxShownBytes {
		return card.Line(a.Action)
	}
	begins := 600
	for !utf8.RuneStart(a.Action[begins]) && begins > 0 {
		begins--
	}
	return card.Line(a.Action[:begins]) + fmt.Sprintf("‹%d more bytes›", len(a.Action)-begins)
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
