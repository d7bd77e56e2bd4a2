package message

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
)

const (
	roomApprovers = 150
	roomVotes     = 100
	roomNote      = 160
	maxRoles      = 4
)

// foot is what stands below the body while the ask waits, as much of it as fits in room
// units: the rules, what an approval takes, and how it stands.
func foot(a ask.Ask, v View, l layout, room int) string {
	out := l.rules
	for _, text := range []string{
		pings(v.MentionRoles), confirmText(a, l), votes(a), waiting(v), note(v.Note), approvers(a), leftText(l),
	} {
		if text != "" && Units(out)+Units(text)+1 <= room {
			out = join(out, text)
		}
	}
	return out
}

var snowflake = regexp.MustCompile(`^[1-9][0-9]{0,19}$`)

// roles are the ids that are ids, without repetition, as many as we ping.
func roles(ids []string) []string {
	var list []string
	for _, id := range ids {
		if snowflake.MatchString(id) && !slices.Contains(list, id) && len(list) < maxRoles {
			list = append(list, id)
		}
	}
	return list
}

func pings(ids []string) string {
	var list []string
	for _, id := range roles(ids) {
		list = append(list, "<@&"+id+">")
	}
	return strings.Join(list, " ")
}

func confirmText(a ask.Ask, l layout) string {
	switch {
	case a.State != ask.Shown:
		return ""
	case a.Approvers.NobodyApproves(a.User):
		return "⚠ **Nobody may approve this:** " + card.WhyNobody
	case a.Decision.Safety():
		return "**To approve, press Approve… and type the id at the top:** this is a safety check"
	case !l.whole:
		return "**To approve, press Approve… and type the id at the top:** the call is not shown whole here"
	}
	return ""
}

// votes say how many of those who have to approve did.
func votes(a ask.Ask) string {
	quorum := a.Approvers.Quorum()
	if quorum < 2 || a.Approvers.NobodyApproves(a.User) {
		return ""
	}
	text := fmt.Sprintf("**%d of %d approved**", len(a.Votes), quorum)
	if len(a.Votes) == 0 {
		return text
	}
	var names []string
	for _, vote := range a.Votes {
		names = append(names, vote.By)
	}
	return text + ": " + whoTexts(names, roomVotes)
}

func waiting(v View) string {
	if v.Waiting <= 0 {
		return ""
	}
	return "-# " + plural(v.Waiting, "more waits", "more wait") + " behind this one"
}

// plainWords are sentences of ours: what is none of them is shown in code.
var plainWords = regexp.MustCompile(`^[A-Za-z0-9 ,.;:'()/-]*$`)

// note shows a sentence of ours.
func note(text string) string {
	if text == "" {
		return ""
	}
	safe, _ := clip(card.Line(text), roomNote)
	if !plainWords.MatchString(safe) {
		safe = inline(safe)
	}
	return "-# " + safe
}

func leftText(l layout) string {
	if len(l.left) == 0 {
		return ""
	}
	return "-# Show all has more: " + strings.Join(l.left, ", ")
}

// components are the buttons and the menu; none while the ask cannot be answered.
func components(a ask.Ask, instance string, l layout) []discordgo.MessageComponent {
	list := []discordgo.MessageComponent{}
	if a.State != ask.Shown {
		return list
	}
	id := func(verb Verb) string { return CustomID{Instance: instance, Subject: a.ID, Verb: verb}.String() }
	approve := "Approve"
	if a.NeedsConfirmation() || !l.whole {
		approve = "Approve…"
	}
	var first []discordgo.MessageComponent
	if !a.Approvers.NobodyApproves(a.User) {
		first = append(first, discordgo.Button{Label: approve, Style: discordgo.SuccessButton, CustomID: id(VerbApprove)})
	}
	first = append(first, discordgo.Button{Label: "Deny", Style: discordgo.DangerButton, CustomID: id(VerbDeny)})
	if l.hasSession {
		first = append(first, discordgo.Button{Label: sessionLabel(l.session), Style: discordgo.SecondaryButton, CustomID: id(VerbSession)})
	}
	list = append(list, row(first...))
	if len(l.offers) > 0 {
		list = append(list, row(discordgo.SelectMenu{
			MenuType: discordgo.StringSelectMenu, CustomID: id(VerbRule),
			Placeholder: "Approve and store a rule…", Options: options(l.offers),
		}))
	}
	return append(list, row(
		discordgo.Button{Label: "Deny with reason…", Style: discordgo.SecondaryButton, CustomID: id(VerbReason)},
		discordgo.Button{Label: "Show all", Style: discordgo.SecondaryButton, CustomID: id(VerbEverything)},
	))
}

func row(list ...discordgo.MessageComponent) discordgo.ActionsRow {
	return discordgo.ActionsRow{Components: list}
}

func options(offers []Offer) []discordgo.SelectMenuOption {
	var list []discordgo.SelectMenuOption
	for i, o := range offers {
		label, _ := optionLabel(i+1, o.Choice)
		description, _ := optionDescription(o.Choice)
		list = append(list, discordgo.SelectMenuOption{Label: label, Value: o.Value, Description: description})
	}
	return list
}
