package compileproc_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/compileproc"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// state is how this process is confined, as the system has it.
func state() []byte {
	var out strings.Builder
	for _, path := range []string{"/proc/self/limits", "/proc/self/status"} {
		text, err := os.ReadFile(path)
		if err != nil {
			panic(err)
		}
		out.WriteString(strings.Join(strings.Fields(string(text)), " ") + " ")
	}
	group, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		panic(err)
	}
	_, foreign := os.Stat("/proc/self/fd/3")
	fmt.Fprintf(&out, "priority %d, environment of %d, foreign file: %v", 20-group, len(os.Environ()), foreign)
	return []byte(out.String())
}

// TestConfine: a worker has no files of its starter, none of its environment, and the given
// limits.
func TestConfine(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	// Without Run: it gives a worker no file but its three.
	var in, out strings.Builder
	if err := compileproc.Pack(&in, []byte("tell"), nil); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "worker")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Env, cmd.ExtraFiles, cmd.Stdout = []string{}, []*os.File{r}, &out
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := stdin.Write([]byte(in.String())); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	wants := []string{"Max cpu time 15 16 ", "Max file size 0 0 ", "Max core file size 0 0 ", "priority 5,", "environment of 0", "no such file"}
	if !raceflag.Enabled { // it has C in it
		wants = append(wants, "NoNewPrivs: 1 ", "CapEff: 0000000000000000 ", "CapPrm: 0000000000000000 ")
	}
	for _, want := range wants {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %s\nwant %q", out.String(), want)
		}
	}
}

// TestConfine_memory: the system ends a worker with too much memory, and says so; with C linked
// in, C may be the first to get none, and fails in its own words.
func TestConfine_memory(t *testing.T) {
	t.Parallel()
	if raceflag.Enabled {
		t.Skip("SKIPPED: the race detector takes terabytes of addresses")
	}
	var failed *compileproc.Failure
	if out, err := run(t, []byte("spend"), nil); !errors.As(err, &failed) || !strings.Contains(failed.Said, "out of memory") && !strings.Contains(failed.Said, "runtime/cgo") && !strings.Contains(failed.Said, "SIGSEGV") {
		t.Errorf("got %q, %v; want it out of memory", out, err)
	}
}
