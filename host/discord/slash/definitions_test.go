package slash_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callgate/callgate/host/discord/slash"
)

var commandName = regexp.MustCompile(`^[-_\p{Ll}\p{N}]{1,32}$`)

// TestCommandsKeepTheLimits: the limits of Discord that its specification does not say.
func TestCommandsKeepTheLimits(t *testing.T) {
	t.Parallel()
	all := slash.Commands()
	if len(all) > 100 {
		t.Errorf("%d commands", len(all))
	}
	names := map[string]bool{}
	for _, c := range all {
		if names[c.Name] {
			t.Errorf("/%s stands twice", c.Name)
		}
		names[c.Name] = true
		size := wantNamed(t, "/"+c.Name, c.Name, c.Description)
		size += wantOptions(t, "/"+c.Name, c.Options)
		if size > 8000 {
			t.Errorf("/%s: %d characters", c.Name, size)
		}
		if c.DefaultMemberPermissions != nil {
			t.Errorf("/%s is hidden by Discord's permissions", c.Name)
		}
		if c.Contexts == nil || len(*c.Contexts) != 2 {
			t.Errorf("/%s: contexts %v", c.Name, c.Contexts)
		}
	}
	for _, want := range []string{"permissions", "permission", "allow", "ask", "deny", "asks", "audit", "clear"} {
		if !names[want] {
			t.Errorf("there is no /%s", want)
		}
	}
}

func wantNamed(t *testing.T, where, name, description string) int {
	t.Helper()
	if !commandName.MatchString(name) {
		t.Errorf("%s: name %q", where, name)
	}
	if n := len([]rune(description)); n < 1 || n > 100 {
		t.Errorf("%s: a description of %d characters: %q", where, n, description)
	}
	return len(name) + len(description)
}

func wantOptions(t *testing.T, where string, options []*discordgo.ApplicationCommandOption) (size int) {
	t.Helper()
	if len(options) > 25 {
		t.Errorf("%s: %d options", where, len(options))
	}
	seen, subs, optional := map[string]bool{}, 0, false
	for _, o := range options {
		at := where + " " + o.Name
		size += wantNamed(t, at, o.Name, o.Description) + wantOptions(t, at, o.Options)
		if seen[o.Name] || len(o.Choices) > 25 || o.Autocomplete && len(o.Choices) > 0 {
			t.Errorf("%s: twice, or %d choices (completed: %t)", at, len(o.Choices), o.Autocomplete)
		}
		if seen[o.Name] = true; o.Type == discordgo.ApplicationCommandOptionSubCommand {
			subs++
		}
		if o.Required && optional {
			t.Errorf("%s: required behind one that is not", at)
		}
		optional = optional || !o.Required
		if o.MaxLength > 6000 {
			t.Errorf("%s: %d characters", at, o.MaxLength)
		}
		for _, c := range o.Choices {
			value, ok := c.Value.(string)
			if !ok || len(value) > 100 || len(c.Name) < 1 || len(c.Name) > 100 {
				t.Errorf("%s: choice %q = %v", at, c.Name, c.Value)
			}
			size += len(c.Name) + len(value)
		}
	}
	if subs > 0 && subs < len(options) {
		t.Errorf("%s: sub-commands beside options", where)
	}
	return size
}

// TestCommandsFitTheSpecification asks Discord's own, where it is at hand.
func TestCommandsFitTheSpecification(t *testing.T) {
	t.Parallel()
	path := os.Getenv("CALLGATE_DISCORD_OPENAPI")
	if path == "" {
		path = "../../../../shared/discord/openapi.json"
	}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("Discord's specification is not at %s: only the hand-written limits were checked", path)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	doc, err := jsonschema.UnmarshalJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("openapi.json#/components/schemas/ApplicationCommandUpdateRequest")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range slash.Commands() {
		text, err := json.Marshal(command)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("/%s: %v", command.Name, err)
		}
	}
}

// registrar keeps commands as Discord does: with ids and versions of its own.
type registrar struct {
	there []*discordgo.ApplicationCommand
	puts  int
	err   error
}

func (r *registrar) Commands(context.Context, string, string) ([]*discordgo.ApplicationCommand, error) {
	return r.there, r.err
}

func (r *registrar) SetCommands(_ context.Context, _, guild string, commands []*discordgo.ApplicationCommand) error {
	text, err := json.Marshal(commands)
	if err != nil {
		return err
	}
	r.puts++
	r.there = nil
	if err := json.Unmarshal(text, &r.there); err != nil {
		return err
	}
	for i, c := range r.there { // the last first, and without what a server's commands have not
		c.ID, c.Version, c.GuildID, c.Contexts = "1", "2", guild, nil
		r.there[len(r.there)-1-i], r.there[i] = r.there[i], r.there[len(r.there)-1-i]
		if i >= len(r.there)/2-1 {
			break
		}
	}
	return nil
}

// TestRegister: commands are sent where they differ, and only there.
func TestRegister(t *testing.T) {
	t.Parallel()
	r := &registrar{}
	register := func(want bool) {
		t.Helper()
		if changed, err := slash.Register(t.Context(), r, "app", "guild"); err != nil || changed != want {
			t.Fatalf("got %t, %v, want %t", changed, err, want)
		}
	}
	register(true)
	register(false)
	for name, spoil := range map[string]func(){
		"a description":     func() { r.there[0].Description = "another" },
		"a name":            func() { r.there[0].Name = "another" },
		"one is missing":    func() { r.there = r.there[1:] },
		"one too many":      func() { r.there = append(r.there, &discordgo.ApplicationCommand{Name: "x"}) },
		"permissions":       func() { r.there[0].DefaultMemberPermissions = new(int64(8)) },
		"an option's type":  func() { byName(r.there, "allow").Options[0].Type = discordgo.ApplicationCommandOptionInteger },
		"a choice":          func() { byName(r.there, "permission").Options[0].Choices[0].Value = "x" },
		"a nested option":   func() { byName(r.there, "permissions").Options[0].Options = nil },
		"what is completed": func() { byName(r.there, "deny").Options[0].Autocomplete = false },
	} {
		spoil()
		puts := r.puts
		register(true)
		if register(false); r.puts != puts+1 {
			t.Errorf("%s: sent %d times", name, r.puts-puts)
		}
	}
	r.err = errors.New("down")
	if changed, err := slash.Register(t.Context(), r, "app", "guild"); err == nil || changed {
		t.Errorf("got %t, %v", changed, err)
	}
}

func byName(all []*discordgo.ApplicationCommand, name string) *discordgo.ApplicationCommand {
	for _, c := range all {
		if c.Name == name {
			return c
		}
	}
	return nil
}
