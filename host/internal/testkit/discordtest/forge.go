package discordtest

import (
	"context"
	"encoding/json"
	"fmt"
)

// Forge makes a click on a component no client would send, from a person in a channel on a
// message, each of which may be anything: change alters the JSON for the bot before it goes
// out, such as by deleting "member" or putting another "guild_id". It waits for the answer. Ids
// and token are real, so the bot can answer. An empty messageID sends no message.
func (s *Server) Forge(ctx context.Context, userID, channelID, messageID, customID string, change func(map[string]any)) (*Seen, error) {
	i, payload := s.forged(userID, channelID, messageID)
	payload["data"] = object{"id": 1, "custom_id": customID, "component_type": Button}
	if change != nil {
		change(payload)
	}
	s.mu.Lock()
	return s.deliverLocked(ctx, i, payload)
}

func (s *Server) forged(userID, channelID, messageID string) (*interaction, object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mustUser(userID)
	c := s.mustChannel(channelID)
	if c.guild != "" && s.guilds[c.guild].members[userID] == nil {
		s.guilds[c.guild].members[userID] = &member{}
		defer delete(s.guilds[c.guild].members, userID)
	}
	i := s.begin(typeComponent, userID, c, messageID)
	payload := s.payload(i, nil)
	data, err := json.Marshal(payload)
	if err != nil {
		panic(err) // plain data
	}
	var plain object // maps and slices only, so a change can reach everything
	if err := json.Unmarshal(data, &plain); err != nil {
		panic(err)
	}
	return i, plain
}

// Dispatch sends any event to every session, with any intents: raw must be JSON.
func (s *Server) Dispatch(event, raw string) {
	if !json.Valid([]byte(raw)) {
		panic(fmt.Sprintf("discordtest: Dispatch: this is no JSON: %.200s", raw))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dispatch(event, alwaysSent, "", json.RawMessage(raw))
}

// ForgeReaction sends the bot a reaction never made, with an emoji as given: its JSON, such as
// {"id":"123","name":"✅"}.
func (s *Server) ForgeReaction(userID, messageID, emoji string, change func(map[string]any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[messageID]
	v := object{"user_id": userID, "message_id": messageID, "emoji": json.RawMessage(emoji), "burst": false, "type": 0}
	if m != nil {
		v["channel_id"] = m.ChannelID
		if g := s.guilds[m.GuildID]; g != nil {
			v["guild_id"] = g.id
			if member := s.memberView(g, userID, true); member != nil {
				v["member"] = member
			}
		}
	}
	if change != nil {
		change(v)
	}
	s.dispatch("MESSAGE_REACTION_ADD", alwaysSent, "", v)
}

// EditAs changes a message as a thief of the bot's token, or Discord, would: without any check.
// The bot gets the event.
func (s *Server) EditAs(messageID string, change func(*Message)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[messageID]
	if m == nil {
		panic(fmt.Sprintf("discordtest: there is no message %q", messageID))
	}
	m.Components = clone(m.Components) // the old ones may be read elsewhere
	change(m)
	m.mentions = readMentions(m.Content)
	s.edited(m)
}
