package message

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
)

// Offer is an entry of the menu of rules.
type Offer struct {
	// Value is the option's, and of a session's choice VerbStore's argument.
	Value  string
	Choice card.Choice
	// Exact tells that the exact text of every rule, and where and until when it holds,
	// stands on the card or in the option. Where not, ConfirmRule has to show it before
	// it is stored.
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
		w.raw(a.ProjectRoot)
	default:
		w.own("agent ")
		w.raw(a.Agent)
	}
}

// lasts reports whether a choice holds longer than the session.
func lasts(c card.Choice) bool { return !c.Answer.ForSession }

// scopeLine stands above several choices that hold for the same place and time.
func scopeLine(a ask.Ask, c card.Choice) string {
	text, _ := line(0, func(w *writer) {
		w.own("**Rules on offer** · ")
		scopeText(w, a, c.Answer)
		w.own(" · " + c.Expiry)
	})
	return text
}

// ruleLine is a choice on the card, with where and until when it holds unless a
// scopeLine says that.
func ruleLine(a ask.Ask, number int, c card.Choice, scoped bool) string {
	text, _ := line(0, func(w *writer) {
		w.own(fmt.Sprintf("**%d** ", number))
		for i, r := range c.Rules {
			if i > 0 {
				w.own(" and ")
			}
			w.safe(r)
		}
		if scoped {
			return
		}
		w.own(" · ")
		if c.Answer.WholeTool {
			w.own("every call of it, ")
		}
		scopeText(w, a, c.Answer)
		w.own(" · " + c.Expiry)
	})
	return text
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

// optionLabel is the exact text of the choice's only rule, if it has room.
func optionLabel(number int, c card.Choice) (label string, exact bool) {
	text := fmt.Sprintf("%d · ", number) + strings.Join(c.Rules, " and ")
	if Units(text) <= MaxOptionText {
		return text, true
	}
	label, _ = clip(text, MaxOptionText)
	return label, false
}

func optionDescription(c card.Choice) (text string, exact bool) {
	return clip(c.Scope+", "+c.Expiry, MaxOptionText)
}

// roomLabel is what a phone shows of a button's label.
const roomLabel = 34

// sessionLabel says what the button for the session stores.
func sessionLabel(c card.Choice) string {
	const words = "For session: "
	if len(c.Rules) == 1 && Units(words+c.Rules[0]) <= roomLabel {
		return words + c.Rules[0]
	}
	return "Allow for session (rule 1)"
}
