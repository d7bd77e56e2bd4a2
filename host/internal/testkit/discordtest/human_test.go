package discordtest_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// answering is a bot with this answer to each interaction.
func answering(t *testing.T, s *discordtest.Server, answer func(*discordgo.Session, *discordgo.Interaction) *discordgo.InteractionResponse) *discordgo.Session {
	t.Helper()
	dg := connect(t, s, usual)
	dg.AddHandler(func(dg *discordgo.Session, i *discordgo.InteractionCreate) {
		if r := answer(dg, i.Interaction); r != nil {
			if err := dg.InteractionRespond(i.Interaction, r); err != nil {
				t.Errorf("respond: %v", err)
			}
		}
	})
	return dg
}

func says(text string, flags discordgo.MessageFlags) *discordgo.InteractionResponse {
	return &discordgo.InteractionResponse{Type: discordgo.InteractionResponseChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Content: text, Flags: flags}}
}

// post puts the card up.
func post(t *testing.T, dg *discordgo.Session, channel string) string {
	t.Helper()
	m, err := dg.ChannelMessageSendComplex(channel, card())
	must(t, err)
	return m.ID
}

// A choice is answered by an ephemeral message, invisible to all others.
func TestEphemeral(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	alice, bob := s.Person("alice"), s.Person("bob")
	dg := answering(t, s, func(_ *discordgo.Session, i *discordgo.Interaction) *discordgo.InteractionResponse {
		r := says("chosen: "+strings.Join(i.MessageComponentData().Values, ","), discordgo.MessageFlagsEphemeral)
		r.Data.Components = card().Components
		return r
	})
	id := post(t, dg, s.Channel)
	seen, err := alice.Select(within(t), id, "always")
	must(t, err)
	if seen.Message.Content != "chosen: 2" || seen.Message.For != alice.ID {
		t.Errorf("alice sees %+v", seen.Message)
	}
	if _, visible := bob.Message(seen.Message.ID); visible {
		t.Error("bob sees what is for alice")
	}
	if _, err := bob.Click(within(t), seen.Message.ID, "Approve"); !errors.Is(err, discordtest.ErrRefused) {
		t.Errorf("bob clicks it: %v", err)
	}
	if err := alice.React(seen.Message.ID, "✅"); !errors.Is(err, discordtest.ErrRefused) {
		t.Errorf("alice reacts to it: %v", err)
	}
	if _, err := dg.ChannelMessage(s.Channel, seen.Message.ID); err == nil {
		t.Error("the bot reads it by REST")
	}
	if _, err := alice.Select(within(t), id, "once", "always"); !errors.Is(err, discordtest.ErrRefused) {
		t.Errorf("two values of one: %v", err)
	}
	must(t, alice.Delete(seen.Message.ID))
}

// takeSlips takes the violations committed by discordgo itself: it sends members of messages in
// other answers.
func takeSlips(t *testing.T, s *discordtest.Server) {
	t.Helper()
	for _, v := range s.TakeViolations() {
		if !strings.Contains(v, `unknown object member name "tts"`) {
			t.Errorf("a rule of Discord was broken: %s", v)
		}
	}
}

