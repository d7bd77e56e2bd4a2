package gate_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/wire"
)

// members holds people's roles in a chat.
type members struct {
	mu    sync.Mutex
	holds map[string]approvers.Person
	err   error
	asked []string
	fresh int
}

func (c *members) Member(ctx context.Context, name string, fresh bool) (approvers.Person, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = append(c.asked, name)
	if fresh {
		c.fresh++
	}
	if _, bounded := ctx.Deadline(); !bounded {
		return approvers.Person{}, false, errors.New("no time limit")
	}
	p, listed := c.holds[name]
	return p, listed, c.err
}

func (c *members) set(change func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change()
}

// TestMembers: roles in a chat count for people named by the operator, and no other claim or
// failure makes them count.
func TestMembers(t *testing.T) {
	admin := approvers.Person{Name: "dev", Roles: []string{"developer", "admin"}}
	robot := authority.Caller{Token: "bot", Kind: authority.Integrator}
	for _, tt := range []struct {
		name   string
		caller authority.Caller
		claim  wire.CallContext
		holds  approvers.Person
		err    error
		asked  int
		want   string // in the denial; empty for an ask
	}{
		{"the agent's user", worker, wire.CallContext{}, admin, nil, 1, ""},
		{"whom an integrator names", robot, wire.CallContext{Agent: "worker", User: "dev"}, admin, nil, 1, ""},
		{"an integrator names the roles", robot, wire.CallContext{Agent: "worker", User: "dev", Roles: []string{"developer"}}, admin, nil, 0, "dev may not grant the profile open: it takes the role admin"},
		{"an integrator names no role", robot, wire.CallContext{Agent: "worker", User: "dev", Roles: []string{}}, admin, nil, 0, "it takes the role admin"},
		{"a check token's own words", worker, wire.CallContext{User: "eve", Roles: []string{"admin"}}, approvers.Person{Name: "dev"}, nil, 1, "dev may not grant"},
		{"the role is missing there", worker, wire.CallContext{}, approvers.Person{Name: "dev", Roles: []string{"viewer"}}, nil, 1, "it takes the role admin"},
		{"the chat fails", worker, wire.CallContext{}, admin, errors.New("503"), 1, "it takes the role admin; Discord could not be asked for their roles there"},
		{"another person comes back", worker, wire.CallContext{}, approvers.Person{Name: "ann", Roles: []string{"admin"}}, nil, 1, "dev may not grant"},
		{"in the background", authority.Caller{Token: "check:worker", Agent: "worker"}, wire.CallContext{Kind: "background"}, admin, nil, 0, "background"},
		{"nobody", authority.Caller{Token: "check:nobody", Agent: "nobody"}, wire.CallContext{}, admin, nil, 0, "the person behind this call is unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, chorus)
			c := &members{holds: map[string]approvers.Person{"dev": tt.holds}, err: tt.err}
			w.Gate.UseMembers(c)
			if tt.want == "" {
				asked, done := w.Start(tt.caller, selfEdit(`{"profile":"open"}`, tt.claim))
				w.Answer(asked.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: asked.ID})
				if res := <-done; res.Decision.Behavior != engine.Allow || w.given("worker") != "open" {
					t.Errorf("got %s: %s", res.Decision.Behavior, res.Decision.Reason)
				}
			} else if res := w.Check(tt.caller, selfEdit(`{"profile":"open"}`, tt.claim)); res.Decision.Behavior != engine.Deny || res.AskID != "" || !strings.Contains(res.Decision.Reason, tt.want) {
				t.Errorf("got %s: %s, want a denial that says %q", res.Decision.Behavior, res.Decision.Reason, tt.want)
			}
			if tt.asked == 0 && len(c.asked) > 0 || tt.asked > 0 && len(c.asked) == 0 {
				t.Errorf("the chat was asked about %q", c.asked)
			}
		})
	}
}

// TestMembers_onlyWhenNeeded: the chat is not asked about other calls, nor where the
// configuration's roles are enough.
func TestMembers_onlyWhenNeeded(t *testing.T) {
	w := newWorld(t, chorus)
	c := &members{err: errors.New("503")}
	w.Gate.UseMembers(c)
	_, done := w.Start(worker, selfEdit(`{"profile":"locked"}`, wire.CallContext{}))
	w.Answer(w.Broker.Waiting(ask.Filter{})[0].ID, ask.Answer{Verdict: ask.Deny})
	<-done
	w.Tool.Check = func(*engine.Call) engine.Verdict { return engine.Verdict{Behavior: engine.Allow} }
	r := selfEdit(`{"command":"ls"}`, wire.CallContext{})
	r.Tool = "Probe"
	w.Check(worker, r)
	if len(c.asked) > 0 {
		t.Errorf("the chat was asked about %q", c.asked)
	}
}

// TestMembers_atTheAnswer: a trigger losing the role in the chat during an ask grants nothing,
// and no remembered look-up counts then.
func TestMembers_atTheAnswer(t *testing.T) {
	w := newWorld(t, chorus)
	c := &members{holds: map[string]approvers.Person{"dev": {Name: "dev", Roles: []string{"admin"}}}}
	w.Gate.UseMembers(c)
	asked, done := w.Start(worker, selfEdit(`{"profile":"open"}`, wire.CallContext{}))
	c.set(func() { c.holds["dev"] = approvers.Person{Name: "dev"} })
	w.Answer(asked.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: asked.ID})
	if res := <-done; res.Decision.Behavior != engine.Deny || w.given("worker") != "" || c.fresh == 0 && len(c.asked) < 2 {
		t.Errorf("got %s: %s; asked about %q, %d times fresh", res.Decision.Behavior, res.Decision.Reason, c.asked, c.fresh)
	}
}
