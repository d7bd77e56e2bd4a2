package gate

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/store"
)

// mayAnswerFor refuses somebody a rule that answers calls which they may not answer
// themselves: each call that it may match, of every agent that it is for, has to be
// one that quorum people, they among them, may approve. by tells who triggers an
// agent's calls.
func (g *Gate) mayAnswerFor(ctx context.Context, person people.Person, quorum int, r engine.Rule, by func(agent string) string) error {
	return g.eachAnswered(ctx, r, func(agent, tool string) string {
		policy := g.approvers(agent, tool)
		may := policy.Authorise(by(agent), person)
		switch {
		case policy.String() == "" || may.MayApprove && policy.Quorum() <= quorum:
			return ""
		case may.Reason != "":
			return may.Reason
		}
		return fmt.Sprintf("%d have to approve", policy.Quorum())
	})
}

// eachAnswered asks refuses of each agent and tool whose calls a rule may answer, and
// tells the first reason that it has.
func (g *Gate) eachAnswered(ctx context.Context, r engine.Rule, refuses func(agent, tool string) string) error {
	agents, err := g.agentsOf(ctx, r)
	if err != nil {
		return err
	}
	settings, rule := g.c.Settings(), engine.NewRuleList([]engine.Rule{r})
	for _, agent := range agents {
		for _, tool := range append([]string{r.Tool}, settings.ToolsWithApprovers(agent)...) {
			of := engine.Request{Call: &engine.Call{Tool: tool}, Entry: g.named(tool)}
			if tool != r.Tool && len(rule.For(of.About())) == 0 {
				continue
			}
			if why := refuses(agent, tool); why != "" {
				return fmt.Errorf("the rule %s would answer calls of %s by the agent %q, and of these: %s", r, tool, agent, why)
			}
		}
	}
	return nil
}

// agentsOf are the agents whose calls a rule may match, as the configuration names
// them; DefaultAgent stands for all others.
func (g *Gate) agentsOf(ctx context.Context, r engine.Rule) ([]string, error) {
	switch r.Scope {
	case engine.Agent:
		return []string{r.ScopeKey}, nil
	case engine.Session:
		known, err := g.c.Store.Session(ctx, r.ScopeKey)
		return []string{known.Agent}, err
	}
	return append(g.c.Settings().AgentNames(), DefaultAgent), nil
}

// userOf is who triggers an agent's calls, as the operator says.
func (g *Gate) userOf(agent string) string { return g.c.Settings().Agent(agent).User }

// agreesWith refuses an approval whose rules would answer calls that the same people
// could not have approved and, in a chat, one whose rules are for everybody by somebody
// who may not grant such rules. Who may not answer the ask at all is told so elsewhere.
func (g *Gate) agreesWith(ctx context.Context, waiting ask.Ask, a ask.Answer, rules []engine.Rule) error {
	policy := waiting.Approvers.With(a.Policy...)
	if !policy.Authorise(waiting.User, a.Person()).MayApprove {
		return nil
	}
	by := func(agent string) string {
		if agent == waiting.Agent {
			return waiting.User
		}
		return g.userOf(agent)
	}
	for _, r := range rules {
		err := g.mayAnswerFor(ctx, a.Person(), policy.Quorum(), r, by)
		if err == nil && a.Origin != nil {
			err = g.mayKeepInChat(ctx, a, r)
		}
		if err != nil {
			return fmt.Errorf("%w: %w; choose a narrower scope, or approve the call alone", ask.ErrBadAnswer, err)
		}
	}
	return nil
}

// mayKeepInChat refuses somebody in a chat a rule for everybody that they may not grant,
// and somebody whom the configuration does not list one that answers calls for which
// nobody is named: such calls the listed people answer there, and administrators.
func (g *Gate) mayKeepInChat(ctx context.Context, a ask.Answer, r engine.Rule) error {
	if r.Scope == engine.Global {
		if err := g.MayGrant(ctx, a.Person(), people.GlobalRules); err != nil {
			return err
		}
	}
	if _, listed := g.c.Settings().DiscordPerson(a.Origin.Account); listed || a.Administrator {
		return nil
	}
	return g.eachAnswered(ctx, r, func(agent, tool string) string {
		if g.approvers(agent, tool).Named() {
			return ""
		}
		return "in a chat only those answer them whom the configuration lists with their account, and administrators"
	})
}

// MayChangeRules refuses an approver's token a change of rules that lets calls
// through which its person may not approve alone: those of add that allow, and those
// of remove that deny or ask. Everybody else's word is not bound by ask_approvers.
// The error is an ErrNotEntitled, or the store's.
func (g *Gate) MayChangeRules(ctx context.Context, caller Caller, add, remove []engine.Rule) error {
	if caller.Standing != Approver {
		return nil
	}
	return g.bound(ctx, g.Person(caller, "", nil, false), add, remove)
}

// MayRemoveRule is MayChangeRules for one stored rule, by its id.
func (g *Gate) MayRemoveRule(ctx context.Context, caller Caller, id string) error {
	rules, err := g.c.Store.Rules(ctx, store.RuleFilter{Expired: true})
	if err != nil {
		return err
	}
	for _, r := range rules {
		if r.ID == id {
			return g.MayChangeRules(ctx, caller, nil, []engine.Rule{r})
		}
	}
	return nil
}

func (g *Gate) bound(ctx context.Context, person people.Person, add, remove []engine.Rule) error {
	var widen []engine.Rule
	for _, r := range add {
		if r.Behavior == engine.Allow {
			widen = append(widen, r)
		}
	}
	for _, r := range remove {
		if r.Behavior != engine.Allow {
			widen = append(widen, r)
		}
	}
	for _, r := range widen {
		if err := g.mayAnswerFor(ctx, person, 1, r, g.userOf); err != nil {
			return fmt.Errorf("%w: %w", ErrNotEntitled, err)
		}
	}
	return nil
}
