package slash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/bwmarrin/discordgo"
)

// Registrar keeps a server's commands; of *link.Client.
type Registrar interface {
	Commands(ctx context.Context, app, guild string) ([]*discordgo.ApplicationCommand, error)
	SetCommands(ctx context.Context, app, guild string, commands []*discordgo.ApplicationCommand) error
}

// Register makes a server's commands those of Commands, and reports whether they were
// others before: where they are the same, nothing is sent, for Discord takes a limited
// number of changes a day. Where they cannot be read, they are sent.
func Register(ctx context.Context, r Registrar, app, guild string) (changed bool, err error) {
	there, unread := r.Commands(ctx, app, guild)
	switch {
	case unread == nil && Registered(there):
		return false, nil
	case ctx.Err() != nil:
		return false, fmt.Errorf("read the slash commands: %w", errors.Join(ctx.Err(), unread))
	}
	if err := r.SetCommands(ctx, app, guild, Commands()); err != nil {
		return false, fmt.Errorf("register the slash commands: %w", errors.Join(err, unread))
	}
	return true, nil
}

// Registered reports whether the commands of a server are those of Commands, in any order.
func Registered(there []*discordgo.ApplicationCommand) bool {
	wanted := Commands()
	if len(there) != len(wanted) {
		return false
	}
	named := map[string]*discordgo.ApplicationCommand{}
	for _, c := range there {
		if c != nil {
			named[c.Name] = c
		}
	}
	for _, c := range wanted {
		if named[c.Name] == nil || !reflect.DeepEqual(essence(c), essence(named[c.Name])) {
			return false
		}
	}
	return true
}

// defined are the relevant parts of a command, without Discord's additions, such as ids,
// versions and translations. Contexts are left out, too: a server's commands may come back
// without them.
type defined struct {
	Kind              discordgo.ApplicationCommandType
	Name, Description string
	Permissions       *int64
	Options           []parameter
}

// parameter are the relevant parts of an option.
type parameter struct {
	Kind              discordgo.ApplicationCommandOptionType
	Name, Description string
	Required          bool
	Completed         bool
	Choices           []string
	Min               float64
	MaxLength         int
	Options           []parameter
}

func essence(c *discordgo.ApplicationCommand) defined {
	kind := c.Type
	if kind == 0 {
		kind = discordgo.ChatApplicationCommand
	}
	return defined{Kind: kind, Name: c.Name, Description: c.Description, Permissions: c.DefaultMemberPermissions, Options: parameters(c.Options)}
}

func parameters(options []*discordgo.ApplicationCommandOption) []parameter {
	var out []parameter
	for _, o := range options {
		if o == nil {
			continue
		}
		p := parameter{Kind: o.Type, Name: o.Name, Description: o.Description, Required: o.Required, Completed: o.Autocomplete, MaxLength: o.MaxLength, Options: parameters(o.Options)}
		if o.MinValue != nil {
			p.Min = *o.MinValue
		}
		for _, c := range o.Choices {
			if c != nil {
				value, _ := json.Marshal(c.Value) // of JSON
				p.Choices = append(p.Choices, c.Name+" "+string(value))
			}
		}
		out = append(out, p)
	}
	return out
}
