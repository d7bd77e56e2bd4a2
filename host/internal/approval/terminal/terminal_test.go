package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/testkit/golden"
)

// The tests are in the package to take the place of the device: raw mode, the
// signal of control-C, the grace after a card.

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func content(s string) *string { return &s }

// build is an ask with two suggestions; its clock has no end, so the card does not depend on
// the time.
func build() ask.Ask {
	return ask.Ask{
		ID: "k3m9qd", Agent: "coder", Session: "s1", CallID: "c1", Digest: "9f86d081884c7d65",
		Tool: "Bash", Input: json.RawMessage(`{"command":"npm run build"}`), CWD: "/home/ann/site",
		ProjectRoot: "/home/ann/site", Action: "tool:bash:npm run build", State: ask.Shown, ShownAt: noon,
		Decision: engine.Decision{
			Behavior: engine.Ask, Stage: engine.StageMode, Reason: "no rule allows this call and mode default asks",
			Suggestions: []engine.Suggestion{
				{Tool: "Bash", Content: content("npm run:*"), Behavior: engine.Allow, Set: 1},
				{Tool: "Bash", Content: content("npm run build"), Behavior: engine.Allow, Set: 2},
			},
		},
	}
}

// guarded is an ask whose approval needs the typed id.
func guarded() ask.Ask {
	a := build()
	a.Decision = engine.Decision{Behavior: engine.Ask, Stage: engine.StageToolCheck, BypassImmune: true, Reason: "writes a file that decides what ssh runs"}
	return a
}

// long is an ask too long for a card.
func long() ask.Ask {
	a := build()
	a.Input, _ = json.Marshal(map[string]string{"command": "echo start\n" + strings.Repeat("# padding\n", 400) + "echo the end"})
	return a
}

func TestAsk(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		ask    ask.Ask
		typed  string
		want   ask.Answer
		gone   bool   // no answer comes of it
		screen string // the screen besides the card
	}{
		{name: "approve", ask: build(), typed: "y", want: ask.Answer{Verdict: ask.Approve}},
		{name: "a capital letter", ask: build(), typed: "Y", want: ask.Answer{Verdict: ask.Approve}},
		{name: "other keys do nothing", ask: build(), typed: "x \r\n\x009y", want: ask.Answer{Verdict: ask.Approve}},
		{name: "deny", ask: build(), typed: "n", want: ask.Answer{}},
		{name: "the second suggestion", ask: build(), typed: "2k3m9qd\n", want: ask.Answer{Verdict: ask.Approve, Sets: []int{2}, Scope: engine.Project, ConfirmID: "k3m9qd"}, screen: "Type the ask's ID, in the first line of the card, to approve and store the rule: "},
		{name: "for this session, the first", ask: build(), typed: "s", want: ask.Answer{Verdict: ask.Approve, Sets: []int{1}, ForSession: true, Scope: engine.Session}},
		{name: "the whole tool", ask: build(), typed: "wk3m9qd\n", want: ask.Answer{Verdict: ask.Approve, ForSession: true, WholeTool: true, ConfirmID: "k3m9qd"}},
		{name: "the whole tool wants the id", ask: build(), typed: "wy\nn", want: ask.Answer{}, screen: "Not confirmed; the ask is still pending."},
		{name: "deny with a reason", ask: build(), typed: "ruse the staging host\r", want: ask.Answer{Reason: "use the staging host"}, screen: "Reason for the agent: "},
		{name: "a reason is cut at its limit", ask: build(), typed: "r" + strings.Repeat("a", maxLine+9) + "\n", want: ask.Answer{Reason: strings.Repeat("a", maxLine)}},
		{name: "a reason cut within a letter", ask: build(), typed: "ra" + strings.Repeat("é", maxLine) + "\n", want: ask.Answer{Reason: "a" + strings.Repeat("é", maxLine/2-1)}},
		{name: "confirmed by the id", ask: guarded(), typed: "yK3M9QD\n", want: ask.Answer{Verdict: ask.Approve, ConfirmID: "k3m9qd"}, screen: "Type the ask's ID, in the first line of the card, to approve: "},
		{name: "not confirmed, then denied", ask: guarded(), typed: "yk3m9qx\nn", want: ask.Answer{}, screen: "Not confirmed; the ask is still pending."},
		{name: "a denial needs no confirmation", ask: guarded(), typed: "n", want: ask.Answer{}},
		{name: "the whole call first", ask: long(), typed: "fn", want: ask.Answer{}, screen: "echo the end"},
		{name: "Home, Delete, F4 and Alt-y are no answers", ask: build(), typed: "\x1b[1~\x1b[3~\x1bOS\x1b[1;5Hn", want: ask.Answer{}},
		{name: "escape swallows one key", ask: build(), typed: "\x1byn", want: ask.Answer{}},
		{name: "the keyboard is gone", ask: build(), typed: "x", gone: true},
		{name: "gone within the reason", ask: build(), typed: "rhalf a", gone: true},
		{name: "gone within the confirmation", ask: guarded(), typed: "yk3m9qd", gone: true},
		{name: "gone within an escape", ask: build(), typed: "\x1b[1", gone: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var screen bytes.Buffer
			got, ok := New(strings.NewReader(tt.typed), &screen).Ask(t.Context(), tt.ask)
			if ok == tt.gone {
				t.Fatalf("got answered %t, want %t", ok, !tt.gone)
			}
			if !strings.Contains(screen.String(), tt.screen) {
				t.Errorf("screen: got %q, want %q in it", screen.String(), tt.screen)
			}
			if tt.gone {
				return
			}
			tt.want.Surface = Surface
			if got, want := text(t, got), text(t, tt.want); got != want {
				t.Errorf("answer: got %s, want %s", got, want)
			}
		})
	}
}

