package link_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// running is a gateway at work.
type running struct {
	*link.Gateway
	events *record
	done   chan error
	stop   func()
}

// run connects to a server, until the test ends.
func run(t *testing.T, s *discordtest.Server, change func(*link.Gateway, *record)) *running {
	t.Helper()
	r := &running{events: newRecord(), done: make(chan error, 1)}
	client := newClient(t, s)
	r.Gateway = link.NewGateway(link.GatewayConfig{Client: client, Events: r.events})
	r.Hurry()
	r.events.click = func(ctx context.Context, i *link.Interaction) {
		m := plain("done")
		_ = i.Respond(ctx, link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &m}) // the one who clicks sees it
	}
	if change != nil {
		change(r.Gateway, r.events)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.done <- r.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		must(t, client.Close())
	})
	return r
}

func (r *running) begun(t *testing.T, n int) {
	t.Helper()
	r.events.wait(t, fmt.Sprintf("session %d", n), func() bool { return len(r.events.ready) >= n })
}

// clicks posts a card and has a person click it.
func (r *running) clicks(t *testing.T, s *discordtest.Server) {
	t.Helper()
	ctx := ctxOf(t)
	alice := s.Person("alice")
	m := must1[discordtest.Message](t)(postCard(ctx, t, s))
	seen, err := alice.Click(ctx, m.ID, "Approve")
	if err != nil {
		t.Fatalf("a click: %v", err)
	}
	if seen.Message == nil || seen.Message.Content != "done" {
		t.Fatalf("a click shows %+v", seen)
	}
}

func postCard(ctx context.Context, t *testing.T, s *discordtest.Server) (discordtest.Message, error) {
	t.Helper()
	sent := must1[*discordgo.Message](t)(newClient(t, s).Post(ctx, s.Channel, card("run it?", "g1|i|ask|approve")))
	return s.WaitMessage(ctx, func(m discordtest.Message) bool { return m.ID == sent.ID })
}

func TestGateway_tellsWhatComes(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	r := run(t, s, nil)
	r.begun(t, 1)
	if !r.events.ready[0] {
		t.Error("the first session is not fresh")
	}
	if st := r.State(); !st.Connected || st.Problem != "" {
		t.Errorf("state %+v", st)
	}
	r.clicks(t, s)
	ctx, alice := ctxOf(t), s.Person("bob")
	m := must1[discordtest.Message](t)(postCard(ctx, t, s))
	must(t, alice.React(m.ID, "✅"))
	r.events.wait(t, "a reaction", func() bool {
		return len(r.events.reactions) == 1 && r.events.reactions[0].Emoji.Name == "✅" && r.events.reactions[0].Member != nil
	})
	must(t, alice.Delete(must1[string](t)(alice.Write(s.Channel, "hello"))))
	r.events.wait(t, "the message and that it is gone", func() bool { return len(r.events.deleted) == 1 && len(r.events.messages) > 0 })
}

func TestGateway_goesOn(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault func(*discordtest.Server)
		fresh bool
		most  int // sessions allowed to begin
	}{
		"after a cut":                   {func(s *discordtest.Server) { s.DropSockets() }, false, 1},
		"after a call to reconnect":     {func(s *discordtest.Server) { s.AskReconnect() }, false, 1},
		"after a resumable op 9":        {func(s *discordtest.Server) { s.Invalidate(true) }, false, 1},
		"after an op 9":                 {func(s *discordtest.Server) { s.Invalidate(false) }, true, 2},
		"after an unknown error":        {func(s *discordtest.Server) { s.CloseSockets(4000, "unknown") }, false, 1},
		"after a session timed out":     {func(s *discordtest.Server) { s.CloseSockets(4009, "timed out") }, true, 2},
		"after its session was lost":    {func(s *discordtest.Server) { s.ForgetSessions(); s.DropSockets() }, true, 2},
		"after a silent server":         {func(s *discordtest.Server) { s.MuteHeartbeats(true) }, false, 1},
		"after what cannot come, again": {func(s *discordtest.Server) { s.Dispatch("READY", `{"session_id":"other"}`) }, true, 2},
		"after dials were refused":      {func(s *discordtest.Server) { s.RefuseDials(true); s.DropSockets() }, false, 1},
		"after the server closed it":    {func(s *discordtest.Server) { s.CloseSockets(1001, "going away") }, true, 2},
		"after a wrong sequence":        {func(s *discordtest.Server) { s.CloseSockets(4007, "seq") }, true, 2},
		"after two sockets were lost":   {func(s *discordtest.Server) { s.DropSockets(); s.DropSockets() }, false, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := discordtest.Start(t, discordtest.Options{Heartbeat: 100 * time.Millisecond})
			r := run(t, s, func(g *link.Gateway, _ *record) { g.Silence(3 * time.Second) })
			r.begun(t, 1)
			test.fault(s)
			if err := s.WaitDisconnected(ctxOf(t)); err != nil && name != "after a silent server" {
				t.Log(err)
			}
			s.RefuseDials(false)
			r.begun(t, 2)
			s.MuteHeartbeats(false)
			if got := r.events.ready[1]; got != test.fresh {
				t.Errorf("fresh: %v, want %v", got, test.fresh)
			}
			r.clicks(t, s)
			if _, identified := s.Sessions(); identified > test.most {
				t.Errorf("%d sessions were begun, want at most %d", identified, test.most)
			}
			s.TakeViolations() // a forged READY is one
		})
	}
}

