package ask_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// two is a policy of two approvals by ops, not by the requester.
var two = approvers.Policy{{Roles: []string{"ops"}, Quorum: 2, ExcludeRequester: true}}

func (w *world) under(policy approvers.Policy) {
	a := call("c")
	a.Approvers = policy
	w.request("c", a)
}

func approval(by string, roles ...string) ask.Answer {
	return ask.Answer{Verdict: ask.Approve, By: by, Roles: roles}
}

// TestVotes_refused: a person without the right to answer gets the missing right, and changes
// nothing. Ann triggers the call.
func TestVotes_refused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy approvers.Policy
		answer ask.Answer
		want   string
	}{
		{"a bystander", two, approval("eve", "dev"), "eve may not answer: it takes the role ops"},
		{"a bystander's denial", two, ask.Answer{By: "eve"}, "eve may not answer"},
		{"the requester's own approval", two, approval("ann", "ops"), "ann triggered the call and may not approve it, only deny it"},
		{"by what holds when the answer comes", nil, ask.Answer{Verdict: ask.Approve, By: "eve", Policy: two}, "it takes the role ops"},
		{"by what held when it was asked", two, ask.Answer{Verdict: ask.Approve, By: "eve", Policy: approvers.Policy{}}, "it takes the role ops"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, ask.Config{}, func(w *world) {
				w.under(tt.policy)
				before := w.stored("c")
				for _, again := range []bool{false, true} {
					_, err := w.answer("c", tt.answer)
					var not *ask.NotApproverError
					if !errors.As(err, &not) || !errors.Is(err, ask.ErrNotApprover) || !strings.Contains(err.Error(), tt.want) || not.Again != again {
						t.Errorf("got %v (again %t), want %q, again %t", err, not != nil && not.Again, tt.want, again)
					}
				}
				if after := w.stored("c"); after.State != ask.Shown || len(after.Votes) > 0 || !after.Deadline.Equal(before.Deadline) {
					t.Errorf("the ask changed: %+v", after)
				}
				w.calls["c"].cancel()
			})
		})
	}
}

// TestVotes_enough: as many different people as are needed end the ask, once.
func TestVotes_enough(t *testing.T) {
	inWorld(t, ask.Config{}, func(w *world) {
		events := w.broker.Subscribe(w.t.Context())
		w.under(two)
		first, err := w.answer("c", approval("bob", "ops"))
		if err != nil || first.State != ask.Shown || first.Progress() != "1 of 2 approved: bob" {
			t.Fatalf("got %s, %q, %v", first.State, first.Progress(), err)
		}
		for _, same := range []string{"bob", "BOB"} {
			if again, err := w.answer("c", approval(same, "ops")); err != nil || again.State != ask.Shown || len(again.Votes) != 1 {
				t.Fatalf("the same person twice: got %s, %d votes, %v", again.State, len(again.Votes), err)
			}
		}
		last, err := w.answer("c", approval("cy", "ops"))
		if err != nil || last.State != ask.Approved || last.DecidedBy() != "BOB, cy" {
			t.Fatalf("got %s by %q, %v", last.State, last.DecidedBy(), err)
		}
		w.want("c", ask.Approved, ask.CauseAnswered)
		if _, err := w.answer("c", approval("dan", "ops")); err == nil {
			t.Error("a third approval was taken")
		}
		var kinds []ask.EventKind
		for range 5 {
			kinds = append(kinds, (<-events).Kind)
		}
		if want := []ask.EventKind{ask.EventShown, ask.EventVoted, ask.EventVoted, ask.EventVoted, ask.EventAnswered}; !slices.Equal(kinds, want) {
			t.Errorf("events: got %v, want %v", kinds, want)
		}
	})
}

// TestVotes_denied: one denial ends the ask, after any approvals, and a vote after it changes
// nothing; the requester may deny their call.
func TestVotes_denied(t *testing.T) {
	for _, by := range []ask.Answer{{By: "cy", Roles: []string{"ops"}}, {By: "ann"}} {
		inWorld(t, ask.Config{}, func(w *world) {
			w.under(two)
			id := w.id("c")
			if _, err := w.answer("c", approval("bob", "ops")); err != nil {
				t.Fatal(err)
			}
			if got, err := w.answer("c", by); err != nil || got.State != ask.Denied || got.DecidedBy() != by.By {
				t.Fatalf("got %s by %q, %v", got.State, got.DecidedBy(), err)
			}
			w.want("c", ask.Denied, ask.CauseAnswered)
			if _, err := w.broker.Answer(w.t.Context(), id, approval("dan", "ops")); !errors.Is(err, ask.ErrSettled) {
				t.Errorf("a vote after the denial: got %v, want ErrSettled", err)
			}
		})
	}
}

