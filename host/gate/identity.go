package gate

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
)

// identities are what stands at the call's cwd and targets now. Where that is
// not known each says so, and then no approval holds for the call.
func (g *Gate) identities(ctx context.Context, p prepared) []ask.Identity {
	c := p.req.Call.Context
	found, err := g.c.Targets.Identify(ctx, c.CWD, c.Targets)
	out := make([]ask.Identity, len(c.Targets)+1)
	for i := range out {
		switch {
		case err != nil:
			out[i].Error = err.Error()
		case i < len(found):
			out[i] = ask.Identity(found[i])
		}
	}
	return out
}

// changed says what a person who approved shown did not see: nil when the call
// as it is now, decided as second, is the same ask about the same files.
func (g *Gate) changed(ctx context.Context, shown ask.Ask, now prepared, second engine.Decision) []string {
	targets := now.req.Call.Context.Targets
	out := differences(shown, targets, second)
	if len(shown.Targets) != len(targets) {
		return out // told already
	}
	ids := g.identities(ctx, now)
	if len(shown.Identities) != len(ids) {
		return append(out, "it is not known what stood at its targets when it was asked about")
	}
	for i, id := range ids {
		name := "the current directory"
		if i > 0 {
			name = targets[i-1].Value
		}
		if what := identityDifference(shown.Identities[i], id); what != "" {
			out = append(out, fmt.Sprintf("%s: %s", name, what))
		}
	}
	return out
}

// identityDifference is what happened at one place; empty when nothing did.
func identityDifference(shown, now ask.Identity) string {
	switch {
	case now.Error != "":
		return "it cannot be looked at: " + now.Error
	case shown.Error != "":
		return "it could not be looked at before: " + shown.Error
	case shown.File == "" && now.File != "":
		return "nothing was there, now something is"
	case shown.File != "" && now.File == "":
		return "it is no longer there"
	case shown.Content != now.Content:
		return fmt.Sprintf("its content was %s and is now %s", shown.Content, now.Content)
	case shown.File != now.File:
		return "another file or directory has taken its place"
	}
	return ""
}
