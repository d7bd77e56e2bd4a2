package ask_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

func TestAnswersThatDoNotFit(t *testing.T) {
	t.Parallel()
	type edit func(a *ask.Ask)
	plain := func(*ask.Ask) {}
	immune := func(a *ask.Ask) { a.Decision.BypassImmune, a.Decision.Stage = true, engine.StageToolCheck }
	askRule := func(a *ask.Ask) { a.Decision.Stage = engine.StageAskRule }
	wide := func(a *ask.Ask) { a.Decision.Suggestions[0].Content = nil }
	reads := func(a *ask.Ask) { a.Tool = "Read" }
	pattern := func(a *ask.Ask) { a.Tool = "*" }
	noProject := func(a *ask.Ask) { a.ProjectRoot = "" }
	long := func(a *ask.Ask) {
		a.Input, _ = json.Marshal(map[string]string{"command": strings.Repeat("x", ask.MaxShownBytes)})
	}
	tall := func(a *ask.Ask) { a.Input, _ = json.Marshal(map[string]string{"command": strings.Repeat("\n", 100)}) }
	const theID = "the ask's own" // put in where the ask is
	yes := ask.Answer{Verdict: ask.Approve, By: "approver"}
	with := func(change func(*ask.Answer)) ask.Answer {
		answer := yes
		change(&answer)
		return answer
	}
	tests := []struct {
		name   string
		edit   edit
		answer ask.Answer
		want   error
	}{
		{"no approver", plain, ask.Answer{Verdict: ask.Approve}, ask.ErrBadAnswer},
		{"approver with a line feed", plain, ask.Answer{Verdict: ask.Approve, By: "ann\nby marta"}, ask.ErrBadAnswer},
		{"surface with an escape", plain, ask.Answer{Verdict: ask.Approve, By: "ann", Surface: "\x1b[2K"}, ask.ErrBadAnswer},
		{"unknown verdict", plain, ask.Answer{Verdict: 7, By: "a"}, ask.ErrBadAnswer},
		{"denial with a rule", plain, ask.Answer{Sets: []int{0}, By: "a"}, ask.ErrBadAnswer},
		{"scope without a rule", plain, with(func(a *ask.Answer) { a.Scope = engine.Global }), ask.ErrBadAnswer},
		{"session without a rule", plain, with(func(a *ask.Answer) { a.ForSession = true }), ask.ErrBadAnswer},
		{"no such suggestion", plain, with(func(a *ask.Answer) { a.Sets = []int{2} }), ask.ErrBadAnswer},
		{"whole tool beyond the session", plain, with(func(a *ask.Answer) { a.WholeTool = true }), ask.ErrBadAnswer},
		{"whole tool and a suggestion", plain, with(func(a *ask.Answer) { a.WholeTool, a.ForSession, a.Sets = true, true, []int{0} }), ask.ErrBadAnswer},
		{"whole tool whose name is a pattern", pattern, with(func(a *ask.Answer) { a.WholeTool, a.ForSession = true, true }), ask.ErrBadAnswer},
		{"whole tool where an ask rule asks", askRule, with(func(a *ask.Answer) { a.WholeTool, a.ForSession = true, true }), ask.ErrBadAnswer},
		{"session with another scope", plain, with(func(a *ask.Answer) { a.ForSession, a.Scope, a.Sets = true, engine.Global, []int{0} }), ask.ErrBadAnswer},
		{"unknown scope", plain, with(func(a *ask.Answer) { a.Scope, a.Sets = "planet", []int{0} }), ask.ErrBadAnswer},
		{"project scope outside a project", noProject, with(func(a *ask.Answer) { a.Scope, a.Sets = engine.Project, []int{0} }), ask.ErrBadAnswer},
		{"expiry in the past", plain, with(func(a *ask.Answer) { a.Sets, a.ExpiresAt = []int{0}, time.Unix(1, 0) }), ask.ErrBadAnswer},
		{"endless reason", plain, with(func(a *ask.Answer) { a.Reason = strings.Repeat("x", 2001) }), ask.ErrBadAnswer},
		{"reason that is not text", plain, with(func(a *ask.Answer) { a.Reason = "\xff" }), ask.ErrBadAnswer},
		{"safety check unconfirmed", immune, yes, ask.ErrUnconfirmed},
		{"long input unconfirmed", long, yes, ask.ErrUnconfirmed},
		{"many lines unconfirmed", tall, yes, ask.ErrUnconfirmed},
		{"long input with a rule", long, with(func(a *ask.Answer) { a.ConfirmID, a.Sets = theID, []int{0} }), ask.ErrBadAnswer},
		{"long input, confirmed", long, with(func(a *ask.Answer) { a.ConfirmID = theID }), nil},
		{"safety check, confirmed", immune, with(func(a *ask.Answer) { a.ConfirmID = theID }), nil},
		{"long input denied without more", long, ask.Answer{By: "a"}, nil},
		{"suggestion", plain, with(func(a *ask.Answer) { a.Sets, a.Scope, a.ConfirmID = []int{1}, engine.Project, theID }), nil},
		{"suggestion with expiry", plain, with(func(a *ask.Answer) { a.Sets, a.ExpiresAt, a.ConfirmID = []int{0}, time.Now().Add(1e6*time.Hour), theID }), nil},
		{"suggestion unconfirmed", plain, with(func(a *ask.Answer) { a.Sets = []int{0} }), ask.ErrUnconfirmed},
		{"global suggestion unconfirmed", plain, with(func(a *ask.Answer) { a.Sets, a.Scope = []int{0}, engine.Global }), ask.ErrUnconfirmed},
		{"suggestion with expiry unconfirmed", plain, with(func(a *ask.Answer) { a.Sets, a.ExpiresAt = []int{0}, time.Now().Add(1e6*time.Hour) }), ask.ErrUnconfirmed},
		{"suggestion confirmed by another id", plain, with(func(a *ask.Answer) { a.Sets, a.ConfirmID = []int{0}, "aaaaaa" }), ask.ErrUnconfirmed},
		{"safety check confirmed by another id", immune, with(func(a *ask.Answer) { a.ConfirmID = "aaaaaa" }), ask.ErrUnconfirmed},
		{"suggestion of scope session", plain, with(func(a *ask.Answer) { a.Sets, a.Scope = []int{0}, engine.Session }), nil},
		{"suggestion for the session", plain, with(func(a *ask.Answer) { a.Sets, a.ForSession = []int{0}, true }), nil},
		{"denial without an id", immune, ask.Answer{By: "a"}, nil},
		{"whole tool unconfirmed", plain, with(func(a *ask.Answer) { a.WholeTool, a.ForSession = true, true }), ask.ErrUnconfirmed},
		{"whole tool, confirmed", plain, with(func(a *ask.Answer) { a.WholeTool, a.ForSession, a.ConfirmID = true, true, theID }), nil},
		{"suggested whole tool unconfirmed", wide, with(func(a *ask.Answer) { a.Sets, a.ForSession = []int{0}, true }), ask.ErrUnconfirmed},
		{"suggested whole tool, confirmed", wide, with(func(a *ask.Answer) { a.Sets, a.ForSession, a.ConfirmID = []int{0}, true, theID }), nil},
		{"whole tool that reads files", reads, with(func(a *ask.Answer) { a.WholeTool, a.ForSession = true, true }), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, ask.Config{}, func(w *world) {
				a := call("a")
				tt.edit(&a)
				w.request("a", a)
				answer := tt.answer
				if answer.ConfirmID == theID {
					answer.ConfirmID = " " + strings.ToUpper(w.id("a")) + "\n" // as people type
				}
				got, err := w.broker.Answer(w.t.Context(), w.id("a"), answer)
				if !errors.Is(err, tt.want) {
					t.Errorf("got error %v, want %v", err, tt.want)
				}
				if waits := w.stored("a").State == ask.Shown; waits != (tt.want != nil) {
					t.Errorf("still waits: %v after error %v (%s)", waits, err, got.State)
				}
			})
		})
	}
}

