package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/target"
)

// Resolver finds what the targets of a call really are.
type Resolver interface {
	Resolve(ctx context.Context, p target.Place, input json.RawMessage, targets []engine.Target) ([]engine.Target, error)
}

// Touch is the first of the two phases (design section 6): the module describes
// the call, the host resolves what it names and puts it into the call's
// context, and the tools that own the targets get their synthetic calls. On an
// error the call's targets count as unknown; the error belongs into
// engine.Request.Err.
//
// configured are working directories as the operator wrote them: a directory
// that is configured through a link holds what is written through that link.
func Touch(ctx context.Context, lookup func(string) catalog.Entry, r Resolver, entry catalog.Entry, call *engine.Call, configured ...string) (catalog.Description, []engine.Related, error) {
	if entry.Err != nil {
		return catalog.Description{Action: genericAction(entry.Name, call)}, nil, nil // the engine makes it the tool's error
	}
	desc, err := entry.Describe(ctx, call)
	if desc.Action == "" {
		desc.Action, desc.Analysed, desc.Unread = genericAction(entry.Name, call), !desc.TargetsUnknown, entry.Embedded
	}
	if err != nil {
		call.Context.TargetsUnknown = true
		return desc, related(lookup, entry.Name, call), fmt.Errorf("%w: %w", errDescribe, err)
	}
	call.Context.TargetsUnknown = desc.TargetsUnknown
	dirs := slices.Concat(call.Context.WorkingDirectories, configured)
	place := target.Place{CWD: call.Context.CWD, Home: call.Context.Home, WorkingDirectories: dirs}
	targets, err := r.Resolve(ctx, place, call.Input, desc.Targets)
	call.Context.Targets = targets
	if err == nil && slices.ContainsFunc(targets, led) {
		err = nameResolved(ctx, entry, call, &desc)
	}
	var whole []engine.Target
	if err == nil {
		whole, err = trees(ctx, r, place, call, desc.Marks)
	}
	if err != nil {
		call.Context.TargetsUnknown = true
	}
	return desc, related(lookup, entry.Name, call, whole...), err
}

// led reports whether links lead a path elsewhere than its text says.
func led(t engine.Target) bool { return t.Kind == "path" && t.Error == "" && t.Resolved != t.Lexical }

// nameResolved lets the module name the call again now that it can see where its
// paths lead, so that a profile judges the file that is touched and not the link
// (design section 5). All else of the description stays.
func nameResolved(ctx context.Context, entry catalog.Entry, call *engine.Call, desc *catalog.Description) error {
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
func Actions(d catalog.Description) []string {
	if len(d.Actions) > 0 {
		return d.Actions
	}
	return []string{d.Action}
}
