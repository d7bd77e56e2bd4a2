package link

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/message"
)

func (c *Client) get(ctx context.Context, what, path string, out any) error {
	return c.Do(ctx, Request{Method: http.MethodGet, Path: path, What: what}, out)
}

// Me is the bot itself.
func (c *Client) Me(ctx context.Context) (*discordgo.User, error) {
	return found[discordgo.User](ctx, c, "look up the bot", "/users/@me")
}

// Application is the token's application.
func (c *Client) Application(ctx context.Context) (*discordgo.Application, error) {
	return found[discordgo.Application](ctx, c, "look up the application", "/applications/@me")
}

// Channel looks a channel or thread up.
func (c *Client) Channel(ctx context.Context, channel string) (*discordgo.Channel, error) {
	return found[discordgo.Channel](ctx, c, "look up channel "+id(channel), "/channels/"+id(channel))
}

// Guild looks a server up, with its roles and its owner's id.
func (c *Client) Guild(ctx context.Context, guild string) (*discordgo.Guild, error) {
	return found[discordgo.Guild](ctx, c, "look up server "+id(guild), "/guilds/"+id(guild))
}

// Member looks up a member of a server. ErrGone: not there.
func (c *Client) Member(ctx context.Context, guild, user string) (*discordgo.Member, error) {
	m, err := found[discordgo.Member](ctx, c, "look up a member of server "+id(guild), "/guilds/"+id(guild)+"/members/"+id(user))
	switch {
	case err != nil:
		return nil, err
	case m.User == nil || m.User.ID != user:
		return nil, &Error{What: "look up a member of server " + id(guild), Status: http.StatusOK, Err: errOther}
	}
	m.GuildID = guild
	return m, nil
}

// Message fetches a message as it is now.
func (c *Client) Message(ctx context.Context, channel, msg string) (*discordgo.Message, error) {
	return c.message(ctx, Request{Method: http.MethodGet, Path: messagePath(channel, msg), What: "read a message in channel " + id(channel)})
}

// Post posts a message. Without a nonce it gets one, so trying again cannot post it twice. The
// message has its id and channel.
func (c *Client) Post(ctx context.Context, channel string, m message.Message) (*discordgo.Message, error) {
	what := "post to channel " + id(channel)
	if err := m.Check(); err != nil {
		return nil, unsound(what, err)
	}
	if m.Nonce == "" {
		m.Nonce = rand.Text()[:message.MaxNonce]
	}
	m.EnforceNonce = true
	return c.message(ctx, Request{
		Method: http.MethodPost, Path: "/channels/" + id(channel) + "/messages", What: what,
		Body: m, Files: m.Files, Repeatable: true,
	})
}

// Edit replaces a message by m. Of several waiting edits of one message only the newest is
// made; the others end with ErrSuperseded.
func (c *Client) Edit(ctx context.Context, channel, msg string, m message.Message) (*discordgo.Message, error) {
	what := "edit a message in channel " + id(channel)
	if err := m.Check(); err != nil {
		return nil, unsound(what, err)
	}
	return c.message(ctx, Request{
		Method: http.MethodPatch, Path: messagePath(channel, msg), What: what,
		Body: reply(m), Files: m.Files, Replaces: "edit " + msg, Repeatable: true,
	})
}

// Delete takes a message away. ErrGone: it was not there.
func (c *Client) Delete(ctx context.Context, channel, msg string) error {
	return c.Do(ctx, Request{
		Method: http.MethodDelete, Path: messagePath(channel, msg),
		What: "delete a message in channel " + id(channel), Repeatable: true,
	}, nil)
}

// React adds a reaction of the bot's, such as "✅".
func (c *Client) React(ctx context.Context, channel, msg, emoji string) error {
	return c.Do(ctx, Request{
		Method: http.MethodPut, Path: reactionPath(channel, msg, emoji) + "/@me",
		What: "react in channel " + id(channel), Repeatable: true,
	}, nil)
}

// reactionPage is how many come with one call, reactionPages how many calls are made.
const (
	reactionPage  = 100
	reactionPages = 10
)

// Reactions are those who reacted with an emoji: at most a thousand.
func (c *Client) Reactions(ctx context.Context, channel, msg, emoji string) ([]*discordgo.User, error) {
	var all []*discordgo.User
	query := url.Values{"limit": {fmt.Sprint(reactionPage)}}
	for range reactionPages {
		var page []*discordgo.User
		if err := c.get(ctx, "read reactions in channel "+id(channel), reactionPath(channel, msg, emoji)+"?"+query.Encode(), &page); err != nil {
			return nil, err
		}
		for _, u := range page {
			if u != nil && u.ID != "" {
				all = append(all, u)
			}
		}
		if len(page) < reactionPage || page[len(page)-1] == nil {
			break
		}
		query.Set("after", page[len(page)-1].ID)
	}
	return all, nil
}

// OpenDM returns the channel of direct messages with a user.
func (c *Client) OpenDM(ctx context.Context, user string) (channel string, err error) {
	const what = "open direct messages"
	if !snowflake.MatchString(user) {
		return "", &Error{What: what, Err: errNoID}
	}
	var ch discordgo.Channel
	err = c.Do(ctx, Request{
		Method: http.MethodPost, Path: "/users/@me/channels", What: what,
		Body: map[string]string{"recipient_id": user}, Repeatable: true,
	}, &ch)
	return identified(what, ch.ID, err)
}

// threadIdle is Discord's time for archiving an idle thread, in minutes.
const threadIdle = 1440

// StartThread makes a public thread in a channel and returns its id, which is a channel's. It
// is not tried again without an answer: there could be two then.
func (c *Client) StartThread(ctx context.Context, channel, name string) (thread string, err error) {
	what := "start a thread in channel " + id(channel)
	var ch discordgo.Channel
	err = c.Do(ctx, Request{
		Method: http.MethodPost, Path: "/channels/" + id(channel) + "/threads", What: what,
		Body: map[string]any{"name": name, "auto_archive_duration": threadIdle, "type": discordgo.ChannelTypeGuildPublicThread},
	}, &ch)
	return identified(what, ch.ID, err)
}

// Commands are the slash commands of an application, in a server or, with guild empty,
// everywhere.
func (c *Client) Commands(ctx context.Context, app, guild string) ([]*discordgo.ApplicationCommand, error) {
	var all []*discordgo.ApplicationCommand
	return all, c.get(ctx, "read the slash commands", commandPath(app, guild), &all)
}

// SetCommands replaces all existing commands.
func (c *Client) SetCommands(ctx context.Context, app, guild string, commands []*discordgo.ApplicationCommand) error {
	body, err := definitions(commands)
	if err != nil {
		return err
	}
	return c.Do(ctx, Request{
		Method: http.MethodPut, Path: commandPath(app, guild), What: "register the slash commands",
		Body: body, Repeatable: true,
	}, nil)
}

// definitions are commands without the null members that discordgo writes: Discord
// documents none of them as nullable.
func definitions(commands []*discordgo.ApplicationCommand) ([]any, error) {
	text, err := json.Marshal(commands)
	if err != nil {
		return nil, err
	}
	list := []any{}
	if err := json.Unmarshal(text, &list); err != nil || list == nil {
		return []any{}, err
	}
	dropNulls(list)
	return list, nil
}

func dropNulls(v any) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			dropNulls(inner)
		}
	case map[string]any:
		for name, inner := range v {
			if inner == nil {
				delete(v, name)
			}
			dropNulls(inner)
		}
	}
}
