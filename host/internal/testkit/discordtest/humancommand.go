package discordtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Slash uses a command in a channel: name is the command, with its group and subcommand
// after spaces, such as "permissions mode"; options are strings, bools, ints or floats,
// ids for users, roles and channels. It waits for the answer.
func (h Human) Slash(ctx context.Context, channelID, name string, options map[string]any) (*Seen, error) {
	return h.command(ctx, typeCommand, channelID, name, options, "")
}

// Autocomplete asks for the choices of the focused option, as typed so far in options.
func (h Human) Autocomplete(ctx context.Context, channelID, name string, options map[string]any, focused string) ([]Choice, error) {
	seen, err := h.command(ctx, typeAutocomplete, channelID, name, options, focused)
	if err != nil {
		return nil, err
	}
	return seen.Choices, nil
}

func (h Human) command(ctx context.Context, kind int, channelID, name string, options map[string]any, focused string) (*Seen, error) {
	h.s.mu.Lock()
	c, err := h.in(channelID, 0)
	if err == nil && c.kind != directly {
		_, err = h.in(channelID, PermUseCommands)
	}
	var k *command
	if err == nil {
		k, err = h.offered(c, strings.Fields(name))
	}
	var data object
	if err == nil {
		data, err = h.s.commandData(k, c.guild, strings.Fields(name)[1:], options, kind == typeCommand, focused)
	}
	if err != nil {
		h.s.mu.Unlock()
		return nil, err
	}
	return h.s.sendLocked(ctx, h.s.begin(kind, h.ID, c, ""), data)
}

// Commands are the names of the person's commands in a channel.
func (h Human) Commands(channelID string) []string {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	c, err := h.in(channelID, 0)
	if err != nil {
		return nil
	}
	var names []string
	for _, k := range h.s.commands {
		if _, err := h.offered(c, []string{k.Name}); err == nil {
			names = append(names, k.Name)
		}
	}
	return names
}

// offered finds a command shown there by the person's client.
func (h Human) offered(c *channel, words []string) (*command, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("%w: no command was named", ErrRefused)
	}
	at := slices.IndexFunc(h.s.commands, func(k *command) bool {
		direct := c.kind == directly && k.guild == "" && (k.DM == nil || *k.DM) &&
			(k.Contexts == nil || slices.Contains(k.Contexts, 1))
		inGuild := c.kind != directly && (k.guild == c.guild || k.guild == "") &&
			(k.Contexts == nil || slices.Contains(k.Contexts, 0))
		return k.Name == words[0] && (direct || inGuild)
	})
	if at < 0 {
		return nil, fmt.Errorf("%w: there is no command /%s there", ErrRefused, words[0])
	}
	k := h.s.commands[at]
	needed, set := k.needed()
	have := h.s.permissions(c, h.ID)
	if set && c.kind != directly && have&PermAdministrator == 0 && (needed == 0 || have&needed != needed) {
		return nil, fmt.Errorf("%w: /%s is not offered to the person", ErrRefused, words[0])
	}
	return k, nil
}

// commandData is the bot's data of a command; whole demands the required options.
func (s *Server) commandData(k *command, guildID string, words []string, values map[string]any, whole bool, focused string) (object, error) {
	data := object{"id": k.id, "name": k.Name, "type": 1}
	if k.guild != "" {
		data["guild_id"] = k.guild
	}
	list, into := k.Options, data
	for _, word := range words {
		at := slices.IndexFunc(list, func(o commandOption) bool { return o.Name == word && o.Type <= 2 })
		if at < 0 {
			return nil, fmt.Errorf("%w: /%s has no %q", ErrRefused, k.Name, word)
		}
		inner := object{"name": word, "type": list[at].Type}
		into["options"] = []object{inner}
		list, into = list[at].Options, inner
	}
	if len(list) > 0 && list[0].Type <= 2 {
		return nil, fmt.Errorf("%w: /%s %s wants a subcommand", ErrRefused, k.Name, strings.Join(words, " "))
	}
	resolved, used, filled := object{}, 0, []object{}
	for _, o := range list {
		value, given := values[o.Name]
		switch {
		case !given && o.Required && whole:
			return nil, fmt.Errorf("%w: the option %s is required", ErrRefused, o.Name)
		case !given && o.Name != focused:
			continue
		case !given:
			value = ""
		default:
			used++
		}
		v, err := s.optionValue(&o, value, guildID, resolved, whole)
		if err != nil {
			return nil, err
		}
		one := object{"name": o.Name, "type": o.Type, "value": v}
		if o.Name == focused {
			if !o.Autocomplete {
				return nil, fmt.Errorf("%w: the option %s is not completed", ErrRefused, o.Name)
			}
			one["focused"], one["value"], focused = true, fmt.Sprint(value), ""
		}
		filled = append(filled, one)
	}
	if used != len(values) || focused != "" {
		return nil, fmt.Errorf("%w: /%s has not all of the options %v %s", ErrRefused, k.Name, values, focused)
	}
	if len(filled) > 0 {
		into["options"] = filled
	}
	if len(resolved) > 0 {
		data["resolved"] = resolved
	}
	return data, nil
}

// optionValue checks a value as a client does, and resolves ids.
func (s *Server) optionValue(o *commandOption, value any, guildID string, resolved object, whole bool) (any, error) {
	wrong := fmt.Errorf("%w: the option %s of type %d does not take %v", ErrRefused, o.Name, o.Type, value)
	number, isNumber := toFloat(value)
	text, isText := value.(string)
	switch o.Type {
	case 3:
		low, high := 0, 6000
		if o.MinLength != nil {
			low = *o.MinLength
		}
		if o.MaxLength != nil {
			high = *o.MaxLength
		}
		if !isText || whole && units(text) < low || units(text) > high {
			return nil, wrong
		}
	case 4, 10:
		if !whole && isText {
			return text, nil
		}
		if !isNumber || o.Min != nil && number < *o.Min || o.Max != nil && number > *o.Max || o.Type == 4 && number != float64(int64(number)) {
			return nil, wrong
		}
	case 5:
		if _, isBool := value.(bool); !isBool {
			return nil, wrong
		}
	default:
		if !isText || !s.resolve(o.Type, text, guildID, resolved) {
			return nil, wrong
		}
	}
	if whole && len(o.Choices) > 0 && !slices.ContainsFunc(o.Choices, func(c Choice) bool {
		n, _ := toFloat(c.Value)
		return c.Value == value || isNumber && n == number
	}) {
		return nil, fmt.Errorf("%w: %v is none of the choices of %s", ErrRefused, value, o.Name)
	}
	return value, nil
}

func toFloat(value any) (float64, bool) {
	switch v := value.(type) {
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// resolve adds the object behind an id of a user (6, 9), channel (7) or role (8, 9).
func (s *Server) resolve(kind int, id, guildID string, resolved object) bool {
	put := func(where string, view object) bool {
		if view == nil {
			return false
		}
		if resolved[where] == nil {
			resolved[where] = object{}
		}
		resolved[where].(object)[id] = view
		return true
	}
	g := s.guilds[guildID]
	switch {
	case (kind == 6 || kind == 9) && s.users[id] != nil:
		if g != nil {
			put("members", s.memberView(g, id, false))
		}
		return put("users", s.userView(id))
	case (kind == 8 || kind == 9) && g != nil:
		return put("roles", roleView(g, id))
	case kind == 7 && s.channels[id] != nil:
		return put("channels", s.channelView(s.channels[id]))
	}
	return false
}