// TestVotes_timeout: too few votes do not keep the ask from its end.
func TestVotes_timeout(t *testing.T) {
	inWorld(t, ask.Config{}, func(w *world) {
		w.under(two)
		if _, err := w.answer("c", approval("bob", "ops")); err != nil {
			t.Fatal(err)
		}
		w.until(ask.DefaultTimeout)
		w.want("c", ask.TimedOut, ask.CauseTimeout)
	})
}

// TestVotes_restart: votes are kept, and those of who may no longer approve do not
// count.
func TestVotes_restart(t *testing.T) {
	inWorld(t, ask.Config{}, func(w *world) {
		w.under(two)
		if _, err := w.answer("c", approval("bob", "ops")); err != nil {
			t.Fatal(err)
		}
		w.restart()
		stricter := approval("cy", "ops")
		stricter.Policy = approvers.Policy{{Users: []string{"cy", "dan"}}}
		if got, err := w.answer("c", stricter); err != nil || got.State != ask.Shown || got.Progress() != "1 of 2 approved: cy" {
			t.Fatalf("bob may no longer: got %s, %q, %v", got.State, got.Progress(), err)
		}
		if got, err := w.answer("c", approval("dan", "ops")); err != nil || got.State != ask.Approved || got.DecidedBy() != "cy, dan" {
			t.Fatalf("got %s by %q, %v", got.State, got.DecidedBy(), err)
		}
		w.request("again", call("c"))
		w.want("again", ask.Approved, ask.CauseAnswered)
	})
}

// TestVotes_rules: a rule is stored only if all who approved accepted it.
func TestVotes_rules(t *testing.T) {
	soon, late := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
	of := func(scope engine.Scope, until time.Time, sets ...int) ask.Answer {
		return ask.Answer{Verdict: ask.Approve, Sets: sets, Scope: scope, ExpiresAt: until, ForSession: scope == engine.Session}
	}
	for _, tt := range []struct {
		name          string
		first, second ask.Answer
		want          ask.Answer
	}{
		{"the same", of(engine.Agent, late, 0), of(engine.Agent, soon, 0), of(engine.Agent, soon, 0)},
		{"for ever and not", of(engine.Agent, time.Time{}, 0), of(engine.Agent, soon, 0), of(engine.Agent, soon, 0)},
		{"one of two", of(engine.Agent, late, 0, 1), of(engine.Agent, late, 1), of(engine.Agent, late, 1)},
		{"one accepted none", of("", time.Time{}), of(engine.Agent, late, 1), of("", time.Time{})},
		{"the last accepted none", of(engine.Agent, late, 1), of("", time.Time{}), of("", time.Time{})},
		{"others", of(engine.Agent, late, 0), of(engine.Agent, late, 1), of("", time.Time{})},
		{"another place", of(engine.Agent, late, 0), of(engine.Project, late, 0), of("", time.Time{})},
		{"the session and for good", of(engine.Session, time.Time{}, 0), of(engine.Agent, time.Time{}, 0), of("", time.Time{})},
		{"the tool and a suggestion", ask.Answer{Verdict: ask.Approve, WholeTool: true, ForSession: true}, of(engine.Session, time.Time{}, 0), of("", time.Time{})},
		{"the tool", ask.Answer{Verdict: ask.Approve, WholeTool: true, ForSession: true}, ask.Answer{Verdict: ask.Approve, WholeTool: true, ForSession: true},
			ask.Answer{Verdict: ask.Approve, WholeTool: true, ForSession: true, Scope: engine.Session}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, ask.Config{}, func(w *world) {
				w.under(approvers.Policy{{Quorum: 2}})
				tt.first.By, tt.first.ConfirmID = "1", w.id("c")
				if _, err := w.answer("c", tt.first); err != nil {
					t.Fatal(err)
				}
				tt.second.By, tt.second.ConfirmID = "2", w.id("c")
				got, err := w.answer("c", tt.second)
				if err != nil {
					t.Fatal(err)
				}
				a := got.Answer
				if !slices.Equal(a.Sets, tt.want.Sets) || a.WholeTool != tt.want.WholeTool || a.ForSession != tt.want.ForSession || a.Scope != tt.want.Scope || !a.ExpiresAt.Equal(tt.want.ExpiresAt) {
					t.Errorf("got %+v, want %+v", a, tt.want)
				}
			})
		})
	}
}

// TestVotes_settle: a rule accepted on another card answers no ask outside its approver's
// rights, or in need of several approvals.
func TestVotes_settle(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy approvers.Policy
		by     ask.Answer
		want   bool
	}{
		{"may answer", approvers.Policy{{Roles: []string{"ops"}}}, approval("bob", "ops"), true},
		{"may not", approvers.Policy{{Roles: []string{"ops"}}}, approval("eve"), false},
		{"triggered it", approvers.Policy{{ExcludeRequester: true}}, approval("ann"), false},
		{"several have to", approvers.Policy{{Quorum: 2}}, approval("bob"), false},
		{"may not any longer", nil, ask.Answer{Verdict: ask.Approve, By: "bob", Policy: two}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inWorld(t, ask.Config{}, func(w *world) {
				w.under(tt.policy)
				_, err := w.broker.ResolveCovered(w.t.Context(), w.id("c"), tt.by)
				if (err == nil) != tt.want || err != nil && !errors.Is(err, ask.ErrNotApprover) {
					t.Errorf("got %v, want it settled: %t", err, tt.want)
				}
				w.calls["c"].cancel()
			})
		})
	}
}

