package message

import (
	"encoding/json"

	"github.com/bwmarrin/discordgo"
)

// MarshalJSON implements json.Marshaler: components and the list of mentions are never null,
// because Discord would read it as "unchanged".
func (m Message) MarshalJSON() ([]byte, error) {
	type plain Message
	out := plain(m)
	if out.Components == nil {
		out.Components = []discordgo.MessageComponent{}
	}
	if out.AllowedMentions.Parse == nil {
		out.AllowedMentions.Parse = []string{}
	}
	return json.Marshal(out)
}
