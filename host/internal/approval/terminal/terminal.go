package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// Surface is the name answers from here carry.
const Surface = "terminal"

// Terminal is a screen and a keyboard with a person before them. One ask at a
// time; it is not safe for concurrent use.
type Terminal struct {
	out   io.Writer
	keys  <-chan byte
	width func() int
	color bool
	// raw makes the keyboard send single keys until restore is called.
	raw func() (restore func(), err error)
	// interrupt is what control-C does.
	interrupt func()
	// grace is how long the keyboard has to be quiet after a card came up before a key
	// counts: the earlier ones were typed for the card before.
	grace time.Duration
}

// cardGrace is less than anybody needs to read a card.
const cardGrace = 300 * time.Millisecond

// Open returns the terminal behind in and out; ok is false when either is none.
// It reads everything that is typed from now on.
func Open(in io.Reader, out io.Writer) (t *Terminal, ok bool) {
	keyboard, okIn := in.(*os.File)
	screen, okOut := out.(*os.File)
	if !okIn || !okOut || !term.IsTerminal(int(keyboard.Fd())) || !term.IsTerminal(int(screen.Fd())) {
		return nil, false
	}
	t = New(keyboard, screen)
	t.color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	t.width = func() int { return Columns(screen) }
	t.grace = cardGrace
	t.raw = func() (func(), error) {
		state, err := term.MakeRaw(int(keyboard.Fd()))
		if err != nil {
			return nil, err
		}
		restore := func() { _ = term.Restore(int(keyboard.Fd()), state) } // the shell restores it as well
		if err := straighten(int(keyboard.Fd())); err != nil {
			restore()
			return nil, err
		}
		return restore, nil
	}
	return t, true
}

// New returns a terminal without a device: keys come from in one by one, and the
// card is 80 columns wide, without colour.
func New(in io.Reader, out io.Writer) *Terminal {
	keys := make(chan byte)
	go func() {
		defer close(keys)
		one := make([]byte, 1)
		for {
			if _, err := io.ReadFull(in, one); err != nil {
				return
			}
			keys <- one[0]
		}
	}()
	return &Terminal{
		out: out, keys: keys, width: func() int { return 0 },
		raw:       func() (func(), error) { return func() {}, nil },
		interrupt: interruptSelf,
	}
}

// Color reports whether the screen shows colours.
func (t *Terminal) Color() bool { return t.color }

