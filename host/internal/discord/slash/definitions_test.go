package slash_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/slash"
)

// TestCommands_allThere: the promised commands, open to everybody; TestOverDiscord holds
// them against Discord's limits and specification.
func TestCommands_allThere(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range slash.Commands() {
		names[c.Name] = true
		if c.DefaultMemberPermissions != nil {
			t.Errorf("/%s is hidden by Discord's permissions", c.Name)
		}
		if c.Contexts == nil || len(*c.Contexts) != 2 {
			t.Errorf("/%s: contexts %v", c.Name, c.Contexts)
		}
	}
	for _, want := range []string{"permissions", "permission", "allow", "ask", "deny", "asks", "audit", "folders", "clear"} {
		if !names[want] {
			t.Errorf("there is no /%s", want)
		}
	}
}

// registrar keeps commands as Discord does: with ids and versions of its own.
type registrar struct {
	there []*discordgo.ApplicationCommand
	puts  int
	// err is of reading, failed of sending.
	err, failed error
}

func (r *registrar) Commands(context.Context, string, string) ([]*discordgo.ApplicationCommand, error) {
	return r.there, r.err
}

func (r *registrar) SetCommands(_ context.Context, _, guild string, commands []*discordgo.ApplicationCommand) error {
	text, err := json.Marshal(commands)
	if err = errors.Join(err, r.failed); err != nil {
		return err
	}
	r.puts++
	r.there = nil
	if err := json.Unmarshal(text, &r.there); err != nil {
		return err
	}
	for i, c := range r.there { // the last first, and without members absent in a server's commands
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
	r.err = errors.New("down") // they cannot be read: they are sent
	puts := r.puts
	if register(true); r.puts != puts+1 {
		t.Errorf("sent %d times", r.puts-puts)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if changed, err := slash.Register(over, r, "app", "guild"); err == nil || changed || r.puts != puts+1 {
		t.Errorf("after its end: got %t, %v, sent %d times", changed, err, r.puts-puts)
	}
	r.failed = errors.New("down, too")
	if changed, err := slash.Register(t.Context(), r, "app", "guild"); !errors.Is(err, r.failed) || !errors.Is(err, r.err) || changed {
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
