package discordtest

import (
	"slices"
	"strconv"
	"time"
)

// object is a JSON object as Discord sends it.
type object = map[string]any

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }

func (s *Server) userView(id string) object {
	u := s.users[id]
	if u == nil {
		u = &User{ID: id, Name: "deleted"}
	}
	v := object{
		"id": u.ID, "username": u.Name, "avatar": nil, "discriminator": "0",
		"public_flags": 0, "flags": 0, "global_name": nil, "primary_guild": nil,
	}
	if u.Bot {
		v["bot"], v["discriminator"] = true, "0001"
	} else {
		v["global_name"] = u.Name
	}
	return v
}

func (s *Server) memberView(g *guild, userID string, withUser bool) object {
	m := g.members[userID]
	if m == nil {
		return nil
	}
	v := object{
		"avatar": nil, "banner": nil, "communication_disabled_until": nil, "flags": 0,
		"joined_at": "2024-01-01T00:00:00.000000+00:00", "nick": nil, "pending": false,
		"premium_since": nil, "roles": append([]string{}, m.roles...), "mute": false, "deaf": false,
	}
	if m.nick != "" {
		v["nick"] = m.nick
	}
	if withUser {
		v["user"] = s.userView(userID)
	}
	return v
}

func roleView(g *guild, id string) object {
	i := slices.IndexFunc(g.roles, func(r *role) bool { return r.id == id })
	if i < 0 {
		return nil
	}
	r := g.roles[i]
	return object{
		"id": r.id, "name": r.name, "permissions": strconv.FormatInt(r.permissions, 10),
		"position": i, "color": 0, "hoist": false, "managed": false, "mentionable": r.mentionable,
		"colors": object{"primary_color": 0, "secondary_color": nil, "tertiary_color": nil},
		"icon":   nil, "unicode_emoji": nil, "flags": 0,
	}
}

func roleViews(g *guild) []object {
	views := []object{}
	for _, r := range g.roles {
		views = append(views, roleView(g, r.id))
	}
	return views
}

func (s *Server) channelView(c *channel) object {
	v := object{"id": c.id, "type": c.kind, "flags": 0, "last_message_id": nil}
	if n := len(c.messages); n > 0 {
		v["last_message_id"] = c.messages[n-1]
	}
	if c.kind == directly {
		recipients := []object{}
		for _, id := range c.recipients {
			if id != s.Bot {
				recipients = append(recipients, s.userView(id))
			}
		}
		v["recipients"] = recipients
		return v
	}
	v["guild_id"], v["name"], v["rate_limit_per_user"] = c.guild, c.name, c.slow
	v["parent_id"] = nil
	if c.kind == publicThread {
		v["parent_id"], v["owner_id"] = c.parent, c.owner
		v["message_count"], v["member_count"], v["total_message_sent"] = len(c.messages), 1, len(c.messages)
		v["thread_metadata"] = object{
			"archived": c.archived, "locked": c.locked, "auto_archive_duration": 1440,
			"archive_timestamp": "2024-01-01T00:00:00.000000+00:00",
		}
		return v
	}
	overwrites := []object{}
	for _, o := range c.overwrites {
		kind := 0
		if o.user {
			kind = 1
		}
		overwrites = append(overwrites, object{"id": o.id, "type": kind,
			"allow": strconv.FormatInt(o.allow, 10), "deny": strconv.FormatInt(o.deny, 10)})
	}
	v["position"], v["nsfw"], v["topic"], v["permission_overwrites"] = 0, false, nil, overwrites
	return v
}

func (s *Server) guildView(g *guild) object {
	return object{
		"id": g.id, "name": g.name, "icon": nil, "description": nil, "home_header": nil, "splash": nil,
		"discovery_splash": nil, "features": []string{}, "banner": nil, "owner_id": g.owner,
		"application_id": nil, "region": "deprecated", "afk_channel_id": nil, "afk_timeout": 300,
		"system_channel_id": nil, "system_channel_flags": 0, "widget_enabled": false, "widget_channel_id": nil,
		"verification_level": 0, "roles": roleViews(g), "default_message_notifications": 0, "mfa_level": 0,
		"explicit_content_filter": 0, "max_presences": nil, "max_members": 500000,
		"max_stage_video_channel_users": 50, "max_video_channel_users": 25, "vanity_url_code": nil,
		"premium_tier": 0, "premium_subscription_count": 0, "preferred_locale": "en-US",
		"rules_channel_id": nil, "safety_alerts_channel_id": nil, "public_updates_channel_id": nil,
		"premium_progress_bar_enabled": false, "premium_progress_bar_enabled_user_updated_at": nil,
		"nsfw": false, "nsfw_level": 0, "emojis": []any{}, "stickers": []any{}, "incidents_data": nil,
	}
}

// guildCreate is the gateway's event for a guild: with its channels, and of the members only
// the bot.
func (s *Server) guildCreate(g *guild) object {
	v := s.guildView(g)
	channels, threads := []object{}, []object{}
	for _, c := range s.guildChannels(g.id) {
		switch {
		case s.permissions(c, s.Bot)&PermViewChannel == 0:
		case c.kind == publicThread:
			threads = append(threads, s.channelView(c))
		default:
			channels = append(channels, s.channelView(c))
		}
	}
	v["channels"], v["threads"], v["members"] = channels, threads, []object{}
	if m := s.memberView(g, s.Bot, true); m != nil {
		v["members"] = []object{m}
	}
	v["joined_at"], v["large"], v["unavailable"] = "2024-01-01T00:00:00.000000+00:00", false, false
	v["member_count"] = len(g.members)
	v["voice_states"], v["presences"], v["stage_instances"] = []any{}, []any{}, []any{}
	v["guild_scheduled_events"], v["soundboard_sounds"] = []any{}, []any{}
	return v
}

// guildChannels are a guild's, in the order of creation.
func (s *Server) guildChannels(guildID string) []*channel {
	var list []*channel
	for _, c := range s.channels {
		if c.guild == guildID {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *channel) int { return compareIDs(a.id, b.id) })
	return list
}

func compareIDs(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
