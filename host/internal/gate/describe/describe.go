// Package describe describes a call: its tool's module names the targets, the host resolves
// them, and an agent's profile judges the actions. It may import the modules, the configuration
// and package target; the gate, the rule tests and the tools for authors call it.
package describe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"
)

// Resolver resolves the targets of a call.
type Resolver interface {
	Resolve(ctx context.Context, p target.Place, input json.RawMessage, targets []engine.Target) ([]engine.Target, error)
	// Recoverable tells of resolved paths whether version control has their content.
	Recoverable(ctx context.Context, paths []string) []engine.Recoverable
}

// Call is the first of two phases: the module describes the call, the host resolves the targets
// and puts them into the call's context, and their owning tools get synthetic calls. On an
// error the call's targets count as unknown; the error belongs into engine.Request.Err.
//
// configured are working directories as the operator wrote them: a directory configured through
// a link includes files written through that link.
func Call(ctx context.Context, lookup func(string) modules.Entry, r Resolver, entry modules.Entry, call *engine.Call, configured ...string) (modules.Description, []engine.Related, error) {
	if entry.Err != nil {
		return modules.Description{Action: GenericAction(entry.Name, call)}, nil, nil // the engine makes it the tool's error
	}
	desc, err := entry.Describe(ctx, call)
	if desc.Action == "" {
		desc.Action, desc.Analysed, desc.Unread = GenericAction(entry.Name, call), !desc.TargetsUnknown, entry.NamesActions()
	}
	if err != nil {
		call.Context.TargetsUnknown, desc.EffectsUnsaid = true, true
		return desc, related(lookup, entry.Name, call), fmt.Errorf("%w: %w", errDescribe, err)
	}
	call.Context.TargetsUnknown = desc.TargetsUnknown
	dirs := slices.Concat(call.Context.WorkingDirectories, configured)
	place := target.Place{CWD: call.Context.CWD, Home: call.Context.Home, WorkingDirectories: dirs}
	targets, places, err := resolve(ctx, r, place, call.Input, desc)
	call.Context.Targets = targets
	if err == nil && slices.ContainsFunc(targets, led) {
		err = nameResolved(ctx, entry, call, &desc)
	}
	var whole []engine.Target
	if err == nil {
		whole, err = marked(ctx, r, place, call, desc.Marks)
	}
	if err != nil {
		call.Context.TargetsUnknown = true
	}
	effects(ctx, lookup, r, place, entry, call, places, &desc)
	return desc, related(lookup, entry.Name, call, whole...), err
}

// led reports whether links lead a path elsewhere than its text says.
func led(t engine.Target) bool { return t.Kind == "path" && t.Error == "" && t.Resolved != t.Lexical }

// nameResolved lets the module name the call again with the resolved paths, so that a profile
// judges the file itself and not the link. All else of the description stays.
func nameResolved(ctx context.Context, entry modules.Entry, call *engine.Call, desc *modules.Description) error {
	again, err := entry.Describe(ctx, call)
	if err != nil {
		return fmt.Errorf("%w of the resolved paths: %w", errDescribe, err)
	}
	if again.Action != "" {
		desc.Action, desc.Actions, desc.Analysed = again.Action, again.Actions, desc.Analysed && again.Analysed
	}
	return nil
}

// Actions are the action strings of a described call, one per part.
func Actions(d modules.Description) []string {
	if len(d.Actions) > 0 {
		return d.Actions
	}
	return []string{d.Action}
}

// errDescribe marks a module's failure to describe a call.
var errDescribe = errors.New("describe_call")

// Judge is the profile's answer about a call described by Call, with Call's error; nil when
// there is no profile. It is never looser than the answer about the call's true actions:
// without them the call may be any, a call without analysis is allowed only by patterns about
// every one, and another author's module does not count for tools other than its own.
func Judge(p *config.AgentProfile, entry modules.Entry, call *engine.Call, desc modules.Description, err error) *engine.ProfileAnswer {
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
		answer.Note = fmt.Sprintf("Callgate cannot read everything %s does, so only a pattern for every such call would allow it", answer.Action)
	}
	return answer
}

// profileActions are the actions of a described call for a profile: one per part. A third-party
// module may name its own tool's actions only: beside any other the generic action,
// tool:NAME:JSON, has to be allowed as well, for a module can lie about its own tool and
// nothing else.
func profileActions(entry modules.Entry, call *engine.Call, desc modules.Description) []string {
	actions := Actions(desc)
	generic := GenericAction(entry.Name, call)
	if entry.NamesActions() || slices.Contains(actions, generic) {
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

// GenericAction is the action string of a tool without actions. name is the tool's canonical
// name, even under another name of the agent's.
func GenericAction(name string, call *engine.Call) string {
	return "tool:" + name + ":" + string(call.Input)
}
