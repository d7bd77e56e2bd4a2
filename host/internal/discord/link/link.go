// Package link reaches Discord: REST calls through a queue that keeps the rate limits, a
// gateway connection with supervision and resumption, and, in place of the gateway for clicks
// and commands, an HTTP endpoint for Discord. It decides nothing and knows no ask.
//
// Nothing here makes an ask wait: every method ends with its context, even if Discord hangs.
package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/message"
)

// Interaction is a click, a choice, a form or a slash command, as it came in by the
// gateway or the endpoint.
type Interaction struct {
	// Member and User are both nil where Discord did not name the person, and Data is nil where
	// it was unreadable: then CustomID is that of a click, choice or form, if there was one.
	*discordgo.Interaction
	CustomID string
	// Received is when it came in: Discord takes an answer for three seconds.
	Received time.Time
	// Respond answers it, once: by REST, or in the body of the HTTP answer.
	Respond func(context.Context, Response) error
}

// Response answers an interaction. Exactly one of Message, Modal and Choices is set, as
// Type wants it; none for a deferred answer.
type Response struct {
	Type    discordgo.InteractionResponseType
	Message *message.Message
	Modal   *message.Modal
	Choices []*discordgo.ApplicationCommandOptionChoice
}

// Reaction is one added to a message. Member is nil in direct messages.
type Reaction struct {
	UserID, ChannelID, MessageID, GuildID string
	Emoji                                 discordgo.Emoji
	Member                                *discordgo.Member
}

// Events receive everything from Discord. Each is called in a goroutine of its own, of which
// the number is bounded; a panic in one is logged and ends only that one. The original order is
// not kept. An interaction comes once, even if Discord repeats it.
type Events interface {
	// Ready announces a new gateway session; it must not block. With fresh, events may have
	// been missed since the last one.
	Ready(ctx context.Context, fresh bool)
	Interaction(context.Context, *Interaction)
	Reaction(context.Context, Reaction)
	// Message is a new message; Content is empty where the bot may not read it.
	Message(context.Context, *discordgo.Message)
	// Edited is a message after a change; Deleted a removed one.
	Edited(context.Context, *discordgo.Message)
	Deleted(ctx context.Context, channel, message string)
}

// State is how the connection stands.
type State struct {
	// Connected means: events come in; Since is the time of the last change.
	Connected bool      `json:"connected"`
	Since     time.Time `json:"since"`
	// Problem describes an error, for people; Fatal means: only they can fix it.
	Problem string `json:"problem,omitempty"`
	Fatal   bool   `json:"fatal,omitempty"`
}

// Error is a failed answer of Discord, or a missing one.
type Error struct {
	// What was tried, such as "post to channel 123", without any of its content.
	What string
	// Status is the HTTP status, 0 when there was no answer; Code and Message are
	// Discord's own.
	Status  int
	Code    int
	Message string
	// RetryAfter is set for a 429.
	RetryAfter time.Duration
	// Err is set when there was no answer, an unreadable one, or when the context ended before
	// there was a good one.
	Err error
}

// Error implements error. It never holds a token, or content of a message.
func (e *Error) Error() string {
	switch {
	case e.Status == 0 || e.Status/100 == 2:
		return fmt.Sprintf("discord: %s: %v", e.What, e.Err)
	case e.Message != "":
		return fmt.Sprintf("discord: %s: HTTP %d, code %d: %s", e.What, e.Status, e.Code, e.Message)
	}
	return fmt.Sprintf("discord: %s: HTTP %d", e.What, e.Status)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// The errors for branching, with errors.Is.
var (
	// ErrGone: there is no such channel, message, member, interaction.
	ErrGone = errors.New("it is not there")
	// ErrForbidden: the bot may not.
	ErrForbidden = errors.New("the bot may not do that")
	// ErrUnauthorized: the token is not one, or no longer.
	ErrUnauthorized = errors.New("the bot's token is not known to Discord")
	// ErrSuperseded: a newer edit of the same message took the place of this one.
	ErrSuperseded = errors.New("a newer edit took its place")
	// ErrUnsound: it was not sent, because it exceeds Discord's limits.
	ErrUnsound = errors.New("it is not as Discord takes it")
	// ErrAnswered: the interaction was already answered, with the same token.
	ErrAnswered = errors.New("the interaction was answered before")
)

// Is makes the errors above work.
func (e *Error) Is(target error) bool {
	switch target {
	case ErrGone: // Discord says it in words: a proxy's page says nothing of a card
		return e.Status == 404 && e.Message != ""
	case ErrForbidden:
		return e.Status == 403
	case ErrUnauthorized:
		return e.Status == 401
	case ErrAnswered:
		return e.Code == discordgo.ErrCodeInteractionHasAlreadyBeenAcknowledged
	}
	return false
}

// Request is one call of Discord's REST API.
type Request struct {
	Method string
	// Path begins behind the version: /channels/123/messages.
	Path string
	// What describes it for people, see Error.
	What string
	// Body is marshalled; nil for none. Files make it a multipart body.
	Body  any
	Files []message.File
	// Lane orders requests: those of one lane go out one after another, lanes beside
	// each other. Empty means the channel, webhook or guild in Path.
	Lane string
	// Urgent goes before the others in its lane.
	Urgent bool
	// Replaces makes a waiting request with the same text give way (ErrSuperseded).
	Replaces string
	// Repeatable means: doing it twice does no harm (a nonce, an edit, a deletion). Only then
	// is it repeated without an answer, or after the server failed.
	Repeatable bool
}
