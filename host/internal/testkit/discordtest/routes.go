package discordtest

import (
	"net/url"
	"strings"
)

// route is one endpoint. Open ones need no token of the bot: the one in the path is it.
type route struct {
	method, template string
	handle           func(*Server, *call) *answer
	open             bool
}

// routes are named as in Discord's OpenAPI document. A literal goes before a parameter.
// It is filled by init, since handlers look routes up.
var routes []route

func init() {
	const (
		msgs     = "/channels/{channel_id}/messages"
		msg      = msgs + "/{message_id}"
		emoji    = msg + "/reactions/{emoji_name}"
		hook     = "/webhooks/{webhook_id}/{webhook_token}"
		commands = "/applications/{application_id}/commands"
		inGuild  = "/applications/{application_id}/guilds/{guild_id}/commands"
	)
	routes = []route{
		{"GET", "/gateway", (*Server).getGateway, true},
		{"GET", "/gateway/bot", (*Server).getGatewayBot, false},
		{"GET", "/users/@me", (*Server).getMe, false},
		{"POST", "/users/@me/channels", (*Server).openDM, false},
		{"GET", "/applications/@me", (*Server).getApplication, false},
		{"GET", "/oauth2/applications/@me", (*Server).getApplication, false},
		{"GET", "/guilds/{guild_id}", (*Server).getGuild, false},
		{"GET", "/guilds/{guild_id}/members/{user_id}", (*Server).getMember, false},
		{"GET", "/channels/{channel_id}", (*Server).getChannel, false},
		{"POST", msgs, (*Server).createMessage, false},
		{"GET", msg, (*Server).getMessage, false},
		{"PATCH", msg, (*Server).editMessage, false},
		{"DELETE", msg, (*Server).deleteMessage, false},
		{"POST", "/channels/{channel_id}/threads", (*Server).createThread, false},
		{"GET", emoji, (*Server).getReactions, false},
		{"PUT", emoji + "/@me", (*Server).addReaction, false},
		{"GET", commands, (*Server).getCommands, false},
		{"PUT", commands, (*Server).putCommands, false},
		{"GET", inGuild, (*Server).getCommands, false},
		{"PUT", inGuild, (*Server).putCommands, false},
		{"POST", "/interactions/{interaction_id}/{interaction_token}/callback", (*Server).callback, true},
		{"POST", hook, (*Server).followUp, true},
		{"GET", hook + "/messages/@original", (*Server).getHookMessage, true},
		{"PATCH", hook + "/messages/@original", (*Server).editHookMessage, true},
		{"PATCH", hook + "/messages/{message_id}", (*Server).editHookMessage, true},
		{"DELETE", hook + "/messages/{message_id}", (*Server).deleteHookMessage, true},
	}
}

func (s *Server) find(method, template string) *route {
	for i := range routes {
		if routes[i].method == method && routes[i].template == template {
			return &routes[i]
		}
	}
	return nil
}

// match returns the template of a path and fills in its parameters; empty for none.
func match(method, path string, params map[string]string) string {
	parts := strings.Split(path, "/")
next:
	for i := range routes {
		want := strings.Split(routes[i].template, "/")
		if routes[i].method != method || len(want) != len(parts) {
			continue
		}
		for j := range want {
			if !strings.HasPrefix(want[j], "{") && want[j] != parts[j] {
				continue next
			}
		}
		for j := range want {
			if name, found := strings.CutPrefix(want[j], "{"); found {
				value, err := url.PathUnescape(parts[j])
				if err != nil {
					continue next
				}
				params[strings.TrimSuffix(name, "}")] = value
			}
		}
		return routes[i].template
	}
	return ""
}
