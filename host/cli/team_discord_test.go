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

// TestTeamDiscord: when the daemon with the connection to Discord is killed, or cut off from the
// database, another one takes it over, a card has one message, and one answer counts.
func TestTeamDiscord(t *testing.T) {
	t.Parallel()
	if os.Getenv("CALLGATE_FAULTS")+os.Getenv("CALLGATE_SCALE") == "" {
		t.Skip("it measures a take-over: make faults")
	}
	for name, lose := range map[string]func(*member){
		"killed":      (*member).kill,
		"partitioned": func(m *member) { m.proxy.Silence(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			takeOver(t, lose)
		})
	}
}

func takeOver(t *testing.T, lose func(*member)) {
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
	_, identified := s.Sessions()
	lost := time.Now()
	lose(holder)
	next := tm.holder(ctx, holder.id)
	if err := s.Wait(ctx, func() bool { n, now := s.Sessions(); return n == 1 && now > identified }); err != nil {
		t.Fatal(err) // the lost one is still connected, or the next one not yet
	}
	took := time.Since(lost)
	t.Logf("taken over after %s", took.Round(10*time.Millisecond))
	if os.Getenv("CALLGATE_FAULTS") != "" && took > 4*time.Second {
		t.Errorf("taken over after %s, want at most 4 s", took)
	}
	res, answered := wire.Result{}, false
	for !answered { // the next one may not know the card yet, and asks for another tap
		_, _ = ann.Click(ctx, card.ID, "Allow once")
		select {
		case res = <-results:
			answered = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	_, _ = ann.Click(ctx, card.ID, "Allow once") // too late
	if res.Decision.Behavior != engine.Allow {
		t.Errorf("got %+v, want an allow", res.Decision)
	}
	cards := 0
	for _, m := range s.Messages() {
		if m.ChannelID == card.ChannelID && !m.Deleted && m.Flags&discordtest.FlagEphemeral == 0 {
			cards++
		}
	}
	if cards != 1 {
		t.Errorf("got %d messages of the ask, want 1: %v", cards, s.Messages())
	}
	if next == holder {
		t.Error("the lease came back to the daemon that was lost")
	}
	holder.proxy.Silence(false)
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
		if not != "" && m.id == not {
			continue // it was lost
		}
		nodes, err := m.nodes(ctx, tm.t)
		if err != nil {
			continue // it was killed, or waits for the database
		}
		for _, n := range nodes {
			if n.ID != not && slices.Contains(n.Leases, "discord") {
				return tm.member(ctx, n.ID, not)
			}
		}
		time.Sleep(20 * time.Millisecond) // the list has no events
	}
	return nil
}

// member is the daemon with an id; the one with the other id was lost.
func (tm *team) member(ctx context.Context, id, lost string) *member {
	for _, m := range tm.members {
		if lost != "" && m.id == lost {
			continue
		}
		nodes, err := m.nodes(ctx, tm.t)
		if err == nil && slices.ContainsFunc(nodes, func(n wire.Node) bool { return n.Self && n.ID == id }) {
			m.id = id
			return m
		}
	}
	return nil
}

// nodes is the daemon's list; a daemon without its database gives none.
func (m *member) nodes(ctx context.Context, t *testing.T) ([]wire.Node, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	return m.admin(t).Nodes(ctx)
}
