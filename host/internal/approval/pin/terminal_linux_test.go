package pin_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/callgate/callgate/host/internal/approval/pin"
)

// openPTY opens a new pseudo-terminal; the test's end closes the rest.
func openPTY(t *testing.T) (far, tty *os.File) {
	t.Helper()
	far, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("SKIPPED: no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { _ = far.Close() })
	if err := unix.IoctlSetPointerInt(int(far.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetUint32(int(far.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tty.Close() })
	return far, tty
}

// inTerminal starts a shell at the head of a session with a terminal of its own,
// and a second process in it.
func inTerminal(t *testing.T) (head *exec.Cmd, second int) {
	t.Helper()
	_, tty := openPTY(t)
	cmd := exec.Command("sh", "-c", "sleep 600 & echo $!; wait")
	cmd.Stdin = tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	return cmd, started(t, cmd)
}

// started runs a command that prints the number of a process in its first line.
func started(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(cmd) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func end(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // its session; it may have ended
	_ = cmd.Wait()
}

func terminal(t *testing.T, pid int) string {
	t.Helper()
	id, err := pin.Look(pid).Terminal()
	if err != nil || id == "" {
		t.Fatalf("terminal of %d: got %q, %v", pid, id, err)
	}
	return id
}

func TestT06_OneTerminalIsNotAnother(t *testing.T) {
	t.Parallel()
	head, second := inTerminal(t)
	other, _ := inTerminal(t)
	a, b, c := terminal(t, head.Process.Pid), terminal(t, second), terminal(t, other.Process.Pid)
	if a != b {
		t.Errorf("two processes of one session: got %q and %q, want the same", a, b)
	}
	if a == c {
		t.Errorf("two sessions: got %q for both", a)
	}
}

func TestT06_NoTerminal(t *testing.T) {
	t.Parallel()
	none := exec.Command("sh", "-c", "echo $$; read x")
	none.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	hold, err := none.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hold.Close() })
	head, second := inTerminal(t)
	alive, orphan := pin.Look(head.Process.Pid), pin.Look(second)
	end(head)
	for name, p := range map[string]pin.Process{
		"a program without one": pin.Look(started(t, none)), "ended": alive, "its session ended": orphan, "nobody": {}, "number 0": pin.Look(0),
	} {
		if id, err := p.Terminal(); !errors.Is(err, pin.ErrNoTerminal) {
			t.Errorf("%s: got %q, %v, want ErrNoTerminal", name, id, err)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	const rest = " S 1 200 200 34816 200 4194304 100 0 0 0 1 2 0 0 20 0 1 0 12345 1000 10"
	for _, name := range []string{"sh", "a b", "x) S 1 1 1 0 (", "tmux: server", ") R 0 0 0 0", "\n", ""} {
		f.Add("77 (" + name + ")" + rest)
	}
	for _, text := range []string{"", ")", "1 (x) S", "1 (x" + rest, "77 (sh)" + strings.Replace(rest, "34816", "-1", 1), "77 (sh)" + strings.Replace(rest, "S", "Z", 1)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, leader, born, err := pin.ParseStat(text)
		if err != nil && (id != "" || leader != 0 || born != "") {
			t.Errorf("%q: an error with %q, %d, %q", text, id, leader, born)
		}
		if id != "" && leader <= 0 {
			t.Errorf("%q: terminal %q of no session", text, id)
		}
		// A program may choose any name: it has no effect.
		if before, after, ok := strings.Cut(text, "("); ok && !strings.Contains(after, ")") {
			return
		} else if ok && err == nil {
			end := strings.LastIndexByte(text, ')')
			plain, _, _, _ := pin.ParseStat(before + "(sh" + text[end:])
			if plain != id {
				t.Errorf("%q: got %q, with a plain name %q", text, id, plain)
			}
		}
	})
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	const rest = " S 1 200 150 34816 200 4194304 100 0 0 0 1 2 0 0 20 0 1 0 12345 1000 10"
	for name, tt := range map[string]struct{ text, want string }{
		"plain":            {"77 (sh)" + rest, "tty34816/150"},
		"a name that lies": {"77 (x) S 1 9 9 0 9 (y)" + rest, "tty34816/150"},
		"without":          {"77 (sh)" + strings.Replace(rest, "34816", "0", 1), ""},
		"a dead one":       {"77 (sh)" + strings.Replace(rest, " S", " Z", 1), ""},
		"of another world": {"77 (sh)" + strings.Replace(rest, "150", "0", 1), ""},
	} {
		id, _, born, err := pin.ParseStat(tt.text)
		if err != nil || id != tt.want || born != "12345" {
			t.Errorf("%s: got %q, %q, %v, want %q", name, id, born, err, tt.want)
		}
	}
}
