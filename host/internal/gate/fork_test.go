package gate_test

import (
	"context"
	"errors"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// The mode of forks holds for calls marked as a fork's by a believed client, over that of the
// session, until the forks end or the session is cleared; no other session has it.
func TestForkMode(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, end := range map[string]func(w *world) error{
		"fork exit": func(w *world) error { _, err := w.Gate.ExitFork(ctx, "s1", "ann"); return err },
		"clear":     func(w *world) error { _, err := w.Gate.ClearSession(ctx, "s1", "ann"); return err },
		"taken":     func(w *world) error { return w.Gate.SetForkMode(ctx, "s1", nil, "ann") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, twoDirsOf(t))
			integrator := authority.Caller{Token: "bot", Kind: authority.Integrator}
			try := func(session, kind string, want engine.Behavior) {
				t.Helper()
				r := call("x")
				r.Context = wire.CallContext{Agent: "worker", Session: session, Kind: kind}
				res, err := w.Gate.Evaluate(ctx, integrator, r)
				if err != nil || res.Decision.Behavior != want {
					t.Errorf("%s, %q: got %s, %v, want %s", session, kind, res.Decision.Behavior, err, want)
				}
			}
			for _, id := range []string{"s1", "s2"} {
				if _, err := w.Store.TouchSession(ctx, store.Session{ID: id, Agent: "worker", Token: "bot"}); err != nil {
					t.Fatal(err)
				}
			}
			bypass, explore := engine.Bypass, engine.Explore
			if widens, err := w.Gate.WidensFork(ctx, "s1", &bypass); err != nil || !widens {
				t.Errorf("bypass for forks: widens %v, %v, want true", widens, err)
			}
			if err := w.Gate.SetForkMode(ctx, "s1", &bypass, "ann"); err != nil {
				t.Fatal(err)
			}
			if widens, err := w.Gate.WidensFork(ctx, "s1", nil); err != nil || widens {
				t.Errorf("back to the session's: widens %v, %v, want false", widens, err)
			}
			try("s1", "interactive_fork", engine.Allow)
			try("s1", "main", engine.Ask)
			try("s1", "background", engine.Deny)
			try("s2", "interactive_fork", engine.Ask)
			if err := w.Gate.SetMode(ctx, "s1", &explore, "ann"); err != nil {
				t.Fatal(err)
			}
			try("s1", "interactive_fork", engine.Allow) // its own, not the session's
			try("s1", "main", engine.Deny)
			if err := w.Gate.SetMode(ctx, "s1", nil, "ann"); err != nil {
				t.Fatal(err)
			}
			if err := end(w); err != nil {
				t.Fatal(err)
			}
			try("s1", "interactive_fork", engine.Ask)
		})
	}
}

// T02: only the client knows a fork's calls; from a check token this makes nothing looser, and
// a person's attempt to set a looser mode is refused.
func TestT02_forkClaimNeverWidens(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := newWorld(t, twoDirsOf(t))
	if _, err := w.Store.TouchSession(ctx, store.Session{ID: "s1", Agent: "worker", Token: worker.Token}); err != nil {
		t.Fatal(err)
	}
	forked := call("x")
	forked.Context.Kind = "interactive_fork"
	bypass, explore := engine.Bypass, engine.Explore
	if err := w.Gate.SetForkMode(ctx, "s1", &bypass, "ann"); !errors.Is(err, admin.ErrForkNarrows) {
		t.Errorf("bypass for a check token's forks: got %v, want ErrForkNarrows", err)
	}
	// Behind the gate's back, as in a store once used by an integrator.
	if err := w.Store.SetForkMode(ctx, "s1", &bypass, "ann"); err != nil {
		t.Fatal(err)
	}
	if d := w.evaluate(forked); d.Behavior != engine.Ask {
		t.Errorf("a claimed fork: got %s, want ask", d.Behavior)
	}
	if err := w.Gate.SetForkMode(ctx, "s1", &explore, "ann"); err != nil {
		t.Fatal(err)
	}
	if d := w.evaluate(forked); d.Behavior != engine.Deny {
		t.Errorf("a fork that may only explore: got %s, want deny", d.Behavior)
	}
	if d := w.evaluate(call("x")); d.Behavior != engine.Ask {
		t.Errorf("the main conversation: got %s, want ask", d.Behavior)
	}
	if err := w.Gate.SetForkMode(ctx, "nobody", &explore, "ann"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown session: got %v, want not found", err)
	}
}

