package discordtest_test

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// endpoint is a bot with interactions over HTTP: it checks signature and age.
func endpoint(t *testing.T, s *discordtest.Server, clock *clock, answer string) string {
	t.Helper()
	public, err := hex.DecodeString(s.PublicKey())
	must(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, err := strconv.ParseInt(r.Header.Get("X-Signature-Timestamp"), 10, 64)
		age := clock.now().Sub(time.Unix(at, 0))
		if err != nil || age.Abs() > 5*time.Minute || !discordgo.VerifyInteraction(r, ed25519.PublicKey(public)) {
			w.WriteHeader(401)
			return
		}
		var i struct{ Type int }
		if err := json.NewDecoder(r.Body).Decode(&i); err == nil && i.Type == 1 {
			_, _ = io.WriteString(w, `{"type":1}`)
			return
		}
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Interactions come signed to the endpoint, and people see its answer.
func TestEndpoint(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := discordtest.Start(t, discordtest.Options{Now: clock.now})
	alice := s.Person("alice")
	url := endpoint(t, s, clock, `{"type":4,"data":{"content":"by HTTP","flags":64}}`)
	must(t, s.SetEndpoint(within(t), url))
	id := post(t, client(t, s), s.Channel)
	seen, err := alice.Click(within(t), id, "Approve")
	must(t, err)
	if seen.Message.Content != "by HTTP" || seen.Message.For != alice.ID {
		t.Errorf("alice sees %s", seen.Message)
	}
	for name, c := range map[string]struct {
		how  discordtest.Signing
		want int
	}{
		"right": {discordtest.Signing{}, 200}, "bad": {discordtest.Signing{Bad: true}, 401}, "none": {discordtest.Signing{None: true}, 401},
		"tampered": {discordtest.Signing{Tamper: true}, 401}, "old": {discordtest.Signing{Age: time.Hour}, 401},
		"ahead": {discordtest.Signing{Age: -time.Hour}, 401}, "no time": {discordtest.Signing{Timestamp: "soon"}, 401},
	} {
		status, _, err := s.PostSigned(within(t), url, []byte(`{"type":3}`), c.how)
		if err != nil || status != c.want {
			t.Errorf("%s: HTTP %d, %v; want %d", name, status, err, c.want)
		}
	}
	must(t, s.SetEndpoint(within(t), ""))
}

// An endpoint accepting anything is not set, and a nonsense answer is no answer.
func TestBadEndpoint(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := discordtest.Start(t, discordtest.Options{Now: clock.now})
	open := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"type":1}`) }))
	t.Cleanup(open.Close)
	if err := s.SetEndpoint(within(t), open.URL); err == nil {
		t.Error("an endpoint that takes every signature was set")
	}
	must(t, s.SetEndpoint(within(t), endpoint(t, s, clock, `{"type":99}`)))
	id := post(t, client(t, s), s.Channel)
	if _, err := s.Person("alice").Click(within(t), id, "Approve"); err == nil {
		t.Error("nonsense was taken for an answer")
	}
	if len(s.TakeViolations()) == 0 {
		t.Error("no violation was written down")
	}
}

// Forged events reach the bot unchanged, and its answer comes back.
func TestForge(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	got := make(chan *discordgo.Interaction, 1)
	dg := answering(t, s, func(_ *discordgo.Session, i *discordgo.Interaction) *discordgo.InteractionResponse {
		got <- i
		return says("no", discordgo.MessageFlagsEphemeral)
	})
	reactions := make(chan *discordgo.MessageReactionAdd, 1)
	dg.AddHandler(func(_ *discordgo.Session, r *discordgo.MessageReactionAdd) { reactions <- r })
	edits := make(chan *discordgo.MessageUpdate, 1)
	dg.AddHandler(func(_ *discordgo.Session, m *discordgo.MessageUpdate) { edits <- m })
	id := post(t, dg, s.Channel)
	stranger := s.AddUser("stranger")
	seen, err := s.Forge(within(t), stranger, s.Channel, id, "no such button", func(i map[string]any) {
		i["guild_id"] = "1"
		delete(i, "member")
		i["data"].(map[string]any)["component_type"] = 3
	})
	must(t, err)
	if i := <-got; i.GuildID != "1" || i.Member != nil || i.MessageComponentData().ComponentType != 3 || seen.Message.Content != "no" {
		t.Errorf("the bot got %+v and %+v was seen", i, seen)
	}
	s.ForgeReaction(s.Bot, id, `{"id":"123456789012345678","name":"✅"}`, func(r map[string]any) { delete(r, "member") })
	if r := <-reactions; r.Emoji.ID == "" || r.UserID != s.Bot || r.Member != nil {
		t.Errorf("the bot got %+v", r)
	}
	s.EditAs(id, func(m *discordtest.Message) { m.Content = "harmless" })
	if m := <-edits; m.Content != "harmless" {
		t.Errorf("the bot got %+v", m)
	}
	s.Dispatch("MESSAGE_UPDATE", `{"id":"`+id+`","channel_id":"`+s.Channel+`","content":"raw"}`)
	if m := <-edits; m.Content != "raw" {
		t.Errorf("the bot got %+v", m)
	}
}
