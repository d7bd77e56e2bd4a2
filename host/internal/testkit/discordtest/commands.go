package discordtest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// command is an application command as it was registered.
type command struct {
	id, guild string
	commandBody
}

// commandBody is the registration of one.
type commandBody struct {
	ID           string            `json:"id,omitempty"` // sent back by clients, of no matter
	Application  string            `json:"application_id,omitempty"`
	GuildID      string            `json:"guild_id,omitempty"`
	Version      string            `json:"version,omitempty"`
	Name         string            `json:"name"`
	Names        map[string]string `json:"name_localizations"`
	Description  string            `json:"description"`
	Descriptions map[string]string `json:"description_localizations"`
	Type         int               `json:"type"`
	Options      []commandOption   `json:"options"`
	Permissions  json.RawMessage   `json:"default_member_permissions"`
	DM           *bool             `json:"dm_permission"`
	Default      *bool             `json:"default_permission"`
	NSFW         bool              `json:"nsfw"`
	Contexts     []int             `json:"contexts"`
	Integrations []int             `json:"integration_types"`
	Handler      int               `json:"handler,omitempty"`
}

// commandOption is an option, or a subcommand (1), or a group of them (2).
type commandOption struct {
	Type         int               `json:"type"`
	Name         string            `json:"name"`
	Names        map[string]string `json:"name_localizations,omitempty"`
	Description  string            `json:"description"`
	Descriptions map[string]string `json:"description_localizations,omitempty"`
	Required     bool              `json:"required,omitempty"`
	Choices      []Choice          `json:"choices,omitempty"`
	Options      []commandOption   `json:"options,omitempty"`
	ChannelTypes []int             `json:"channel_types,omitempty"`
	Min          *float64          `json:"min_value,omitempty"`
	Max          *float64          `json:"max_value,omitempty"`
	MinLength    *int              `json:"min_length,omitempty"`
	MaxLength    *int              `json:"max_length,omitempty"`
	Autocomplete bool              `json:"autocomplete,omitempty"`
}

