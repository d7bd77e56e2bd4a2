package message

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

const (
	roomFoot      = 300 // kept free for it
	roomApprovers = 150
	roomVotes     = 100
	roomNote      = 160
	maxRoles      = 4
)

// foot is what stands below the call and who calls, as much of it as fits in room units:
// what an approval takes, and how it stands.
func foot(a ask.Ask, v View, l layout, room int) string {
	out, all := l.folder, room
	if len(v.Done) > 0 {
		room -= Units(moreDone(len(v.Done))) + 1
	}
	texts := []string{nobodyText(a), away(a), pings(v.MentionRoles), votes(a), waiting(v), note(v.Note)}
	for _, text := range v.Limits {
		texts = append(texts, note(text))
	}
	for _, text := range append(texts, approvers(a)) {
		if text != "" && Units(out)+Units(text)+1 <= room {
			out = join(out, text)
		}
	}
	return below(out, v.Done, all, moreDone)
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

// nobodyText tells that an ask can only be denied.
func nobodyText(a ask.Ask) string {
	if !a.State.Waiting() || !a.Approvers.NobodyApproves(a.User) {
		return ""
	}
	return "⚠ **No one may approve this:** " + card.WhyNobody
}

// away tells that nobody waits for the answer at the moment.
func away(a ask.Ask) string {
	if !a.State.Waiting() || !a.Away {
		return ""
	}
	return "⚠ " + card.ClientAway
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
	behind := " behind this one"
	if v.listed {
		behind = " behind these"
	}
	return "-# " + plural(v.Waiting, "more waits", "more wait") + behind
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

// components are the buttons and the menu; none while the ask cannot be answered. Of a safety
// check and a secret outside the project the denial stands first, and the approval is grey and
// names the ask.
func components(a ask.Ask, instance string, l layout) []discordgo.MessageComponent {
	list := []discordgo.MessageComponent{}
	if a.State != ask.Shown {
		return list
	}
	id := func(verb Verb) string { return CustomID{Instance: instance, Subject: a.ID, Verb: verb}.String() }
	deny := discordgo.Button{Label: "Deny", Style: discordgo.DangerButton, CustomID: id(VerbDeny)}
	allow := discordgo.Button{Label: "Allow once", Style: discordgo.SuccessButton, CustomID: id(VerbApprove)}
	first := []discordgo.MessageComponent{allow, deny}
	switch {
	case a.Approvers.NobodyApproves(a.User):
		first = first[1:]
	case a.NeedsConfirmation() || !l.whole:
		allow.Style, allow.Label = discordgo.SecondaryButton, AllowLabel(a)
		first = []discordgo.MessageComponent{deny, allow}
	case card.Grave(a):
		allow.Style = discordgo.SecondaryButton
		if card.PlainID(a.ID) {
			allow.Label += ": " + a.ID
		}
		first = []discordgo.MessageComponent{deny, allow}
	}
	if l.hasSession {
		label, _ := sessionLabel(l.session)
		first = append(first, discordgo.Button{Label: label, Style: discordgo.SecondaryButton, CustomID: id(VerbSession)})
	}
	if card.CanEdit(a) {
		first = append(first, discordgo.Button{Label: "Edit…", Style: discordgo.SecondaryButton, CustomID: id(VerbEdit)})
	}
	placeholder := "Deny with words, details…"
	if len(l.offers) > 0 {
		placeholder = "Always, deny with words, details…"
	}
	list = append(list, row(first...), row(discordgo.SelectMenu{
		MenuType: discordgo.StringSelectMenu, CustomID: id(VerbRule), Placeholder: placeholder, Options: options(l.offers),
	}))
	var trust []discordgo.MessageComponent
	for _, c := range l.folders {
		access := c.Answer.Folder
		trust = append(trust, discordgo.Button{Label: folderLabels[access], Style: discordgo.SecondaryButton, CustomID: id(folderVerbs[access])})
	}
	if len(trust) > 0 {
		list = append(list, row(trust...))
	}
	return list
}

// AllowLabel is the button of an approval that takes the ask's id.
func AllowLabel(a ask.Ask) string {
	if card.PlainID(a.ID) {
		return "Allow once: type " + a.ID + "…"
	}
	return "Allow once: type the id…"
}

func row(list ...discordgo.MessageComponent) discordgo.ActionsRow {
	return discordgo.ActionsRow{Components: list}
}
