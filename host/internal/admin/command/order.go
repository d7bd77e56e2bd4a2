package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// Order describes a new rule's rank among those in force: deny comes before ask, ask before allow.
// Each note is true of at least one call; when the rules differ, it names the call.
func (k Known) Order(r engine.Rule, s State) []string {
	var notes []string
	say := func(behavior engine.Behavior, list []string, format string) {
		var hits []string
		for _, other := range k.ofTool(r, list) {
			other.Behavior = behavior
			if hit := k.hit(r, other); hit != "" && !slices.Contains(hits, hit) {
				hits = append(hits, hit)
			}
		}
		if len(hits) > 0 {
			notes = append(notes, fmt.Sprintf(format, "the "+behavior.String()+" list", strings.Join(hits, ", ")))
		}
		for _, o := range k.Others {
			if o.Rule.Behavior != behavior || len(k.ofTool(r, []string{o.Rule.String()})) == 0 {
				continue
			}
			if hit := k.hit(r, o.Rule); hit != "" {
				notes = append(notes, fmt.Sprintf(strings.Replace(format, " has ", " have ", 1), "the "+behavior.String()+" rules of "+o.From, hit))
			}
		}
	}
	if r.Behavior != engine.Deny {
		say(engine.Deny, s.Deny, "still denied because of %s: %s")
	}
	switch r.Behavior {
	case engine.Allow:
		say(engine.Ask, s.Ask, "still asks because of %s: %s")
	case engine.Ask:
		say(engine.Allow, s.Allow, "asks although %s has %s")
	case engine.Deny:
		say(engine.Ask, s.Ask, "denies although %s has %s")
		say(engine.Allow, s.Allow, "denies although %s has %s")
	}
	if k.Incomplete != nil && k.Incomplete() {
		notes = append(notes, "there are too many rules of this tool to try each of them against it: others may decide before it as well")
	}
	return notes
}

// hit is another rule as named in a note, with a call matched by both; empty when none is known.
func (k Known) hit(r, other engine.Rule) string {
	text := other.String()
	wholly := func(a, b engine.Rule) bool { return a.WholeTool() && engine.MatchName(a.Tool, b.Tool) }
	switch {
	case wholly(other, r) || text == r.String():
		return text
	case wholly(r, other) && k.Overlap == nil:
		return text
	case k.Overlap == nil:
		return ""
	}
	sample, ok := k.Overlap(r, other)
	switch {
	case ok && sample != "":
		return fmt.Sprintf("%s (such as for %s)", text, sample)
	case ok || wholly(r, other):
		return text
	}
	return ""
}
