package cli

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// promptWatcher is a screen checking at each write whether the terminal would echo.
type promptWatcher struct {
	terminal *os.File
	shows    []bool
}

func (w *promptWatcher) Write(text []byte) (int, error) {
	w.shows = append(w.shows, echoes(w.terminal))
	return len(text), nil
}

func echoes(terminal *os.File) bool {
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	return err != nil || state.Lflag&unix.ECHO != 0
}

// TestSecret_isHiddenBeforeThePrompt: a PIN typed right after the prompt is not shown;
// afterwards the terminal is as before.
func TestSecret_isHiddenBeforeThePrompt(t *testing.T) {
	t.Parallel()
	master, slave := openTerminal(t)
	screen := &promptWatcher{terminal: slave}
	p := &person{keyboard: slave, screen: screen}
	if !echoes(slave) {
		t.Fatal("the terminal shows nothing from the beginning")
	}
	if _, err := master.WriteString("374912 88\n"); err != nil {
		t.Fatal(err)
	}
	got, err := p.secret(t.Context(), "Approver PIN: ")
	if err != nil || got != "374912 88" {
		t.Errorf("got %q, %v", got, err)
	}
	if len(screen.shows) == 0 || screen.shows[0] {
		t.Errorf("the prompt came while the terminal shows what is typed: %v", screen.shows)
	}
	if !echoes(slave) {
		t.Error("the terminal still shows nothing")
	}
}
