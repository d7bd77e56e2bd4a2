package scripttest

import (
	"bufio"
	"io"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// Daemon is the `callgate serve` of a script.
type Daemon struct {
	cmd *exec.Cmd

	mu      sync.Mutex
	lines   []string
	changed chan struct{} // closed and made anew with each line
	ended   bool
}

// daemons are the running ones by their script's directory.
var daemons sync.Map

// serve [-trying] ARGS... starts the daemon and waits until it serves and, without -trying,
// until all modules are tried.
func serve(ts *testscript.TestScript, _ bool, args []string) {
	trying := len(args) > 0 && args[0] == "-trying"
	if trying {
		args = args[1:]
	}
	d := &Daemon{cmd: exec.Command("callgate", append([]string{"serve"}, args...)...), changed: make(chan struct{})}
	d.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"HOME", "PATH", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		d.cmd.Env = append(d.cmd.Env, name+"="+ts.Getenv(name))
	}
	errOut, err := d.cmd.StderrPipe()
	ts.Check(err)
	ts.Check(d.cmd.Start())
	go d.read(errOut)
	daemons.Store(ts.Getenv("WORK"), d)
	ts.Defer(func() {
		_ = d.cmd.Process.Kill() // it has ended, as a rule
	})
	d.await(ts, regexp.MustCompile(`msg=serving`))
	if !trying {
		d.await(ts, regexp.MustCompile(`msg="all tool modules are ready"`))
	}
}

func (d *Daemon) read(errOut io.Reader) {
	lines := bufio.NewScanner(errOut)
	for lines.Scan() {
		d.change(func() { d.lines = append(d.lines, lines.Text()) })
	}
	d.change(func() { d.ended = true })
}

func (d *Daemon) change(how func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	how()
	close(d.changed)
	d.changed = make(chan struct{})
}

// await waits for a line of the log and takes it away.
func (d *Daemon) await(ts *testscript.TestScript, pattern *regexp.Regexp) {
	late := time.After(Patience)
	for {
		d.mu.Lock()
		for i, line := range d.lines {
			if pattern.MatchString(line) {
				d.lines = slices.Delete(d.lines, i, i+1)
				d.mu.Unlock()
				ts.Logf("log: %s", line)
				return
			}
		}
		changed, ended, lines := d.changed, d.ended, slices.Clone(d.lines)
		d.mu.Unlock()
		if ended {
			ts.Fatalf("the daemon ended without logging %s:\n%q", pattern, lines)
		}
		select {
		case <-changed:
		case <-late:
			ts.Fatalf("the daemon never logged %s:\n%q", pattern, lines)
		}
	}
}

// Running is the daemon last started by serve; a script without one fails.
func Running(ts *testscript.TestScript) *Daemon {
	d, ok := daemons.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("no daemon: serve comes first")
	}
	return d.(*Daemon)
}

// PID is the daemon's process.
func (d *Daemon) PID() int { return d.cmd.Process.Pid }

// Log is the daemon's log not consumed by a wait.
func (d *Daemon) Log() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.lines, "\n")
}

// logged PATTERN waits until the daemon has logged it.
func logged(ts *testscript.TestScript, _ bool, args []string) {
	Running(ts).await(ts, regexp.MustCompile(args[0]))
}

// halt ends the daemon as a service manager does, and wants exit code 0. It is not called stop:
// that is a command of testscript itself to end the script.
func halt(ts *testscript.TestScript, _ bool, _ []string) {
	d := Running(ts)
	ts.Check(d.cmd.Process.Signal(syscall.SIGTERM))
	d.await(ts, regexp.MustCompile(`msg="?stopped`))
	if err := d.cmd.Wait(); err != nil {
		ts.Fatalf("serve after SIGTERM: got %v, want exit code 0", err)
	}
}
