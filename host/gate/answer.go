package gate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
)

// Answered is what an answer did.
type Answered struct {
	Ask ask.Ask `json:"ask"`
	// Rules are the rules that were stored.
	Rules []engine.Rule `json:"rules,omitempty"`
	// AlsoAnswered are the other asks that the rules cover.
	AlsoAnswered []string `json:"also_answered,omitempty"`
	// Notes tell what the person should know, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

// Answer settles an ask, or votes where several have to approve. The first valid
// answer wins; the rules it accepts are stored before the waiting call goes on, and
// answer the other waiting asks that they cover and that this approver had been shown.
// An answer with an Origin gets a row of its own in the audit. Whoever may not answer
// gets ask.ErrNotApprover, and a row in the audit. Its other errors are the broker's
// (ask.ErrUnknown, ask.ErrSettled, ask.ErrBadAnswer, ...).
func (g *Gate) Answer(ctx context.Context, id string, a ask.Answer) (Answered, error) {
	waiting, err := g.c.Asks.Get(ctx, id)
	if err != nil {
		return Answered{}, err
	}
	a.By = g.c.Settings().Person(a.By).Name
	a.Sets, a.Policy = sessionSets(waiting, a), g.approversOf(waiting.Agent, waiting.Tool, waiting.Decision)
	rules, err := acceptedRules(waiting, a)
	if err == nil {
		err = g.agreesWith(ctx, waiting, a, rules)
	}
	if err != nil {
		return Answered{Ask: waiting}, err
	}
	release := g.holdBack(waiting.ID)
	queued := g.c.Asks.Waiting(ask.Filter{State: ask.Queued}) // the answer shows the next of them
	settled, err := g.c.Asks.Answer(ctx, id, a)
	if err != nil {
		release()
		return Answered{Ask: settled}, g.turnedAway(ctx, waiting, a, err)
	}
	out := Answered{Ask: settled, Notes: g.noteOrigin(ctx, settled, a)}
	rules, err = g.rulesOf(ctx, waiting, settled)
	if err != nil {
		out.Notes = append(out.Notes, "the call was approved once, but no rule is stored: "+err.Error())
	}
	out.Notes = append(out.Notes, voteNotes(settled, a)...)
	for _, r := range rules {
		stored, err := g.c.Store.AddRule(context.WithoutCancel(ctx), r)
		if err != nil {
			out.Notes = append(out.Notes, fmt.Sprintf("the call was approved once, but the rule %s could not be stored: %v", r, err))
			continue
		}
		out.Rules = append(out.Rules, stored)
		if stored.Source != r.Source {
			out.Notes = append(out.Notes, fmt.Sprintf("the rule %s was there before (%s): it goes on as it is, or until the later of both ends", stored, stored.Source))
		}
	}
	release()
	if len(out.Rules) > 0 {
		out.AlsoAnswered = g.settleCovered(ctx, waiting.ID, a, queued)
	}
	return out, nil
}

// sessionSets are the sets of an answer; "for this session" without any means
// the first that was suggested. Source: design section 8, "Answers".
func sessionSets(waiting ask.Ask, a ask.Answer) []int {
	s := waiting.Decision.Suggestions
	if a.Verdict != ask.Approve || !a.ForSession || a.WholeTool || len(a.Sets) > 0 || len(s) == 0 {
		return a.Sets
	}
	return []int{s[0].Set}
}

// holdBack makes the waiter of an ask wait until the returned function is
// called.
func (g *Gate) holdBack(id string) func() {
	done := make(chan struct{})
	g.mu.Lock()
	g.answering[id] = append(g.answering[id], done)
	g.mu.Unlock()
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		left := slices.DeleteFunc(slices.Clone(g.answering[id]), func(other chan struct{}) bool { return other == done })
		if g.answering[id] = left; len(left) == 0 {
			delete(g.answering, id)
		}
		close(done)
	}
}