func TestSessionAnswerCarriesSessionScope(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		if _, err := w.answer("a", ask.Answer{Verdict: ask.Approve, Sets: []int{0}, ForSession: true, Surface: "terminal"}); err != nil {
			t.Fatal(err)
		}
		got := w.outcome("a").Ask.Answer
		if got == nil || got.Scope != engine.Session || got.By != "approver" || got.At.IsZero() {
			t.Errorf("got answer %+v, want session scope by approver", got)
		}
	})
}

func TestLateAnswerIsToldWhoWasFirst(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		id := w.id("a")
		first := ask.Answer{Verdict: ask.Approve, By: "marta", Surface: "discord"}
		if _, err := w.broker.Answer(w.t.Context(), " "+strings.ToUpper(id)+"\n", first); err != nil {
			t.Fatal(err)
		}
		_, err := w.broker.Answer(w.t.Context(), id, ask.Answer{By: "jo", Surface: "terminal"})
		var settled *ask.SettledError
		if !errors.As(err, &settled) || settled.Ask.Answer.By != "marta" {
			t.Fatalf("got %v, want a SettledError naming marta", err)
		}
		if !strings.Contains(err.Error(), "already approved by marta in discord") {
			t.Errorf("got %q", err)
		}
		w.want("a", ask.Approved, ask.CauseAnswered)
	})
}

