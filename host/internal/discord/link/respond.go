package link

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/message"
)

// callback is the body of an answer to an interaction.
type callback struct {
	Type discordgo.InteractionResponseType `json:"type"`
	Data any                               `json:"data,omitempty"`
}

type choices struct {
	Choices []*discordgo.ApplicationCommandOptionChoice `json:"choices"`
}

type flagged struct {
	Flags discordgo.MessageFlags `json:"flags"`
}

// callback checks an answer and lays it out. A deferred answer to a command is for
// the one who gave it, as all our answers to commands are.
func (r Response) callback() (callback, error) {
	c := callback{Type: r.Type}
	switch r.Type {
	case discordgo.InteractionResponseChannelMessageWithSource, discordgo.InteractionResponseUpdateMessage:
		if r.Message == nil {
			return c, errors.New("the answer has no message")
		}
		c.Data = reply(*r.Message)
		return c, r.Message.Check()
	case discordgo.InteractionResponseModal:
		if r.Modal == nil {
			return c, errors.New("the answer has no form")
		}
		c.Data = r.Modal
		return c, r.Modal.Check()
	case discordgo.InteractionApplicationCommandAutocompleteResult:
		list := choices{r.Choices}
		if list.Choices == nil {
			list.Choices = []*discordgo.ApplicationCommandOptionChoice{}
		}
		if len(list.Choices) > message.MaxOptions {
			return c, fmt.Errorf("the answer has more than %d choices", message.MaxOptions)
		}
		c.Data = list
	case discordgo.InteractionResponseDeferredChannelMessageWithSource:
		c.Data = flagged{discordgo.MessageFlagsEphemeral}
	case discordgo.InteractionResponseDeferredMessageUpdate:
	default:
		return c, fmt.Errorf("%d is no answer to an interaction", r.Type)
	}
	return c, nil
}

// files are those of the answer's message.
func (r Response) files() []message.File {
	if r.Message == nil {
		return nil
	}
	return r.Message.Files
}

// reply is a message without the members of new posts.
func reply(m message.Message) message.Message {
	m.Reference, m.Nonce, m.EnforceNonce = nil, "", false
	return m
}

// Respond answers an interaction by REST. It goes before everything else. ErrGone: it was too
// late; ErrAnswered: it was answered before.
func (c *Client) Respond(ctx context.Context, i *discordgo.Interaction, r Response) error {
	const what = "answer an interaction"
	body, err := r.callback()
	if err == nil {
		err = checkInteraction(i)
	}
	if err != nil {
		return unsound(what, err)
	}
	return c.Do(ctx, Request{
		Method: http.MethodPost, Path: "/interactions/" + i.ID + "/" + i.Token + "/callback", What: what,
		Body: body, Files: r.files(), Lane: "interaction " + i.ID, Urgent: true,
	}, nil)
}

// FollowUp posts a further message to an answered interaction.
func (c *Client) FollowUp(ctx context.Context, i *discordgo.Interaction, m message.Message) (*discordgo.Message, error) {
	return c.webhook(ctx, i, m, Request{Method: http.MethodPost, What: "post after an interaction"}, "")
}

// EditOriginal changes the answer to an interaction; after a deferred one it is the
// answer.
func (c *Client) EditOriginal(ctx context.Context, i *discordgo.Interaction, m message.Message) (*discordgo.Message, error) {
	r := Request{Method: http.MethodPatch, What: "edit the answer to an interaction", Replaces: "original", Repeatable: true}
	return c.webhook(ctx, i, m, r, "/messages/@original")
}

func (c *Client) webhook(ctx context.Context, i *discordgo.Interaction, m message.Message, r Request, path string) (*discordgo.Message, error) {
	err := m.Check()
	if err == nil {
		err = checkInteraction(i)
	}
	if err != nil {
		return nil, unsound(r.What, err)
	}
	r.Path = "/webhooks/" + i.AppID + "/" + i.Token + path
	r.Lane, r.Urgent = "interaction "+i.ID, true
	r.Body, r.Files = reply(m), m.Files
	return c.message(ctx, r)
}

// checkInteraction requires the members needed for an answer, in a shape allowed in a path.
func checkInteraction(i *discordgo.Interaction) error {
	if i == nil || !snowflake.MatchString(i.ID) || !snowflake.MatchString(i.AppID) || !isTicket(i.Token) {
		return errors.New("it has no id or no token")
	}
	return nil
}
