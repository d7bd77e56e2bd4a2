package terminal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Key shows the prompt and waits for one of these keys, one lower-case letter or digit
// each; any other is ignored. ok is false when ctx ended or the terminal is gone first.
func (t *Terminal) Key(ctx context.Context, prompt string, keys []string) (key string, ok bool) {
	key, err := t.pick(ctx, prompt, keys)
	if err != nil {
		fmt.Fprintln(t.out) // the prompt is over
	}
	return key, err == nil
}

// Line shows the prompt and waits for a line, without the blanks at its ends. ok is false
// when ctx ended or the terminal is gone first.
func (t *Terminal) Line(ctx context.Context, prompt string) (line string, ok bool) {
	line, err := t.line(ctx, prompt)
	if err != nil {
		fmt.Fprintln(t.out)
	}
	return line, err == nil
}

// pick waits for one of the keys. Keys count once the keyboard was quiet for the grace: those
// typed for the screen before do not answer this one, nor does a key that is held down.
func (t *Terminal) pick(ctx context.Context, prompt string, keys []string) (string, error) {
	fmt.Fprint(t.out, prompt)
	restore, err := t.raw()
	if err != nil {
		return "", err
	}
	defer restore()
	quiet := time.Now()
	for {
		typed, err := t.plainKey(ctx)
		if err != nil {
			return "", err
		}
		if time.Since(quiet) < t.grace {
			quiet = time.Now()
			continue
		}
		if key := strings.ToLower(string(rune(typed))); slices.Contains(keys, key) {
			fmt.Fprintf(t.out, "%s\r\n", key)
			return key, nil
		}
	}
}
