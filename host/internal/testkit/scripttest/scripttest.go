// Package scripttest runs the program callgate from scripts: directories of its own for each,
// and the commands needed by every such script. Tests only use it; their TestMain makes the
// test binary the program callgate, as testscript.Main does.
package scripttest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// Patience bounds waiting for a required event.
const Patience = 2 * time.Minute

// Params are the common parts of scripts: directories of their own, cache as XDG_CACHE_HOME,
// and the commands
//
//	exits N COMMAND...               runs a command and requires exit code N
//	serve [-trying] ARGS...          starts the daemon of the script
//	halt                             ends it
//	logged PATTERN                   waits until it has logged a line
//	shown                            waits until an ask is on show; $ASK is its id
//	written FILE PATTERN             waits until a program has written it
//	bytes FILE PREFIX COUNT SUFFIX   writes bytes a text archive cannot hold
func Params(cache string) testscript.Params {
	return testscript.Params{
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for name, dir := range map[string]string{"HOME": "home", "XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state"} {
				env.Setenv(name, filepath.Join(env.WorkDir, dir))
			}
			env.Setenv("XDG_CACHE_HOME", cache)
			testdata, err := filepath.Abs(repo.File("testdata"))
			if err != nil {
				return err
			}
			env.Setenv("TESTDATA", testdata)
			env.Setenv("UPGRADE", filepath.Join(testdata, "upgrade"))
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "serve": serve, "halt": halt, "logged": logged, "shown": shown, "bytes": writeBytes, "written": written,
		},
	}
}

// exits is the command of that name.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	Exits(ts, want, args[1], args[2:]...)
}

// Exits runs a program and requires an exit code.
func Exits(ts *testscript.TestScript, want int, program string, args ...string) {
	err := ts.Exec(program, args...)
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

// shown waits until an ask is on show and puts its id into $ASK.
func shown(ts *testscript.TestScript, _ bool, _ []string) {
	state := filepath.Join(ts.Getenv("XDG_STATE_HOME"), "callgate")
	token, err := tokenfile.Read(tokenfile.Admin(state))
	ts.Check(err)
	daemon, err := client.Dial(filepath.Join(state, "callgate.sock"), token)
	ts.Check(err)
	defer daemon.Close()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	found := errors.New("found")
	err = daemon.Events(ctx, "", "", func(client.Event) error {
		asks, err := daemon.Asks(ctx, ask.Filter{State: ask.Shown})
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
	late := time.After(Patience)
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

// writeBytes FILE PREFIX COUNT SUFFIX writes COUNT letters between two texts, in which \xff is
// that byte, impossible in a text archive.
func writeBytes(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 4 {
		ts.Fatalf("usage: bytes FILE PREFIX COUNT SUFFIX")
	}
	count, err := strconv.Atoi(args[2])
	ts.Check(err)
	text := strings.ReplaceAll(args[1]+strings.Repeat("a", count)+args[3], `\xff`, "\xff")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
