package authority

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/store"
)

// mayAnswerFor refuses a person a rule for calls they may not answer themselves: each possible
// match, of every agent of the rule, has to be one that quorum people, they among them, may
// approve. by returns the trigger of an agent's calls.
func (au *Authority) mayAnswerFor(ctx context.Context, person approvers.Person, quorum int, r engine.Rule, by func(agent string) string) error {
	return au.eachAnswered(ctx, r, func(agent, tool string) string {
		policy := au.approvers(agent, tool)
		if r.Scope != engine.Session {
			policy = policy.ForRules()
		}
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

// eachAnswered calls refuses for each agent and tool with calls a rule may answer, and returns
// the first reason.
func (au *Authority) eachAnswered(ctx context.Context, r engine.Rule, refuses func(agent, tool string) string) error {
	agents, err := au.agentsOf(ctx, r)
	if err != nil {
		return err
	}
	settings, rule := au.c.Settings(), engine.NewRuleList([]engine.Rule{r})
	for _, agent := range agents {
		for _, tool := range append([]string{r.Tool}, settings.ToolsWithApprovers(agent)...) {
			of := engine.Request{Call: &engine.Call{Tool: tool}, Entry: describe.Named(au.c.Catalog, tool)}
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

// agentsOf are the agents with calls a rule may match, as in the configuration;
// config.DefaultAgent stands for all others.
func (au *Authority) agentsOf(ctx context.Context, r engine.Rule) ([]string, error) {
	switch r.Scope {
	case engine.Agent:
		return []string{r.ScopeKey}, nil
	case engine.Session:
		known, err := au.c.Store.Session(ctx, r.ScopeKey)
		return []string{known.Agent}, err
	}
	return append(au.c.Settings().AgentNames(), config.DefaultAgent), nil
}

// userOf is who triggers an agent's calls, as the operator says.
func (au *Authority) userOf(agent string) string { return au.c.Settings().Agent(agent).User }

// AgreesWith refuses an approval with rules for calls that the same people could not have
// approved and, in a chat, one with rules for everybody by a person who may not grant such
// rules. People who may not answer the ask at all are refused elsewhere.
func (au *Authority) AgreesWith(ctx context.Context, waiting ask.Ask, a ask.Answer, rules []engine.Rule) error {
	policy := waiting.Approvers.With(a.Policy...)
	if !policy.Authorise(waiting.User, a.Person()).MayApprove {
		return nil
	}
	by := func(agent string) string {
		if agent == waiting.Agent {
			return waiting.User
		}
		return au.userOf(agent)
	}
	if a.Folder != "" {
		err := unlessSigned(a.Person(), func(p approvers.Person) error { return au.mayTrust(waiting, a, p, policy.Quorum()) })
		if err != nil {
			return fmt.Errorf("%w: %w; approve the call alone", ask.ErrBadAnswer, err)
		}
	}
	for _, r := range rules {
		err := unlessSigned(a.Person(), func(p approvers.Person) error { return au.mayAnswerFor(ctx, p, policy.Quorum(), r, by) })
		if err == nil && a.Origin != nil {
			err = au.mayKeepInChat(ctx, a, r)
		}
		if err != nil {
			return fmt.Errorf("%w: %w; choose a narrower scope, or approve the call alone", ask.ErrBadAnswer, err)
		}
	}
	return nil
}

// unlessSigned is may's error for a person. Where only their passkey is missing, it is a
// *ask.NotApproverError with Unsigned, so that their surface can ask for it.
func unlessSigned(p approvers.Person, may func(approvers.Person) error) error {
	err := may(p)
	if err == nil || p.Signed {
		return err
	}
	p.Signed = true
	if may(p) != nil {
		return err
	}
	return &ask.NotApproverError{Reason: err.Error(), Again: true, Unsigned: true}
}

// mayKeepInChat refuses a person in a chat a rule for everybody they may not grant, and an
// unlisted person one for calls without named approvers: such calls are answered there by
// listed people and administrators.
func (au *Authority) mayKeepInChat(ctx context.Context, a ask.Answer, r engine.Rule) error {
	if r.Scope == engine.Global {
		if err := au.MayGrant(ctx, a.Person(), approvers.GlobalRules); err != nil {
			return err
		}
	}
	if _, listed := au.c.Settings().DiscordPerson(a.Origin.Account); listed || a.Administrator {
		return nil
	}
	return au.eachAnswered(ctx, r, func(agent, tool string) string {
		if au.approvers(agent, tool).Named() {
			return ""
		}
		return "in a chat, only administrators and people listed in the configuration with their account may answer them"
	})
}

// MayChangeRules refuses an approver's token a change of rules letting calls through that its
// person may not approve alone: allow rules in add, deny or ask rules in remove. Other callers
// are not bound by ask_approvers. The error is an ErrNotEntitled, or the store's.
func (au *Authority) MayChangeRules(ctx context.Context, caller Caller, add, remove []engine.Rule) error {
	if caller.Kind != Approver {
		return nil
	}
	return au.MayStore(ctx, au.Person(caller, "", nil, false), add, remove)
}

// MayRemoveRule is MayChangeRules for one stored rule, by its id.
func (au *Authority) MayRemoveRule(ctx context.Context, caller Caller, id string) error {
	rules, err := au.c.Store.Rules(ctx, store.RuleFilter{Expired: true})
	if err != nil {
		return err
	}
	for _, r := range rules {
		if r.ID == id {
			return au.MayChangeRules(ctx, caller, nil, []engine.Rule{r})
		}
	}
	return nil
}

// MayStore refuses a person a change of rules letting calls through that they may not approve
// alone. The error is an ErrNotEntitled, or the store's.
func (au *Authority) MayStore(ctx context.Context, person approvers.Person, add, remove []engine.Rule) error {
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
		if err := au.mayAnswerFor(ctx, person, 1, r, au.userOf); err != nil {
			return fmt.Errorf("%w: %w", ErrNotEntitled, err)
		}
	}
	return nil
}

// MayApprove reports whether a person is a named approver for the calls of the rules' one
// agent: they could store the rules by answering. Where several have to agree, or none is
// named, they are not.
func (au *Authority) MayApprove(ctx context.Context, person approvers.Person, scope engine.Scope, key string, rules []engine.Rule) bool {
	agent := key
	switch scope {
	case engine.Agent:
	case engine.Session:
		known, err := au.c.Store.Session(ctx, key)
		if err != nil {
			return false
		}
		agent = known.Agent
	default:
		return false
	}
	for _, r := range rules {
		policy := au.approvers(agent, r.Tool)
		if policy.String() == "" || policy.Quorum() > 1 || !policy.Authorise("", person).MayApprove {
			return false
		}
		if au.mayAnswerFor(ctx, person, 1, r, au.userOf) != nil { // a glob speaks of tools with approvers of their own
			return false
		}
	}
	return true
}