// A form is shown, filled in by label, checked as a client does, and sent.
func TestForm(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	alice, bob := s.Person("alice"), s.Person("bob")
	dg := answering(t, s, func(_ *discordgo.Session, i *discordgo.Interaction) *discordgo.InteractionResponse {
		if i.Type == discordgo.InteractionModalSubmit {
			row := i.ModalSubmitData().Components[0].(*discordgo.ActionsRow)
			return &discordgo.InteractionResponse{Type: discordgo.InteractionResponseUpdateMessage,
				Data: &discordgo.InteractionResponseData{Content: "denied: " + row.Components[0].(*discordgo.TextInput).Value}}
		}
		return &discordgo.InteractionResponse{Type: discordgo.InteractionResponseModal, Data: &discordgo.InteractionResponseData{
			CustomID: "form", Title: "Why?", Components: []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
				discordgo.TextInput{CustomID: "why", Label: "Reason", Style: discordgo.TextInputShort, Required: true, MaxLength: 10}}}}}}
	})
	id := post(t, dg, s.Channel)
	form, err := alice.Click(within(t), id, "Deny")
	must(t, err)
	if form.Modal == nil || !strings.Contains(form.Modal.String(), "Why?") {
		t.Fatalf("alice sees %+v", form)
	}
	for name, values := range map[string]map[string]string{
		"empty": {}, "too long": {"Reason": "far too long a text"}, "no such input": {"Reason": "x", "Other": "x"},
	} {
		if _, err := alice.Submit(within(t), form, values); !errors.Is(err, discordtest.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := bob.Submit(within(t), form, map[string]string{"Reason": "x"}); !errors.Is(err, discordtest.ErrRefused) {
		t.Errorf("bob submits it: %v", err)
	}
	seen, err := alice.Submit(within(t), form, map[string]string{"Reason": "not now"})
	must(t, err)
	if seen.Message.ID != id || seen.Message.Content != "denied: not now" {
		t.Errorf("alice sees %+v", seen.Message)
	}
	takeSlips(t, s)
}

// Commands are offered where they were registered and to whom they are for; options are
// checked as a client does, and completed.
func TestSlash(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	alice := s.Person("alice")
	dg := answering(t, s, func(_ *discordgo.Session, i *discordgo.Interaction) *discordgo.InteractionResponse {
		data := i.ApplicationCommandData()
		sub := data.Options[0]
		if i.Type == discordgo.InteractionApplicationCommandAutocomplete {
			return &discordgo.InteractionResponse{Type: discordgo.InteractionApplicationCommandAutocompleteResult,
				Data: &discordgo.InteractionResponseData{Choices: []*discordgo.ApplicationCommandOptionChoice{{Name: "bash " + sub.Options[0].StringValue(), Value: "bash"}}}}
		}
		return says(data.Name+" "+sub.Name+" "+sub.Options[0].StringValue(), discordgo.MessageFlagsEphemeral)
	})
	none := int64(0)
	_, err := dg.ApplicationCommandBulkOverwrite(s.Application, s.Guild, []*discordgo.ApplicationCommand{
		{Name: "allow", Description: "rules", Options: []*discordgo.ApplicationCommandOption{{Type: discordgo.ApplicationCommandOptionSubCommand, Name: "add", Description: "a rule",
			Options: []*discordgo.ApplicationCommandOption{
				{Type: discordgo.ApplicationCommandOptionString, Name: "rule", Description: "its text", Required: true, Autocomplete: true},
				{Type: discordgo.ApplicationCommandOptionInteger, Name: "minutes", Description: "how long"},
			}}}},
		{Name: "clear", Description: "for administrators", DefaultMemberPermissions: &none},
	})
	must(t, err)
	if offered := alice.Commands(s.Channel); len(offered) != 1 || offered[0] != "allow" {
		t.Errorf("alice is offered %v", offered)
	}
	if offered := s.As(s.Owner).Commands(s.Channel); len(offered) != 2 {
		t.Errorf("the owner is offered %v", offered)
	}
	for name, values := range map[string]map[string]any{
		"required": {}, "type": {"rule": 5}, "unknown": {"rule": "x", "other": 1}, "number": {"rule": "x", "minutes": "soon"},
	} {
		if _, err := alice.Slash(within(t), s.Channel, "allow add", values); !errors.Is(err, discordtest.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"allow", "allow remove", "ask", "clear", ""} {
		if _, err := alice.Slash(within(t), s.Channel, name, nil); !errors.Is(err, discordtest.ErrRefused) {
			t.Errorf("/%s: %v", name, err)
		}
	}
	seen, err := alice.Slash(within(t), s.Channel, "allow add", map[string]any{"rule": "bash:ls", "minutes": 5})
	must(t, err)
	if seen.Message.Content != "allow add bash:ls" {
		t.Errorf("alice sees %s", seen.Message)
	}
	choices, err := alice.Autocomplete(within(t), s.Channel, "allow add", map[string]any{"rule": "ba"}, "rule")
	must(t, err)
	if len(choices) != 1 || choices[0].Name != "bash ba" {
		t.Errorf("alice is offered %v", choices)
	}
	takeSlips(t, s)
}

// A deferred answer is visible when @original or a follow-up makes it; another answer is too
// many, and a late one is none.
func TestDeferred(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := discordtest.Start(t, discordtest.Options{Now: clock.now})
	alice := s.Person("alice")
	got := make(chan *discordgo.Interaction, 1)
	dg := connect(t, s, usual)
	dg.AddHandler(func(_ *discordgo.Session, i *discordgo.InteractionCreate) { got <- i.Interaction })
	id := post(t, dg, s.Channel)
	click := func() chan error {
		done := make(chan error, 1)
		go func() { _, err := alice.Click(t.Context(), id, "Approve"); done <- err }()
		return done
	}
	done := click()
	i := <-got
	if _, err := dg.InteractionResponse(i); code(err) != 10015 {
		t.Errorf("@original before an answer: %v", err)
	}
	deferred := &discordgo.InteractionResponse{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource,
		Data: &discordgo.InteractionResponseData{Flags: discordgo.MessageFlagsEphemeral}}
	must(t, dg.InteractionRespond(i, deferred))
	must(t, <-done)
	if err := dg.InteractionRespond(i, deferred); code(err) != 40060 {
		t.Errorf("second answer: %v", err)
	}
	first, err := dg.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "first"})
	must(t, err)
	m, err := s.WaitMessage(within(t), func(m discordtest.Message) bool { return m.Content == "first" })
	must(t, err)
	if m.For != alice.ID || m.ID != first.ID {
		t.Errorf("the follow-up is %+v", m)
	}
	text := "changed"
	edited, err := dg.InteractionResponseEdit(i, &discordgo.WebhookEdit{Content: &text})
	must(t, err)
	if edited.ID != m.ID {
		t.Error("@original is another message than the first follow-up")
	}
	clock.add(14 * time.Minute)
	second, err := dg.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "second", Flags: discordgo.MessageFlagsEphemeral})
	must(t, err)
	must(t, dg.FollowupMessageDelete(i, second.ID))
	clock.add(2 * time.Minute)
	if _, err := dg.FollowupMessageCreate(i, true, &discordgo.WebhookParams{Content: "late"}); code(err) != 50027 {
		t.Errorf("after 16 minutes: %v", err)
	}

	done = click()
	i = <-got
	clock.add(2 * time.Minute)
	if err := dg.InteractionRespond(i, deferred); code(err) != 10062 {
		t.Errorf("late answer: %v", err)
	}
	if err := <-done; !errors.Is(err, discordtest.ErrNoAnswer) {
		t.Errorf("alice is told: %v", err)
	}
}

