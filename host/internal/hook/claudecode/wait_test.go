package claudecode_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/wire"
)

// approvedAfter is a daemon whose person answers at a time, absent between two others.
type approvedAfter struct {
	approved, gone, back time.Time
	requests             []wire.Request
}

// Check implements runner.Daemon.
func (d *approvedAfter) Check(ctx context.Context, r wire.Request, progress func(protocol.Progress)) (wire.Result, error) {
	d.requests = append(d.requests, r)
	now := time.Now()
	if !d.gone.IsZero() && !now.Before(d.gone) && now.Before(d.back) {
		return wire.Result{}, fmt.Errorf("%w (nothing listens at /run/x). Start it: callgate serve", caller.ErrNoDaemon)
	}
	progress(protocol.Progress{State: "shown", AskID: "k3m9qd"})
	end, result, err := d.approved, wire.Result{Decision: engine.Decision{Behavior: engine.Allow, Stage: engine.StageMode, Reason: "approved by ann"}}, error(nil)
	if now.Before(d.gone) && d.gone.Before(end) {
		end, result, err = d.gone, wire.Result{}, fmt.Errorf("check: %w: EOF", caller.ErrLost)
	}
	timer := time.NewTimer(time.Until(end))
	defer timer.Stop()
	timeout := time.NewTimer(r.Timeout)
	defer timeout.Stop()
	select {
	case <-timer.C:
		return result, err
	case <-timeout.C:
		return wire.Result{Decision: engine.Decision{Message: "Nobody answered in time."}}, nil
	case <-ctx.Done():
		return wire.Result{}, ctx.Err()
	}
}

// Finish implements runner.Daemon.
func (d *approvedAfter) Finish(context.Context, wire.Finished) (wire.FinishResult, error) {
	return wire.FinishResult{}, errors.New("no call has ended here")
}

func TestRun_heldForTenMinutes(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		gone, back, approved time.Duration
		want                 runner.Effect
		says                 string
	}{
		"approved":                       {0, 0, 10 * time.Minute, runner.Allowed, "approved by ann"},
		"approved after a restart":       {3 * time.Minute, 4 * time.Minute, 10 * time.Minute, runner.Allowed, "approved by ann"},
		"approved in a long restart":     {time.Second, 20 * time.Minute, 10 * time.Minute, runner.Allowed, "approved by ann"},
		"never approved":                 {0, 0, 100 * time.Hour, runner.Blocked, "Nobody answered in time."},
		"never back":                     {time.Minute, 100 * time.Hour, 10 * time.Minute, runner.Blocked, "daemon was not reachable meanwhile.*callgate serve"},
		"gone from the start, back soon": {-time.Second, time.Minute, 10 * time.Minute, runner.Blocked, "callgate serve"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				now := time.Now()
				d := &approvedAfter{approved: now.Add(tc.approved)}
				if tc.gone != 0 {
					d.gone, d.back = now.Add(tc.gone), now.Add(tc.back)
				}
				h := hookOf(d)
				h.Timeout = time.Hour
				o := run(t, h, payload(nil))
				wantEffect(t, claudecode.PreToolUse, o, tc.want)
				wantText(t, string(o.Stdout)+string(o.Stderr), tc.says)
				took := time.Since(now)
				if took > 48*time.Minute || name == "gone from the start, back soon" && took > 0 {
					t.Errorf("took %s", took)
				}
				if tc.want == runner.Allowed && took > max(tc.approved, tc.back)+3*time.Second {
					t.Errorf("the approval took effect after %s, given after %s", took, tc.approved)
				}
				for i, r := range d.requests {
					if r.CallID != "toolu_01" || i > 0 && r.Timeout >= d.requests[i-1].Timeout {
						t.Errorf("try %d: got call %q with %s left, want toolu_01 with less than before", i, r.CallID, r.Timeout)
					}
				}
				if n := len(d.requests); n > 3000 {
					t.Errorf("%d tries: want pauses between them", n)
				}
			})
		})
	}
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	for part := range strings.SplitSeq(want, ".*") {
		if !strings.Contains(got, part) {
			t.Errorf("got %q, want %q in it", got, part)
		}
	}
}

// TestRun_busyDaemon: one with too many calls is asked again.
func TestRun_busyDaemon(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := allows()
		allow := d.check
		d.check = func(ctx context.Context, n int, r wire.Request, progress func(protocol.Progress)) (wire.Result, error) {
			if n < 5 {
				return wire.Result{}, &protocol.Error{Status: 429, Code: protocol.CodeTooManyRequests, Message: "too many checks"}
			}
			return allow(ctx, n, r, progress)
		}
		wantEffect(t, claudecode.PreToolUse, run(t, hookOf(d), payload(nil)), runner.Allowed)
	})
}

