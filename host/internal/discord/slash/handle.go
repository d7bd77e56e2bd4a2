package slash

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/member"
	"github.com/callgate/callgate/host/internal/discord/message"
)

// answer is the result of a command's step.
type answer struct{ message message.Message }

// asker is a person using a command, and the place.
type asker struct {
	member.Actor
	channel string
}

// change is a change in the asker's name, limited by their roles.
func (a asker) change() admin.Change { return admin.Change{By: a.Name, Person: a.Person} }

// Interaction answers a slash command, its completion, and the components of its answers. It
// returns when Discord has the answer, or refuses it.
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
	case discordgo.InteractionMessageComponent:
		data, ok := i.Data.(discordgo.MessageComponentInteractionData)
		id, err := message.ParseID(data.CustomID)
		if !ok || err != nil || id.Instance != h.c.Instance || id.Subject != message.CommandSubject {
			return // another daemon's, or the asks'
		}
		h.reply(ctx, i, !apart[id.Verb], h.guarded(who, func(ctx context.Context) (answer, error) {
			return h.step(ctx, who, id, data.Values)
		}))
	}
}

// apart are the verbs with answers beside the list of choices.
var apart = map[message.Verb]bool{verbShow: true, verbResume: true, verbRow: true}

// work makes an answer.
type work func(context.Context) (answer, error)

// guarded is work limited to people with access to commands.
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

// may reports whether a person may use commands: people listed in the configuration,
// administrators, and holders of a role for answering or granting.
func (h *Handler) may(who asker) bool {
	if who.Name == "" || who.Account == "" {
		return false
	}
	known := h.c.Settings().KnownRoles()
	return who.Listed || who.Administrator || slices.ContainsFunc(who.Roles, func(role string) bool { return slices.Contains(known, role) })
}

const notAllowed = "You may not use the commands of Callgate: they are for people whom its configuration lists under people, for administrators of the server, and for holders of a role that ask_approvers or permission_grants names. This was noted."

// refuse informs a person that commands are not for them, and records it, once a minute.
func (h *Handler) refuse(ctx context.Context, who asker) message.Message {
	if h.refused.pass(who.Account) {
		if err := h.c.Gate.Refused(ctx, who.Person, "may not use the slash commands"); err != nil {
			h.c.Log.Error("a refused slash command could not be audited", "error", err)
		}
	}
	return message.Ephemeral(notAllowed)
}

// maxWork bounds the time of one step, and of its answer to Discord.
const maxWork = time.Minute

// reply does the work and answers: at once or, where it takes longer than Discord waits, with a
// word first and the answer in its place. update replaces the message of the component.
func (h *Handler) reply(ctx context.Context, i *link.Interaction, update bool, do func(context.Context) answer) {
	ctx, cancel := context.WithTimeout(ctx, maxWork)
	defer cancel()
	done := make(chan answer, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				// Without the value, which may hold a person's text.
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
	_, err := h.c.Discord.EditOriginal(ctx, i.Interaction, out.message)
	h.told(err)
}

// response is an answer as Discord takes it.
func response(out answer, update bool) link.Response {
	if update {
		return link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &out.message}
	}
	return link.Response{Type: discordgo.InteractionResponseChannelMessageWithSource, Message: &out.message}
}

// told notes that Discord refused an answer: the change itself stands.
func (h *Handler) told(err error) {
	if err != nil {
		h.c.Log.Warn("Discord did not take the answer to a slash command; what it did stands", "error", err)
	}
}
