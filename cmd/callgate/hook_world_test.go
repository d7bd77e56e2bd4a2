package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/daemon"
	"github.com/callgate/callgate/host/hook/claudecode"
	"github.com/callgate/callgate/plugins"
)

// gateWorld is a daemon that may go down and come up again at one socket.
type gateWorld struct {
	t    *testing.T
	dirs config.Dirs
	d    *daemon.Daemon
	stop func()
	// log hears of the daemon when it starts next; nil is silence.
	log *slog.Logger
}

// newGateWorld starts a daemon with this configuration. Its directory has a short
// name: a socket's path may not be long.
func newGateWorld(t *testing.T, yaml string) *gateWorld {
	t.Helper()
	if len(plugins.Names()) == 0 {
		t.Skip("SKIPPED: the tool modules are not built: run make build")
	}
	root, err := os.MkdirTemp("", "cg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) }) // the temporary directory is swept anyhow
	w := &gateWorld{t: t, dirs: config.Dirs{
		Home: filepath.Join(root, "home"), Config: filepath.Join(root, "config", "callgate"), State: filepath.Join(root, "state", "callgate"),
		Cache: filepath.Join(sharedCache, "callgate"),
	}}
	for _, dir := range []string{w.dirs.Home, w.dirs.Config, w.dirs.State} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(w.dirs.ConfigFile(), []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	w.start()
	return w
}

func (w *gateWorld) start() {
	w.t.Helper()
	cfg, err := config.Open("", w.dirs)
	if err != nil {
		w.t.Fatal(err)
	}
	d, err := daemon.Open(w.t.Context(), daemon.Options{
		Host: host.Options{Config: cfg, CacheDir: w.dirs.Cache, Modules: plugins.Modules(), Log: w.log}, State: w.dirs.State, Version: "test",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx) }()
	w.d, w.stop = d, sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			w.t.Errorf("the daemon ended with %v", err)
		}
	})
	w.t.Cleanup(w.stop)
}

// xdg are the variables that lead a program to this daemon's places.
func (w *gateWorld) xdg() []string {
	return []string{
		"HOME=" + w.dirs.Home, "XDG_CONFIG_HOME=" + filepath.Dir(w.dirs.Config), "XDG_STATE_HOME=" + filepath.Dir(w.dirs.State),
		"XDG_CACHE_HOME=" + filepath.Dir(w.dirs.Cache),
	}
}

// startProcess starts the daemon as a process of its own, which may be killed.
func (w *gateWorld) startProcess() *exec.Cmd {
	w.t.Helper()
	cmd := exec.Command("callgate", "serve", "--quiet")
	cmd.Env = append(os.Environ(), w.xdg()...)
	log, err := cmd.StderrPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, as a rule
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "msg=serving") {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return cmd
		}
	}
	w.t.Fatal("the daemon ended before it served")
	return nil
}

// shown waits for an ask that the daemon's own process shows.
func (w *gateWorld) shown() ask.Ask {
	w.t.Helper()
	token, err := api.ReadToken(api.AdminTokenFile(w.dirs.State))
	if err != nil {
		w.t.Fatal(err)
	}
	client, err := api.Dial(filepath.Join(w.dirs.State, "callgate.sock"), token)
	if err != nil {
		w.t.Fatal(err)
	}
	defer client.Close()
	var found ask.Ask
	stop := errors.New("found")
	err = client.Events(w.t.Context(), "", "", func(api.Event) error {
		asks, err := client.Asks(w.t.Context(), ask.Filter{State: ask.Shown})
		if err != nil || len(asks) == 0 {
			return err
		}
		found = asks[0].Ask
		return stop
	})
	if !errors.Is(err, stop) {
		w.t.Fatalf("no ask was shown: %v", err)
	}
	return found
}

// command is the hook as it is installed.
func (w *gateWorld) command(timeout time.Duration) []string {
	return []string{
		"callgate", "hook", "claude-code", "--endpoint", "unix:" + filepath.Join(w.dirs.State, "callgate.sock"),
		"--token-file", api.CheckTokenFile(w.dirs.State, api.DefaultAgent), "--timeout", timeout.String(),
	}
}

// events are those of the asks from now on.
func (w *gateWorld) events() <-chan ask.Event { return w.d.Host.Asks.Subscribe(w.t.Context()) }

