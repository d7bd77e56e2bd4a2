package claudecode_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// TestRun_carriesOver: the gate's view of each kind of call.
func TestRun_carriesOver(t *testing.T) {
	t.Parallel()
	input := json.RawMessage(`{"command":"echo hi","description":"say hi"}`)
	want := func(change func(*wire.Request)) wire.Request {
		r := wire.Request{CallID: "toolu_01", Tool: "Bash", Input: input, Reports: true, Context: wire.CallContext{Client: wire.ClaudeCode, Session: "0b9c", CWD: "/work/app", Mode: "default"}}
		if change != nil {
			change(&r)
		}
		return r
	}
	mcp := func(tool, server, source, doubt string) func(*wire.Request) {
		return func(r *wire.Request) {
			r.Tool, r.Context.Server = tool, &wire.Server{Name: server, Source: source, Doubt: doubt}
		}
	}
	for name, tc := range map[string]struct {
		with members
		want wire.Request
	}{
		"Bash":                      {nil, want(nil)},
		"plan mode":                 {members{"permission_mode": "plan"}, want(func(r *wire.Request) { r.Context.Mode = "plan" })},
		"dontAsk":                   {members{"permission_mode": "dontAsk"}, want(func(r *wire.Request) { r.Context.Mode = "dontAsk" })},
		"bypassPermissions":         {members{"permission_mode": "bypassPermissions"}, want(func(r *wire.Request) { r.Context.Mode = "bypassPermissions" })},
		"auto, the usual one":       {members{"permission_mode": "auto"}, want(func(r *wire.Request) { r.Context.Mode = "" })},
		"a mode of tomorrow":        {members{"permission_mode": "trusted"}, want(func(r *wire.Request) { r.Context.Mode = "" })},
		"no mode":                   {members{"permission_mode": nil}, want(func(r *wire.Request) { r.Context.Mode = "" })},
		"a sub-agent":               {members{"agent_id": "a1", "agent_type": "Explore"}, want(func(r *wire.Request) { r.Context.SubAgent = "Explore (a1)"; r.Context.SubAgentType = "Explore" })},
		"a sub-agent without type":  {members{"agent_id": "a1"}, want(func(r *wire.Request) { r.Context.SubAgent = "a1" })},
		"a main agent with a type":  {members{"agent_type": "reviewer"}, want(func(r *wire.Request) { r.Context.SubAgent = "reviewer"; r.Context.SubAgentType = "reviewer" })},
		"MCP":                       {members{"tool_name": "mcp__fs__read", "mcp_server": members{"name": "fs", "source": "project"}}, want(mcp("mcp__fs__read", "fs", "project", wire.DoubtNotFound))},
		"MCP, a name with a dot":    {members{"tool_name": "mcp__a_b__read", "mcp_server": members{"name": "a.b", "source": "user"}}, want(mcp("mcp__a_b__read", "a_b", "user", wire.DoubtNotFound))},
		"MCP, a connector":          {members{"tool_name": "mcp__claude_ai_Mail__read", "mcp_server": members{"name": "claude.ai (Mail)"}}, want(mcp("mcp__claude_ai_Mail__read", "claude_ai_Mail", "unknown", ""))},
		"MCP without its server":    {members{"tool_name": "mcp__fs__read"}, want(mcp("mcp__fs__read", "fs", "unknown", ""))},
		"MCP, two readings":         {members{"tool_name": "mcp__a__b__c"}, want(func(r *wire.Request) { r.Tool = "mcp__a__b__c" })},
		"members of tomorrow":       {members{"new": members{"deep": []int{1}}, "tags": []string{"x"}}, want(nil)},
		"a number beyond a float's": {members{"tool_input": json.RawMessage(`{"n":12345678901234567891}`)}, want(func(r *wire.Request) { r.Input = json.RawMessage(`{"n":12345678901234567891}`) })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := allows()
			wantEffect(t, claudecode.PreToolUse, run(t, hookOf(d), payload(tc.with)), runner.Allowed)
			if len(d.requests) != 1 {
				t.Fatalf("got %d requests, want 1", len(d.requests))
			}
			got := d.requests[0]
			if got.Timeout <= 0 || got.Timeout > 480*time.Second {
				t.Errorf("time-out: got %s, want less than four fifths of ten minutes", got.Timeout)
			}
			if got.Timeout = 0; !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got  %+v\nwant %+v", got, tc.want)
			}
		})
	}
}

