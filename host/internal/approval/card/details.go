package card

import (
	"strings"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// Details are everything about an ask but its input, in full: whole ids, the digest, the
// action, absolute paths, and what only some want to know.
func Details(a ask.Ask) []Field {
	list := details(a)
	for i, t := range a.Targets {
		if i == ask.MaxShownTargets {
			break // Full has them all
		}
		list = append(list, Field{Name: targetWord(t), Value: targetText(t)})
	}
	return list
}

// details are those besides the targets.
func details(a ask.Ask) []Field {
	var list []Field
	add := func(name, value string) {
		if value != "" {
			list = append(list, Field{Name: name, Value: value})
		}
	}
	add("ask", Line(a.ID))
	add("tool", Line(a.Tool))
	add("agent", Line(a.Agent))
	add("sub-agent", Line(a.SubAgent))
	add("session", Line(a.Session))
	add("fork or main", Line(string(a.Kind)))
	add("user", Line(a.User))
	add("cwd", Line(a.CWD))
	add("project", Line(a.ProjectRoot))
	add("work tree of", Line(a.Repository))
	add("action", actionText(a))
	add("digest", Line(a.Digest))
	add("MCP server", Line(a.Decision.Server))
	for _, change := range a.Changed {
		add("changed since you approved", Line(change))
	}
	for _, f := range whyFields(a.Decision) {
		if f.Value != "" {
			list = append(list, f)
		}
	}
	for _, e := range a.Effects {
		add("effect", Line(e.Words()))
	}
	for _, c := range Choices(a) {
		if c.Said != "" && c.Key != sessionKey {
			list = append(list, Field{Name: "module note on " + strings.Join(c.Rules, " and "), Value: c.Said, Module: true})
		}
	}
	return list
}

// actionText is the action, without what repeats the input, and of a very long one only
// its two ends.
func actionText(a ask.Ask) string {
	if len(a.Action) <= ask.MaxShownBytes && len(a.Input) <= 8*ask.MaxShownBytes {
		if list := members(a.Input); len(list) == 1 {
			if operation, ok := strings.CutSuffix(a.Action, list[0].text); ok && strings.HasSuffix(operation, ":") {
				return Line(operation) + "‹the input›"
			}
		}
		return Line(a.Action)
	}
	return short(a.Action)
}

// DetailsText are the details and the whole call, as plain text.
func DetailsText(a ask.Ask) string { return InputOf(a).DetailsText(a) }

// DetailsText is the function DetailsText, of an input that was taken apart.
func (in Input) DetailsText(a ask.Ask) string {
	var out strings.Builder
	for _, f := range details(a) {
		name := f.Name
		if f.Module {
			name += " (unverified)"
		}
		out.WriteString(name + ": " + f.Value + "\n")
	}
	out.WriteString("\n── the input, then what it touches ──\n" + in.Full(a.Targets))
	return out.String()
}
