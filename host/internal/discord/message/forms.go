package message

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// The custom ids of the inputs of our forms.
const (
	InputID     = "id"
	InputReason = "reason"
	InputEdited = "edited"
)

// maxReason is what a reason may take: the broker takes 2000 bytes of UTF-8, and no UTF-16
// unit takes more than three.
const maxReason = 600

// ConfirmModal asks for the ask's id to be typed, for an approval.
func ConfirmModal(a ask.Ask, instance string) Modal {
	return form(a, instance, VerbConfirm, "Allow once: type the id on the card", discordgo.TextInput{
		CustomID: InputID, Label: "The id of the ask, as its button has it", Style: discordgo.TextInputShort,
		Required: true, MinLength: 1, MaxLength: 20,
	})
}

// ReasonModal asks for the reason of a denial.
func ReasonModal(a ask.Ask, instance string) Modal {
	return form(a, instance, VerbReasoned, "Deny with words", discordgo.TextInput{
		CustomID: InputReason, Label: "Why? The agent is told this", Style: discordgo.TextInputParagraph,
		Required: true, MinLength: 1, MaxLength: maxReason,
	})
}

// EditModal shows the input of an ask as text, to be changed and approved. card.ErrNotEditable
// where the form cannot show all of it.
func EditModal(a ask.Ask, instance string) (Modal, error) {
	e, err := card.EditOf(a)
	if err != nil {
		return Modal{}, err
	}
	if Units(e.Text) > MaxInput {
		return Modal{}, fmt.Errorf("%w: it is longer than the form", card.ErrNotEditable)
	}
	label := "The command; it is judged again"
	if e.JSON {
		label = "The input as JSON; it is judged again"
	}
	return form(a, instance, VerbEdited, "Edit and allow once", discordgo.TextInput{
		CustomID: InputEdited, Label: label, Style: discordgo.TextInputParagraph,
		Value: e.Text, Required: true, MinLength: 1, MaxLength: MaxInput,
	}), nil
}

// EditedInput is the whole input that the form of EditModal stands for, with this text in it.
func EditedInput(a ask.Ask, text string) (json.RawMessage, error) {
	e, err := card.EditOf(a)
	if err != nil {
		return nil, err
	}
	return e.Input(text)
}

// NotEdited says why an input was not changed, and what to do.
func NotEdited(a ask.Ask, err error) string {
	switch {
	case errors.Is(err, card.ErrUnchanged):
		return "Nothing was changed, so nothing was decided: press Allow once on the card."
	case errors.Is(err, card.ErrNotEditable):
		return "Nothing was decided. " + Code(err.Error()) + ": deny with words, or use " + Code("callgate asks answer "+a.ID+" approve --input")
	}
	return "Nothing was decided: this is no JSON object: " + Code(err.Error()) + ". Press Edit once again."
}

func form(a ask.Ask, instance string, verb Verb, title string, input discordgo.TextInput) Modal {
	return Modal{
		CustomID: CustomID{Instance: instance, Subject: a.ID, Verb: verb}.String(), Title: title,
		Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{input}}},
	}
}

// Ephemeral is a message of ours that only one person sees. What is somebody else's in
// text has to be in Code or Fence; text beyond Discord's limit is cut.
func Ephemeral(text string) Message {
	return Message{
		Content: clipContent(text), Components: []discordgo.MessageComponent{},
		AllowedMentions: nobody(), Flags: discordgo.MessageFlagsEphemeral | discordgo.MessageFlagsSuppressEmbeds,
	}
}

// Alarm is a message of the daemon itself: a text, with a ping of roles.
func Alarm(text string, pinged []string) Message {
	m := Ephemeral(strings.TrimSpace(pings(pinged) + " " + Code(text)))
	m.Flags &^= discordgo.MessageFlagsEphemeral
	m.AllowedMentions.Roles = roles(pinged)
	return m
}

func nobody() Mentions { return Mentions{Parse: []string{}} }

func clipContent(text string) string {
	used := 0
	for i, r := range text {
		if used += runeUnits(r); used > MaxContent {
			return text[:i]
		}
	}
	return text
}

// ConfirmRule shows the exact text of what an offer would store, with a button that
// approves and stores it. Where the text is too long even for that, there is no button:
// nobody stores what they were not shown.
func ConfirmRule(a ask.Ask, o Offer, instance string) Message {
	where, _ := line(0, func(w *writer) {
		w.own("for ")
		scopeText(w, a, o.Choice.Answer)
		w.own(", " + o.Choice.Expiry)
	})
	var rules []string
	for _, r := range o.Choice.Rules {
		rules = append(rules, fenced(r))
	}
	these := " and store this rule?"
	if len(rules) > 1 {
		these = " and store these rules?"
	}
	text := join(title("Allow", a)+these, join(rules...), where, saidLine(o.Choice))
	if Units(text) > MaxContent {
		return Ephemeral("The rule is too long to be shown here, so it cannot be stored from Discord. Allow once, or answer with " + Code("callgate asks answer "+a.ID+" approve"))
	}
	m := Ephemeral(text)
	m.Components = []discordgo.MessageComponent{row(discordgo.Button{
		Label: "Allow and store it", Style: discordgo.SuccessButton,
		CustomID: CustomID{Instance: instance, Subject: a.ID, Verb: VerbStore, Arg: o.Value}.String(),
	})}
	return m
}

// Everything shows everything about an ask, to one person: the details as text, as far as
// they fit, and the whole in a file.
func Everything(a ask.Ask) Message {
	files, says := callOf(a).attach()
	head := title("Details of", a)
	room := MaxContent - Units(head) - Units(says) - 2
	var text string
	for _, f := range card.Details(a) {
		name := f.Name
		if f.Module {
			name = "module note, unverified"
		}
		one, _ := line(2*roomShort, func(w *writer) {
			w.own(small + name + ": ")
			w.safe(f.Value)
		})
		if Units(text)+Units(one)+1 <= room {
			text = join(text, one)
		}
	}
	m := Ephemeral(join(head, text, says))
	m.Files = files
	return m
}

// ThreadName names the thread of a session; it is plain text for Discord.
func ThreadName(agent, session string) string {
	name, _ := clip(card.Line(strings.TrimSpace(agent+" · "+session)), MaxThreadName)
	return name
}

// Digest is the SHA-256 of a content as Discord keeps it: without blanks at its ends.
func Digest(content string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(content)))
	return hex.EncodeToString(sum[:])
}
