package cli

import (
	"bufio"
	"bytes"
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
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/daemon"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/testkit/world"
)

// gateWorld is a daemon able to go down and come up again at one socket.
type gateWorld struct {
	*world.World
	t    *testing.T
	d    *daemon.Daemon
	stop func()
	// log hears of the daemon when it starts next; nil is silence.
	log *slog.Logger
}

// newGateWorld starts a daemon with this configuration.
func newGateWorld(t *testing.T, yaml string) *gateWorld {
	t.Helper()
	w := &gateWorld{t: t, World: world.New(t, yaml)}
	w.start()
	return w
}

func (w *gateWorld) start() {
	w.t.Helper()
	w.d, w.stop = w.Serve(w.log)
}

// startProcess starts the daemon as a process of its own, to be killed.
func (w *gateWorld) startProcess() *exec.Cmd {
	w.t.Helper()
	cmd := exec.Command("callgate", "serve", "--quiet")
	cmd.Env = append(os.Environ(), w.XDG()...)
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

// shown waits for an ask of the daemon's own process.
func (w *gateWorld) shown() ask.Ask {
	w.t.Helper()
	daemon := w.Admin(w.Dirs.Socket())
	var found ask.Ask
	stop := errors.New("found")
	err := daemon.Events(w.t.Context(), "", "", func(client.Event) error {
		asks, err := daemon.Asks(w.t.Context(), ask.Filter{State: ask.Shown})
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
		"callgate", "hook", "claude-code", "--endpoint", "unix:" + filepath.Join(w.Dirs.State, "callgate.sock"),
		"--token-file", tokenfile.Check(w.Dirs.State, tokenfile.DefaultAgent), "--timeout", timeout.String(),
	}
}

// events are those of the asks from now on.
func (w *gateWorld) events() <-chan ask.Event { return w.d.Host.Asks.Subscribe(w.t.Context()) }

// await returns the ask of the first event of this kind.
func (w *gateWorld) await(events <-chan ask.Event, kind ask.EventKind) ask.Ask {
	w.t.Helper()
	return w.awaitFor(patience, events, kind)
}

func (w *gateWorld) awaitFor(patience time.Duration, events <-chan ask.Event, kind ask.EventKind) ask.Ask {
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
	w.answer(id, ask.Approve)
}

// answer gives ann's answer to an ask.
func (w *gateWorld) answer(id string, verdict ask.Verdict) {
	w.t.Helper()
	if _, err := w.d.Host.Gate.Answer(w.t.Context(), id, ask.Answer{Verdict: verdict, By: "ann", Surface: "test", ConfirmID: id}); err != nil {
		w.t.Fatal(err)
	}
}

// started is a hook started by a client.
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

// end waits as the client does: it ends a late hook, and ignores its output.
func (s *started) end(timeout time.Duration) runner.Outcome {
	var o runner.Outcome
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

// wantEffect checks the client's action, for any onFailure.
func wantEffect(t *testing.T, event claudecode.Event, o runner.Outcome, want runner.Effect) {
	t.Helper()
	for _, block := range []bool{false, true} {
		if got := claudecode.Verdict(event, o, block); got != want {
			t.Errorf("%s, onFailure block %t: got %s, want %s: %+v, stdout %q, stderr %q", event, block, got, want, o.Exit, o.Stdout, o.Stderr)
		}
	}
	if want != runner.Blocked || o.Exit != claudecode.ExitDenied {
		return
	}
	alone := claudecode.Verdict(event, runner.Outcome{Stdout: o.Stdout}, false)
	if len(bytes.TrimSpace(o.Stderr)) == 0 || len(o.Stdout) > 0 && alone != runner.Blocked {
		t.Errorf("a denial: got stdout %q and stderr %q, want a reason on stderr, and nothing else on stdout", o.Stdout, o.Stderr)
	}
}

// impostor answers at a socket in the daemon's place and records its input.
type impostor struct {
	mu    sync.Mutex
	heard bytes.Buffer
	// open are the connections still in use.
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
				defer func() { _ = conn.Close() }() // for any result
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

// text is its record, once its clients have left.
func (i *impostor) text() string {
	i.open.Wait()
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.heard.String()
}

// allowed is a complete allow answer.
func allowed(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"status": "ok", "decision": engine.Decision{Behavior: engine.Allow, Stage: engine.StageMode}, "outcome": "allow"})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
