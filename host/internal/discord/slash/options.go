package slash

import (
	"fmt"
	"math"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/message"
)

// request is a command as it was typed.
type request struct {
	// name is the command's, sub the sub-command's, if it has those.
	name, sub string
	channel   string
	texts     map[string]string
	flags     map[string]bool
	numbers   map[string]int64
	// focused is the option being typed.
	focused string
}

// readRequest reads the data of a command. Everything is looked at before it is used:
// an option of another type than ours is an error.
func readRequest(i *discordgo.Interaction) (request, error) {
	r := request{channel: i.ChannelID, texts: map[string]string{}, flags: map[string]bool{}, numbers: map[string]int64{}}
	data, ok := i.Data.(discordgo.ApplicationCommandInteractionData)
	if !ok {
		return r, fmt.Errorf("a command without its data")
	}
	r.name = data.Name
	options := data.Options
	if len(options) == 1 && options[0] != nil && options[0].Type == discordgo.ApplicationCommandOptionSubCommand {
		r.sub, options = options[0].Name, options[0].Options
	}
	if len(options) > message.MaxOptions {
		return r, fmt.Errorf("a command with %d options", len(options))
	}
	seen := map[string]bool{}
	for _, o := range options {
		if o == nil || seen[o.Name] {
			return r, fmt.Errorf("a command with an option that is none or stands twice")
		}
		seen[o.Name] = true
		if err := r.take(o); err != nil {
			return r, err
		}
	}
	return r, nil
}

// take reads one option.
func (r *request) take(o *discordgo.ApplicationCommandInteractionDataOption) error {
	if o.Focused {
		r.focused = o.Name
	}
	switch value := o.Value.(type) {
	case string:
		r.texts[o.Name] = value
	case bool:
		r.flags[o.Name] = value
	case float64:
		if o.Focused || value != math.Trunc(value) || math.Abs(value) > 1<<53 {
			return fmt.Errorf("the option %q is no number that can be read", o.Name)
		}
		r.numbers[o.Name] = int64(value)
	default:
		return fmt.Errorf("the option %q is of no type that can be read", o.Name)
	}
	return nil
}
