package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/bwmarrin/discordgo"
)

// Intents are the intents needed for approvals: none of them is privileged.
const Intents = discordgo.IntentsGuilds | discordgo.IntentsGuildMessages | discordgo.IntentsGuildMessageReactions |
	discordgo.IntentsDirectMessages | discordgo.IntentsDirectMessageReactions

// eventTime is how long one event may be dealt with: as long as an interaction can be
// answered.
const eventTime = 15 * time.Minute

// How many events are processed at once, and how many wait. Messages, open to any member, have
// a pool of their own and cannot delay clicks.
const (
	mostAtOnce = 64
	mostWait   = 2048
)

// inbox decodes events and hands them on.
type inbox struct {
	events Events
	client *Client
	log    *slog.Logger
	now    func() time.Time

	ctx      context.Context
	seen     *seen
	answers  *pool // interactions and reactions
	messages *pool
}

func newInbox(ctx context.Context, events Events, client *Client, log *slog.Logger, now func() time.Time) *inbox {
	in := &inbox{events: events, client: client, log: log, now: now, ctx: ctx, seen: newSeen(0)}
	in.answers = &pool{log: log, most: mostAtOnce, backlog: mostWait, missed: in.again}
	in.messages = &pool{log: log, most: mostAtOnce, backlog: mostWait, missed: in.again}
	return in
}

func (in *inbox) again() { in.events.Ready(in.ctx, true) }

func (in *inbox) wait() {
	in.answers.wait()
	in.messages.wait()
}

// dispatch processes an event of the gateway. An undecodable one is dropped with a line in the
// log: discordgo hands it on half filled (pitfall 1).
func (in *inbox) dispatch(kind string, data json.RawMessage) {
	if err := in.route(kind, data); err != nil {
		in.log.Warn("discord: an event was dropped", "event", kind, "error", err)
	}
}

var errUnread = errors.New("it cannot be read")

func (in *inbox) route(kind string, data json.RawMessage) error {
	switch kind {
	case "INTERACTION_CREATE":
		return in.interaction(data)
	case "MESSAGE_REACTION_ADD":
		return in.reaction(data)
	case "MESSAGE_CREATE", "MESSAGE_UPDATE":
		return in.message(kind, data)
	case "MESSAGE_DELETE":
		return in.deleted(data)
	case "MESSAGE_DELETE_BULK":
		return in.deletedMany(data)
	}
	return nil
}

func (in *inbox) interaction(data json.RawMessage) error {
	received := in.now()
	event, why, err := readAny(data)
	if err != nil {
		return err
	}
	if why != nil {
		in.log.Warn("discord: an interaction cannot be read, and is answered so", "error", why)
	}
	if !in.seen.first(event.ID, received) {
		return errors.New("it came a second time")
	}
	event.Received = received
	event.Respond = once(func(ctx context.Context, r Response) error { return in.client.Respond(ctx, event.Interaction, r) })
	in.answers.run(in.timed(func(ctx context.Context) { in.events.Interaction(ctx, event) }))
	return nil
}

// timed gives f a context with a time-out.
func (in *inbox) timed(f func(context.Context)) func() {
	return func() {
		ctx, cancel := context.WithTimeout(in.ctx, eventTime)
		defer cancel()
		f(ctx)
	}
}

// readInteraction decodes an interaction with all members promised by its type; the methods of
// discordgo panic without them.
func readInteraction(data []byte) (*discordgo.Interaction, error) {
	var i *discordgo.Interaction
	if err := json.Unmarshal(data, &i); err != nil || i == nil {
		return nil, errUnread
	}
	switch d := i.Data.(type) {
	case discordgo.ApplicationCommandInteractionData, discordgo.MessageComponentInteractionData, discordgo.ModalSubmitInteractionData:
	default:
		return nil, fmt.Errorf("it is of type %d and has %T", i.Type, d)
	}
	if err := checkInteraction(i); err != nil {
		return nil, err
	}
	withoutStrangers(i)
	return i, nil
}

func userOf(i *discordgo.Interaction) *discordgo.User {
	if i.Member != nil {
		return i.Member.User
	}
	return i.User
}

func (in *inbox) reaction(data json.RawMessage) error {
	var r *discordgo.MessageReactionAdd
	if json.Unmarshal(data, &r) != nil || r == nil || r.MessageReaction == nil {
		return errUnread
	}
	if !snowflake.MatchString(r.UserID) || !snowflake.MatchString(r.ChannelID) || !snowflake.MatchString(r.MessageID) {
		return errNoID
	}
	event := Reaction{UserID: r.UserID, ChannelID: r.ChannelID, MessageID: r.MessageID, GuildID: r.GuildID, Emoji: r.Emoji, Member: r.Member}
	in.answers.run(in.timed(func(ctx context.Context) { in.events.Reaction(ctx, event) }))
	return nil
}

func (in *inbox) message(kind string, data json.RawMessage) error {
	var m *discordgo.Message
	if json.Unmarshal(data, &m) != nil || m == nil {
		return errUnread
	}
	if !snowflake.MatchString(m.ID) || !snowflake.MatchString(m.ChannelID) {
		return errNoID
	}
	tell := in.events.Message
	if kind == "MESSAGE_UPDATE" {
		tell = in.events.Edited
	}
	in.messages.run(in.timed(func(ctx context.Context) { tell(ctx, m) }))
	return nil
}

func (in *inbox) deleted(data json.RawMessage) error {
	var m struct {
		ID        string `json:"id"`
		ChannelID string `json:"channel_id"`
	}
	if json.Unmarshal(data, &m) != nil {
		return errUnread
	}
	in.messages.run(in.timed(func(ctx context.Context) { in.events.Deleted(ctx, m.ChannelID, m.ID) }))
	return nil
}

func (in *inbox) deletedMany(data json.RawMessage) error {
	var m struct {
		IDs       []string `json:"ids"`
		ChannelID string   `json:"channel_id"`
	}
	if json.Unmarshal(data, &m) != nil {
		return errUnread
	}
	in.messages.run(in.timed(func(ctx context.Context) {
		for _, id := range m.IDs {
			in.events.Deleted(ctx, m.ChannelID, id)
		}
	}))
	return nil
}
