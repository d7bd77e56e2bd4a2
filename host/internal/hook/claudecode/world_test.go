package claudecode_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/wire"
)

// members are those of a payload, changed by with.
type members map[string]any

// payload is a PreToolUse of Bash as version 2.1.329 sends it, with some members
// replaced; nil takes one away.
func payload(with members) string {
	p := members{
		"session_id": "0b9c", "transcript_path": "/home/dev/.claude/projects/x/0b9c.jsonl", "cwd": "/work/app", "prompt_id": "p1",
		"permission_mode": "default", "effort": members{"level": "medium"}, "hook_event_name": "PreToolUse",
		"tool_name": "Bash", "tool_input": members{"command": "echo hi", "description": "say hi"}, "tool_use_id": "toolu_01",
	}
	maps.Copy(p, with)
	maps.DeleteFunc(p, func(_ string, v any) bool { return v == nil })
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // members always encode
	}
	return string(text)
}

// fakeDaemon answers for a test and keeps its questions.
type fakeDaemon struct {
	check    func(ctx context.Context, n int, r wire.Request, progress func(protocol.Progress)) (wire.Result, error)
	finish   func(ctx context.Context, n int, f wire.Finished) (wire.FinishResult, error)
	mu       sync.Mutex
	requests []wire.Request
	finished []wire.Finished
}

// Check implements runner.Daemon.
func (d *fakeDaemon) Check(ctx context.Context, r wire.Request, progress func(protocol.Progress)) (wire.Result, error) {
	d.mu.Lock()
	d.requests = append(d.requests, r)
	n := len(d.requests)
	d.mu.Unlock()
	return d.check(ctx, n, r, progress)
}

// Finish implements runner.Daemon.
func (d *fakeDaemon) Finish(ctx context.Context, f wire.Finished) (wire.FinishResult, error) {
	d.mu.Lock()
	d.finished = append(d.finished, f)
	n := len(d.finished)
	d.mu.Unlock()
	return d.finish(ctx, n, f)
}

// decides answers every check with one decision.
func decides(d engine.Decision) *fakeDaemon {
	return &fakeDaemon{
		check: func(context.Context, int, wire.Request, func(protocol.Progress)) (wire.Result, error) {
			return wire.Result{Decision: d}, nil
		},
		finish: func(context.Context, int, wire.Finished) (wire.FinishResult, error) {
			return wire.FinishResult{Match: true}, nil
		},
	}
}

// allows allows every call.
func allows() *fakeDaemon {
	return decides(engine.Decision{Behavior: engine.Allow, Stage: engine.StageAllowRule, Reason: "rule Bash(echo:*)"})
}

func hookOf(d runner.Daemon) claudecode.Hook {
	return claudecode.Hook{Connect: func() (runner.Daemon, error) { return d, nil }}
}

// writes counts the writes to a stream.
type writes struct {
	bytes.Buffer
	count int
}

// Write implements io.Writer.
func (w *writes) Write(p []byte) (int, error) {
	w.count++
	return w.Buffer.Write(p)
}

// give is a client's view of an answer. It fails the test unless the answer is one write on one
// stream, or the same denial on both.
func give(t *testing.T, a claudecode.Answer) runner.Outcome {
	t.Helper()
	var out, err writes
	code := a.Give(&out, &err)
	if out.count > 1 || err.count > 1 || out.count+err.count > 1 && code != claudecode.ExitDenied {
		t.Errorf("got %d writes on stdout and %d on stderr, want one at most", out.count, err.count)
	}
	if code == claudecode.ExitDenied && !sameDenial(a.Event, out.Bytes(), strings.TrimSuffix(err.String(), "\n")) {
		t.Errorf("a denial: got stdout %q and stderr %q, want its reason on stderr, and before a call on stdout as well", out.String(), err.String())
	}
	return runner.Outcome{Exit: code, Stdout: out.Bytes(), Stderr: err.Bytes()}
}

// sameDenial reports whether stdout denies with the reason on stderr; at other events than
// PreToolUse, whether it is empty.
func sameDenial(event claudecode.Event, stdout []byte, reason string) bool {
	if event != claudecode.PreToolUse {
		return len(stdout) == 0 && reason != ""
	}
	want, err := json.Marshal(members{"hookSpecificOutput": members{
		"hookEventName": event, "permissionDecision": "deny", "permissionDecisionReason": reason,
	}})
	var got any
	return err == nil && reason != "" && json.Unmarshal(stdout, &got) == nil && equalJSON(got, want)
}

// equalJSON reports whether a value is the one of a text.
func equalJSON(got any, text []byte) bool {
	var want any
	return json.Unmarshal(text, &want) == nil && reflect.DeepEqual(got, want)
}

// run has a hook answer a payload.
func run(t *testing.T, h claudecode.Hook, text string) runner.Outcome {
	t.Helper()
	return give(t, h.Run(t.Context(), strings.NewReader(text)))
}

// wantEffect checks the client's action, for any onFailure.
func wantEffect(t *testing.T, event claudecode.Event, o runner.Outcome, want runner.Effect) {
	t.Helper()
	for _, block := range []bool{false, true} {
		if got := claudecode.Verdict(event, o, block); got != want {
			t.Errorf("%s, onFailure block %t: got %s, want %s: exit %d, stdout %q, stderr %q", event, block, got, want, o.Exit, o.Stdout, o.Stderr)
		}
	}
}

// never is an endless input.
type never struct{ ended <-chan struct{} }

// Read implements io.Reader.
func (n never) Read([]byte) (int, error) {
	<-n.ended
	return 0, io.ErrUnexpectedEOF
}
