package gate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// deafStore fails at the named operations.
type deafStore struct {
	*store.Store
	session, rules, audit error
}

func (s deafStore) Append(ctx context.Context, row store.Row) (store.Row, error) {
	if s.audit != nil {
		return store.Row{}, s.audit
	}
	return s.Store.Append(ctx, row)
}

func (s deafStore) AppendCall(ctx context.Context, row store.Row, c store.Call) (store.Row, error) {
	if s.audit != nil {
		return store.Row{}, s.audit
	}
	return s.Store.AppendCall(ctx, row, c)
}

// A store that is away, or that takes no changes, has a code of its own, and the agent reads nothing
// of the database; only the first is worth another try.
func TestUnwritableAudit_code(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		again string
	}{
		"away":      {store.ErrUnavailable, "Try again in a minute."},
		"went back": {store.ErrRewound, "Do not try again"},
		"read-only": {store.ErrReadOnly, "Do not try again"},
		"in use":    {store.ErrLocked, "Do not try again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "agents: {loose: {mode: bypass}}\n")
			parts := w.Parts(w.Broker)
			parts.Store = deafStore{Store: w.Store, audit: fmt.Errorf("%w: at db.internal", c.err)}
			g, err := assembly.NewGate(parts)
			if err != nil {
				t.Fatal(err)
			}
			w.Gate = g
			d := w.Check(authority.Caller{Token: "check:loose", Agent: "loose"}, call("x")).Decision
			if d.Behavior != engine.Deny || d.Code != engine.CodeStoreUnavailable || !strings.Contains(d.Message, c.again) || strings.Contains(d.Message+d.Reason, "db.internal") {
				t.Errorf("got %+v, want a denial with code %s and %q, without the database", d, engine.CodeStoreUnavailable, c.again)
			}
		})
	}
}

// TestUnwritableAuditDenies: an unwritten decision is a denial, also while every read of the
// store works: without a question, approved by a person, and for an invalid request.
func TestUnwritableAuditDenies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {loose: {mode: bypass}, worker: {}}\n")
	parts := w.Parts(w.Broker)
	parts.Store = deafStore{Store: w.Store, audit: errors.New("disk full")}
	g, err := assembly.NewGate(parts)
	if err != nil {
		t.Fatal(err)
	}
	w.Gate = g
	denied := func(what string, res wire.Result) {
		t.Helper()
		if d := res.Decision; d.Behavior != engine.Deny || res.Outcome != store.Denied || !strings.Contains(d.Reason, "the decision could not be audited: disk full") {
			t.Errorf("%s: got %s (%s, %s); want a denial that names the audit", what, d.Behavior, res.Outcome, d.Reason)
		}
	}
	free := call("x")
	free.Context.Session = "s2"
	denied("allowed by the mode", w.Check(authority.Caller{Token: "check:loose", Agent: "loose"}, free))
	shown, done := w.Start(worker, call("x"))
	w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve})
	denied("approved", <-done)
	res, err := g.Check(t.Context(), worker, wire.Request{Tool: "Probe", Input: []byte(`[]`)}, nil)
	if !errors.Is(err, authority.ErrBadRequest) {
		t.Errorf("no request: got %v", err)
	}
	denied("no request", res)
	if n := w.Decisions(); n != 0 {
		t.Errorf("got %d rows, want none: the test failed the writes", n)
	}
}

func (s deafStore) TouchSession(ctx context.Context, in store.Session) (store.Session, error) {
	if s.session != nil {
		return store.Session{}, s.session
	}
	return s.Store.TouchSession(ctx, in)
}

func (s deafStore) RulesFor(ctx context.Context, agent, session, project string, about *engine.About) ([]engine.Rule, error) {
	if s.rules != nil {
		return nil, s.rules
	}
	return s.Store.RulesFor(ctx, agent, session, project, about)
}

// A failure before the decision kept the rules from being read, so a call denied by a rule went
// to a person, who could approve it.
func TestFailuresLeaveTheDenyRulesInForce(t *testing.T) {
	t.Parallel()
	broken := errors.New("disk on fire")
	cases := map[string]struct {
		session, rules error
		stored         bool
	}{
		"session, configured rule": {session: broken},
		"session, stored rule":     {session: broken, stored: true},
		"rules, configured rule":   {rules: broken},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			yaml := "defaults: {mode: bypass}\n"
			if !c.stored {
				yaml += "rules: [{deny: Probe(x)}]\n"
			}
			w := newWorld(t, yaml)
			if c.stored {
				content := "x"
				rule := engine.Rule{Tool: "Probe", Content: &content, Behavior: engine.Deny, Scope: engine.Global}
				if _, _, err := w.Gate.AddRule(t.Context(), "ann", rule); err != nil {
					t.Fatal(err)
				}
			}
			parts := w.Parts(w.Broker)
			parts.Store = deafStore{Store: w.Store, session: c.session, rules: c.rules}
			g, err := assembly.NewGate(parts)
			if err != nil {
				t.Fatal(err)
			}
			res, err := g.Check(t.Context(), worker, call("x"), nil)
			if err != nil || res.Decision.Behavior != engine.Deny || res.Decision.Rule == nil {
				t.Errorf("got %+v, %v; want a denial by the rule", res.Decision, err)
			}
		})
	}
}
