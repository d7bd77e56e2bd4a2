package message_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/message"
)

func rows(list ...discordgo.MessageComponent) []discordgo.MessageComponent {
	var out []discordgo.MessageComponent
	for _, c := range list {
		out = append(out, discordgo.ActionsRow{Components: []discordgo.MessageComponent{c}})
	}
	return out
}

func together(list ...discordgo.MessageComponent) []discordgo.MessageComponent {
	return []discordgo.MessageComponent{discordgo.ActionsRow{Components: list}}
}

func button(id string) discordgo.Button {
	return discordgo.Button{Label: "x", CustomID: id, Style: discordgo.PrimaryButton}
}

func menu(options int) discordgo.SelectMenu {
	m := discordgo.SelectMenu{MenuType: discordgo.StringSelectMenu, CustomID: "m"}
	for i := range options {
		m.Options = append(m.Options, discordgo.SelectMenuOption{Label: "l", Value: fmt.Sprint(i)})
	}
	return m
}

// long has n units.
func long(n int) string { return strings.Repeat("😀", n/2) + strings.Repeat("x", n%2) }

// sick are messages refused by Discord, and our errors about them.
var sick = []struct {
	name, says string
	m          message.Message
}{
	{"nothing", "empty", message.Message{}},
	{"blanks", "empty", message.Message{Content: " \n"}},
	{"not UTF-8", "UTF-8", message.Message{Content: "\xff"}},
	{"content", "2001", message.Message{Content: long(2001)}},
	{"flag of the new components", "flags", message.Message{Content: "x", Flags: discordgo.MessageFlagsIsComponentsV2}},
	{"nonce", "nonce", message.Message{Content: "x", Nonce: long(26)}},
	{"no nonce", "nonce", message.Message{Content: "x", EnforceNonce: true}},
	{"reference", "message_reference", message.Message{Content: "x", Reference: &discordgo.MessageReference{}}},
	{"everyone", "parse", message.Message{Content: "x", AllowedMentions: message.Mentions{Parse: []string{"everyone"}}}},
	{"role", "not an id", message.Message{Content: "x", AllowedMentions: message.Mentions{Roles: []string{"ops"}}}},
	{"user twice", "twice", message.Message{Content: "x", AllowedMentions: message.Mentions{Users: []string{"12", "12"}}}},
	{"users", "at most 100", message.Message{Content: "x", AllowedMentions: message.Mentions{Users: make([]string, 101)}}},
	{"eleven files", "11 files", message.Message{Files: make([]message.File, 11)}},
	{"file name", "name", message.Message{Files: []message.File{{Name: "../x.txt"}}}},
	{"same file", "twice", message.Message{Files: []message.File{{Name: "x.txt"}, {Name: "x.txt"}}}},
	{"file size", "bytes", message.Message{Files: []message.File{{Name: "x.txt", Data: make([]byte, message.MaxFile)}, {Name: "y.txt", Data: []byte("x")}}}},
	{"six rows", "6 rows", message.Message{Content: "x", Components: rows(button("1"), button("2"), button("3"), button("4"), button("5"), button("6"))}},
	{"no row", "not a row", message.Message{Content: "x", Components: []discordgo.MessageComponent{button("1")}}},
	{"empty row", "0 components", message.Message{Content: "x", Components: together()}},
	{"six buttons", "6 components", message.Message{Content: "x", Components: together(button("1"), button("2"), button("3"), button("4"), button("5"), button("6"))}},
	{"menu beside a button", "to itself", message.Message{Content: "x", Components: together(menu(1), button("1"))}},
	{"text input", "neither", message.Message{Content: "x", Components: together(discordgo.TextInput{})}},
	{"a nil row", "not a row", message.Message{Content: "x", Components: []discordgo.MessageComponent{nil}}},
	{"no custom id", "custom_id", message.Message{Content: "x", Components: together(button(""))}},
	{"custom id", "custom_id", message.Message{Content: "x", Components: together(button(long(101)))}},
	{"same custom id", "twice", message.Message{Content: "x", Components: rows(button("1"), button("1"))}},
	{"no label", "label", message.Message{Content: "x", Components: together(discordgo.Button{CustomID: "1"})}},
	{"label", "81", message.Message{Content: "x", Components: together(discordgo.Button{CustomID: "1", Label: long(81)})}},
	{"style", "style 7", message.Message{Content: "x", Components: together(discordgo.Button{CustomID: "1", Label: "x", Style: 7})}},
	{"link without URL", "URL", message.Message{Content: "x", Components: together(discordgo.Button{Label: "x", Style: discordgo.LinkButton})}},
	{"URL without link", "URL", message.Message{Content: "x", Components: together(discordgo.Button{Label: "x", CustomID: "1", URL: "https://x"})}},
	{"no options", "0 options", message.Message{Content: "x", Components: together(menu(0))}},
	{"26 options", "26 options", message.Message{Content: "x", Components: together(menu(26))}},
	{"same value", "twice", message.Message{Content: "x", Components: together(changed(menu(2), func(m *discordgo.SelectMenu) { m.Options[1].Value = "0" }))}},
	{"option without label", "label", message.Message{Content: "x", Components: together(changed(menu(1), func(m *discordgo.SelectMenu) { m.Options[0].Label = "" }))}},
	{"option label", "101", message.Message{Content: "x", Components: together(changed(menu(1), func(m *discordgo.SelectMenu) { m.Options[0].Label = long(101) }))}},
	{"option value", "101", message.Message{Content: "x", Components: together(changed(menu(1), func(m *discordgo.SelectMenu) { m.Options[0].Value = long(101) }))}},
	{"option description", "101", message.Message{Content: "x", Components: together(changed(menu(1), func(m *discordgo.SelectMenu) { m.Options[0].Description = long(101) }))}},
	{"placeholder", "151", message.Message{Content: "x", Components: together(changed(menu(1), func(m *discordgo.SelectMenu) { m.Placeholder = long(151) }))}},
	{"menu of users", "type 5", message.Message{Content: "x", Components: together(changed(menu(1), func(m *discordgo.SelectMenu) { m.MenuType = discordgo.UserSelectMenu }))}},
	{"two of one", "of 1", message.Message{Content: "x", Components: together(changed(menu(1), func(m *discordgo.SelectMenu) { m.MaxValues = 2 }))}},
}

