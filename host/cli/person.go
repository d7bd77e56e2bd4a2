package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/callgate/callgate/host/internal/approval/terminal"
)

// person asks the person at the process's own terminal, independent of its standard input and
// output.
type person struct {
	keyboard *os.File
	screen   io.Writer
	// owned means: keyboard was opened for this.
	owned bool
}

// errNobody is a process without a terminal.
var errNobody = errors.New("no terminal available: run the command in a terminal")

// atTerminal finds the person; close ends it.
func atTerminal() (*person, error) {
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err == nil {
		return &person{keyboard: tty, screen: tty, owned: true}, nil
	}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		return &person{keyboard: os.Stdin, screen: os.Stderr}, nil
	}
	return nil, errNobody
}

func (p *person) close() {
	if p.owned {
		_ = p.keyboard.Close() // nothing is lost with it
	}
}

// secret asks for a line without showing it. Echo is off before the prompt appears: some people
// type as soon as they see the prompt.
func (p *person) secret(ctx context.Context, prompt string) (string, error) {
	fd := int(p.keyboard.Fd())
	before, err := term.GetState(fd)
	if err == nil {
		err = terminal.HideTyping(fd)
	}
	if err != nil {
		return "", fmt.Errorf("the terminal: %w", err)
	}
	restore := func() { _ = term.Restore(fd, before) } // the shell restores it as well
	defer restore()
	return p.answer(ctx, prompt, func() (string, error) {
		text, err := term.ReadPassword(fd)
		fmt.Fprintln(p.screen) // its line feed was not shown either
		return string(text), err
	}, restore)
}

// line asks for a line.
func (p *person) line(ctx context.Context, prompt string) (string, error) {
	return p.answer(ctx, prompt, func() (string, error) {
		text, err := bufio.NewReader(io.LimitReader(p.keyboard, 4096)).ReadString('\n')
		return strings.TrimSpace(text), err
	}, func() {})
}

// answer reads until ctx ends; then it leaves the terminal as it was.
func (p *person) answer(ctx context.Context, prompt string, read func() (string, error), restore func()) (string, error) {
	fmt.Fprint(p.screen, prompt)
	type given struct {
		text string
		err  error
	}
	done := make(chan given, 1)
	go func() {
		text, err := read()
		done <- given{text, err}
	}()
	select {
	case g := <-done:
		if g.err != nil {
			return "", fmt.Errorf("nothing typed: %w", g.err)
		}
		return g.text, nil
	case <-ctx.Done():
		restore()
		fmt.Fprintln(p.screen) // the prompt is over
		return "", ctx.Err()
	}
}