// Columns is the width of a screen; 0 when out is no terminal, or one of unknown width.
func Columns(out io.Writer) int {
	screen, ok := out.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(screen.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// Write puts text on the screen.
func (t *Terminal) Write(p []byte) (int, error) { return t.out.Write(p) }

// errLeft is a keyboard that is gone.
var errLeft = errors.New("the terminal was closed")

// Ask shows the ask's card and waits for an answer; ok is false when ctx ended
// or the terminal is gone first. By is the caller's to set.
func (t *Terminal) Ask(ctx context.Context, a ask.Ask) (answer ask.Answer, ok bool) {
	given, ok := t.AskWith(ctx, a, nil)
	if !ok {
		return ask.Answer{}, false
	}
	return given[0].Answer, true
}

// AskWith is Ask with the key l for a list of the ask and of those that behind returns: the
// other waiting asks of its session. It returns at least one answer. The list is asked for when
// the key is pressed; a nil behind has no such key.
func (t *Terminal) AskWith(ctx context.Context, a ask.Ask, behind func() []ask.Ask) (given []Given, ok bool) {
	c := card.Render(a, time.Now())
	fmt.Fprint(t.out, "\n", card.Terminal(c, t.width(), t.color))
	if behind != nil {
		if n := len(behind()); n > 0 {
			fmt.Fprintf(t.out, "%d more of this session wait: [l] lists them\n", n)
		}
	}
	for {
		given, err := t.answered(ctx, a, c, behind)
		switch {
		case errors.Is(err, errKept):
		case errors.Is(err, errNotConfirmed):
			fmt.Fprintln(t.out, "Not confirmed; the ask is still pending.")
		case err != nil:
			fmt.Fprintln(t.out) // the prompt is over
			return nil, false
		case len(given) > 0:
			return given, true
		}
	}
}

// listKey lists the asks behind the one on the screen.
const listKey = "l"

// answered waits for one key and does what it stands for; no answer where that only shows
// something.
func (t *Terminal) answered(ctx context.Context, a ask.Ask, c card.Card, behind func() []ask.Ask) ([]Given, error) {
	keys := keysOf(c)
	accepts := keys
	if behind != nil {
		accepts = append(slices.Clone(keys), listKey)
	}
	key, err := t.pick(ctx, "Answer ["+joined(keys)+"]: ", accepts)
	if err != nil {
		return nil, err
	}
	if key == listKey {
		if others := behind(); len(others) > 0 {
			return t.list(ctx, append([]ask.Ask{a}, others...))
		}
		fmt.Fprintln(t.out, "No other ask of this session waits.")
		return nil, nil
	}
	choice := c.Choices[slices.IndexFunc(c.Choices, func(c card.Choice) bool { return c.Key == key })]
	if choice.ShowsFull {
		fmt.Fprint(t.out, card.DetailsText(a))
		return nil, nil
	}
	answer, err := t.complete(ctx, c, choice)
	if err == nil && choice.Edits {
		answer.Input, err = t.changed(ctx, a)
	}
	return []Given{{ID: a.ID, Answer: answer}}, err
}

func joined(keys []string) string { return strings.Join(keys, "/") }

func keysOf(c card.Card) []string {
	keys := make([]string, len(c.Choices))
	for i, choice := range c.Choices {
		keys[i] = choice.Key
	}
	return keys
}

// What keys send while the terminal is raw.
const (
	controlC = 3
	escape   = 27
)

// plainKey is the next key that is a single character. The keys that send
// several (Home is "\x1b[1~", F4 is "\x1bOS") are taken whole, so that none of
// their characters is an answer. Source: ECMA-48, section 5.4.
func (t *Terminal) plainKey(ctx context.Context) (byte, error) {
	for {
		key, err := t.key(ctx)
		if err != nil || key != escape {
			return key, err
		}
		if key, err = t.key(ctx); err != nil {
			return 0, err
		}
		switch key {
		case 'O':
			_, err = t.key(ctx)
		case '[':
			for key = 0; err == nil && (key < 0x40 || key > 0x7e); {
				key, err = t.key(ctx)
			}
		}
		if err != nil {
			return 0, err
		}
	}
}

func (t *Terminal) key(ctx context.Context) (byte, error) {
	select {
	case key, open := <-t.keys:
		if !open {
			return 0, errLeft
		}
		if key == controlC {
			t.interrupt()
			return 0, context.Canceled
		}
		return key, nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// errNotConfirmed is a confirmation that was not the ask's id.
var errNotConfirmed = errors.New("not confirmed")

// complete asks for what the choice still needs: a reason, a confirmation.
func (t *Terminal) complete(ctx context.Context, c card.Card, choice card.Choice) (ask.Answer, error) {
	answer := choice.Answer
	answer.Surface = Surface
	if choice.AsksReason {
		reason, err := t.line(ctx, "Reason for the agent: ")
		answer.Reason = reason
		return answer, err
	}
	if !choice.WantsID {
		return answer, nil
	}
	does := "approve"
	if len(choice.Rules) > 0 {
		does += " and store the rule"
	}
	if choice.Folder != "" {
		does += " and trust the folder"
	}
	prompt := "Type the ask's ID, in the first line of the card, to " + does + ": "
	typed, err := t.line(ctx, prompt)
	switch {
	case err != nil:
		return answer, err
	case ask.NormalID(typed) != c.ID:
		return answer, errNotConfirmed
	}
	answer.ConfirmID = c.ID
	return answer, nil
}

// maxLine bounds what is typed into one line, in bytes.
const maxLine = 2000

// line reads a line, echoed and edited by the terminal itself.
func (t *Terminal) line(ctx context.Context, prompt string) (string, error) {
	fmt.Fprint(t.out, prompt)
	var text []byte
	for {
		key, err := t.key(ctx)
		switch {
		case err != nil:
			return "", err
		case key == '\n' || key == '\r':
			return strings.TrimSpace(strings.ToValidUTF8(string(text), "")), nil
		case len(text) < maxLine:
			text = append(text, key)
		}
	}
}

func interruptSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(os.Interrupt) // where it does not exist, the ask ends by its clock
	}
}