// code is Discord's code of an error of discordgo's.
func code(err error) int {
	var failed *discordgo.RESTError
	if !errors.As(err, &failed) || failed.Message == nil {
		return 0
	}
	return failed.Message.Code
}

// People act within their permissions only.
func TestPeople(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	alice, bob, stranger := s.Person("alice"), s.Person("bob"), s.As(s.AddUser("stranger"))
	dg := client(t, s)
	id := post(t, dg, s.Channel)
	s.Overwrite(s.Channel, bob.ID, 0, discordtest.PermViewChannel)
	for name, h := range map[string]discordtest.Human{"bob": bob, "stranger": stranger} {
		if _, err := h.Click(within(t), id, "Approve"); !errors.Is(err, discordtest.ErrRefused) {
			t.Errorf("%s clicks: %v", name, err)
		}
		if err := h.React(id, "✅"); !errors.Is(err, discordtest.ErrRefused) {
			t.Errorf("%s reacts: %v", name, err)
		}
		if _, err := h.Reply(id, "yes"); !errors.Is(err, discordtest.ErrRefused) {
			t.Errorf("%s replies: %v", name, err)
		}
	}
	if err := alice.Delete(id); !errors.Is(err, discordtest.ErrRefused) {
		t.Errorf("alice deletes the bot's message: %v", err)
	}
	must(t, alice.React(id, "✅"))
	must(t, alice.React(id, "✅"))
	m, _ := s.Message(id)
	if len(m.Reactions) != 1 || len(m.Reactions[0].Users) != 1 {
		t.Errorf("reactions %+v", m.Reactions)
	}
	must(t, alice.Unreact(id, "✅"))
	own, err := alice.Write(s.Channel, "hello")
	must(t, err)
	must(t, alice.Edit(own, "hello there"))
	must(t, s.As(s.Owner).Delete(id))
	must(t, s.WaitDeleted(within(t), id))
	if len(alice.Messages(s.Channel)) != 1 {
		t.Error("alice still sees the deleted message")
	}
}
