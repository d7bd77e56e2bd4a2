package discordtest

import (
	"regexp"
	"slices"
	"strings"
)

// mentions are who a text names outside code.
type mentions struct {
	everyone     bool
	users, roles []string
}

var (
	fence      = regexp.MustCompile("^```(?:[a-zA-Z0-9_+.#-]+\n)?\n*[^\n](?s:.*?)\n*```")
	escaped    = regexp.MustCompile(`^\\[^0-9A-Za-z\s]`)
	anyMention = regexp.MustCompile(`^(?:<@!?(\d{15,20})>|<@&(\d{15,20})>|(@everyone|@here))`)
)

// readMentions finds who a text mentions, as Discord's Markdown reads it: not in fenced
// or inline code, and not behind a backslash.
func readMentions(text string) mentions {
	var found mentions
	for text != "" {
		if skipped := code(text); skipped > 0 {
			text = text[skipped:]
			continue
		}
		if m := escaped.FindString(text); m != "" {
			text = text[len(m):]
			continue
		}
		m := anyMention.FindStringSubmatch(text)
		if m == nil {
			text = text[1:]
			continue
		}
		switch {
		case m[1] != "":
			found.users = unique(found.users, m[1])
		case m[2] != "":
			found.roles = unique(found.roles, m[2])
		default:
			found.everyone = true
		}
		text = text[len(m[0]):]
	}
	return found
}

func unique(list []string, id string) []string {
	if slices.Contains(list, id) {
		return list
	}
	return append(list, id)
}

// code returns the length of the code at the beginning of text; 0 for none. Inline code begins
// with a run of backticks and ends with the next run of the same length.
func code(text string) int {
	if text[0] != '`' {
		return 0
	}
	if m := fence.FindString(text); m != "" {
		return len(m)
	}
	run := ticks(text)
	for at := run; at < len(text); {
		next := strings.IndexByte(text[at:], '`')
		if next < 0 {
			break
		}
		at += next
		n := ticks(text[at:])
		if n == run {
			return at + n
		}
		at += n
	}
	return run // they stand for themselves
}

func ticks(text string) int { return len(text) - len(strings.TrimLeft(text, "`")) }

// pings are the notifying mentions: those permitted by allowed_mentions, of a role only when it
// may be mentioned by all or the author may mention everybody.
func (s *Server) pings(m *Message, allowed *allowedMentions, replied string) Pings {
	if m.For != "" || m.Flags&flagSilent != 0 {
		return Pings{}
	}
	may := int64(0)
	c := s.channels[m.ChannelID]
	if c != nil {
		may = s.permissions(c, m.Author.ID)
	}
	parse := []string{"users", "roles", "everyone"}
	var users, roles []string
	pingReplied := true
	if allowed != nil {
		parse, users, roles, pingReplied = nil, allowed.Users, allowed.Roles, allowed.Replied
		if allowed.Parse != nil {
			parse = *allowed.Parse
		}
	}
	var out Pings
	out.Everyone = m.mentions.everyone && slices.Contains(parse, "everyone") && may&PermMentionEveryone != 0
	for _, id := range m.mentions.users {
		if slices.Contains(parse, "users") || slices.Contains(users, id) {
			out.Users = unique(out.Users, id)
		}
	}
	if replied != "" && pingReplied {
		out.Users = unique(out.Users, replied)
	}
	for _, id := range m.mentions.roles {
		if (slices.Contains(parse, "roles") || slices.Contains(roles, id)) && s.pingable(c, id, may) {
			out.Roles = unique(out.Roles, id)
		}
	}
	return out
}

func (s *Server) pingable(c *channel, roleID string, may int64) bool {
	if c == nil || s.guilds[c.guild] == nil {
		return false
	}
	for _, r := range s.guilds[c.guild].roles {
		if r.id == roleID {
			return r.mentionable || may&PermMentionEveryone != 0
		}
	}
	return false
}

// plain reports whether the bot may read a message's content without the message content
// intent: a direct one, its own, and one mentioning it.
func (s *Server) plain(m *Message) bool {
	return m.GuildID == "" || m.Author.ID == s.Bot || slices.Contains(m.mentions.users, s.Bot)
}

// readable tells whether REST shows it the content.
func (s *Server) readable(m *Message) bool { return s.application.MessageContent || s.plain(m) }
