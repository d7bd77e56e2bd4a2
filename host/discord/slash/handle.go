package slash

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/member"
	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/gate"
)

// answer is what a step of a command comes to: a message, or a form.
type answer struct {
	message message.Message
	modal   *message.Modal
}

// asker is somebody who uses a command, and where.
type asker struct {
	member.Actor
	channel string
}

// change is a change in the asker's name, for which their roles have to do.
func (a asker) change() gate.Change { return gate.Change{By: a.Name, Person: a.Person} }

// Interaction answers a slash command, its completion, and what people do with the
// components and forms of its answers. It returns when Discord has the answer, or does
// not take it any more.
func (h *Handler) Interaction(ctx context.Context, i *link.Interaction, actor member.Actor) {
	if i == nil || i.Interaction == nil || i.Respond == nil {
		return
	}
	who := asker{Actor: actor, channel: i.ChannelID}
	switch i.Type {
	case discordgo.InteractionApplicationCommandAutocomplete:
		h.complete(ctx, i, who)
	case discordgo.InteractionApplicationCommand:
		r, err := readRequest(i.Interaction)
		h.reply(ctx, i, false, h.guarded(who, func(ctx context.Context) (answer, error) {
			if err != nil {
				return answer{}, badRequest{err}
			}
			return h.run(ctx, who, r)
		}))
	case discordgo.InteractionMessageComponent, discordgo.InteractionModalSubmit:
		id, values, ok := pressed(i.Interaction)
		if !ok || id.Instance != h.c.Instance || id.Subject != message.CommandSubject {
			return // another daemon's, or the asks'
		}
		h.reply(ctx, i, !apart[id.Verb], h.guarded(who, func(ctx context.Context) (answer, error) {
			return h.step(ctx, who, id, values)
		}))
	}
}

// apart are the verbs whose answers stand beside the list that they were chosen from.
var apart = map[message.Verb]bool{verbShow: true, verbResume: true, verbRow: true}

// pressed is the component or form that was used, and what was chosen or typed.
func pressed(i *discordgo.Interaction) (id message.CustomID, values []string, ok bool) {
	switch data := i.Data.(type) {
	case discordgo.MessageComponentInteractionData:
		parsed, err := message.ParseID(data.CustomID)
		return parsed, data.Values, err == nil
	case discordgo.ModalSubmitInteractionData:
		parsed, err := message.ParseID(data.CustomID)
		return parsed, typed(data.Components), err == nil
	}
	return message.CustomID{}, nil, false
}

// typed are the texts of a form, in their order.
func typed(rows []discordgo.MessageComponent) []string {
	var out []string
	for _, c := range rows {
		row, ok := c.(*discordgo.ActionsRow)
		if !ok || row == nil {
			continue
		}
		for _, inner := range row.Components {
			if input, ok := inner.(*discordgo.TextInput); ok && input != nil {
				out = append(out, input.Value)
			}
		}
	}
	return out
}

// work makes an answer.
type work func(context.Context) (answer, error)

// guarded is work that only somebody does who may use commands.
func (h *Handler) guarded(who asker, do work) func(context.Context) answer {
	return func(ctx context.Context) answer {
		if !h.may(who) {
			return answer{message: h.refuse(ctx, who)}
		}
		out, err := do(ctx)
		if err != nil {
			return answer{message: h.failed(err)}
		}
		return out
	}
}

// may reports whether somebody may use commands: whom the configuration lists,
// administrators, and who holds a role that may answer or grant something.
func (h *Handler) may(who asker) bool {
	if who.Name == "" || who.Account == "" {
		return false
	}
	known := h.c.Settings().KnownRoles()
	return who.Listed || who.Administrator || slices.ContainsFunc(who.Roles, func(role string) bool { return slices.Contains(known, role) })
}

const notAllowed = "You may not use the commands of Callgate: they are for people whom its configuration lists under people, for administrators of the server, and for holders of a role that ask_approvers or permission_grants names. This was noted."

// refuse tells somebody that commands are not for them, and has it noted, once a
// minute.
func (h *Handler) refuse(ctx context.Context, who asker) message.Message {
	if h.refused.pass(who.Account) {
		if err := h.c.Gate.Refused(ctx, who.Person, "may not use the slash commands"); err != nil {
			h.c.Log.Error("a refused slash command could not be audited", "error", err)
		}
	}
	return message.Ephemeral(notAllowed)
}

// maxWork bounds what one step takes, and what is spent on telling Discord.
const maxWork = time.Minute

// reply does the work and answers: at once or, where it takes longer than Discord
// waits, with a word first and the answer in its place. update answers in the place of
// the message that was used.
func (h *Handler) reply(ctx context.Context, i *link.Interaction, update bool, do func(context.Context) answer) {
	ctx, cancel := context.WithTimeout(ctx, maxWork)
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				// Not the value, which may hold what somebody wrote.
				h.c.Log.Error("a slash command panicked", "panic", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
				done <- answer{message: h.failed(errPanic)}
			}
		}()
		done <- do(ctx)
	}()
	wait := h.c.Patience
	if !i.Received.IsZero() {
		wait -= h.c.Now().Sub(i.Received)
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case out := <-done:
		h.told(i.Respond(ctx, response(out, update)))
		return
	case <-timer.C:
	}
	later := link.Response{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}
	if update {
		later.Type = discordgo.InteractionResponseDeferredMessageUpdate
	}
	deferred := i.Respond(ctx, later)
	out := <-done
	if deferred != nil {
		h.told(deferred)
		return
	}
	if out.modal != nil { // a form cannot come late
		out = answer{message: message.Ephemeral("That took too long: try again.")}
	}
	_, err := h.c.Discord.EditOriginal(ctx, i.Interaction, out.message)
	h.told(err)
}

// response is an answer as Discord takes it.
func response(out answer, update bool) link.Response {
	switch {
	case out.modal != nil:
		return link.Response{Type: discordgo.InteractionResponseModal, Modal: out.modal}
	case update:
		return link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &out.message}
	}
	return link.Response{Type: discordgo.InteractionResponseChannelMessageWithSource, Message: &out.message}
}

// told notes that Discord did not take an answer: what was done stands.
func (h *Handler) told(err error) {
	if err != nil {
		h.c.Log.Warn("Discord did not take the answer to a slash command; what it did stands", "error", err)
	}
}