// TestVotes_properties: for any answers in any order, an approved ask has as many different
// voters as needed, all of them approvers, and a denied one a denial by a permitted person.
func TestVotes_properties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		policy := approvers.Policy{{
			Users:            rapid.SliceOfDistinct(rapid.SampledFrom([]string{"bob", "cy"}), rapid.ID[string]).Draw(r, "users"),
			Roles:            rapid.SliceOfDistinct(rapid.SampledFrom([]string{"ops", "dev"}), rapid.ID[string]).Draw(r, "roles"),
			Quorum:           rapid.IntRange(0, 3).Draw(r, "quorum"),
			ExcludeRequester: rapid.Bool().Draw(r, "exclude"),
		}}
		store := newMemStore()
		b := ask.New(ask.Config{Store: store})
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		a := call("c")
		a.Approvers = policy
		events := b.Subscribe(ctx)
		go func() { defer close(done); _, _ = b.Ask(ctx, &a) }() // how it ends is looked at in the store
		id := (<-events).Ask.ID
		for range rapid.IntRange(0, 8).Draw(r, "answers") {
			answer := ask.Answer{By: rapid.SampledFrom([]string{"ann", "bob", "cy", "dan", "Bob"}).Draw(r, "by"), Roles: rapid.SliceOfDistinct(rapid.SampledFrom([]string{"ops", "dev"}), rapid.ID[string]).Draw(r, "of")}
			if rapid.IntRange(0, 3).Draw(r, "deny") > 0 {
				answer.Verdict = ask.Approve
			}
			_, err := b.Answer(ctx, id, answer)
			may := policy.Authorise("ann", answer.Person())
			if ok := answer.Verdict == ask.Approve && may.MayApprove || answer.Verdict != ask.Approve && may.MayDeny; err == nil && !ok {
				r.Fatalf("%+v was taken: %s", answer, may.Reason)
			}
		}
		ended, err := store.Ask(ctx, id)
		if err != nil {
			r.Fatal(err)
		}
		cancel()
		<-done
		b.Close()
		if ended.State != ask.Approved {
			return
		}
		votes := ended.Votes
		if len(votes) == 0 {
			votes = []ask.Answer{*ended.Answer}
		}
		var names []string
		for _, v := range votes {
			if name := strings.ToLower(v.By); !slices.Contains(names, name) && policy.Authorise("ann", v.Person()).MayApprove {
				names = append(names, name)
			}
		}
		if len(names) != len(votes) || len(names) < policy.Quorum() {
			r.Fatalf("approved by %v under %v", names, policy)
		}
	})
}

// TestHammer_votes: 50 people approve one ask at once where three are needed. It ends once, by
// three different ones, and the rest hears of its end.
func TestHammer_votes(t *testing.T) {
	t.Parallel()
	kept := openStore(t, filepath.Join(t.TempDir(), "asks.db"))
	b := ask.New(ask.Config{Store: kept})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	events := b.Subscribe(ctx)
	a := call("c")
	a.Approvers = approvers.Policy{{Roles: []string{"ops"}, Quorum: 3}}
	out := make(chan ask.Outcome, 1)
	go func() {
		got, err := b.Ask(ctx, &a)
		if err != nil {
			t.Error(err)
		}
		out <- got
	}()
	id := (<-events).Ask.ID
	var voted, ended, late atomic.Int32
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			got, err := b.Answer(ctx, id, approval(fmt.Sprint("p", i), "ops"))
			switch {
			case errors.Is(err, ask.ErrSettled):
				late.Add(1)
			case err != nil:
				t.Error(err)
			case got.State == ask.Approved:
				ended.Add(1)
			default:
				voted.Add(1)
			}
		})
	}
	all.Wait()
	got := <-out
	if voted.Load() != 2 || ended.Load() != 1 || late.Load() != 47 {
		t.Errorf("got %d votes, %d ends, %d too late, want 2, 1, 47", voted.Load(), ended.Load(), late.Load())
	}
	stored, err := kept.Ask(ctx, id)
	if err != nil || !got.Approved() || len(stored.Votes) != 3 || stored.DecidedBy() != got.Ask.DecidedBy() {
		t.Errorf("got %s by %q, stored %s by %q, %v", got.Ask.State, got.Ask.DecidedBy(), stored.State, stored.DecidedBy(), err)
	}
	b.Close()
}
