package ask_test

import (
	"errors"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// TestSeed replays the rights of ollim-bot's approvers, and their times. Where Callgate departs
// (one card at a time, repeats denied without a card), its own outcome is wanted.
func TestSeed(t *testing.T) {
	t.Parallel()
	type step struct {
		at time.Duration
		do func(w *world)
	}
	type end struct {
		state ask.State
		cause ask.Cause
		at    time.Duration
	}
	const s = time.Second
	request := func(name string) func(*world) { return func(w *world) { w.request(name, call(name)) } }
	requestIn := func(name string, kind engine.Kind) func(*world) {
		return func(w *world) {
			a := call(name)
			a.Kind = kind
			w.request(name, a)
		}
	}
	approve := func(name string) func(*world) { return func(w *world) { w.approve(name) } }
	deny := func(name string) func(*world) { return func(w *world) { w.deny(name) } }
	refused := func(name string, answer ask.Answer, want error) func(*world) {
		return func(w *world) {
			if _, err := w.answer(name, answer); !errors.Is(err, want) {
				w.t.Errorf("answer to %s: got error %v, want %v", name, err, want)
			}
		}
	}
	late := func(name string) func(*world) {
		return func(w *world) {
			_, err := w.broker.Answer(w.t.Context(), w.stored(name).ID, ask.Answer{Verdict: ask.Approve, By: "late"})
			if !errors.Is(err, ask.ErrSettled) {
				w.t.Errorf("late answer to %s: got error %v, want %v", name, err, ask.ErrSettled)
			}
		}
	}
	interrupt := func(w *world) { must(w.t)(w.broker.Interrupt(w.t.Context(), "s1")) }
	clearAll := func(w *world) { must(w.t)(w.broker.Clear(w.t.Context(), "s1")) }
	exitFork := func(w *world) { must(w.t)(w.broker.ExitFork(w.t.Context(), "s1")) }

	tests := []struct {
		name    string
		timeout time.Duration
		steps   []step
		want    map[string]end
	}{
		{"approve", 0, []step{{0, request("a")}, {5 * s, approve("a")}},
			map[string]end{"a": {ask.Approved, ask.CauseAnswered, 5 * s}}},
		{"deny", 0, []step{{0, request("a")}, {5 * s, deny("a")}},
			map[string]end{"a": {ask.Denied, ask.CauseAnswered, 5 * s}}},
		{"nobody answers", 0, []step{{0, request("a")}},
			map[string]end{"a": {ask.TimedOut, ask.CauseTimeout, 60 * s}}},
		{"answer just before the limit", 0, []step{{0, request("a")}, {59900 * time.Millisecond, approve("a")}},
			map[string]end{"a": {ask.Approved, ask.CauseAnswered, 59900 * time.Millisecond}}},
		{"answer just after the limit changes nothing", 0, []step{{0, request("a")}, {60100 * time.Millisecond, late("a")}},
			map[string]end{"a": {ask.TimedOut, ask.CauseTimeout, 60 * s}}},
		{"other time limit", 120 * s, []step{{0, request("a")}},
			map[string]end{"a": {ask.TimedOut, ask.CauseTimeout, 120 * s}}},
		{"second answer changes nothing", 0, []step{{0, request("a")}, {5 * s, deny("a")}, {6 * s, late("a")}},
			map[string]end{"a": {ask.Denied, ask.CauseAnswered, 5 * s}}},
		{"answer to something else", 0, []step{{0, request("a")},
			{3 * s, func(w *world) {
				if _, err := w.broker.Answer(w.t.Context(), "zzzzzz", ask.Answer{By: "approver"}); !errors.Is(err, ask.ErrUnknown) {
					w.t.Errorf("got error %v, want %v", err, ask.ErrUnknown)
				}
			}}, {8 * s, approve("a")}},
			map[string]end{"a": {ask.Approved, ask.CauseAnswered, 8 * s}}},
		{"approve once does not cover the next", 0, []step{{0, request("a")}, {5 * s, approve("a")},
			{10 * s, func(w *world) { w.request("b", func() ask.Ask { a := call("a"); a.CallID = "b"; return a }()) }}, {15 * s, deny("b")}},
			map[string]end{"a": {ask.Approved, ask.CauseAnswered, 5 * s}, "b": {ask.Denied, ask.CauseAnswered, 15 * s}}},
		{"the second waits for the first and has its own clock", 0, []step{{0, request("a")}, {10 * s, request("b")}, {20 * s, approve("a")}},
			map[string]end{"a": {ask.Approved, ask.CauseAnswered, 20 * s}, "b": {ask.TimedOut, ask.CauseTimeout, 80 * s}}},
		{"queued cannot be answered", 0, []step{{0, request("a")}, {0, request("b")},
			{1 * s, refused("b", ask.Answer{Verdict: ask.Approve}, ask.ErrNotShown)}, {2 * s, approve("a")}, {3 * s, approve("b")}},
			map[string]end{"a": {ask.Approved, ask.CauseAnswered, 2 * s}, "b": {ask.Approved, ask.CauseAnswered, 3 * s}}},
		{"a denial does not drop the rest of a batch", 0, []step{{0, request("a")}, {0, request("b")}, {0, request("c")},
			{5 * s, deny("a")}, {6 * s, approve("b")}, {7 * s, approve("c")}},
			map[string]end{"a": {ask.Denied, ask.CauseAnswered, 5 * s}, "b": {ask.Approved, ask.CauseAnswered, 6 * s}, "c": {ask.Approved, ask.CauseAnswered, 7 * s}}},
		{"interrupt cancels all that wait", 0, []step{{0, request("a")}, {0, request("b")}, {10 * s, interrupt}},
			map[string]end{"a": {ask.Cancelled, ask.CauseInterrupt, 10 * s}, "b": {ask.Cancelled, ask.CauseInterrupt, 10 * s}}},
		{"answer and interrupt in one instant, answer first", 0, []step{{0, request("a")}, {10 * s, approve("a")}, {10 * s, interrupt}},
			map[string]end{"a": {ask.Approved, ask.CauseAnswered, 10 * s}}},
		{"answer and interrupt in one instant, interrupt first", 0, []step{{0, request("a")}, {10 * s, interrupt}, {10 * s, late("a")}},
			map[string]end{"a": {ask.Cancelled, ask.CauseInterrupt, 10 * s}}},
		{"clear cancels", 0, []step{{0, request("a")}, {10 * s, clearAll}},
			map[string]end{"a": {ask.Cancelled, ask.CauseClear, 10 * s}}},
		{"clear with nothing waiting", 0, []step{{1 * s, clearAll}, {2 * s, request("a")}, {5 * s, approve("a")}},
			map[string]end{"a": {ask.Approved, ask.CauseAnswered, 5 * s}}},
		{"interactive fork asks like main", 0, []step{{0, requestIn("a", engine.InteractiveFork)}, {4 * s, approve("a")}},
			map[string]end{"a": {ask.Approved, ask.CauseAnswered, 4 * s}}},
		{"fork exit cancels the fork's asks only", 0, []step{{0, request("a")}, {0, requestIn("b", engine.InteractiveFork)}, {10 * s, exitFork}, {12 * s, approve("a")}},
			map[string]end{"a": {ask.Approved, ask.CauseAnswered, 12 * s}, "b": {ask.Cancelled, ask.CauseForkExit, 10 * s}}},
		{"card cannot be shown, the next one works", 0, []step{
			{0, func(w *world) { w.broker.Attach(ask.Surface{Name: "discord"}) }},
			{0, request("a")},
			{0, func(w *world) { must(w.t)(0, w.broker.Undelivered(w.t.Context(), w.id("a"), "discord")) }},
			{3 * s, request("b")}, {5 * s, approve("b")}},
			map[string]end{"a": {ask.Denied, ask.CauseNoSurface, 0}, "b": {ask.Approved, ask.CauseAnswered, 5 * s}}},
		{"one of two surfaces fails", 0, []step{
			{0, func(w *world) {
				w.broker.Attach(ask.Surface{Name: "discord"})
				w.broker.Attach(ask.Surface{Name: "terminal"})
			}},
			{0, request("a")},
			{0, func(w *world) { must(w.t)(0, w.broker.Undelivered(w.t.Context(), w.id("a"), "discord")) }},
			{5 * s, approve("a")}},
			map[string]end{"a": {ask.Approved, ask.CauseAnswered, 5 * s}}},
		{"client goes away", 0, []step{{0, request("a")}, {0, request("b")}, {5 * s, func(w *world) { w.calls["a"].cancel() }}, {6 * s, approve("b")}},
			map[string]end{"a": {ask.Cancelled, ask.CauseCaller, 5 * s}, "b": {ask.Approved, ask.CauseAnswered, 6 * s}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, ask.Config{Timeout: tt.timeout}, func(w *world) {
				for _, step := range tt.steps {
					w.until(step.at)
					step.do(w)
				}
				for name, want := range tt.want {
					w.want(name, want.state, want.cause)
					if got := w.calls[name].at; got != want.at {
						t.Errorf("%s: ended at %v, want %v", name, got, want.at)
					}
				}
				if left := w.broker.Waiting(ask.Filter{}); len(left) != 0 {
					t.Errorf("still waiting: %v", left)
				}
			})
		})
	}
}

// must fails the test on an error and passes the value on.
func must(t *testing.T) func(int, error) int {
	return func(n int, err error) int {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}
