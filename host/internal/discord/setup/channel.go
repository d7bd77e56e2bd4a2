package setup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/machine/finding"
)

func (x *examination) now() time.Time {
	if x.want.Now.IsZero() {
		return time.Now()
	}
	return x.want.Now
}

// channels looks at each channel where cards are posted.
func (x *examination) channels(ctx context.Context) {
	if len(x.want.Channels) == 0 && len(x.want.Direct) > 0 {
		x.ok("channel", "Cards go only to %s, as direct messages. Whether they accept messages from the bot is only known when one is sent.", strings.Join(x.want.Direct, ", "))
		return
	}
	if len(x.want.Channels) == 0 {
		x.add(finding.Error, "channel", "No channel is configured, so no cards are posted in the server.", "defaults: {discord: {channel: CHANNELID}}, or run this command with --channel ID --write")
		return
	}
	for _, want := range x.want.Channels {
		where := strings.Join(want.Where, ", ")
		c, err := x.api.Channel(ctx, want.ID)
		switch {
		case err != nil || c == nil:
			x.failed("channel", fmt.Sprintf("the channel %s (%s)", want.ID, where), err, "correct the ID, or give the bot's role access: Edit Channel, Permissions, add the bot, View Channel")
		case c.GuildID != x.guild.ID:
			x.add(finding.Error, "channel", fmt.Sprintf("#%s (%s) is a channel of another server (%s).", c.Name, where, c.GuildID), "use a channel of "+x.guild.Name)
		case c.Type != discordgo.ChannelTypeGuildText && c.Type != discordgo.ChannelTypeGuildNews:
			x.add(finding.Error, "channel", fmt.Sprintf("#%s (%s) is %s, where cards cannot be posted.", c.Name, where, kindName(c.Type)), "use a text channel")
		default:
			x.places[c.ID] = c
			x.ok("channel", "#%s%s", c.Name, x.readers(c))
			x.permitted(c, want)
		}
	}
}

// kindName is the kind of a channel not meant for texts.
func kindName(t discordgo.ChannelType) string {
	names := map[discordgo.ChannelType]string{
		discordgo.ChannelTypeDM: "a direct message", discordgo.ChannelTypeGroupDM: "a group direct message", discordgo.ChannelTypeGuildVoice: "a voice channel",
		discordgo.ChannelTypeGuildStageVoice: "a stage", discordgo.ChannelTypeGuildCategory: "a category", discordgo.ChannelTypeGuildForum: "a forum",
		discordgo.ChannelTypeGuildMedia: "a media channel", discordgo.ChannelTypeGuildPublicThread: "a thread", discordgo.ChannelTypeGuildPrivateThread: "a private thread",
		discordgo.ChannelTypeGuildNewsThread: "a thread",
	}
	if name, known := names[t]; known {
		return name
	}
	return fmt.Sprintf("a channel of kind %d", t)
}

// readers warns when everybody in the server can read the channel.
func (x *examination) readers(c *discordgo.Channel) string {
	if within(x.guild, c, &discordgo.Member{}, x.now())&discordgo.PermissionViewChannel != 0 {
		return ". Everyone on the server can read it."
	}
	return ". It is private."
}

// permitted lists the bot's missing permissions in a channel: an error where the configuration
// needs them, else a warning.
func (x *examination) permitted(c *discordgo.Channel, want Channel) {
	may := within(x.guild, c, x.bot, x.now())
	var missing []Permission
	for _, p := range Permissions() {
		if may&p.Bit == 0 {
			missing = append(missing, p)
		}
	}
	for _, p := range missing {
		state, effect := finding.Error, "missing permission, needed "+p.For
		if !x.needed(p.Bit, want) {
			state, effect = finding.Warning, "missing permission, but this configuration does not need it"
		}
		x.add(state, "permissions", fmt.Sprintf("#%s: %s: %s", c.Name, p.Name, effect), "Edit Channel, Permissions, add the bot's role, allow "+p.Name)
	}
	if len(missing) == 0 {
		x.ok("permissions", "#%s: the bot has all %d permissions.", c.Name, len(Permissions()))
	}
	if c.RateLimitPerUser > 0 && !unhurried(may) {
		x.add(finding.Warning, "slow_mode", fmt.Sprintf("#%s has slow mode: the bot may post only one card in %s, so cards arrive late or not at all.", c.Name, time.Duration(c.RateLimitPerUser)*time.Second), "Edit Channel, Overview: switch Slowmode off; or allow the bot's role Bypass Slowmode")
	}
}

// needed reports whether the configuration uses a permission in a channel.
func (x *examination) needed(bit int64, want Channel) bool {
	switch bit {
	case discordgo.PermissionEmbedLinks:
		return false
	case discordgo.PermissionAddReactions:
		return x.want.Reactions
	case discordgo.PermissionCreatePublicThreads, discordgo.PermissionSendMessagesInThreads:
		return want.Threads
	}
	return true
}

// unhurried reports whether slow mode is bypassed.
func unhurried(may int64) bool { return may&bypassSlowMode != 0 }

// testCards posts the test card into each channel, pauses, and takes it away, also when
// ctx has ended meanwhile.
func (x *examination) testCards(ctx context.Context, pause func(context.Context)) {
	for _, want := range x.want.Channels {
		c, found := x.places[want.ID]
		if !found {
			continue // said above
		}
		posted, err := x.api.Post(ctx, c.ID, x.want.TestCard)
		if err != nil {
			x.failed("test_card", "posting a test card to #"+c.Name, err, "see the permissions above")
			continue
		}
		pause(ctx)
		if err := x.api.Delete(context.WithoutCancel(ctx), c.ID, posted.ID); err != nil {
			x.failed("test_card", "deleting the test card of #"+c.Name, err, "delete it by hand; it is only a test")
			continue
		}
		x.ok("test_card", "A card was posted to #%s and deleted again.", c.Name)
	}
}
