package gate

import (
	"context"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// differences lists the changes since a person approved shown: nil when the second decision,
// about now, is the same ask. The shown ask may be another than this call's: a client that
// comes back gets the stored approval.
func differences(shown *ask.Ask, now []engine.Target, second engine.Decision) []string {
	first := shown.Decision
	var out []string
	if first.Stage != second.Stage || first.Reason != second.Reason {
		out = append(out, fmt.Sprintf("why it asks: %q is now %q", first.Reason, second.Reason))
	}
	if r1, r2 := ruleText(first.Rule), ruleText(second.Rule); r1 != r2 {
		out = append(out, fmt.Sprintf("the rule: %q is now %q", r1, r2))
	}
	if second.Safety() && !first.Safety() {
		out = append(out, "it is a safety check now")
	} else if first.SafetyReason != second.SafetyReason {
		out = append(out, fmt.Sprintf("the safety check: %q is now %q", first.SafetyReason, second.SafetyReason))
	}
	return append(out, targetDifferences(shown.Targets, now)...)
}

func targetDifferences(a, b []engine.Target) []string {
	if len(a) != len(b) {
		return []string{fmt.Sprintf("%d targets are now %d", len(a), len(b))}
	}
	var out []string
	for i := range a {
		if a[i].Kind != b[i].Kind || a[i].Value != b[i].Value || a[i].Access != b[i].Access {
			out = append(out, fmt.Sprintf("%s %s is now %s %s", a[i].Access, a[i].Value, b[i].Access, b[i].Value))
			continue
		}
		if a[i].Resolved != b[i].Resolved || a[i].Inside != b[i].Inside || a[i].Error != b[i].Error {
			out = append(out, fmt.Sprintf("%s: %s is now %s", a[i].Value, targetText(a[i]), targetText(b[i])))
		}
	}
	return out
}

func targetText(t engine.Target) string {
	if t.Error != "" {
		return "unresolved (" + t.Error + ")"
	}
	return t.Resolved
}

func ruleText(r *engine.Rule) string {
	if r == nil {
		return ""
	}
	return r.String()
}

// moduleDifference reports a change of the answering module since a call's ask. By itself it is
// no new ask: the answer may be the same.
func moduleDifference(shown *ask.Ask, now *call) []string {
	if shown.ModuleDigest == now.entry.Digest {
		return nil
	}
	was, is := clip(shown.ModuleDigest, 12), clip(now.entry.Digest, 12)
	name := strings.TrimSpace(now.entry.Module + " " + now.entry.Version)
	switch {
	case is == "":
		return []string{fmt.Sprintf("the tool's module %s is gone", was)}
	case was == "":
		return []string{fmt.Sprintf("the tool has a module now: %s (%s)", name, is)}
	}
	return []string{fmt.Sprintf("the tool's module was replaced: %s is now %s (%s)", was, is, name)}
}

// identities are the files at the call's cwd and targets now. An unknown one says so, and then
// no approval holds for the call.
func (g *Gate) identities(ctx context.Context, c *call) []ask.Identity {
	at := c.req.Call.Context
	found, err := g.c.Targets.Identify(ctx, at.CWD, at.Targets)
	out := make([]ask.Identity, len(at.Targets)+1)
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

// changed lists the changes since a person approved shown: nil when the call as it is now,
// decided as second, is the same ask about the same files.
func (g *Gate) changed(ctx context.Context, shown *ask.Ask, now *call, second engine.Decision) []string {
	targets := now.req.Call.Context.Targets
	out := differences(shown, targets, second)
	if len(shown.Targets) != len(targets) {
		return out // told already
	}
	ids := g.identities(ctx, now)
	if len(shown.Identities) != len(ids) {
		return append(out, "the state of its targets at the time of the ask is unknown")
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

// identityDifference describes a change at one place; empty for none.
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