// commandName is Discord's form, of at most 32 characters; letters are lower case where the script
// has case. The demo links this package, so each start compiles the pattern: RATIONALE.md, "Why do
// patterns not count?".
var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}\p{Devanagari}\p{Thai}]+$`)

func isCommandName(name string) bool {
	return utf8.RuneCountInString(name) <= 32 && commandName.MatchString(name) && strings.ToLower(name) == name
}

func checkCommand(p *problems, c *commandBody) {
	p.add(!isCommandName(c.Name), "name: %q is no name of a command", c.Name)
	p.add(c.Type != 0 && c.Type != 1, "type: %d: only chat commands are known here", c.Type)
	p.add(units(c.Description) < 1 || units(c.Description) > 100, "description: %d characters of %s, of 1 to 100", units(c.Description), c.Name)
	size := checkCommandOptions(p, c.Name, c.Options, 0)
	p.add(size+units(c.Name)+units(c.Description) > 8000, "name: %s has more than 8000 characters in all", c.Name)
}

// checkCommandOptions checks the options of a command (in 0), a subcommand (1) or a group
// (2), and returns how many characters they have together.
func checkCommandOptions(p *problems, of string, list []commandOption, in int) int {
	p.add(len(list) > 25, "options: %d of %s, of at most 25", len(list), of)
	size, optional, names := 0, false, map[string]bool{}
	for i := range list {
		o := &list[i]
		where := of + " " + o.Name
		p.add(!isCommandName(o.Name), "options: %q is no name", where)
		p.add(names[o.Name], "options: %s is there twice", where)
		names[o.Name] = true
		p.add(units(o.Description) < 1 || units(o.Description) > 100, "options: a description of %d characters of %s, of 1 to 100", units(o.Description), where)
		p.add(o.Required && optional, "options: %s is required and stands behind an optional one", where)
		optional = optional || !o.Required && o.Type > 2
		p.add(o.Type < 1 || o.Type > 11, "options: %s has type %d", where, o.Type)
		p.add(o.Type <= 2 && in == 1 || o.Type != 1 && in == 2, "options: %s of type %d does not belong there", where, o.Type)
		p.add(o.Type > 2 && len(o.Options) > 0, "options: %s has options", where)
		p.add(o.Type <= 2 && (list[0].Type > 2), "options: %s stands beside options", where)
		p.add(o.Type == 2 && len(o.Options) == 0, "options: the group %s is empty", where)
		p.add(o.Autocomplete && len(o.Choices) > 0, "options: %s has choices and autocompletion", where)
		p.add((o.Autocomplete || len(o.Choices) > 0) && o.Type != 3 && o.Type != 4 && o.Type != 10, "options: %s has choices and type %d", where, o.Type)
		p.add(o.MinLength != nil && (*o.MinLength < 0 || *o.MinLength > 6000) || o.MaxLength != nil && (*o.MaxLength < 1 || *o.MaxLength > 6000), "options: the lengths of %s", where)
		*p = append(*p, checkChoices(o.Choices)...)
		size += units(o.Name) + units(o.Description) + checkCommandOptions(p, where, o.Options, o.Type)
		for _, choice := range o.Choices {
			text, _ := choice.Value.(string)
			size += units(choice.Name) + units(text)
		}
	}
	return size
}

// scope checks the request's application and guild.
func (s *Server) scope(c *call) *answer {
	if c.params["application_id"] != s.Application {
		return fail(403, 20012, "You are not authorized to perform this action on this application")
	}
	if c.params["guild_id"] == "" {
		return nil
	}
	_, refused := s.guildOf(c)
	return refused
}

func (s *Server) getCommands(c *call) *answer {
	if refused := s.scope(c); refused != nil {
		return refused
	}
	views := []object{}
	for _, k := range s.commands {
		if k.guild == c.params["guild_id"] {
			views = append(views, s.commandView(k))
		}
	}
	return ok(views)
}

func (s *Server) putCommands(c *call) *answer {
	if refused := s.scope(c); refused != nil {
		return refused
	}
	var bodies []commandBody
	if refused := s.decode(c, c.body, &bodies); refused != nil {
		return refused
	}
	var p problems
	p.add(len(bodies) > 100, "commands: %d, of at most 100", len(bodies))
	names := map[string]bool{}
	for i := range bodies {
		checkCommand(&p, &bodies[i])
		p.add(names[bodies[i].Name], "name: %s is there twice", bodies[i].Name)
		names[bodies[i].Name] = true
	}
	if len(p) > 0 {
		return s.invalid(c, p)
	}
	guild := c.params["guild_id"]
	before := s.commands
	s.commands = slices.DeleteFunc(slices.Clone(before), func(k *command) bool { return k.guild == guild })
	for _, b := range bodies {
		k := &command{guild: guild, commandBody: b}
		if at := slices.IndexFunc(before, func(old *command) bool { return old.guild == guild && old.Name == b.Name }); at >= 0 {
			k.id = before[at].id
		} else {
			k.id = s.newID()
		}
		s.commands = append(s.commands, k)
	}
	s.touch()
	return s.getCommands(c)
}

func (s *Server) commandView(k *command) object {
	v := object{"id": k.id, "application_id": s.Application, "version": k.id, "default_member_permissions": nil,
		"type": 1, "name": k.Name, "name_localizations": nil, "description": k.Description,
		"description_localizations": nil, "nsfw": k.NSFW, "integration_types": []int{0}, "contexts": nil}
	if n, set := k.needed(); set {
		v["default_member_permissions"] = permissionsOf(n)
	}
	if k.guild != "" {
		v["guild_id"] = k.guild
	}
	if k.Contexts != nil {
		v["contexts"] = k.Contexts
	}
	if k.Integrations != nil {
		v["integration_types"] = k.Integrations
	}
	if k.DM != nil && k.guild == "" {
		v["dm_permission"] = *k.DM
	}
	if len(k.Options) > 0 {
		v["options"] = k.Options
	}
	return v
}

// needed are the permissions a member must have to use the command; set is false when everybody
// may.
func (k *command) needed() (permissions int64, set bool) {
	text := strings.Trim(string(k.Permissions), `"`)
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}
