package message

import (
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// Offer is a rule in the menu.
type Offer struct {
	// Value is the option's, and of a session's choice VerbStore's argument.
	Value  string
	Choice card.Choice
	// Exact tells that the exact text of every rule, and where and until when it holds,
	// stands in the option. Where not, or where every call of a tool would be allowed,
	// ConfirmRule has to show it before it is stored.
	Exact bool
}

// sessionKey is the key of the choice for the session.
const sessionKey = "s"

// Offers are the entries of the menu, in its order: none where the card does not show the
// call whole, where an approval needs a confirmation, or where nobody may approve. The session's choice is among
// them only where it has no button.
func Offers(a ask.Ask) []Offer {
	if !oneTap(a) {
		return nil // without laying it out: anybody's click gets here, and a call may be large
	}
	return layOut(a).offers
}

// SessionChoice is what the button for the session does; false where there is none,
// because there is no such rule, or its exact text does not stand on the card.
func SessionChoice(a ask.Ask) (card.Choice, bool) {
	if !oneTap(a) {
		return card.Choice{}, false
	}
	l := layOut(a)
	return l.session, l.hasSession
}

// oneTap reports whether an approval may do without the id typed, so that it can store
// rules: never where nobody may approve.
func oneTap(a ask.Ask) bool { return !a.NeedsConfirmation() && !a.Approvers.NobodyApproves(a.User) }

// ruleChoices are the choices that store rules, the session's first.
func ruleChoices(a ask.Ask) []card.Choice {
	if !oneTap(a) {
		return nil
	}
	var list []card.Choice
	for _, c := range card.Choices(a) {
		if len(c.Rules) > 0 && c.Answer.Verdict == ask.Approve {
			list = append(list, c)
		}
	}
	return list
}

// scopeText says where rules of an answer hold, with who or what that is in code.
func scopeText(w *writer, a ask.Ask, answer ask.Answer) {
	switch {
	case answer.ForSession, answer.Scope == engine.Session:
		w.own("this session")
	case answer.Scope == engine.Project:
		w.own("project ")
		w.raw(a.Project())
		w.own(card.WorkTrees(a))
	default:
		w.own("agent ")
		w.raw(a.Agent)
	}
}

// saidLine is what the module says of a choice.
func saidLine(c card.Choice) string {
	if c.Said == "" {
		return ""
	}
	text, _ := line(2*roomShort, func(w *writer) {
		w.own("-# tool says, unchecked: ")
		w.safe(c.Said)
	})
	return text
}

// optionLabel is the exact text of the choice's rules, if it has room.
func optionLabel(c card.Choice) (label string, exact bool) {
	return clip(strings.Join(c.Rules, " and "), MaxOptionText)
}

// optionDescription says where the rules hold.
func optionDescription(c card.Choice) (text string, exact bool) {
	return clip(c.Where, MaxOptionText)
}

// roomLabel is what a phone shows of a button's label.
const roomLabel = 38

// sessionLabel is the button that stores a rule for the session: all of the rule, or no
// button.
func sessionLabel(c card.Choice) (label string, fits bool) {
	rule, allows := strings.CutPrefix(strings.Join(c.Rules, " and "), "allow ")
	label = "Session: " + rule
	return label, allows && len(c.Rules) == 1 && Units(label) <= roomLabel
}

// The entries of the menu that are no rules.
const (
	ValueReason  = "reason"  // show the form for a denial with words
	ValueDetails = "details" // show everything about the ask
)

func options(offers []Offer) []discordgo.SelectMenuOption {
	var list []discordgo.SelectMenuOption
	for _, o := range offers {
		label, _ := optionLabel(o.Choice)
		description, _ := optionDescription(o.Choice)
		list = append(list, discordgo.SelectMenuOption{Label: label, Value: o.Value, Description: description})
	}
	return append(list,
		discordgo.SelectMenuOption{Label: "Deny with words…", Value: ValueReason},
		discordgo.SelectMenuOption{Label: "Details", Value: ValueDetails},
	)
}
