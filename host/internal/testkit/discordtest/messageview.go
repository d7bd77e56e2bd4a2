package discordtest

import (
	"fmt"
	"slices"
)

// messageView is a message in REST's form. readable false hides the parts a bot without the
// message content intent may not read.
func (s *Server) messageView(m *Message, readable bool) object {
	v := object{
		"type": 0, "content": m.Content, "mentions": s.mentionViews(m), "mention_roles": append([]string{}, m.mentions.roles...),
		"mention_everyone": m.mentions.everyone, "attachments": s.attachmentViews(m),
		"embeds": m.Embeds, "components": m.Components, "timestamp": stamp(m.posted), "edited_timestamp": nil,
		"flags": m.Flags, "id": m.ID, "channel_id": m.ChannelID, "author": s.userView(m.Author.ID),
		"pinned": false, "tts": false,
	}
	if !readable {
		v["content"], v["attachments"], v["embeds"], v["components"] = "", []any{}, []any{}, []any{}
	}
	if v["embeds"] == nil || len(m.Embeds) == 0 {
		v["embeds"] = []any{}
	}
	if len(m.Components) == 0 {
		v["components"] = []any{}
	}
	if !m.edited.IsZero() {
		v["edited_timestamp"] = stamp(m.edited)
	}
	if m.nonce != nil {
		v["nonce"] = m.nonce
	}
	if m.webhook {
		v["webhook_id"], v["application_id"] = s.Application, s.Application
	}
	if len(m.Reactions) > 0 {
		v["reactions"] = s.reactionViews(m)
	}
	if m.ReplyTo != "" {
		v["type"] = 19
		v["message_reference"] = reference(m)
		v["referenced_message"] = nil
		if to := s.messages[m.ReplyTo]; to != nil && !to.Deleted {
			basic := s.messageView(&Message{
				ID: to.ID, ChannelID: to.ChannelID, Author: to.Author, Content: to.Content, Components: to.Components,
				Embeds: to.Embeds, Attachments: to.Attachments, Flags: to.Flags, mentions: to.mentions, posted: to.posted,
			}, s.readable(to))
			v["referenced_message"] = basic
		}
	}
	return v
}

func reference(m *Message) object {
	ref := object{"type": 0, "channel_id": m.ChannelID, "message_id": m.ReplyTo}
	if m.GuildID != "" {
		ref["guild_id"] = m.GuildID
	}
	return ref
}

// eventView is a message as the gateway gives it: with the guild and its author's
// membership.
func (s *Server) eventView(m *Message, readable bool) object {
	v := s.messageView(m, readable)
	if g := s.guilds[m.GuildID]; g != nil {
		v["guild_id"] = g.id
		if member := s.memberView(g, m.Author.ID, false); member != nil && !m.webhook {
			v["member"] = member
		}
	}
	return v
}

func (s *Server) mentionViews(m *Message) []object {
	views := []object{}
	for _, id := range m.mentions.users {
		if s.users[id] != nil {
			views = append(views, s.userView(id))
		}
	}
	return views
}

func (s *Server) attachmentViews(m *Message) []object {
	views := []object{}
	for _, a := range m.Attachments {
		url := fmt.Sprintf("%s/attachments/%s/%s/%s", s.URL(), m.ChannelID, a.ID, a.Name)
		v := object{"id": a.ID, "filename": a.Name, "size": len(a.Data), "url": url, "proxy_url": url}
		if a.Type != "" {
			v["content_type"] = a.Type
		}
		if m.For != "" {
			v["ephemeral"] = true
		}
		views = append(views, v)
	}
	return views
}

func (s *Server) reactionViews(m *Message) []object {
	views := []object{}
	for _, r := range m.Reactions {
		views = append(views, object{
			"emoji": object{"id": nil, "name": r.Emoji}, "count": len(r.Users),
			"count_details": object{"burst": 0, "normal": len(r.Users)}, "burst_colors": []string{},
			"me_burst": false, "me": slices.Contains(r.Users, s.Bot),
		})
	}
	return views
}
