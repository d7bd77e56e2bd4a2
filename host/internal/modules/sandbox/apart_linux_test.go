package sandbox_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// pipe is a named pipe, opened by a hanging process.
func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// hangsThenGone waits until a process has opened the pipe, does end, and waits until it is
// closed together with the process.
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

// TestApart_parent: when this process is killed, so is its compiler.
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

// TestApart_gone: an abandoned compilation leaves no process.
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

// TestApart_atATime: two modules are compiled at the same time: each process reports its start
// before any of them ends. There is no turn for a third one.
func TestApart_atATime(t *testing.T) {
	t.Parallel()
	path := pipe(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := sandbox.New(t.Context(), sandbox.Config{Compiler: []string{own(), "compile-module", "hangs", path}, Limits: sandbox.Limits{CompileTime: time.Hour}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(context.Background()) }()
	var loads sync.WaitGroup
	for range 2 {
		loads.Go(func() { _, _ = r.Load(ctx, "m", wasm(t, "deploy")) })
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // it was only read
	lines := bufio.NewReader(f)
	for range 2 {
		if line, err := lines.ReadString('\n'); line != "here\n" {
			t.Errorf("got %q, %v", line, err)
		}
	}
	if free := r.Turns(); free != 0 {
		t.Errorf("%d more modules can be compiled; want none", free)
	}
	cancel()
	loads.Wait()
}