// TestRun_endedCall: the report about a finished call.
func TestRun_endedCall(t *testing.T) {
	t.Parallel()
	after := func(event claudecode.Event) string {
		return payload(members{"hook_event_name": event, "tool_response": members{"stdout": "hi"}, "duration_ms": 3, "error": "x"})
	}
	for name, tc := range map[string]struct {
		matched wire.FinishResult
		err     error
		exit    int
		says    string
	}{
		"it is the one that was judged": {wire.FinishResult{Match: true}, nil, 0, ""},
		"it is another":                 {wire.FinishResult{Reason: "its input differs; the session is paused"}, nil, 2, "differs from the call that was checked: its input differs"},
		"it is another, no reason":      {wire.FinishResult{}, nil, 2, "differs from the call that was checked"},
		"no daemon":                     {wire.FinishResult{Match: true}, caller.ErrNoDaemon, 1, "could not compare"},
		"the gate failed":               {wire.FinishResult{Match: true}, &protocol.Error{Code: protocol.CodeInternal, Message: "the gate failed"}, 1, "the gate failed"},
	} {
		for _, event := range []claudecode.Event{claudecode.PostToolUse, claudecode.PostToolUseFailure} {
			t.Run(name+", "+string(event), func(t *testing.T) {
				t.Parallel()
				d := allows()
				d.finish = func(context.Context, int, wire.Finished) (wire.FinishResult, error) { return tc.matched, tc.err }
				o := run(t, hookOf(d), after(event))
				if o.Exit != tc.exit || len(o.Stdout) > 0 || !strings.Contains(string(o.Stderr), tc.says) || tc.says == "" && len(o.Stderr) > 0 {
					t.Errorf("got exit %d, stdout %q, stderr %q, want %d and %q", o.Exit, o.Stdout, o.Stderr, tc.exit, tc.says)
				}
				f := d.finished[0]
				if f.CallID != "toolu_01" || f.Tool != "Bash" || f.Failed != (event == claudecode.PostToolUseFailure) || f.Context.Session != "0b9c" {
					t.Errorf("got %+v", f)
				}
				if len(d.requests) > 0 {
					t.Errorf("a call that has run was judged: %+v", d.requests)
				}
			})
		}
	}
}

// TestRun_outputCutInACharacter: clients cut long outputs by UTF-16 units, which leaves halves
// of characters; the call has ended all the same. Judged inputs have no such halves.
func TestRun_outputCutInACharacter(t *testing.T) {
	t.Parallel()
	text := payload(members{"hook_event_name": claudecode.PostToolUse, "tool_response": json.RawMessage(`{"stdout":"HALF"}`)})
	for _, half := range []string{`\ud83d`, `\ude00`, "\xf0\x9f"} {
		d := allows()
		d.finish = func(context.Context, int, wire.Finished) (wire.FinishResult, error) {
			return wire.FinishResult{Match: true}, nil
		}
		if o := run(t, hookOf(d), strings.Replace(text, "HALF", half, 1)); o.Exit != 0 || len(d.finished) != 1 {
			t.Errorf("output with %q: got exit %d, %s, %d ends told", half, o.Exit, o.Stderr, len(d.finished))
		}
		for _, member := range []string{"tool_input", "session_id", "tool_use_id"} {
			bad := json.RawMessage(`"` + half + `"`)
			if member == "tool_input" {
				bad = json.RawMessage(`{"command":"` + half + `"}`)
			}
			d := allows()
			with := strings.Replace(payload(members{member: json.RawMessage(`"MEMBER"`)}), `"MEMBER"`, string(bad), 1)
			if o := run(t, hookOf(d), with); o.Exit != 2 || len(d.requests) > 0 {
				t.Errorf("%s with %q: got exit %d, %s", member, half, o.Exit, o.Stderr)
			}
		}
	}
}

// TestRun_endedCallIsNotHeldUp: a hanging daemon delays no call by more than some seconds.
func TestRun_endedCallIsNotHeldUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		d := allows()
		d.finish = func(ctx context.Context, _ int, _ wire.Finished) (wire.FinishResult, error) {
			<-ctx.Done()
			return wire.FinishResult{}, context.Cause(ctx)
		}
		o := run(t, hookOf(d), payload(members{"hook_event_name": "PostToolUse"}))
		if took := time.Since(began); o.Exit != 1 || took > 10*time.Second {
			t.Errorf("got exit %d after %s, want a warning within 10 s", o.Exit, took)
		}
	})
}