// awaitRules waits until the rules that an answer accepted are stored: it is one of
// those under way. The error is that of ctx.
func (g *Gate) awaitRules(ctx context.Context, id string) error {
	g.mu.Lock()
	answering := g.answering[id]
	g.mu.Unlock()
	for _, done := range answering {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// acceptedRules are the rules an answer wants stored: the suggestion sets it
// names, with its scope and expiry, or a session grant on the whole tool. What
// the ask does not offer is the broker's to refuse.
func acceptedRules(a ask.Ask, answer ask.Answer) ([]engine.Rule, error) {
	if answer.Verdict != ask.Approve || (len(answer.Sets) == 0 && !answer.WholeTool) {
		return nil, nil
	}
	scope, key, err := acceptedScope(a, answer)
	if err != nil {
		return nil, err
	}
	rule := engine.Rule{
		Tool: a.Tool, Behavior: engine.Allow, Source: SourceOfAsk(a.ID), Scope: scope, ScopeKey: key,
		CreatedBy: cmp.Or(a.DecidedBy(), answer.By), ExpiresAt: answer.ExpiresAt, Server: a.Decision.Server,
	}
	if answer.WholeTool {
		return []engine.Rule{rule}, nil
	}
	var rules []engine.Rule
	for _, s := range a.Decision.Suggestions {
		if slices.Contains(answer.Sets, s.Set) {
			rule.Tool, rule.Content = s.Tool, s.Content
			rules = append(rules, rule)
		}
	}
	return rules, nil
}

// maxExample is how much of an input is kept as an example, in bytes.
const maxExample = 4096

// acceptedScope is where accepted rules live: the session when asked so, else
// the answer's scope, else the project when one is known, else the agent.
// Source: design section 4.
func acceptedScope(a ask.Ask, answer ask.Answer) (engine.Scope, string, error) {
	scope := answer.Scope
	switch {
	case answer.ForSession || answer.WholeTool:
		scope = engine.Session
	case scope == "" && a.ProjectRoot != "":
		scope = engine.Project
	case scope == "":
		scope = engine.Agent
	}
	keys := map[engine.Scope]string{engine.Project: a.ProjectRoot, engine.Agent: a.Agent, engine.Session: a.Session}
	if scope == engine.Global {
		return scope, "", nil
	}
	if keys[scope] == "" {
		return "", "", fmt.Errorf("%w: the call has no %s to keep the rule for: choose another scope", ask.ErrBadAnswer, scope)
	}
	return scope, keys[scope], nil
}

// settleCovered answers the other waiting asks that the new rules cover: those
// whose cards this approver had been shown, and those that nobody had been shown
// when the approver answered (queued), but never a safety check. Source: design
// section 4.
func (g *Gate) settleCovered(ctx context.Context, id string, a ask.Answer, queued []ask.Ask) []string {
	var settled []string
	for _, other := range g.c.Asks.Waiting(ask.Filter{}) {
		before := slices.ContainsFunc(queued, func(q ask.Ask) bool { return q.ID == other.ID })
		unseen := other.State == ask.Shown && !before && !g.c.Asks.SeenBy(a.By, other.ID)
		if other.ID == id || other.Decision.Safety() || unseen {
			continue
		}
		if !g.coveredNow(ctx, other) {
			continue
		}
		answer := ask.Answer{Verdict: ask.Approve, By: a.By, Surface: a.Surface, Reason: "covered by the rule accepted on " + id, At: a.At,
			Roles: a.Roles, Administrator: a.Administrator, Policy: g.approversOf(other.Agent, other.Tool, other.Decision)}
		if _, err := g.c.Asks.Settle(ctx, other.ID, answer); err == nil {
			settled = append(settled, other.ID)
		}
	}
	slices.Sort(settled)
	return settled
}

// coveredNow decides a waiting call again with the rules as they are now.
func (g *Gate) coveredNow(ctx context.Context, a ask.Ask) bool {
	g.mu.Lock()
	again := g.waiting[waiterOf(a)]
	g.mu.Unlock()
	if again == nil {
		return false // its client has not come back since a restart
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return again(ctx).Behavior == engine.Allow
}
