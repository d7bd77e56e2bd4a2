package gate

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
)

// differences says what a person who approved shown did not see: nil when the
// second decision, about now, is the same ask. What was shown need not be what
// this call asked about: a client that comes back gets the stored approval.
func differences(shown ask.Ask, now []engine.Target, second engine.Decision) []string {
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

// moduleDifference says that another module answers than when a call was asked
// about. By itself that is no new ask: what it answers may be the same.
func moduleDifference(shown ask.Ask, now prepared) []string {
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
