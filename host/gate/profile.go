package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
)

// errDescribe marks that a module could not say what a call is.
var errDescribe = errors.New("describe_call")

// Judge is what a profile says of a call that Touch described, with Touch's error;
// nil when there is no profile. It is never looser than what it would say of the
// call's true actions: without them the call may be any, a call that was not analysed
// is allowed only by patterns that speak of every one, and what another's module says
// does not count for tools that are not its own. Source: design sections 5 and 6.
func Judge(p *config.AgentProfile, entry catalog.Entry, call *engine.Call, desc catalog.Description, err error) *engine.ProfileAnswer {
	switch {
	case entry.Err != nil:
		return p.DecideUnknown(entry.Err.Error())
	case errors.Is(err, errDescribe):
		return p.DecideUnknown(err.Error())
	case desc.Unread:
		return p.DecideUnknown("the input is not one of " + entry.Name)
	}
	actions := profileActions(entry, call, desc)
	answer := p.Decide(actions)
	if desc.Analysed && err == nil || answer == nil || answer.Behavior == engine.Deny {
		return answer
	}
	answer = p.DecideUnanalysed(actions)
	if answer != nil && answer.Behavior == engine.Deny && answer.Note == "" {
		answer.Note = fmt.Sprintf("not all that %s does can be told from it, so that only a pattern for every such call would allow it", answer.Action)
	}
	return answer
}

// profileActions are the actions of a described call that a profile judges: one per
// part. A module of others may name its own tool's actions only: beside any other
// the generic action, tool:NAME:JSON, has to be allowed as well, for a module can
// lie about its own tool and nothing else.
func profileActions(entry catalog.Entry, call *engine.Call, desc catalog.Description) []string {
	actions := Actions(desc)
	generic := genericAction(entry.Name, call)
	if entry.Embedded || slices.Contains(actions, generic) {
		return actions
	}
	names := entry.Names(call.Tool)
	for _, action := range actions {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(action, "tool:"+name+":") }) {
			return append(slices.Clone(actions), generic)
		}
	}
	return actions
}

// profileInForce is the profile of an agent: the one it was given, else the one of
// the configuration that p is decided by. After an error it is not known which.
func (g *Gate) profileInForce(ctx context.Context, p *prepared) (*config.AgentProfile, error) {
	given, ok, err := g.profileOverride(ctx, p.settings, p.agent.Name)
	if err != nil {
		return nil, fmt.Errorf("it is not known which profile the agent has: %w", err)
	}
	if ok {
		return given, nil
	}
	return p.agent.Profile, nil
}

// profiled puts the profile's answer into the request. err is what describing the
// call failed with. A profile that cannot be told denies.
func (g *Gate) profiled(ctx context.Context, p *prepared, err error) {
	inForce, unknown := g.profileInForce(ctx, p)
	if unknown != nil {
		p.req.Profile = &engine.ProfileAnswer{Name: p.agent.Profile.Name(), Note: unknown.Error()}
		return
	}
	if other := readsAs(p.tools, p.entry); other != "" {
		p.req.Profile = inForce.DecideUnknown(fmt.Sprintf("the actions of a tool called %.80q read as those of %s", p.entry.Name, other))
		return
	}
	p.req.Profile = Judge(inForce, p.entry, p.req.Call, p.desc, err)
}

// readsAs is the tool whose actions a profile would take those of another one for,
// which nobody knows and whose name goes on behind a colon: tool:Read:x:{}.
func readsAs(tools Catalog, entry catalog.Entry) string {
	if entry.Own || !strings.Contains(entry.Name, ":") {
		return ""
	}
	for _, name := range Vocabulary(tools) {
		if strings.HasPrefix(entry.Name, name+":") {
			return name
		}
	}
	return ""
}
