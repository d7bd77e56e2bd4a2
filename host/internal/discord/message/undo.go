package message

import (
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// Undo tells which rules an approval stored, and offers to take them back.
func Undo(askID string, rules []engine.Rule, until time.Time, instance string) Message {
	last := fmt.Sprintf("You can take that back until <t:%d:t>.", until.Unix())
	m := Ephemeral(join(stored(rules, MaxContent-Units(last)-1), last))
	m.Components = []discordgo.MessageComponent{row(discordgo.Button{
		Label: "Undo", Style: discordgo.SecondaryButton,
		CustomID: CustomID{Instance: instance, Subject: askID, Verb: VerbUndo}.String(),
	})}
	return m
}

// stored says which rules an approval stored, in at most room units.
func stored(rules []engine.Rule, room int) string {
	var texts []string
	for _, r := range rules {
		texts = append(texts, storedRule(r))
	}
	return below("", texts, room, moreRules)
}

func moreRules(n int) string {
	return "**stored:** " + plural(n, "more rule, its text is", "more rules, their texts are") + " in " + Code("callgate rules list")
}

func storedRule(r engine.Rule) string {
	text, _ := line(0, func(w *writer) {
		w.own("**stored:** ")
		w.safe(card.RuleText(r))
		switch r.Scope {
		case engine.Session:
			w.own(" · this session")
		case engine.Project, engine.Agent:
			w.own(" · " + string(r.Scope) + " ")
			w.raw(r.ScopeKey)
		case engine.Global:
			w.own(" · everywhere")
		}
		switch {
		case !r.ExpiresAt.IsZero():
			w.own(fmt.Sprintf(" · until <t:%d:f>", r.ExpiresAt.Unix()))
		case r.Scope == engine.Session:
			w.own(" · until the session is cleared")
		default:
			w.own(" · no expiry")
		}
	})
	return text
}
