package claudecode_test

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/wire"
)

// prompt is a UserPromptSubmit, with some members replaced.
func prompt(with members) string {
	m := members{"hook_event_name": "UserPromptSubmit", "prompt": "my password is hunter2", "tool_name": nil, "tool_input": nil, "tool_use_id": nil}
	for name, v := range with {
		m[name] = v
	}
	return payload(m)
}

// wantSilent checks that the prompt goes its way unchanged.
func wantSilent(t *testing.T, o runner.Outcome) {
	t.Helper()
	wantEffect(t, claudecode.UserPromptSubmit, o, runner.Runs)
	if o.Exit != 0 || len(o.Stdout)+len(o.Stderr) > 0 {
		t.Errorf("got exit %d, stdout %q, stderr %q, want 0 and silence", o.Exit, o.Stdout, o.Stderr)
	}
}

// TestTurn: a prompt ends the calls before, and nothing of it is passed on.
func TestTurn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		with members
		want wire.CallContext
	}{
		"the main agent":           {nil, wire.CallContext{Session: "0b9c"}},
		"a main agent with a type": {members{"agent_type": "reviewer"}, wire.CallContext{Session: "0b9c", SubAgent: "reviewer"}},
		"no directory":             {members{"cwd": nil}, wire.CallContext{Session: "0b9c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := allows()
			wantSilent(t, run(t, hookOf(d), prompt(tc.with)))
			if want := []wire.Finished{{AllEnded: true, Context: tc.want}}; !reflect.DeepEqual(d.finished, want) || len(d.requests) > 0 {
				t.Errorf("got %+v and %d requests, want %+v alone", d.finished, len(d.requests), want)
			}
		})
	}
}

// TestTurn_failuresAreSilent: no failure blocks the person's prompt, adds to it, or delays it.
func TestTurn_failuresAreSilent(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no session":       prompt(members{"session_id": nil}),
		"no UTF-8":         strings.Replace(prompt(members{"session_id": "ID"}), `"ID"`, "\"\xff\"", 1),
		"truncated":        prompt(nil)[:strings.Index(prompt(nil), "hunter2")],
		"more than 16 MiB": prompt(members{"prompt": strings.Repeat("a", runner.MaxPayload)}),
	} {
		d := allows()
		if wantSilent(t, run(t, hookOf(d), text)); len(d.finished) > 0 {
			t.Errorf("%s: the daemon was told %+v", name, d.finished)
		}
	}
	for name, h := range failures() {
		if name == "never returns" {
			continue // a bubble cannot end around it
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				wantSilent(t, run(t, h, prompt(nil)))
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("took %s, want 2 s at most", took)
				}
			})
		})
	}
	stuck := failures()["never returns"]
	stuck.Timeout = 200 * time.Millisecond
	wantSilent(t, run(t, stuck, prompt(nil)))
}