func text(t *testing.T, a ask.Answer) string {
	t.Helper()
	out, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestGoldenPrompt(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	if _, ok := New(strings.NewReader("1k3m9qd\n"), &screen).Ask(t.Context(), build()); !ok {
		t.Fatal("no answer")
	}
	golden.Check(t, "prompt", screen.String())
}

func TestControlCInterrupts(t *testing.T) {
	t.Parallel()
	term := New(strings.NewReader("\x03y"), io.Discard)
	interrupts := 0
	term.interrupt = func() { interrupts++ }
	if a, ok := term.Ask(t.Context(), build()); ok || interrupts != 1 {
		t.Errorf("got %+v, answered %t, %d interrupts, want none answered and 1", a, ok, interrupts)
	}
}

func TestTheEndOfTheAskEndsTheQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		keyboard, typing := io.Pipe()
		var screen bytes.Buffer
		term := New(keyboard, &screen)
		restored := 0
		term.raw = func() (func(), error) { return func() { restored++ }, nil }
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if a, ok := term.Ask(ctx, build()); ok || restored != 1 {
			t.Errorf("got %+v, answered %t, restored %d times, want none and 1", a, ok, restored)
		}
		if !strings.HasSuffix(screen.String(), "]: \n") {
			t.Errorf("the prompt was not ended: %q", screen.String())
		}
		// The keyboard goes on with the next ask.
		var typed sync.WaitGroup
		typed.Go(func() { _, _ = typing.Write([]byte("n")) }) // read by Ask, or the test fails
		if _, ok := term.Ask(t.Context(), build()); !ok {
			t.Error("the next ask got no answer")
		}
		typed.Wait()
		if err := typing.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestKeysOfBeforeTheCardAreNoAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		keyboard, typing := io.Pipe()
		term := New(keyboard, io.Discard)
		term.grace = cardGrace
		var typed sync.WaitGroup
		typed.Go(func() {
			for _, key := range []struct {
				after time.Duration
				key   string
			}{{0, "y"}, {cardGrace - time.Millisecond, "y"}, {time.Millisecond, "y"}, {cardGrace - time.Millisecond, "y"}, {cardGrace, "n"}} {
				time.Sleep(key.after) // the bubble's clock
				_, _ = typing.Write([]byte(key.key))
			}
		})
		got, ok := term.Ask(t.Context(), build())
		if !ok || got.Verdict != ask.Deny {
			t.Errorf("got %+v, answered %t, want the denial typed last", got, ok)
		}
		typed.Wait()
		if err := typing.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestOpenWantsADevice(t *testing.T) {
	t.Parallel()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = in.Close(), out.Close() })
	for name, pair := range map[string][2]any{"pipes": {in, out}, "no files": {strings.NewReader("y"), &bytes.Buffer{}}} {
		if _, ok := Open(pair[0].(io.Reader), pair[1].(io.Writer)); ok {
			t.Errorf("%s: taken for a terminal", name)
		}
	}
}