func TestDenialReasonReachesTheModel(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("a", call("a"))
		if _, err := w.answer("a", ask.Answer{Reason: " use make build "}); err != nil {
			t.Fatal(err)
		}
		if got, want := w.outcome("a").Message, "The Bash call was not run: a person denied it: use make build"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestSettle(t *testing.T) {
	t.Parallel()
	inSession := func(name, session string) ask.Ask {
		a := call(name)
		a.Session = session
		return a
	}
	yes := ask.Answer{Verdict: ask.Approve, By: "marta"}
	inWorld(t, ask.Config{}, func(w *world) {
		w.request("seen", inSession("seen", "s1"))
		w.request("for jo", inSession("for jo", "s2"))
		w.request("queued", inSession("queued", "s1"))
		immune := inSession("immune", "s3")
		immune.Decision.BypassImmune = true
		w.request("immune", immune)
		w.broker.MarkSeen(w.id("for jo"), "jo")
		for _, name := range []string{"seen", "immune", "queued"} {
			w.broker.MarkSeen(w.id(name), "marta")
		}
		if w.broker.SeenBy("marta", w.id("queued")) {
			t.Error("a queued ask has no card, yet it counts as seen")
		}
		for name, want := range map[string]error{"for jo": ask.ErrNotSeen, "immune": ask.ErrBadAnswer} {
			if _, err := w.broker.ResolveCovered(w.t.Context(), w.id(name), yes); !errors.Is(err, want) {
				t.Errorf("%s: got %v, want %v", name, err, want)
			}
		}
		if _, err := w.broker.ResolveCovered(w.t.Context(), w.id("seen"), ask.Answer{By: "marta"}); !errors.Is(err, ask.ErrBadAnswer) {
			t.Errorf("settling by denial: got %v, want %v", err, ask.ErrBadAnswer)
		}
		for _, name := range []string{"seen", "queued"} {
			if _, err := w.broker.ResolveCovered(w.t.Context(), w.id(name), yes); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			w.want(name, ask.Approved, ask.CauseCovered)
		}
	})
}

func TestRequestsThatAreNotSound(t *testing.T) {
	t.Parallel()
	edits := map[string]func(*ask.Ask){
		"decision is allow": func(a *ask.Ask) { a.Decision.Behavior = engine.Allow },
		"no call id":        func(a *ask.Ask) { a.CallID = "" },
		"no digest":         func(a *ask.Ask) { a.Digest = "" },
		"no token":          func(a *ask.Ask) { a.Token = "" },
		"no session":        func(a *ask.Ask) { a.Session = "" },
	}
	for name, edit := range edits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, ask.Config{}, func(w *world) {
				a := call("a")
				edit(&a)
				out, err := w.broker.Ask(w.t.Context(), &a)
				if err == nil || out.Approved() {
					t.Errorf("got %v and approved=%v, want an error and a denial", err, out.Approved())
				}
			})
		})
	}
}

// TestAnswerAfterTheClockButBeforeTheTimer has the clock run ahead of the
// timers, as when the machine was asleep.
func TestAnswerAfterTheClockButBeforeTheTimer(t *testing.T) {
	t.Parallel()
	var asleep time.Duration
	now := func() time.Time { return time.Now().Add(asleep) }
	inWorld(t, ask.Config{Now: now}, func(w *world) {
		w.request("a", call("a"))
		asleep = time.Hour
		if _, err := w.answer("a", ask.Answer{Verdict: ask.Approve}); !errors.Is(err, ask.ErrSettled) {
			t.Errorf("got %v, want %v", err, ask.ErrSettled)
		}
		w.want("a", ask.TimedOut, ask.CauseTimeout)
	})
}

// leftContext is a context already ended without reporting it yet.
type leftContext struct {
	context.Context
	left *atomic.Bool
}

func (c leftContext) Done() <-chan struct{} { return nil }

func (c leftContext) Err() error {
	if c.left.Load() {
		return context.Canceled
	}
	return nil
}

func TestAnApprovalIsNotSpentOnACallerWhoHasLeft(t *testing.T) {
	t.Parallel()
	inWorld(t, ask.Config{}, func(w *world) {
		var left atomic.Bool
		w.requestWith(leftContext{w.t.Context(), &left}, func() {}, "a", call("a"))
		left.Store(true)
		w.approve("a")
		w.want("a", ask.Denied, ask.CauseCaller)
		w.request("back", call("a"))
		w.want("back", ask.Approved, ask.CauseAnswered)
	})
}