func changed(m discordgo.SelectMenu, change func(*discordgo.SelectMenu)) discordgo.SelectMenu {
	change(&m)
	return m
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range sick {
		if err := tt.m.Check(); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want an error with %q", tt.name, err, tt.says)
		}
	}
}

func TestCheckTakesTheLimitsThemselves(t *testing.T) {
	t.Parallel()
	m := message.Message{
		Content: long(2000), Nonce: long(25), EnforceNonce: true, Flags: discordgo.MessageFlagsSuppressEmbeds | discordgo.MessageFlagsEphemeral,
		Reference:       &discordgo.MessageReference{MessageID: "123456789012345678"},
		AllowedMentions: message.Mentions{Roles: []string{"123456789012345678"}},
		Files:           []message.File{{Name: "call.txt", Data: make([]byte, message.MaxFile)}},
		Components: []discordgo.MessageComponent{
			together(button("1"), button("2"), button("3"), button("4"), button(long(100)))[0],
			&discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu(25)}},
			together(discordgo.Button{Label: long(80), Style: discordgo.LinkButton, URL: "https://x"})[0],
		},
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
}

func input(change func(*discordgo.TextInput)) discordgo.TextInput {
	i := discordgo.TextInput{CustomID: "i", Label: long(45), Style: discordgo.TextInputShort, MinLength: 1, MaxLength: 4000, Value: long(4000), Placeholder: long(100)}
	change(&i)
	return i
}

func TestModalCheck(t *testing.T) {
	t.Parallel()
	good := func(*discordgo.TextInput) {}
	tests := []struct {
		name, says string
		m          message.Modal
	}{
		{"the limits", "", message.Modal{CustomID: long(100), Title: long(45), Components: rows(input(good))}},
		{"no id", "custom_id", message.Modal{Title: "x", Components: rows(input(good))}},
		{"no title", "title", message.Modal{CustomID: "x", Components: rows(input(good))}},
		{"title", "46", message.Modal{CustomID: "x", Title: long(46), Components: rows(input(good))}},
		{"no rows", "0 rows", message.Modal{CustomID: "x", Title: "x"}},
		{"two inputs", "one text input", message.Modal{CustomID: "x", Title: "x", Components: together(input(good), input(good))}},
		{"button", "not a text input", message.Modal{CustomID: "x", Title: "x", Components: rows(button("1"))}},
		{"same id", "twice", message.Modal{CustomID: "x", Title: "x", Components: rows(input(good), input(good))}},
		{"label", "46", message.Modal{CustomID: "x", Title: "x", Components: rows(input(func(i *discordgo.TextInput) { i.Label = long(46) }))}},
		{"style", "style 0", message.Modal{CustomID: "x", Title: "x", Components: rows(input(func(i *discordgo.TextInput) { i.Style = 0 }))}},
		{"length", "4001", message.Modal{CustomID: "x", Title: "x", Components: rows(input(func(i *discordgo.TextInput) { i.MaxLength = 4001 }))}},
		{"lengths", "2 to 1", message.Modal{CustomID: "x", Title: "x", Components: rows(input(func(i *discordgo.TextInput) { i.MinLength, i.MaxLength = 2, 1 }))}},
		{"value", "4001", message.Modal{CustomID: "x", Title: "x", Components: rows(input(func(i *discordgo.TextInput) { i.Value = long(4001) }))}},
		{"placeholder", "101", message.Modal{CustomID: "x", Title: "x", Components: rows(input(func(i *discordgo.TextInput) { i.Placeholder = long(101) }))}},
	}
	for _, tt := range tests {
		err := tt.m.Check()
		if (tt.says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.says)
		}
	}
}

func TestNothingIsNull(t *testing.T) {
	t.Parallel()
	for _, m := range []message.Message{{Content: "x"}, message.Ephemeral("x")} {
		text, err := json.Marshal(m)
		if err != nil || strings.Contains(string(text), "null") || !strings.Contains(string(text), `"components":[]`) || !strings.Contains(string(text), `"allowed_mentions":{"parse":[]`) {
			t.Errorf("got %s, %v", text, err)
		}
	}
}

// TestFenceLines: each text stays on its line, and is escaped once.
func TestFenceLines(t *testing.T) {
	got := message.FenceLines([]string{"a\u200bb", "two\nlines", "```"})
	if want := "```\na‹U+200B›b\ntwo‹U+000A›lines\n``‹U+0060›\n```"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
