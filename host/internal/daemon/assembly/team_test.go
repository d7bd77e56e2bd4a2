package assembly_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
	"github.com/callgate/callgate/host/wire"
)

// newTeam opens hosts over one schema of PostgreSQL, each with a machine of its own.
func newTeam(t *testing.T, n int, yaml string) []*world {
	t.Helper()
	place := storetest.Schema(t, storetest.SharedServer(t))
	var team []*world
	for range n {
		team = append(team, newWorld(t, "store: \""+place+"\"\n"+yaml))
	}
	return team
}

// newMember opens one more host over the store of another.
func newMember(t *testing.T, other *world, yaml string) *world {
	t.Helper()
	return newWorld(t, "store: \""+other.Store.Path()+"\"\n"+yaml)
}

func named(tool, id, command string) wire.Request {
	return wire.Request{Tool: tool, Input: object("command", command), CallID: id, Context: wire.CallContext{Session: "s-" + id, CWD: "/"}}
}

// After a deny rule is stored on one daemon no other one allows, whatever it was deciding.
func TestTeam_aRuleIsInForceEverywhereWhenItIsStored(t *testing.T) {
	t.Parallel()
	team := newTeam(t, 3, "defaults: {mode: bypass}\n")
	content := "curl:*"
	for round := range 5 {
		stored, stop := atomic.Bool{}, make(chan struct{})
		var checks sync.WaitGroup
		for i, w := range team {
			for k := range 2 {
				checks.Go(func() {
					for n := 0; ; n++ {
						select {
						case <-stop:
							return
						default:
						}
						late := stored.Load()
						r := named("Bash", fmt.Sprintf("c%d-%d-%d-%d", round, i, k, n), "curl http://example.org")
						res, err := w.Gate.Check(context.Background(), caller("worker"), r, nil)
						if err != nil || res.AuditSeq == 0 {
							t.Errorf("got row %d, %v, want a row", res.AuditSeq, err)
							return
						}
						if late && res.Decision.Behavior == engine.Allow {
							t.Errorf("daemon %d allowed after the rule was stored: %+v", i, res.Decision)
							return
						}
						if late {
							return
						}
					}
				})
			}
		}
		rule, err := team[round%3].Store.AddRule(t.Context(), engine.Rule{Tool: "Bash", Content: &content, Behavior: engine.Deny, Scope: engine.Global, CreatedBy: "ann"})
		if err != nil {
			t.Fatal(err)
		}
		stored.Store(true)
		checks.Wait()
		close(stop)
		if err := team[(round+1)%3].Store.CatchUp(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := team[(round+1)%3].Store.RemoveRule(t.Context(), rule.ID, "ann"); err != nil {
			t.Fatal(err)
		}
	}
	report, err := team[0].Store.VerifyAudit(t.Context())
	if err != nil || !report.OK() {
		t.Errorf("audit: got %+v, %v, want one sound chain", report, err)
	}
}

// A call that waits on one daemon is answered on another, and used once.
func TestTeam_anAnswerReleasesACallElsewhere(t *testing.T) {
	t.Parallel()
	team := newTeam(t, 2, "")
	here, there := team[0], team[1]
	for _, w := range team {
		w.Asks.Attach(ask.Surface{Name: "api"})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events := there.Asks.Subscribe(ctx)
	for i, verdict := range []ask.Verdict{ask.Approve, ask.Deny} {
		results := make(chan wire.Result, 1)
		go func() {
			res, err := here.Gate.Check(ctx, caller("worker"), named("Bash", fmt.Sprint("a", i), "npm install left-pad"), nil)
			if err != nil {
				t.Error(err)
			}
			results <- res
		}()
		for ev := range events {
			if ev.Kind != ask.EventShown {
				continue
			}
			answered, err := there.Gate.Answer(ctx, ev.Ask.ID, ask.Answer{Verdict: verdict, By: "ann", Surface: "test"})
			if err != nil || slices.Contains(answered.Notes, card.ClientGone) {
				t.Errorf("%v: got the notes %q, %v, want none of a client that is gone: it waits", verdict, answered.Notes, err)
			}
			break
		}
		res := <-results
		want := map[ask.Verdict]store.Outcome{ask.Approve: store.AskApproved, ask.Deny: store.AskDenied}[verdict]
		if res.Outcome != want || res.DecidedBy != "ann" {
			t.Errorf("%v: got %s by %q, want %s by ann", verdict, res.Outcome, res.DecidedBy, want)
		}
		if used, err := there.Store.UseAsk(ctx, res.AskID, time.Now()); used || err != nil {
			t.Errorf("%v: the approval was usable again: %v, %v", verdict, used, err)
		}
	}
}

// A session's mode, a stop, a given profile and a token hold everywhere once they are set.
func TestTeam_sessionsAndTokensHoldEverywhere(t *testing.T) {
	t.Parallel()
	team := newTeam(t, 2, "defaults: {mode: bypass}\n")
	here, there := team[0], team[1]
	call := func(w *world, who authority.Caller, id string) wire.Result {
		t.Helper()
		r := named("Bash", id, "npm install")
		r.Context.Session = "s"
		res, err := w.Gate.Check(t.Context(), who, r, nil)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	if res := call(there, caller("worker"), "1"); res.Decision.Behavior != engine.Allow {
		t.Fatalf("got %+v, want an allow", res.Decision)
	}
	mode := engine.DontAsk
	if err := here.Store.SetMode(t.Context(), "s", &mode, "ann"); err != nil {
		t.Fatal(err)
	}
	if res := call(there, caller("worker"), "2"); res.Decision.Behavior != engine.Deny {
		t.Errorf("after dont_ask elsewhere: got %+v, want a denial", res.Decision)
	}
	if err := here.Store.SetMode(t.Context(), "s", nil, "ann"); err != nil {
		t.Fatal(err)
	}
	if res := call(there, caller("worker"), "3"); res.Decision.Behavior != engine.Allow {
		t.Errorf("without a mode: got %+v, want an allow", res.Decision)
	}
	k := store.Token{Name: "check:worker", Kind: store.TokenCheck, Agent: "worker", Sum: store.Hash{1}, CreatedBy: "ann"}
	if _, err := here.Store.CreateToken(t.Context(), k, ""); err != nil {
		t.Fatal(err)
	}
	if err := there.Store.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	who := caller("worker")
	who.Epoch = there.Store.Epoch() // the token was looked up now
	if _, err := here.Store.RevokeToken(t.Context(), k.Name, "ann"); err != nil {
		t.Fatal(err)
	}
	if res := call(there, who, "4"); res.Decision.Behavior != engine.Deny {
		t.Errorf("with a token revoked elsewhere: got %+v, want a denial", res.Decision)
	}
	if err := here.Asks.Pause(t.Context(), "s", "a changed call"); err != nil {
		t.Fatal(err)
	}
	if res := call(there, caller("worker"), "5"); res.Decision.Behavior != engine.Deny {
		t.Errorf("after a stop elsewhere: got %+v, want a denial", res.Decision)
	}
}