// queued are asks behind the one on the screen: a plain one and a safety check.
func queued() []ask.Ask {
	plain, check := build(), guarded()
	plain.ID, check.ID = "p9tt4c", "m3xw8r"
	plain.Input = json.RawMessage(`{"command":"npm test"}`)
	plain.State, check.State = ask.Queued, ask.Queued
	return []ask.Ask{plain, check}
}

func TestAskWith(t *testing.T) {
	t.Parallel()
	given := func(verdict ask.Verdict, ids ...string) (list []Given) {
		for i, id := range ids {
			list = append(list, Given{ID: id, Answer: ask.Answer{Verdict: verdict, Surface: Surface, Together: i + 1}})
		}
		return list
	}
	one := []Given{{ID: "k3m9qd", Answer: ask.Answer{Verdict: ask.Approve, Surface: Surface}}}
	edits := build()
	edits.TakesInput = true
	changed := []Given{{ID: "k3m9qd", Answer: ask.Answer{Verdict: ask.Approve, Surface: Surface, Input: json.RawMessage(`{"command":"npm run lint"}`)}}}
	behind := queued()
	for _, tt := range []struct {
		name, typed string
		ask         ask.Ask
		behind      []ask.Ask
		want        []Given
		screen      string
	}{
		{"all, but the safety check", "la", build(), behind, given(ask.Approve, "p9tt4c", "k3m9qd"), "[a] allow 1, 2 "},
		{"deny all", "ln", build(), behind, given(ask.Deny, "p9tt4c", "m3xw8r", "k3m9qd"), "[n] deny all"},
		{"one of them", "l2y", build(), behind, given(ask.Approve, "p9tt4c"), "Ask 2, p9tt4c: "},
		{"a safety check has no y", "l3yn", build(), behind, given(ask.Deny, "m3xw8r"), "on its own card: a safety check needs its own answer"},
		{"back to the card", "lbl1y", build(), behind, one, "2 more of this session wait: [l] lists them"},
		{"nothing waits behind", "ly", build(), nil, one, "No other ask of this session waits."},
		{"none in reach but one", "lan", guarded(), behind, given(ask.Deny, "p9tt4c", "m3xw8r", "k3m9qd"), "[n] deny all"},
		{"edited", "e\b\b\b\b\blint\r", edits, nil, changed, "Edit, then Enter: npm run build"},
		{"edited anew", "e\x15npm run lint\n", edits, nil, changed, "[e] edit and allow"},
		{"nothing edited", "e\rey", edits, nil, nil, "Nothing was changed; the ask is still pending."},
		{"not edited", "e\ry", edits, nil, one, "Nothing was changed; the ask is still pending."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var screen bytes.Buffer
			got, ok := New(strings.NewReader(tt.typed), &screen).AskWith(t.Context(), tt.ask, func() []ask.Ask { return tt.behind })
			if ok != (tt.want != nil) || !slices.EqualFunc(got, tt.want, func(a, b Given) bool {
				return a.ID == b.ID && text(t, a.Answer) == text(t, b.Answer) && string(a.Answer.Input) == string(b.Answer.Input)
			}) {
				t.Errorf("got %+v, want %+v\n%s", got, tt.want, screen.String())
			}
			if !strings.Contains(screen.String(), tt.screen) {
				t.Errorf("the screen has no %q:\n%s", tt.screen, screen.String())
			}
		})
	}
}

func TestGoldenList(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	if _, ok := New(strings.NewReader("la"), &screen).AskWith(t.Context(), build(), queued); !ok {
		t.Fatal("no answer")
	}
	golden.Check(t, "list", screen.String())
}

// What cannot be seen cannot be edited.
func TestEditWantsVisibleText(t *testing.T) {
	t.Parallel()
	a := build()
	a.TakesInput, a.Input = true, json.RawMessage(`{"command":"echo \u202e"}`)
	var screen bytes.Buffer
	if got, ok := New(strings.NewReader("en"), &screen).AskWith(t.Context(), a, nil); !ok || got[0].Answer.Verdict != ask.Deny || !strings.Contains(screen.String(), "hide or mislead") {
		t.Errorf("got %+v\n%s", got, screen.String())
	}
}
