package discordtest

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// customEmoji is how a guild's own emoji stands in a path: name:id.
var customEmoji = regexp.MustCompile(`^\w{2,32}:\d{15,20}$`)

// emojiView is an emoji as events give it.
func emojiView(name string) object {
	if customEmoji.MatchString(name) {
		word, id, _ := strings.Cut(name, ":")
		return object{"id": id, "name": word}
	}
	return object{"id": nil, "name": name}
}

// knownEmoji tells whether it could be an emoji: one of a guild, or some symbol.
func knownEmoji(name string) bool {
	if customEmoji.MatchString(name) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(name)
	return first >= 0x203C && utf8.RuneCountInString(name) <= 12
}

func (s *Server) addReaction(c *call) *answer {
	ch, m, refused := s.messageOf(c, PermReadHistory)
	if refused != nil {
		return refused
	}
	emoji := c.params["emoji_name"]
	if !knownEmoji(emoji) {
		return fail(400, 10014, "Unknown Emoji")
	}
	at := m.reaction(emoji)
	if at < 0 {
		if refused := s.botMay(ch, PermAddReactions); refused != nil {
			return refused
		}
		if len(m.Reactions) >= 20 {
			return fail(400, 30010, "Maximum number of reactions reached (20)")
		}
	}
	s.react(m, s.Bot, emoji)
	return &answer{status: 204}
}

func (m *Message) reaction(emoji string) int {
	return slices.IndexFunc(m.Reactions, func(r Reaction) bool { return r.Emoji == emoji })
}

// react adds a person's reaction; a second one is none.
func (s *Server) react(m *Message, userID, emoji string) {
	at := m.reaction(emoji)
	if at < 0 {
		at = len(m.Reactions)
		m.Reactions = append(m.Reactions, Reaction{Emoji: emoji})
	}
	if slices.Contains(m.Reactions[at].Users, userID) {
		return
	}
	m.Reactions[at].Users = append(m.Reactions[at].Users, userID)
	s.dispatchReaction("MESSAGE_REACTION_ADD", m, userID, emoji)
	s.touch()
}

// unreact removes a person's reaction; false when there was none.
func (s *Server) unreact(m *Message, userID, emoji string) bool {
	at := m.reaction(emoji)
	if at < 0 || !slices.Contains(m.Reactions[at].Users, userID) {
		return false
	}
	m.Reactions[at].Users = slices.DeleteFunc(slices.Clone(m.Reactions[at].Users), func(id string) bool { return id == userID })
	if len(m.Reactions[at].Users) == 0 {
		m.Reactions = slices.Delete(slices.Clone(m.Reactions), at, at+1)
	}
	s.dispatchReaction("MESSAGE_REACTION_REMOVE", m, userID, emoji)
	s.touch()
	return true
}

func (s *Server) dispatchReaction(event string, m *Message, userID, emoji string) {
	v := object{"user_id": userID, "channel_id": m.ChannelID, "message_id": m.ID, "emoji": emojiView(emoji), "burst": false, "type": 0}
	if g := s.guilds[m.GuildID]; g != nil {
		v["guild_id"] = g.id
		if member := s.memberView(g, userID, true); member != nil && event == "MESSAGE_REACTION_ADD" {
			v["member"] = member
		}
	}
	if event == "MESSAGE_REACTION_ADD" {
		v["message_author_id"] = m.Author.ID
	}
	s.dispatch(event, reactionIntent(m.GuildID), m.ChannelID, v)
}

// getReactions gives a page of those who reacted, by id.
func (s *Server) getReactions(c *call) *answer {
	_, m, refused := s.messageOf(c, PermReadHistory)
	if refused != nil {
		return refused
	}
	limit, err := strconv.Atoi(c.query.Get("limit"))
	if err != nil || limit < 1 || limit > 100 {
		limit = 25
	}
	views := []object{}
	if at := m.reaction(c.params["emoji_name"]); at >= 0 {
		users := slices.Clone(m.Reactions[at].Users)
		slices.SortFunc(users, compareIDs)
		for _, id := range users {
			if after := c.query.Get("after"); len(views) < limit && (after == "" || compareIDs(id, after) > 0) {
				views = append(views, s.userView(id))
			}
		}
	}
	return ok(views)
}
