package main

import (
	"bufio"
	"context"
	"debug/elf"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/compiledtest"
	"github.com/callgate/callgate/plugins"
)

func TestMain(m *testing.M) {
	testscript.Main(warmed{m}, programs)
}

// programs are what the test binary is, besides the tests, under other names.
var programs = map[string]func(){"callgate": func() { os.Exit(run()) }}

// sharedCache is the cache of all scripts, so that the modules are compiled once.
var sharedCache string

// warmed runs the tests with the modules compiled.
type warmed struct{ m *testing.M }

// Run implements testscript.TestingM.
func (w warmed) Run() int {
	return compiledtest.Main(plugins.Modules(), func(cache string) int {
		sharedCache = filepath.Dir(cache)
		return w.m.Run()
	})
}

// TestScripts runs the real main, one script per command.
func TestScripts(t *testing.T) {
	t.Parallel()
	p := scriptParams()
	p.Dir = "testdata/script"
	testscript.Run(t, p)
}

// scriptParams are what every script has: directories of its own, and our commands.
func scriptParams() testscript.Params {
	return testscript.Params{
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for name, dir := range map[string]string{"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state"} {
				env.Setenv(name, filepath.Join(env.WorkDir, dir))
			}
			env.Setenv("XDG_CACHE_HOME", sharedCache)
			testdata, err := filepath.Abs("../../testdata")
			if err != nil {
				return err
			}
			env.Setenv("TESTDATA", testdata)
			env.Setenv("UPGRADE", filepath.Join(testdata, "upgrade"))
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o700)
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "preload":
				return preloadable()
			case "modules":
				return len(plugins.Names()) > 0, nil
			case "root":
				return os.Geteuid() == 0, nil
			case "race":
				return raceEnabled, nil
			}
			return false, errors.New("unknown condition")
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"approver": approver, "patched": patched, "discord": discordScript, "exits": exits, "serve": serve, "halt": halt, "logged": logged, "shown": shown, "bytes": writeBytes, "bomb": writeBomb, "written": written,
		},
	}
}

// exits N COMMAND... runs a command that must end with exit code N.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var failed *exec.ExitError
	got := 0
	switch {
	case errors.As(err, &failed):
		got = failed.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code: got %d, want %d", got, want)
	}
}

// patience bounds waiting for what must come.
const patience = 2 * time.Minute

// served is the `callgate serve` of a script.
type served struct {
	cmd *exec.Cmd

	mu      sync.Mutex
	lines   []string
	changed chan struct{} // closed and made anew with each line
	ended   bool
}

// daemons are the running ones by their script's directory.
var daemons sync.Map

// serve ARGS... starts the daemon and waits until it serves.
func serve(ts *testscript.TestScript, _ bool, args []string) {
	d := &served{cmd: exec.Command("callgate", append([]string{"serve"}, args...)...), changed: make(chan struct{})}
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
}

func (d *served) read(errOut io.Reader) {
	lines := bufio.NewScanner(errOut)
	for lines.Scan() {
		d.change(func() { d.lines = append(d.lines, lines.Text()) })
	}
	d.change(func() { d.ended = true })
}

func (d *served) change(how func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	how()
	close(d.changed)
	d.changed = make(chan struct{})
}

// await waits for a line of the log and takes it away.
func (d *served) await(ts *testscript.TestScript, pattern *regexp.Regexp) {
	late := time.After(patience)
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

func running(ts *testscript.TestScript) *served {
	d, ok := daemons.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("no daemon: serve comes first")
	}
	return d.(*served)
}

// logged PATTERN waits until the daemon has logged it.
func logged(ts *testscript.TestScript, _ bool, args []string) {
	running(ts).await(ts, regexp.MustCompile(args[0]))
}

// halt ends the daemon as a service manager does, and wants exit code 0. It is not
// called stop: that is a command of testscript itself, which ends the script.
func halt(ts *testscript.TestScript, _ bool, _ []string) {
	d := running(ts)
	ts.Check(d.cmd.Process.Signal(syscall.SIGTERM))
	d.await(ts, regexp.MustCompile(`msg="?stopped`))
	if err := d.cmd.Wait(); err != nil {
		ts.Fatalf("serve after SIGTERM: got %v, want exit code 0", err)
	}
}

// shown waits until an ask is on show and puts its id into $ASK.
func shown(ts *testscript.TestScript, _ bool, _ []string) {
	state := filepath.Join(ts.Getenv("XDG_STATE_HOME"), "callgate")
	token, err := api.ReadToken(api.AdminTokenFile(state))
	ts.Check(err)
	client, err := api.Dial(filepath.Join(state, "callgate.sock"), token)
	ts.Check(err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	found := errors.New("found")
	err = client.Events(ctx, "", "", func(api.Event) error {
		asks, err := client.Asks(ctx, ask.Filter{State: ask.Shown})
		if err != nil || len(asks) == 0 {
			return err
		}
		ts.Setenv("ASK", asks[0].ID)
		return found
	})
	if !errors.Is(err, found) {
		ts.Fatalf("no ask was shown: %v", err)
	}
}

// written FILE PATTERN waits until a program has written it into the file.
func written(ts *testscript.TestScript, _ bool, args []string) {
	path, pattern := ts.MkAbs(args[0]), regexp.MustCompile(args[1])
	changes, err := fsnotify.NewWatcher()
	ts.Check(err)
	defer func() { _ = changes.Close() }() // nothing is lost with it
	ts.Check(changes.Add(filepath.Dir(path)))
	late := time.After(patience)
	for {
		text, err := os.ReadFile(path)
		if err == nil && pattern.Match(text) {
			return
		}
		select {
		case <-changes.Events:
		case err := <-changes.Errors:
			ts.Check(err)
		case <-late:
			ts.Fatalf("%s: got %q, %v, want %s", path, text, err, pattern)
		}
	}
}

// writeBytes FILE PREFIX COUNT SUFFIX writes COUNT letters between two texts, in
// which \xff is that byte: what a text archive cannot hold.
func writeBytes(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 4 {
		ts.Fatalf("usage: bytes FILE PREFIX COUNT SUFFIX")
	}
	count, err := strconv.Atoi(args[2])
	ts.Check(err)
	text := strings.ReplaceAll(args[1]+strings.Repeat("a", count)+args[3], `\xff`, "\xff")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// preloadable reports whether the program of the scripts, which is this test, has
// a dynamic linker, as it has with cgo.
func preloadable() (bool, error) {
	self, err := os.Executable()
	if err != nil {
		return false, err
	}
	f, err := elf.Open(self)
	if err != nil {
		return false, nil // not Linux
	}
	defer func() { _ = f.Close() }() // only read
	return slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }), nil
}