// In the background, every ask denies, and the session's grants do not count; deny rules and
// lasting allow rules do.
func TestBackgroundNeverAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t))
	shown, done := w.Start(worker, call("x"))
	w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve, ForSession: true, WholeTool: true, ConfirmID: shown.ID})
	<-done
	back := call("y")
	back.Context.Kind = "background"
	res := w.Check(worker, back)
	if res.Decision.Behavior != engine.Deny || res.Decision.ConvertedBy != engine.CodeBackground || res.AskID != "" {
		t.Errorf("granted to the session: got %+v, want a denial at once", res.Decision)
	}
	if n := len(w.Broker.Waiting(ask.Filter{})); n != 0 {
		t.Errorf("%d asks wait, want none", n)
	}
	if d := w.evaluate(call("y")); d.Behavior != engine.Allow {
		t.Errorf("the main conversation: got %s, want the grant", d.Behavior)
	}
	y := "y"
	if _, err := w.Store.AddRule(context.Background(), engine.Rule{Tool: "Probe", Content: &y, Behavior: engine.Allow, Scope: engine.Agent, ScopeKey: "worker"}); err != nil {
		t.Fatal(err)
	}
	if d := w.evaluate(back); d.Behavior != engine.Allow {
		t.Errorf("with a rule of the agent: got %+v, want allow", d)
	}
}

// A resumed session asks while a person can answer, and an ask rule without an approver, or
// resume_asks: deny, denies with the rule to add.
func TestResumedSession(t *testing.T) {
	t.Parallel()
	rule := "rules:\n  - ask: \"Probe(x)\"\n"
	for name, c := range map[string]struct {
		yaml string
		deaf bool
		want engine.Behavior
	}{
		"somebody answers":      {twoDirsOf(t) + rule, false, engine.Ask},
		"nobody answers":        {twoDirsOf(t) + rule, true, engine.Deny},
		"resume_asks is deny":   {"defaults: {resume_asks: deny}\n" + rule, false, engine.Deny},
		"no ask rule, the mode": {"defaults: {resume_asks: deny}\n", false, engine.Ask},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.yaml)
			g := w.Gate
			if c.deaf {
				broker := ask.New(ask.Config{Store: w.Store})
				t.Cleanup(broker.Close)
				var err error
				if g, err = assembly.NewGate(w.Parts(broker)); err != nil {
					t.Fatal(err)
				}
			}
			r := call("x")
			r.Context.Resumed = true
			res, err := g.Evaluate(context.Background(), worker, r)
			if err != nil || res.Decision.Behavior != c.want {
				t.Errorf("got %+v, %v, want %s", res.Decision, err, c.want)
			}
			if c.want == engine.Deny && res.Decision.ConvertedBy != engine.CodeResumed {
				t.Errorf("converted by %q, want %q", res.Decision.ConvertedBy, engine.CodeResumed)
			}
		})
	}
}

// Every row names the deciding rule, its source, and the module.
func TestAuditSaysWhichRuleAndModule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, twoDirsOf(t)+"rules:\n  - deny: \"Probe(no)\"\n")
	w.Check(worker, call("no"))
	if row := w.LastRow(); row.RuleText != "Probe(no)" || row.RuleSource == "" || row.ModuleDigest != "d1" {
		t.Errorf("a rule of the configuration: got %+v", row)
	}
	shown, done := w.Start(worker, call("build"))
	w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve, ForSession: true})
	<-done
	if row := w.LastRow(); row.AskID != shown.ID || row.DecidedBy != "ann" {
		t.Errorf("an approval: got %+v", row)
	}
	w.Check(worker, call("build"))
	if row := w.LastRow(); row.RuleSource != "session s1: ask "+shown.ID+" (ann)" || row.RuleID == "" {
		t.Errorf("a grant: got %+v", row)
	}
}
