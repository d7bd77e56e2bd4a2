package slash_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/slash"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// onlyCommands hands interactions to a handler, as bob's.
type onlyCommands struct{ handler *slash.Handler }

func (onlyCommands) Ready(context.Context, bool)                 {}
func (onlyCommands) Reaction(context.Context, link.Reaction)     {}
func (onlyCommands) Message(context.Context, *discordgo.Message) {}
func (onlyCommands) Edited(context.Context, *discordgo.Message)  {}
func (onlyCommands) Deleted(context.Context, string, string)     {}
func (o onlyCommands) Interaction(ctx context.Context, i *link.Interaction) {
	o.handler.Interaction(ctx, i, bob)
}

// TestOverDiscord: commands are registered once, and used as people use them, with
// every request and answer held against Discord's limits.
func TestOverDiscord(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	s := discordtest.Start(t, discordtest.Options{})
	client, err := link.NewClient(link.ClientConfig{Token: s.Token, APIURL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i, want := range []bool{true, false} {
		if changed, err := slash.Register(ctx, client, s.Application, s.Guild); err != nil || changed != want {
			t.Fatalf("registration %d: got %t, %v, want %t", i, changed, err, want)
		}
	}
	w := newWorld(t)
	w.open("worker", "s1")
	w.places.agents[s.Channel] = []string{"worker"}
	g := link.NewGateway(link.GatewayConfig{Client: client, Events: onlyCommands{w.handler}})
	done := make(chan error, 1)
	go func() { done <- g.Run(ctx) }()
	if err := s.WaitConnected(ctx); err != nil {
		t.Fatal(err)
	}
	alice := s.Person("alice")

	choices, err := alice.Autocomplete(ctx, s.Channel, "ask", map[string]any{"rule": "pro"}, "rule")
	if err != nil || len(choices) != 1 || choices[0].Name != "Probe" {
		t.Errorf("completion: %+v, %v", choices, err)
	}
	want := func(seen *discordtest.Seen, err error, part string) *discordtest.Message {
		t.Helper()
		if err != nil || seen.Message == nil || !strings.Contains(seen.Message.Content, part) || seen.Message.For == "" {
			t.Fatalf("got %+v, %v, want %q", seen, err, part)
		}
		return seen.Message
	}
	seen, err := alice.Slash(ctx, s.Channel, "permissions builder", map[string]any{"rule": "Probe(npm:*)"})
	m := want(seen, err, "ask Probe(npm:*)")
	seen, err = alice.Click(ctx, m.ID, "Store it")
	want(seen, err, "Stored")
	seen, err = alice.Slash(ctx, s.Channel, "ask", nil)
	want(seen, err, "Probe(npm:*)")
	seen, err = alice.Slash(ctx, s.Channel, "audit", nil)
	want(seen, err, "rule_added")
	if rules, err := w.gate.Rules(ctx, store.RuleFilter{}); err != nil || len(rules) != 1 {
		t.Errorf("rules: %+v, %v", rules, err)
	}
	cancel()
	<-done
}
