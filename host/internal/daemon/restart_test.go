package daemon_test

import (
	"context"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
)

// TestAskSurvivesADaemonsRestart: the daemon goes down while a call waits; the person answers
// the next one, and the client returning with the same call gets that answer.
func TestAskSurvivesADaemonsRestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {mode: default}}\n")
	d, stop := w.Serve(nil)
	w.ChoosePIN(d)
	call := bash("s1", "toolu_1", "npm run build")
	worker := w.Agent(d.Address().String(), "worker")
	shown := make(chan string, 1)
	checked := make(chan wire.Result, 1)
	go func() {
		res, _ := worker.Check(context.Background(), call, func(p protocol.Progress) { // an error denies, as the result does
			if p.AskID != "" {
				select {
				case shown <- p.AskID:
				default:
				}
			}
		})
		checked <- res
	}()
	var id string
	select {
	case id = <-shown:
	case res := <-checked:
		t.Fatalf("got %+v, want the call to wait", res)
	}
	stop()
	if res := <-checked; res.Decision.Behavior == engine.Allow {
		t.Fatalf("the daemon went down: got %+v, want no allow", res)
	}
	d, _ = w.Serve(nil)
	admin := w.Admin(d.Address().String())
	asks, err := admin.Asks(t.Context(), ask.Filter{})
	if err != nil || len(asks) != 1 || asks[0].ID != id {
		t.Fatalf("after the restart: got %+v, %v, want ask %s waiting", asks, err, id)
	}
	if _, err := admin.Answer(t.Context(), id, ask.Answer{Verdict: ask.Approve, By: "ann"}); !protocol.NeedsPresence(err) {
		t.Fatalf("approved after a restart without the PIN: got %v, want presence_required", err)
	}
	if _, err := admin.Unlock(t.Context(), "ann", world.PIN); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Answer(t.Context(), id, ask.Answer{Verdict: ask.Approve, By: "ann", Surface: "test"}); err != nil {
		t.Fatal(err)
	}
	worker = w.Agent(d.Address().String(), "worker")
	res, err := worker.Check(t.Context(), call, nil)
	if err != nil || res.Outcome != store.AskApproved || res.DecidedBy != "ann" {
		t.Errorf("the client came back: got %s by %q, %v, want ask_approved by ann", res.Outcome, res.DecidedBy, err)
	}
	reported := call
	reported.Reports = true
	if again, err := worker.Check(t.Context(), reported, nil); err != nil || again.Outcome != store.AskApproved || again.AskID != id {
		t.Errorf("its answer was lost on the way: got %s of %s, %v, want the same approval", again.Outcome, again.AskID, err)
	}
	twin := bash("s1", "toolu_1", "npm publish")
	if res, err := worker.Check(t.Context(), twin, nil); err != nil || res.Decision.Behavior != engine.Deny {
		t.Errorf("the same call id with another command: got %+v, %v, want deny", res.Decision, err)
	}
}

// TestReload: a bad configuration keeps the old one; a good one holds as far as it
// tightens, and whole when a person accepted it; a new agent gets its token.
func TestReload(t *testing.T) {
	t.Parallel()
	const good = "agents:\n  worker: {mode: default, kind: background}\n"
	w := newWorld(t, good)
	log := newLines()
	d, _ := w.Serve(log.logger())
	worker := w.Agent(d.Address().String(), "worker")
	wants := func(c *client.Client, session string, want engine.Behavior) {
		t.Helper()
		res, err := c.Check(t.Context(), bash(session, "", "npm run build"), nil)
		if err != nil || res.Decision.Behavior != want {
			t.Errorf("npm run build: got %s (%s), %v, want %s", res.Decision.Behavior, res.Decision.Reason, err, want)
		}
	}
	wants(worker, "s1", engine.Deny)
	for name, bad := range map[string]string{
		"not YAML":             "agents: [",
		"an unknown key":       good + "rulez: []\n",
		"a rule's own example": good + "rules:\n  - {tool: Bash, content: \"npm run:*\", behavior: allow, match: [\"make all\"]}\n",
	} {
		w.Configure(bad)
		log.await(t, "the configuration has errors")
		if got := d.Host.Config().Rules; len(got) != 0 {
			t.Errorf("after %s: rules are %v, want the old configuration", name, got)
		}
		wants(worker, "s1", engine.Deny)
	}
	w.Configure(good + "  second: {mode: bypass}\nrules:\n  - {tool: Bash, content: \"npm run:*\", behavior: allow, match: [\"npm run build\"]}\n")
	log.await(t, "configuration applied")
	wants(worker, "s1", engine.Deny)
	admin := w.Admin(d.Address().String())
	state, err := admin.ConfigState(t.Context())
	if err != nil || len(state.Widenings) != 2 {
		t.Fatalf("got %+v, %v, want the rule and the mode to wait", state, err)
	}
	if _, err := admin.AcceptConfig(t.Context(), "program", state.Pending); !protocol.NeedsPresence(err) {
		t.Errorf("accepted with nobody there: got %v, want that a person is needed", err)
	}
	wants(worker, "s1", engine.Deny)
	if _, err := d.Host.AcceptConfig(t.Context(), state.Pending, "ann"); err != nil {
		t.Fatal(err)
	}
	wants(worker, "s1", engine.Allow)
	wants(w.Agent(d.Address().String(), "second"), "s2", engine.Allow)
}
