package message

import (
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
)

// View is what a card says besides its ask.
type View struct {
	// Instance is the daemon's, see CustomID.
	Instance string
	Now      time.Time
	// Waiting is how many asks wait behind this one.
	Waiting int
	// MentionRoles are the ids of roles to ping.
	MentionRoles []string
	// Note is a sentence of ours.
	Note string
}

// Shown is a card as it is posted.
type Shown struct {
	Message
	// Body is the part that stays when the ask has ended.
	Body string
	// Whole tells that everything that a person has to know is in the content. When not,
	// an approval needs a confirmation and no rule is offered.
	Whole bool
}

// Card lays an ask out.
func Card(a ask.Ask, v View) Shown {
	body := Fence(card.Full(a))
	whole := Units(body) < 1200
	if !whole {
		body = "too long"
	}
	s := Shown{Body: body, Whole: whole}
	s.Message = Message{
		Content:    fmt.Sprintf("**Approval %s** · agent %s · expires <t:%d:R>\n%s", a.ID, Code(a.Agent), a.Deadline.Unix(), body),
		Components: []discordgo.MessageComponent{}, AllowedMentions: nobody(), Flags: discordgo.MessageFlagsSuppressEmbeds,
	}
	id := func(verb Verb) string { return CustomID{Instance: v.Instance, Subject: a.ID, Verb: verb}.String() }
	s.Components = append(s.Components, row(
		discordgo.Button{Label: "Approve", Style: discordgo.SuccessButton, CustomID: id(VerbApprove)},
		discordgo.Button{Label: "Deny", Style: discordgo.DangerButton, CustomID: id(VerbDeny)},
	))
	return s
}

// Offer is an entry of the menu of rules.
type Offer struct {
	// Value is the option's.
	Value  string
	Choice card.Choice
	// Exact tells that the exact text of every rule stands on the card or in the option.
	Exact bool
}

// Offers are the entries of the menu of rules.
func Offers(a ask.Ask) []Offer {
	var list []Offer
	for _, c := range card.Render(a, a.ShownAt).Choices {
		if len(c.Rules) > 0 && c.Key != "s" {
			list = append(list, Offer{Value: c.Key, Choice: c})
		}
	}
	return list
}

// SessionChoice is what the button for the session does; false where there is none.
func SessionChoice(a ask.Ask) (card.Choice, bool) {
	for _, c := range card.Render(a, a.ShownAt).Choices {
		if c.Key == "s" {
			return c, true
		}
	}
	return card.Choice{}, false
}

// Ended is what becomes of a card when its ask has ended.
func Ended(body string, a ask.Ask, rules []engine.Rule, notes ...string) Message {
	return Message{
		Content:    clipContent(fmt.Sprintf("**%s %s** by %s\n%s", a.State, a.ID, Code(a.DecidedBy()), body)),
		Components: []discordgo.MessageComponent{}, AllowedMentions: nobody(), Flags: discordgo.MessageFlagsSuppressEmbeds,
	}
}

// BodyOf finds the body in a card's content.
func BodyOf(content string) string {
	_, body, _ := strings.Cut(content, "\n")
	return body
}