// TestRun_modesAreTheGates: the gate reads every forwarded mode, so none of the client's makes
// an error of every call.
func TestRun_modesAreTheGates(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"default", "manual", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions", "delegate", ""} {
		d := allows()
		run(t, hookOf(d), payload(members{"permission_mode": mode}))
		if len(d.requests) != 1 {
			t.Fatalf("mode %q: got %d requests, want 1", mode, len(d.requests))
		}
		if got := d.requests[0].Context.Mode; got != "" {
			if _, err := engine.ParseMode(got); err != nil {
				t.Errorf("mode %q: %v", mode, err)
			}
		}
	}
}

// TestRun_refuses: payloads withheld from the daemon.
func TestRun_refuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ text, reason string }{
		"nothing":                     {"", "no payload"},
		"no JSON":                     {"hello", "invalid"},
		"a list":                      {"[]", "want a JSON object"},
		"null":                        {"null", "hook_event_name"},
		"truncated":                   {payload(nil)[:200], "invalid"},
		"two documents":               {payload(nil) + payload(nil), "invalid"},
		"no UTF-8":                    {strings.Replace(payload(nil), "echo", "\xff", 1), "UTF-8"},
		"a name twice":                {`{"tool_name":"Read",` + payload(nil)[1:], "duplicate"},
		"a name twice in the input":   {payload(members{"tool_input": json.RawMessage(`{"command":"ls","command":"rm"}`)}), "tool_input.command: .*duplicate"},
		"a name in other letters":     {payload(members{"tool_name": nil, "Tool_Name": "Bash"}), "tool_name: missing"},
		"no event":                    {payload(members{"hook_event_name": nil}), "hook_event_name"},
		"an unknown event":            {payload(members{"hook_event_name": "SessionStart"}), "SessionStart.*want one of PreToolUse, PermissionRequest, .*callgate hook claude-code --install"},
		"an event that is no text":    {payload(members{"hook_event_name": 7}), "hook_event_name: .*want a JSON string"},
		"no session":                  {payload(members{"session_id": nil}), "session_id: missing"},
		"an empty session":            {payload(members{"session_id": ""}), "session_id: missing"},
		"a session that is null":      {payload(members{"session_id": json.RawMessage("null")}), "session_id: .*want a JSON string"},
		"no tool":                     {payload(members{"tool_name": nil}), "tool_name: missing"},
		"a tool that is a list":       {payload(members{"tool_name": []string{"Bash"}}), "tool_name: .*want a JSON string"},
		"no directory":                {payload(members{"cwd": nil}), "cwd: missing"},
		"no id":                       {payload(members{"tool_use_id": nil}), "tool_use_id: missing"},
		"an id that is a number":      {payload(members{"tool_use_id": 1}), "tool_use_id: .*want a JSON string"},
		"no input":                    {payload(members{"tool_input": nil}), "tool_input"},
		"an input that is a text":     {payload(members{"tool_input": "ls"}), "tool_input: want a JSON object"},
		"a mode that is a number":     {payload(members{"permission_mode": 1}), "permission_mode: .*want a JSON string"},
		"an agent that is an object":  {payload(members{"agent_id": members{}}), "agent_id: .*want a JSON string"},
		"another server's tool":       {payload(members{"tool_name": "mcp__b__read", "mcp_server": members{"name": "a"}}), "not a tool of the MCP server"},
		"a server read two ways":      {payload(members{"tool_name": "mcp__a__b__c", "mcp_server": members{"name": "b"}}), "not a tool of the MCP server"},
		"a server's prefix":           {payload(members{"tool_name": "mcp__fs2__read", "mcp_server": members{"name": "fs"}}), "not a tool of the MCP server"},
		"a server without a name":     {payload(members{"tool_name": "mcp____read", "mcp_server": members{"name": ""}}), "not a tool of the MCP server"},
		"a server without a tool":     {payload(members{"tool_name": "mcp__fs__", "mcp_server": members{"name": "fs"}}), "not a tool of the MCP server"},
		"a built-in tool of a server": {payload(members{"mcp_server": members{"name": "Bash"}}), "not a tool of the MCP server"},
		"a server that is a text":     {payload(members{"mcp_server": "fs"}), "mcp_server"},
		"larger than 16 MiB":          {payload(members{"tool_input": members{"command": strings.Repeat("a", runner.MaxPayload)}}), "larger than 16 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := allows()
			o := run(t, hookOf(d), tc.text)
			wantEffect(t, claudecode.PreToolUse, o, runner.Blocked)
			if !regexp.MustCompile(tc.reason).Match(o.Stderr) || len(d.requests) > 0 {
				t.Errorf("got %q after %d requests, want %q and none", o.Stderr, len(d.requests), tc.reason)
			}
		})
	}
}