// await returns the ask of the first event of this kind.
func (w *gateWorld) await(events <-chan ask.Event, kind ask.EventKind) ask.Ask {
	w.t.Helper()
	late := time.After(patience)
	for {
		select {
		case ev := <-events:
			if ev.Kind == kind {
				return ev.Ask
			}
		case <-late:
			w.t.Fatalf("no ask was %s", kind)
		}
	}
}

func (w *gateWorld) approve(id string) {
	w.t.Helper()
	if _, err := w.d.Host.Gate.Answer(w.t.Context(), id, ask.Answer{Verdict: ask.Approve, By: "ann", Surface: "test", ConfirmID: id}); err != nil {
		w.t.Fatal(err)
	}
}

// started is a hook that a client has started.
type started struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
	began    time.Time
}

// startHook starts a hook as the client does: the program itself, the payload on
// its input, a pipe at each output.
func startHook(t *testing.T, command []string, payload string, env ...string) *started {
	t.Helper()
	s := &started{cmd: exec.Command(command[0], command[1:]...), began: time.Now()}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = bytes.NewReader([]byte(payload)), &s.out, &s.err
	s.cmd.Env = append(os.Environ(), env...)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() }) // it has ended, as a rule
	return s
}

// end waits as the client does: it tells a hook that is late to end, and takes
// nothing of it then.
func (s *started) end(timeout time.Duration) claudecode.Outcome {
	var o claudecode.Outcome
	timer := time.AfterFunc(time.Until(s.began.Add(timeout)), func() { _ = s.cmd.Process.Signal(syscall.SIGTERM) })
	err := s.cmd.Wait()
	o.TimedOut = !timer.Stop()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		o.Exit, o.Signal = failed.ExitCode(), failed.ExitCode() < 0
	} else if err != nil {
		o.NotStarted = true
	}
	o.Stdout, o.Stderr = s.out.Bytes(), s.err.Bytes()
	return o
}

// calls is a payload of Claude Code 2.1.329.
func calls(t *testing.T, event claudecode.Event, id, command string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"session_id": "5e0a", "transcript_path": "/home/dev/.claude/x.jsonl", "cwd": "/", "prompt_id": "p", "permission_mode": "auto",
		"effort": map[string]string{"level": "medium"}, "hook_event_name": event, "tool_name": "Bash",
		"tool_input": map[string]string{"command": command, "description": "x"}, "tool_use_id": id,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantEffect checks what the client does, whatever onFailure says.
func wantEffect(t *testing.T, event claudecode.Event, o claudecode.Outcome, want claudecode.Effect) {
	t.Helper()
	for _, block := range []bool{false, true} {
		if got := claudecode.Verdict(event, o, block); got != want {
			t.Errorf("%s, onFailure block %t: got %s, want %s: %+v, stdout %q, stderr %q", event, block, got, want, o.Exit, o.Stdout, o.Stderr)
		}
	}
	if want != claudecode.Blocked || o.Exit != claudecode.ExitDenied {
		return
	}
	alone := claudecode.Verdict(event, claudecode.Outcome{Stdout: o.Stdout}, false)
	if len(bytes.TrimSpace(o.Stderr)) == 0 || len(o.Stdout) > 0 && alone != claudecode.Blocked {
		t.Errorf("a denial: got stdout %q and stderr %q, want a reason on stderr, and nothing else on stdout", o.Stdout, o.Stderr)
	}
}

// impostor answers at a socket in the daemon's place and keeps what it hears.
type impostor struct {
	mu    sync.Mutex
	heard bytes.Buffer
	// open are the connections that are still listened to.
	open sync.WaitGroup
}

// listen has each connection answered, and then keeps it open until its client
// has had enough.
func (i *impostor) listen(t *testing.T, path string, answer func(in io.Reader, c net.Conn)) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() }) // the test is over
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			i.open.Go(func() {
				defer func() { _ = conn.Close() }() // whatever came of it
				in := io.TeeReader(conn, i)
				answer(in, conn)
				_, _ = io.Copy(io.Discard, in)
			})
		}
	}()
}

// Write implements io.Writer.
func (i *impostor) Write(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.heard.Write(p)
}

// text is what it was told, once its clients have left.
func (i *impostor) text() string {
	i.open.Wait()
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.heard.String()
}

// allowed is an answer that says all that an allow says.
func allowed(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"status": "ok", "decision": engine.Decision{Behavior: engine.Allow, Stage: engine.StageMode}, "outcome": "allow"})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
