package terminal

import (
	"context"
	"fmt"
	"unicode/utf8"
)

// The keys for ending and editing a line while the terminal is raw.
const (
	controlD  = 4
	backspace = 8
	controlU  = 21
	rubout    = 127
)

// Secret reads a line without echo. ok is false when ctx ended, the terminal is gone, or
// nothing was typed.
func (t *Terminal) Secret(ctx context.Context, prompt string) (line string, ok bool) {
	restore, err := t.raw() // before the prompt, so an early key is not shown
	if err != nil {
		return "", false
	}
	fmt.Fprint(t.out, prompt)
	defer func() {
		restore()
		fmt.Fprintln(t.out)
	}()
	var text []byte
	for {
		key, err := t.plainKey(ctx)
		switch {
		case err != nil, key == controlD:
			return "", false
		case key == '\r' || key == '\n':
			return string(text), len(text) > 0
		case key == backspace || key == rubout:
			_, size := utf8.DecodeLastRune(text)
			text = text[:len(text)-min(size, len(text))]
		case key == controlU:
			text = text[:0]
		case len(text) < maxLine:
			text = append(text, key)
		}
	}
}