// TestRun_denies: the model reads the gate's own message.
func TestRun_denies(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		decision engine.Decision
		want     string
	}{
		"with a message":   {engine.Decision{Message: "Bash was denied by the rule Bash(rm:*).", Reason: "rule"}, "Bash was denied by the rule Bash(rm:*)."},
		"with a reason":    {engine.Decision{Reason: "rule Bash(rm:*)"}, "Denied: rule Bash(rm:*)."},
		"the zero one":     {engine.Decision{}, "Denied by Callgate."},
		"an ask":           {engine.Decision{Behavior: engine.Ask, Reason: "nobody was asked"}, "Denied: nobody was asked."},
		"no such behavior": {engine.Decision{Behavior: 77, Message: "odd"}, "odd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := run(t, hookOf(decides(tc.decision)), payload(nil))
			wantEffect(t, claudecode.PreToolUse, o, runner.Blocked)
			if got := strings.TrimSuffix(string(o.Stderr), "\n"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			o = run(t, hookOf(decides(tc.decision)), payload(members{"hook_event_name": "PermissionRequest", "tool_use_id": nil}))
			wantEffect(t, claudecode.PermissionRequest, o, runner.Blocked)
			if !strings.Contains(string(o.Stdout), tc.want) {
				t.Errorf("got %s, want it to say %q", o.Stdout, tc.want)
			}
		})
	}
}

// TestRun_permissionRequest: the client asks again about a call it has put.
func TestRun_permissionRequest(t *testing.T) {
	t.Parallel()
	d := allows()
	text := payload(members{
		"hook_event_name": "PermissionRequest", "tool_use_id": nil,
		"permission_suggestions": []members{{"type": "setMode", "mode": "acceptEdits", "destination": "session"}},
	})
	o := run(t, hookOf(d), text)
	wantEffect(t, claudecode.PermissionRequest, o, runner.Allowed)
	if want := `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`; string(o.Stdout) != want {
		t.Errorf("got %s, want %s", o.Stdout, want)
	}
	if r := d.requests[0]; !r.FollowsUp || r.Reports || !strings.HasPrefix(r.CallID, "permission_") {
		t.Errorf("got %+v, want one that follows up under an id of its own, and whose end nobody can report", r)
	}
}

// failures are possible faults around a hook.
func failures() map[string]claudecode.Hook {
	checks := func(check func(ctx context.Context) (wire.Result, error)) claudecode.Hook {
		return hookOf(&fakeDaemon{
			check: func(ctx context.Context, _ int, _ wire.Request, _ func(protocol.Progress)) (wire.Result, error) {
				return check(ctx)
			},
			finish: func(ctx context.Context, _ int, _ wire.Finished) (wire.FinishResult, error) {
				_, err := check(ctx)
				return wire.FinishResult{}, err
			},
		})
	}
	fails := func(err error) claudecode.Hook {
		return checks(func(context.Context) (wire.Result, error) {
			return wire.Result{Decision: engine.Decision{Behavior: engine.Allow}}, err // an error never allows
		})
	}
	return map[string]claudecode.Hook{
		"nothing to connect with":  {},
		"no daemon":                fails(fmt.Errorf("%w (nothing listens at /run/x). Start it: callgate serve", caller.ErrNoDaemon)),
		"no token":                 {Connect: func() (runner.Daemon, error) { return nil, errors.New("token /x: there is none") }},
		"a panic while connecting": {Connect: func() (runner.Daemon, error) { panic("boom") }},
		"no daemon, no error":      {Connect: func() (runner.Daemon, error) { return nil, nil }},
		"a panic while checking":   checks(func(context.Context) (wire.Result, error) { panic(errors.New("boom")) }),
		"not ours":                 fails(caller.ErrNotOurs),
		"garbage":                  fails(errors.New("the daemon's answer cannot be read")),
		"the gate failed":          fails(&protocol.Error{Status: 500, Code: protocol.CodeInternal, Message: "the gate failed"}),
		"not entitled":             fails(&protocol.Error{Status: 403, Code: protocol.CodeForbidden, Message: "no"}),
		"lost for ever":            fails(caller.ErrLost),
		"closing for ever":         fails(&protocol.Error{Status: 503, Code: protocol.CodeUnavailable, Message: "closing"}),
		"too busy for ever":        fails(&protocol.Error{Status: 429, Code: protocol.CodeTooManyRequests, Message: "too many"}),
		"waits for ever": checks(func(ctx context.Context) (wire.Result, error) {
			<-ctx.Done()
			return wire.Result{}, ctx.Err()
		}),
		"never returns": checks(func(context.Context) (wire.Result, error) { select {} }),
	}
}

