package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// screen is a terminal's screen.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
}

// Write implements io.Writer.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.more)
	s.more = make(chan struct{})
	return s.text.Write(p)
}

// await waits until the terminal shows a text.
func (s *screen) await(ctx context.Context, pattern *regexp.Regexp) error {
	for {
		s.mu.Lock()
		found, more, text := pattern.Match(s.text.Bytes()), s.more, s.text.String()
		s.mu.Unlock()
		if found {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return fmt.Errorf("the terminal shows %q, never %s: %w", text, pattern, ctx.Err())
		}
	}
}

// watch has the approver sit at a terminal, and in a tmux where there is one.
func (b *levelB) watch(t *testing.T) {
	t.Helper()
	master, slave := openTerminal(t)
	b.tty = slave.Name()
	b.write(t, "approver/token", b.secret(t, "var/callgate/admin.token")+"\n", approverUID, 0o400)
	b.approver = b.command(approverUID, "callgate", "asks", "watch", "--endpoint", "unix:"+b.socket, "--token-file", b.at("approver/token"), "--daemon-uid", fmt.Sprint(daemonUID))
	b.approver.Stdin, b.approver.Stdout, b.approver.Stderr = slave, slave, slave
	b.approver.SysProcAttr.Setsid, b.approver.SysProcAttr.Setctty = true, true
	if err := errors.Join(slave.Chown(approverUID, 0), slave.Chmod(0o600), b.approver.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = b.approver.Process.Kill() // it has ended, or ends
		_ = b.approver.Wait()
		_ = master.Close()
	})
	b.screen = &screen{more: make(chan struct{})}
	go func() { _, _ = master.WriteTo(b.screen) }() // until the terminal is gone
	if tmux, err := exec.LookPath("tmux"); err != nil {
		t.Log("SKIPPED: keys to a tmux: there is no tmux")
	} else {
		cmd := b.command(approverUID, "callgate")
		cmd.Path, cmd.Args = tmux, []string{"tmux", "-f", "/dev/null", "-S", b.at("approver/tmux.sock"), "new-session", "-d", "cat"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("tmux: %v: %s", err, out)
		}
		t.Cleanup(func() { _ = exec.Command(tmux, "-S", b.at("approver/tmux.sock"), "kill-server").Run() }) // the system ends it
	}
}

// openTerminal opens a pseudo-terminal.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = slave.Close() }) // nothing is lost with it
	return master, slave
}