func TestGateway_fatal(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{
		4004: "token", 4010: "shard", 4011: "shards", 4012: "version", 4013: "intents", 4014: "developer portal",
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			t.Parallel()
			s := discordtest.Start(t, discordtest.Options{})
			r := run(t, s, nil)
			r.begun(t, 1)
			s.CloseSockets(code, "no")
			err := <-r.done
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Fatalf("ended with %v", err)
			}
			if st := r.State(); !st.Fatal || st.Connected || !strings.Contains(st.Problem, want) {
				t.Errorf("state %+v", st)
			}
			if errors.Is(err, link.ErrUnauthorized) != (code == 4004) {
				t.Errorf("as ErrUnauthorized: %v", err)
			}
			if strings.Contains(err.Error(), s.Token) {
				t.Error("the error tells the token")
			}
			r.done <- nil
		})
	}
}

func TestGateway_wrongToken(t *testing.T) {
	s := discordtest.Start(t, discordtest.Options{})
	client := must1[*link.Client](t)(link.NewClient(link.ClientConfig{Token: "MTIzNA.Gwrong.abcdefghijklmnop", APIURL: s.URL()}))
	defer client.Close()
	err := link.NewGateway(link.GatewayConfig{Client: client, Events: newRecord()}).Run(ctxOf(t))
	if !errors.Is(err, link.ErrUnauthorized) || !strings.Contains(err.Error(), "developer portal") {
		t.Fatalf("ended with %v", err)
	}
	if got := len(s.Requests("", "")); got != 1 {
		t.Errorf("%d requests were made, want 1", got)
	}
	if st := client.State(); !st.Fatal {
		t.Errorf("the client's state is %+v", st)
	}
	s.TakeViolations()
}

// Beyond the last permitted session Discord would reset the token.
func TestGateway_keepsTheBudget(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{SessionStarts: 1})
	r := run(t, s, nil)
	r.begun(t, 1)
	s.Invalidate(false)
	over := time.Now().Add(long)
	for !strings.Contains(r.State().Problem, "begin no new session") {
		if time.Now().After(over) {
			t.Fatalf("state %+v", r.State())
		}
		time.Sleep(time.Millisecond) // the state is polled, as its users do
	}
	if _, identified := s.Sessions(); identified != 1 {
		t.Errorf("%d sessions were begun, want 1", identified)
	}
}

func TestGateway_containsPanics(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	r := run(t, s, func(_ *link.Gateway, e *record) {
		click := e.click
		e.click = func(ctx context.Context, i *link.Interaction) {
			if i.MessageComponentData().CustomID == "g1|i|ask|panic" {
				_ = i.ApplicationCommandData() // of a click: panics
			}
			click(ctx, i)
		}
	})
	r.begun(t, 1)
	ctx := ctxOf(t)
	m := must1[*discordgo.Message](t)(newClient(t, s).Post(ctx, s.Channel, card("run it?", "g1|i|ask|panic")))
	short, cancel := context.WithCancel(ctx)
	go func() {
		r.events.wait(t, "the click", func() bool { return len(r.events.interactions) == 1 })
		cancel()
	}()
	_, _ = s.Person("mallory").Click(short, m.ID, "Approve") // there is no answer
	r.clicks(t, s)
	s.TakeViolations()
}
