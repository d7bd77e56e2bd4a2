package terminal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// changed lets the person change an ask's input on one line: the command, or the input as JSON.
// errKept where it cannot be changed here, or was not; the screen says why.
func (t *Terminal) changed(ctx context.Context, a ask.Ask) (json.RawMessage, error) {
	e, err := card.EditOf(a)
	text := e.Text
	if err == nil && e.JSON {
		var one strings.Builder
		for line := range strings.Lines(text) {
			one.WriteString(strings.TrimSpace(line))
		}
		text = one.String() // a line feed inside a string is written \n in JSON
	}
	if err == nil && (strings.Contains(text, "\n") || len(text) > maxLine) {
		err = fmt.Errorf("%w: it has no room on a line", card.ErrNotEditable)
	}
	if err != nil {
		fmt.Fprintf(t.out, "%s. Use: callgate asks answer %s approve --input FILE\n", card.Line(err.Error()), a.ID)
		return nil, errKept
	}
	typed, err := t.editLine(ctx, "Edit, then Enter: ", text)
	if err != nil {
		return nil, err
	}
	if typed == text || strings.TrimSpace(typed) == "" {
		fmt.Fprintln(t.out, "Nothing was changed; the ask is still pending.")
		return nil, errKept
	}
	input, err := e.Input(typed)
	if err != nil {
		fmt.Fprintf(t.out, "Not approved: %s\n", card.Line(err.Error()))
		return nil, errKept
	}
	return input, nil
}

// errKept is an input that was not changed.
var errKept = errors.New("the input was not changed")

// editLine lets the person change a line from its end: Backspace, Control-U for an empty line,
// Enter. The end of it is shown, as far as the screen is wide.
func (t *Terminal) editLine(ctx context.Context, prompt, text string) (string, error) {
	restore, err := t.raw()
	if err != nil {
		return "", err
	}
	defer func() {
		restore()
		fmt.Fprintln(t.out)
	}()
	line := []byte(text)
	for {
		t.drawLine(prompt, string(line))
		key, err := t.plainKey(ctx)
		switch {
		case err != nil:
			return "", err
		case key == '\r' || key == '\n':
			return strings.ToValidUTF8(string(line), ""), nil
		case key == backspace || key == rubout:
			_, size := utf8.DecodeLastRune(line)
			line = line[:len(line)-min(size, len(line))]
		case key == controlU:
			line = line[:0]
		case key >= ' ' && len(line) < maxLine:
			line = append(line, key)
		}
	}
}

// drawLine draws the end of a line that has room behind the prompt.
func (t *Terminal) drawLine(prompt, text string) {
	columns := t.width()
	if columns <= 0 {
		columns = 80
	}
	shown, room := card.Line(text), max(columns-len(prompt)-2, 10)
	if all := []rune(shown); len(all) > room {
		shown = "…" + string(all[len(all)-room+1:])
	}
	fmt.Fprint(t.out, "\r\x1b[K"+prompt+shown)
}
