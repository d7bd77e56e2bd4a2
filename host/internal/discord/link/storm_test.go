package link_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// Cards over 20 channels at a server refusing half of them: each is there, once.
func TestStorm(t *testing.T) {
	const cards = 150
	s := discordtest.Start(t, discordtest.Options{Seed: 7})
	s.Inject(discordtest.Fault{Method: "POST", Route: "/channels/{channel_id}/messages", Chance: 0.5, RateLimit: &discordtest.RateLimit{After: 20 * time.Millisecond}})
	c := newClient(t, s)
	channels := make([]string, 20)
	for i := range channels {
		channels[i] = s.AddChannel(s.Guild, fmt.Sprintf("room-%d", i))
	}
	ctx, cancel := contextOf(t)
	defer cancel()
	start := time.Now()
	var all sync.WaitGroup
	for i := range cards {
		all.Go(func() {
			for { // as a surface does until its ask's deadline
				_, err := c.Post(ctx, channels[i%20], card(fmt.Sprintf("ask %d", i), "g1|i|a|approve"))
				if err == nil {
					return
				}
				if ctx.Err() != nil {
					t.Errorf("ask %d: %v", i, err)
					return
				}
			}
		})
	}
	all.Wait()
	seen := map[string]int{}
	for _, m := range s.Messages() {
		seen[m.Content]++
	}
	for i := range cards {
		if n := seen[fmt.Sprintf("ask %d", i)]; n != 1 {
			t.Errorf("ask %d stands there %d times", i, n)
		}
	}
	t.Logf("%d cards, half of the tries refused: %v", cards, time.Since(start).Round(time.Millisecond))
	if lanes, waiting := c.Lanes(); waiting != 0 {
		t.Errorf("%d lanes with %d calls are left", lanes, waiting)
	}
}

// An answer lost on its way does not post twice.
func TestPost_afterALostAnswer(t *testing.T) {
	s := discordtest.Start(t, discordtest.Options{})
	s.Inject(discordtest.Fault{Method: "POST", Route: "/channels/{channel_id}/messages", Count: 2, Drop: discordtest.DropAfter})
	must1[*discordgo.Message](t)(newClient(t, s).Post(ctxOf(t), s.Channel, plain("hello")))
	if n := len(s.Messages()); n != 1 {
		t.Errorf("it stands there %d times", n)
	}
}

// lines is a log for reading while it is written.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A server that acknowledges no heartbeat is noticed long before discordgo would, after five of
// them; and no log line holds a secret.
func TestGateway_noticesASilentServer(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{Heartbeat: 2 * time.Second})
	var log lines
	client, events := newClient(t, s), newRecord()
	g := link.NewGateway(link.GatewayConfig{Client: client, Events: events, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	g.Hurry()
	g.Silence(time.Second)
	ctx, cancel := contextOf(t)
	done := make(chan error, 1)
	go func() { done <- g.Run(ctx) }()
	events.wait(t, "the first session", func() bool { return len(events.ready) == 1 })
	s.MuteHeartbeats(true)
	events.wait(t, "the session again", func() bool { return len(events.ready) == 2 })
	s.MuteHeartbeats(false)
	if events.ready[1] {
		t.Error("the session was not resumed")
	}
	cancel()
	must(t, <-done)
	if !strings.Contains(log.String(), "no heartbeat is acknowledged") {
		t.Errorf("the log is\n%s", log.String())
	}
	if strings.Contains(log.String(), s.Token) {
		t.Error("the log tells the token")
	}
}

// The connection is cut at each packet and each request of a click's life: the click is
// dealt with at most once, and the next one works.
func TestGateway_cutAtEachStep(t *testing.T) {
	t.Parallel()
	life := func(t *testing.T, s *discordtest.Server, r *running) {
		r.begun(t, 1)
		c := newClient(t, s)
		m, err := c.Post(ctxOf(t), s.Channel, card("run it?", "g1|i|ask|approve"))
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, _ = s.Person("alice").Click(ctx, m.ID, "Approve") // may be cut
		_, _ = c.Edit(ctx, s.Channel, m.ID, plain("over"))
	}
	s := discordtest.Start(t, discordtest.Options{})
	life(t, s, run(t, s, nil))
	steps := len(s.Steps())
	if steps < 5 {
		t.Fatalf("only %d steps", steps)
	}
	for n := range steps {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			s := discordtest.Start(t, discordtest.Options{AckWithin: 5 * time.Second})
			s.CutAt(n + 1)
			r := run(t, s, nil)
			life(t, s, r)
			seen := map[string]int{}
			r.events.mu.Lock()
			for _, i := range r.events.interactions {
				seen[i.ID]++
			}
			r.events.mu.Unlock()
			for id, times := range seen {
				if times > 1 {
					t.Errorf("interaction %s came %d times", id, times)
				}
			}
			r.clicks(t, s)
		})
	}
}
