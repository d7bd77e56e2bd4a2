package slash

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/gate/profiles"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/store"
)

// badRequest is a command beyond understanding; its text is for the person.
type badRequest struct{ error }

// errPanic stands for a failure explained in the log.
var errPanic = errors.New("panic")

// understandable are the errors with a text that helps a person.
var understandable = []error{
	authority.ErrBadRequest, ruletest.ErrBadRule, admin.ErrForkNarrows, profiles.ErrUnknownProfile, profiles.ErrNoGivenProfile,
	store.ErrNotFound, ask.ErrUnknown, ask.ErrNotPaused, engine.ErrAutoReserved,
}

// failed is an error for people: a refusal with the missing right, a mistake with its
// correction, and everything else only as a pointer to the log.
func (h *Handler) failed(err error) message.Message {
	var refusal *approvers.Refusal
	var bad badRequest
	switch {
	case errors.As(err, &refusal):
		return listing("**Refused.** You may not do that, and it was noted.", []string{refusal.Error()}, "")
	case errors.Is(err, authority.ErrNotEntitled):
		return listing("**Refused.** You may not do that.", []string{strings.TrimPrefix(err.Error(), authority.ErrNotEntitled.Error()+": ")}, "")
	case errors.As(err, &bad):
		return listing("**Nothing was changed.**", []string{bad.Error()}, "")
	}
	for _, known := range understandable {
		if errors.Is(err, known) {
			return listing("**Nothing was changed.**", []string{err.Error()}, "")
		}
	}
	h.c.Log.Error("a slash command failed", "error", err)
	return message.Ephemeral("That went wrong, and the log of the daemon says why. What it was to change may be changed or not: look before you try again.")
}

// The cut of a listing and the name of its file.
const (
	listName = "list.txt"
	listType = "text/plain; charset=utf-8"
	// maxFile leaves room for the rest of the request.
	maxFile = message.MaxFile - 1<<20
)

// listing is head, lines in a code block, and tail. head and tail are ours, with code around
// foreign parts; a line is foreign text and is shown on one line. A list too long is attached
// whole, with a note in the message.
func listing(head string, lines []string, tail string) message.Message {
	safe := make([]string, len(lines))
	for i, line := range lines {
		safe[i] = card.Line(line)
	}
	whole := joined(head, message.Fence(strings.Join(safe, "\n")), tail)
	if len(lines) == 0 {
		whole = joined(head, "", tail)
	}
	if message.Units(whole) <= message.MaxContent {
		return message.Ephemeral(whole)
	}
	shown := 0
	content := joined(head, note(0, len(safe)), tail)
	for n := 1; n < len(safe); n++ {
		more := joined(head, message.Fence(strings.Join(safe[:n], "\n"))+"\n"+note(n, len(safe)), tail)
		if message.Units(more) > message.MaxContent {
			break
		}
		shown, content = n, more
	}
	file, left := fileOf(safe)
	if left > 0 {
		content = joined(head, note(shown, len(safe)), fmt.Sprintf("The file has room for all but the last %d lines: the callgate command line shows them.", left), tail)
	}
	m := message.Ephemeral(content)
	m.Files = []message.File{{Name: listName, Type: listType, Data: file}}
	return m
}

// note says how much of a list is shown.
func note(shown, all int) string {
	if shown == 0 {
		return "It is too long for a message: the file has it whole."
	}
	return fmt.Sprintf("These are the first %d of %d lines: the file has all.", shown, all)
}

// fileOf are lines as a file, and how many did not fit.
func fileOf(lines []string) (data []byte, left int) {
	var out strings.Builder
	for i, line := range lines {
		if out.Len()+len(line)+1 > maxFile {
			return []byte(out.String()), len(lines) - i
		}
		out.WriteString(line + "\n")
	}
	return []byte(out.String()), 0
}

// joined are the non-empty parts, one below the other.
func joined(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "\n")
}

// placeText names a place, for people.
func placeText(scope engine.Scope, key string) string {
	if scope == engine.Global || scope == "" {
		return "for every agent"
	}
	return "of the " + string(scope) + " " + short(key)
}

// maxShort bounds a name in a sentence, in UTF-16 units as shown.
const maxShort = 200

// short is a name in code, in the middle of a sentence: a very long one is cut, with a note.
func short(name string) string {
	shown := message.Code(name)
	if message.Units(shown) <= maxShort {
		return shown
	}
	cut := []rune(name)
	for len(cut) > 0 && message.Units(message.Code(string(cut))) > maxShort {
		cut = cut[:len(cut)*3/4]
	}
	return fmt.Sprintf("%s (cut: it has %d characters)", message.Code(string(cut)), len([]rune(name)))
}

// custom is the id of a component of a flow.
func (h *Handler) custom(verb message.Verb, arg string) string {
	return message.CustomID{Instance: h.c.Instance, Subject: message.CommandSubject, Verb: verb, Arg: arg}.String()
}

// menu is a select with its options numbered: their values prove nothing and name
// nothing but a place in the flow.
func (h *Handler) menu(verb message.Verb, flow, placeholder string, labels []string, chosen int) discordgo.MessageComponent {
	safe := make([]string, len(labels))
	for i, text := range labels {
		safe[i] = card.Line(text)
	}
	return h.menuOf(verb, flow, placeholder, safe, chosen)
}

// menuOf is menu for labels already made visible.
func (h *Handler) menuOf(verb message.Verb, flow, placeholder string, labels []string, chosen int) discordgo.MessageComponent {
	var options []discordgo.SelectMenuOption
	for i, text := range labels[:min(len(labels), message.MaxOptions)] {
		options = append(options, discordgo.SelectMenuOption{Label: cut(text, message.MaxOptionText), Value: fmt.Sprint(i), Default: i == chosen})
	}
	return row(discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: h.custom(verb, flow), Placeholder: placeholder, Options: options})
}

func row(components ...discordgo.MessageComponent) discordgo.MessageComponent {
	return discordgo.ActionsRow{Components: components}
}

// button is one of a flow.
func (h *Handler) button(verb message.Verb, flow, text string, style discordgo.ButtonStyle) discordgo.MessageComponent {
	return discordgo.Button{Label: text, Style: style, CustomID: h.custom(verb, flow)}
}

// label is anybody's text where Discord takes plain text alone, cut to units.
func label(text string, units int) string { return cut(card.Line(text), units) }

// cut is a text already made visible, cut to units.
func cut(visible string, units int) string {
	safe := []rune(visible)
	if len(safe) == 0 {
		return "(empty)"
	}
	if message.Units(visible) <= units {
		return visible
	}
	for message.Units(string(safe)) > units-1 {
		safe = safe[:len(safe)-1]
	}
	return string(safe) + "…"
}
