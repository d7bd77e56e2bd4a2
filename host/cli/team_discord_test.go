package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/wire"
)

// TestTeamDiscord: when the daemon with the connection to Discord is killed, another one takes it
// over, a card has one message, and one answer counts.
func TestTeamDiscord(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{AckWithin: patience})
	ann := s.Person("ann")
	token := filepath.Join(t.TempDir(), "discord.token")
	if err := os.WriteFile(token, []byte(s.Token), 0o600); err != nil {
		t.Fatal(err)
	}
	tm := newDaemons(t, fmt.Sprintf("asks: {timeout: 10m}\ndiscord: {token_file: %q, server: %q, api_url: %q}\ndefaults: {discord: {channel: %q}}\npeople: {ann: {discord: %q}}\n",
		token, s.Guild, s.URL(), s.Channel, ann.ID))
	ctx := t.Context()
	holder := tm.holder(ctx, "")
	other := tm.members[(slices.Index(tm.members, holder)+1)%3]
	results := make(chan wire.Result, 1)
	go func() {
		res, err := other.agent(t).Check(ctx, bashCall("s", "c", "npm install left-pad"), nil)
		if err != nil {
			t.Error(err)
		}
		results <- res
	}()
	open := func(m discordtest.Message) bool { return len(m.Components) > 0 && !m.Deleted }
	card, err := s.WaitMessage(ctx, open)
	if err != nil {
		t.Fatal(err)
	}
	holder.kill()
	killed := time.Now()
	next := tm.holder(ctx, holder.id)
	if err := s.WaitConnected(ctx); err != nil {
		t.Fatal(err)
	}
	took := time.Since(killed)
	t.Logf("taken over after %s", took.Round(10*time.Millisecond))
	if os.Getenv("CALLGATE_FAULTS") != "" && took > 4*time.Second {
		t.Errorf("taken over after %s, want at most 4 s", took)
	}
	tapped := 0
	for range 2 { // the second tap is too late
		if _, err := ann.Click(ctx, card.ID, "Allow once"); err == nil {
			tapped++
		}
	}
	if tapped == 0 {
		t.Fatalf("no tap was taken: %v", card)
	}
	res := <-results
	if res.Decision.Behavior != engine.Allow {
		t.Errorf("got %+v after %d taps, want an allow", res.Decision, tapped)
	}
	cards := 0
	for _, m := range s.Messages() {
		if m.ChannelID == card.ChannelID && !m.Deleted {
			cards++
		}
	}
	if cards != 1 {
		t.Errorf("got %d messages of the ask, want 1: %v", cards, s.Messages())
	}
	if next == holder {
		t.Error("the lease came back to the daemon that was killed")
	}
	approved := 0
	for _, row := range tm.rows() {
		if row.AskID == res.AskID && row.Event == store.EventDecision {
			approved++
		}
	}
	if approved != 1 {
		t.Errorf("got %d rows of the approval, want 1", approved)
	}
}

// holder waits for a daemon with the lease of Discord other than the one with this id, by the list
// of another one.
func (tm *team) holder(ctx context.Context, not string) *member {
	for i := 0; ctx.Err() == nil; i++ {
		m := tm.members[i%len(tm.members)]
		nodes, err := m.admin(tm.t).Nodes(ctx)
		if err != nil {
			continue // it was killed
		}
		for _, n := range nodes {
			if n.ID != not && slices.Contains(n.Leases, "discord") {
				return tm.member(ctx, n.ID)
			}
		}
		time.Sleep(20 * time.Millisecond) // the list has no events
	}
	return nil
}

// member is the daemon with an id.
func (tm *team) member(ctx context.Context, id string) *member {
	for _, m := range tm.members {
		nodes, err := m.admin(tm.t).Nodes(ctx)
		if err == nil && slices.ContainsFunc(nodes, func(n wire.Node) bool { return n.Self && n.ID == id }) {
			m.id = id
			return m
		}
	}
	return nil
}