// TestT09_everyFailureBlocks: before a call every failure denies, and in time.
func TestT09_everyFailureBlocks(t *testing.T) {
	t.Parallel()
	for name, h := range failures() {
		if name == "never returns" {
			continue // a bubble cannot end around it: see below
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, event := range claudecode.Events()[:4] { // for the fifth see TestTurn
				synctest.Test(t, func(t *testing.T) {
					began := time.Now()
					h.Timeout = 100 * time.Second
					o := run(t, h, payload(members{"hook_event_name": event}))
					if took := time.Since(began); took > 80*time.Second {
						t.Errorf("answered after %s, want 80 s at the latest", took)
					}
					if event == claudecode.PreToolUse || event == claudecode.PermissionRequest {
						wantEffect(t, event, o, runner.Blocked)
					} else if len(o.Stdout) > 0 || o.Exit != 1 || !strings.Contains(string(o.Stderr), "could not compare") {
						t.Errorf("%s: got %+v, want it said on stderr", event, o)
					}
				})
			}
		})
	}
}

// TestT09_nothingHoldsUpTheAnswer: the clock, a signal and a departed client end the hook even
// when everything else hangs.
func TestT09_nothingHoldsUpTheAnswer(t *testing.T) {
	t.Parallel()
	stuck := failures()["never returns"]
	stuck.Timeout = 50 * time.Millisecond
	for _, event := range []claudecode.Event{claudecode.PreToolUse, claudecode.PermissionRequest} {
		o := run(t, stuck, payload(members{"hook_event_name": event}))
		wantEffect(t, event, o, runner.Blocked)
		if text := string(o.Stdout) + string(o.Stderr); !strings.Contains(text, "no decision in time (40ms)") {
			t.Errorf("got %q, want it to name the time", text)
		}
	}
	input, ended := make(chan struct{}), make(chan struct{})
	defer close(input)
	defer close(ended)
	silent := hookOf(allows())
	silent.Timeout = 50 * time.Millisecond
	wantEffect(t, claudecode.PreToolUse, give(t, silent.Run(t.Context(), never{input})), runner.Blocked)
	for cause, want := range map[error]string{
		runner.ErrEnded: "was stopped before", runner.ErrClientGone: "client has ended", context.Canceled: "was stopped before",
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stuck.Timeout = time.Hour
		cancel(cause)
		o := give(t, stuck.Run(ctx, strings.NewReader(payload(nil))))
		wantEffect(t, claudecode.PreToolUse, o, runner.Blocked)
		if !strings.Contains(string(o.Stderr), want) {
			t.Errorf("%v: got %q, want %q", cause, o.Stderr, want)
		}
	}
}

// FuzzRun: no payload makes the client run a call without an allow.
func FuzzRun(f *testing.F) {
	for _, event := range claudecode.Events() {
		f.Add([]byte(payload(members{"hook_event_name": event})), true)
	}
	f.Add([]byte(payload(members{"tool_name": "mcp__a__b", "mcp_server": members{"name": "a"}})), false)
	f.Add([]byte(payload(nil)[:100]), true)
	f.Add([]byte(`{"hook_event_name":"PreToolUse","tool_input":{"a":1,"a":2}}`), true)
	f.Fuzz(func(t *testing.T, text []byte, allow bool) {
		d := allows()
		if !allow {
			d = decides(engine.Decision{})
		}
		a := hookOf(d).Run(t.Context(), strings.NewReader(string(text)))
		o := give(t, a)
		judged := len(d.requests) == 1 && allow
		switch {
		case len(d.finished) > 0, a.Event == claudecode.UserPromptSubmit:
			wantEffect(t, a.Event, o, runner.Runs)
		case a.Event == claudecode.PermissionRequest || a.Event == claudecode.PreToolUse || a.Event == "":
			event := a.Event
			if event == "" {
				event = claudecode.PreToolUse
			}
			want := runner.Blocked
			if judged {
				want = runner.Allowed
			}
			wantEffect(t, event, o, want)
		case o.Exit != 1 || len(o.Stdout) > 0 || len(o.Stderr) == 0:
			t.Errorf("%s: got %+v, want it said to the person", a.Event, o)
		}
		if len(d.requests) > 0 {
			if _, err := strictjson.Object(d.requests[0].Input); err != nil {
				t.Errorf("passed on the input %q: %v", d.requests[0].Input, err)
			}
		}
	})
}

var _ io.Reader = never{}
