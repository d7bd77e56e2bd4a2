package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/callgate/callgate/host/sandbox"
)

// pipe is a named pipe that a process opens which hangs.
func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// hangsThenGone waits until a process has opened the pipe, does end, and waits
// until it is closed, which it is with the process.
func hangsThenGone(t *testing.T, path string, end func()) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close() // it was only read
	r := bufio.NewReader(f)
	if line, err := r.ReadString('\n'); line != "here\n" {
		t.Errorf("got %q, %v", line, err)
	}
	end()
	if rest, err := io.ReadAll(r); len(rest) > 0 || err != nil {
		t.Errorf("got %q, %v; want nothing more", rest, err)
	}
}

// TestApart_parent: when this process is killed, so is the one that compiles for it.
func TestApart_parent(t *testing.T) {
	t.Parallel()
	path := pipe(t)
	cmd := exec.Command(own(), "compile-module", "parent", path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hangsThenGone(t, path, func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
	})
	if err := cmd.Wait(); err == nil {
		t.Error("it was not killed")
	}
}

// TestApart_gone: a compilation that is given up leaves no process.
func TestApart_gone(t *testing.T) {
	t.Parallel()
	path := pipe(t)
	r, err := sandbox.New(t.Context(), sandbox.Config{Compiler: []string{own(), "compile-module", "hangs", path}, Limits: sandbox.Limits{CompileTime: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(context.Background()) }()
	ctx, cancel := context.WithCancel(t.Context())
	loaded := make(chan error, 1)
	go func() {
		_, err := r.Load(ctx, "m", wasm(t, "deploy"))
		loaded <- err
	}()
	hangsThenGone(t, path, cancel)
	if err := <-loaded; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want it cancelled", err)
	}
}
