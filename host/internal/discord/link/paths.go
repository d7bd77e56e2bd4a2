package link

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/bwmarrin/discordgo"
)

var (
	errNoID  = errors.New("an id is missing or is none")
	errOther = errors.New("the answer is about something else")
)

// id is an id, or a text refused by every path.
func id(text string) string {
	if !snowflake.MatchString(text) {
		return "!"
	}
	return text
}

func messagePath(channel, msg string) string {
	return "/channels/" + id(channel) + "/messages/" + id(msg)
}

func reactionPath(channel, msg, emoji string) string {
	return messagePath(channel, msg) + "/reactions/" + url.PathEscape(emoji)
}

func commandPath(app, guild string) string {
	if guild == "" {
		return "/applications/" + id(app) + "/commands"
	}
	return "/applications/" + id(app) + "/guilds/" + id(guild) + "/commands"
}

// found looks one thing up.
func found[T any](ctx context.Context, c *Client, what, path string) (*T, error) {
	var out *T
	err := c.get(ctx, what, path, &out)
	if err == nil && out == nil {
		err = &Error{What: what, Status: http.StatusOK, Err: errOther}
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// message makes a call with a message as answer, and checks its channel.
func (c *Client) message(ctx context.Context, r Request) (*discordgo.Message, error) {
	var m *discordgo.Message
	if err := c.Do(ctx, r, &m); err != nil {
		return nil, err
	}
	if m == nil || !snowflake.MatchString(m.ID) {
		return nil, &Error{What: r.What, Status: http.StatusOK, Err: errOther}
	}
	if rest, ok := strings.CutPrefix(r.Path, "/channels/"); ok {
		channel, rest, _ := strings.Cut(rest, "/")
		_, msg, _ := strings.Cut(rest, "/")
		if m.ChannelID != channel || msg != "" && m.ID != msg {
			return nil, &Error{What: r.What, Status: http.StatusOK, Err: errOther}
		}
	}
	return m, nil
}

func identified(what, id string, err error) (string, error) {
	if err == nil && !snowflake.MatchString(id) {
		err = &Error{What: what, Status: http.StatusOK, Err: errOther}
	}
	if err != nil {
		return "", err
	}
	return id, nil
}
