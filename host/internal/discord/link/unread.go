package link

import (
	"encoding/json"

	"github.com/bwmarrin/discordgo"
)

// readAny decodes an interaction, or, where it is invalid, as much of it as an error message to
// the person needs. why is the defect; an error means: it cannot be answered either.
func readAny(data []byte) (i *Interaction, why, err error) {
	whole, why := readInteraction(data)
	if why == nil {
		return &Interaction{Interaction: whole}, nil, nil
	}
	if i = unread(data); i == nil {
		return nil, why, why
	}
	return i, why, nil
}

// unread returns the readable parts of an invalid interaction; nil where it cannot be answered
// with a message.
func unread(data []byte) *Interaction {
	var raw struct {
		ID      string                    `json:"id"`
		AppID   string                    `json:"application_id"`
		Token   string                    `json:"token"`
		Type    discordgo.InteractionType `json:"type"`
		Channel string                    `json:"channel_id"`
		Guild   string                    `json:"guild_id"`
		Member  json.RawMessage           `json:"member"`
		User    json.RawMessage           `json:"user"`
		Data    json.RawMessage           `json:"data"`
	}
	_ = json.Unmarshal(data, &raw) // members of another type stay empty
	i := &discordgo.Interaction{ID: raw.ID, AppID: raw.AppID, Token: raw.Token, Type: raw.Type}
	switch raw.Type {
	case discordgo.InteractionApplicationCommand, discordgo.InteractionMessageComponent, discordgo.InteractionModalSubmit:
	default:
		return nil
	}
	if checkInteraction(i) != nil {
		return nil
	}
	if snowflake.MatchString(raw.Channel) {
		i.ChannelID = raw.Channel
	}
	if snowflake.MatchString(raw.Guild) {
		i.GuildID = raw.Guild
	}
	if json.Unmarshal(raw.Member, &i.Member) != nil {
		i.Member = nil
	}
	if json.Unmarshal(raw.User, &i.User) != nil {
		i.User = nil
	}
	withoutStrangers(i)
	var inside struct {
		CustomID string `json:"custom_id"`
	}
	_ = json.Unmarshal(raw.Data, &inside) // then there is none
	return &Interaction{Interaction: i, CustomID: inside.CustomID}
}

// withoutStrangers removes invalid data about the person: then the interaction has no person,
// and no rights.
func withoutStrangers(i *discordgo.Interaction) {
	if who := userOf(i); who == nil || !snowflake.MatchString(who.ID) {
		i.Member, i.User = nil, nil
	}
}
