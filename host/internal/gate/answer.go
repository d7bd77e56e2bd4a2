package gate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// Answer settles an ask, or votes where several have to approve. The first valid answer wins.
// Its accepted rules are stored before the waiting call goes on, and answer the other waiting
// asks they cover if this approver had been shown them. An answer with an Origin gets a row of
// its own in the audit. A person without the right to answer gets ask.ErrNotApprover, and a row
// in the audit. Its other errors are the broker's (ask.ErrUnknown, ask.ErrSettled,
// ask.ErrBadAnswer, ...).
func (g *Gate) Answer(ctx context.Context, id string, a ask.Answer) (ask.AnswerResult, error) {
	waiting, err := g.c.Asks.Get(ctx, id)
	if err != nil {
		return ask.AnswerResult{}, err
	}
	if a.Input != nil {
		if a.Input, err = strictjson.Object(a.Input); err != nil {
			return ask.AnswerResult{Ask: waiting}, fmt.Errorf("%w: input: %w", ask.ErrBadAnswer, err)
		}
	}
	a.By = g.c.Settings().Person(a.By).Name
	a.Sets, a.Policy = sessionSets(waiting, a), g.c.Authority.ApproversOf(waiting.Agent, waiting.Tool, waiting.Decision)
	rules, err := acceptedRules(waiting, a)
	if err == nil {
		a.Proof, err = g.signature(ctx, waiting, a, rules)
	}
	if err == nil {
		err = g.c.Authority.AgreesWith(ctx, waiting, a, rules)
	}
	if err != nil {
		return ask.AnswerResult{Ask: waiting}, err
	}
	away := g.away(ctx, waiting)
	release := g.lockAnswer(waiting.ID)
	queued := g.c.Asks.Waiting(ask.Filter{State: ask.Queued}) // the answer shows the next of them
	settled, err := g.c.Asks.Answer(ctx, id, a)
	if err != nil {
		release()
		return ask.AnswerResult{Ask: settled}, g.c.Authority.TurnedAway(ctx, waiting, a, err)
	}
	out := ask.AnswerResult{Ask: settled, Notes: g.c.Authority.NoteOrigin(ctx, settled, a)}
	if settled.State == ask.Approved && away {
		out.Notes = append(out.Notes, card.ClientGone)
	}
	if a.Input != nil {
		out.Notes = append(out.Notes, "the changed call is checked again: deny rules still apply, and a safety check asks again on a new card")
	}
	trusted, note := g.trustFolder(ctx, settled)
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
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
			out.Notes = append(out.Notes, fmt.Sprintf("the rule %s was there before (%s): it stays, until the later of both end times", stored, stored.Source))
		}
	}
	release()
	if trusted || len(out.Rules) > 0 {
		out.AlsoAnswered = g.resolveCovered(ctx, waiting.ID, a, queued)
	}
	return out, nil
}

// away reports whether the call of a waiting ask has no client, as after a restart: neither here nor
// at another daemon that runs.
func (g *Gate) away(ctx context.Context, a ask.Ask) bool {
	g.mu.Lock()
	_, waits := g.waiting[waiterOf(&a)]
	g.mu.Unlock()
	return !waits && !g.c.Asks.Elsewhere(ctx, a)
}

// sessionSets are the sets of an answer; "for this session" without any means the first
// suggested one.
func sessionSets(waiting ask.Ask, a ask.Answer) []int {
	s := waiting.Decision.Suggestions
	if a.Verdict != ask.Approve || !a.ForSession || a.WholeTool || len(a.Sets) > 0 || len(s) == 0 {
		return a.Sets
	}
	return []int{s[0].Set}
}

// lockAnswer makes the waiter of an ask wait until the returned function is
// called.
func (g *Gate) lockAnswer(id string) func() {
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

// awaitRules waits for an answer under way until its accepted rules are stored. The error is
// that of ctx.
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

// acceptedRules are the rules an answer stores: the named suggestion sets, with its scope and
// expiry, or a session grant on the whole tool. The broker refuses sets missing in the ask.
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

// acceptedScope is where accepted rules live: the session when asked so, else
// the answer's scope, else the project when one is known, else the agent.
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
	keys := map[engine.Scope]string{engine.Project: a.Project(), engine.Agent: a.Agent, engine.Session: a.Session}
	if scope == engine.Global {
		return scope, "", nil
	}
	if keys[scope] == "" {
		return "", "", fmt.Errorf("%w: the call has no %s for this scope: choose another scope", ask.ErrBadAnswer, scope)
	}
	return scope, keys[scope], nil
}

// resolveCovered answers the other waiting asks covered by the new rules: those with a card
// shown to this approver, and those without any card when the approver answered (queued), but
// never a safety check.
func (g *Gate) resolveCovered(ctx context.Context, id string, a ask.Answer, queued []ask.Ask) []string {
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
			Roles: a.Roles, Administrator: a.Administrator, Policy: g.c.Authority.ApproversOf(other.Agent, other.Tool, other.Decision)}
		if _, err := g.c.Asks.ResolveCovered(ctx, other.ID, answer); err == nil {
			settled = append(settled, other.ID)
		}
	}
	slices.Sort(settled)
	return settled
}

// coveredNow decides a waiting call again with the rules as they are now.
func (g *Gate) coveredNow(ctx context.Context, a ask.Ask) bool {
	g.mu.Lock()
	w := g.waiting[waiterOf(&a)]
	if w == nil {
		g.mu.Unlock()
		return false // its client has not come back since a restart
	}
	caller, request, before := w.caller, w.request, w.before // it may stop waiting meanwhile
	g.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	c, err := g.admit(ctx, caller, request, g.seen)
	if err != nil {
		return false
	}
	defer g.close(c)
	c.before = before
	return g.decide(ctx, c).Behavior == engine.Allow
}

// rulesOf are the rules to store for an approved ask, with their examples. waiting is the ask
// before, still with its input.
func (g *Gate) rulesOf(ctx context.Context, waiting, settled ask.Ask) ([]engine.Rule, error) {
	if settled.State != ask.Approved || settled.Answer == nil {
		return nil, nil
	}
	waiting.State, waiting.Answer, waiting.Votes = settled.State, settled.Answer, settled.Votes
	rules, err := acceptedRules(waiting, *settled.Answer)
	if err != nil {
		return nil, err
	}
	return g.c.Rules.Exemplified(ctx, waiting, rules), nil
}

// voteNotes give a voter the state of the ask, and the rules dropped because not all voters
// accepted them.
func voteNotes(a ask.Ask, answer ask.Answer) []string {
	var notes []string
	if a.State.Waiting() {
		notes = append(notes, a.Progress())
	}
	accepts := len(answer.Sets) > 0 || answer.WholeTool
	if a.State == ask.Approved && accepts && len(a.Answer.Sets) == 0 && !a.Answer.WholeTool {
		notes = append(notes, "no rule is stored: the approvers did not all accept the same rule for the same scope")
	}
	if a.State == ask.Approved && answer.Folder != "" && a.Answer.Folder == "" {
		notes = append(notes, "the folder is not trusted: not every approver trusted it")
	}
	return notes
}
