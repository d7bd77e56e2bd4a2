package link_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/internal/testkit/paralleltest"
)

// long is how long a wait may take on a busy machine.
const long = 60 * time.Second

// record keeps incoming events, and acts on them for the test.
type record struct {
	mu           sync.Mutex
	changed      chan struct{}
	ready        []bool
	interactions []*link.Interaction
	reactions    []link.Reaction
	messages     []*discordgo.Message
	edited       []*discordgo.Message
	deleted      []string

	click func(context.Context, *link.Interaction)
}

func newRecord() *record { return &record{changed: make(chan struct{})} }

func (r *record) note(f func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f()
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *record) Ready(_ context.Context, fresh bool) {
	r.note(func() { r.ready = append(r.ready, fresh) })
}

func (r *record) Interaction(ctx context.Context, i *link.Interaction) {
	r.note(func() { r.interactions = append(r.interactions, i) })
	if r.click != nil {
		r.click(ctx, i)
	}
}

func (r *record) Reaction(_ context.Context, x link.Reaction) {
	r.note(func() { r.reactions = append(r.reactions, x) })
}

func (r *record) Message(_ context.Context, m *discordgo.Message) {
	r.note(func() { r.messages = append(r.messages, m) })
}

func (r *record) Edited(_ context.Context, m *discordgo.Message) {
	r.note(func() { r.edited = append(r.edited, m) })
}

func (r *record) Deleted(_ context.Context, channel, msg string) {
	r.note(func() { r.deleted = append(r.deleted, channel+"/"+msg) })
}

// wait returns when cond holds of the events.
func (r *record) wait(t *testing.T, what string, cond func() bool) {
	t.Helper()
	over := time.After(long)
	for {
		r.mu.Lock()
		ok, changed := cond(), r.changed
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-over:
			t.Fatalf("did not come: %s", what)
		}
	}
}

// newClient is a client for a test server.
func newClient(t *testing.T, s *discordtest.Server) *link.Client {
	t.Helper()
	c, err := link.NewClient(link.ClientConfig{Token: s.Token, APIURL: s.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, c.Close()) })
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func must1[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

// plain is a valid message.
func plain(text string) message.Message {
	return message.Message{Content: text, Components: []discordgo.MessageComponent{}, AllowedMentions: message.Mentions{Parse: []string{}}}
}

// card is one with a button.
func card(text, customID string) message.Message {
	m := plain(text)
	m.Components = []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
		discordgo.Button{Label: "Approve", CustomID: customID, Style: discordgo.SuccessButton},
	}}}
	return m
}

func ctxOf(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), long)
	t.Cleanup(cancel)
	return ctx
}

// TestMain fails when, after all tests, something of discordgo, of a gateway or of a
// client still runs.
func TestMain(m *testing.M) {
	paralleltest.Raise()
	code := m.Run()
	left := goroutines()
	for over := time.Now().Add(long); len(left) > 0 && time.Now().Before(over); left = goroutines() {
		time.Sleep(10 * time.Millisecond) // nothing tells when a goroutine of discordgo ends
	}
	if len(left) > 0 {
		fmt.Fprintf(os.Stderr, "goroutines are left:\n%s\n", strings.Join(left, "\n\n"))
		code = max(code, 1)
	}
	os.Exit(code)
}

func goroutines() []string {
	buf := make([]byte, 4<<20)
	var left []string
	for _, g := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		if strings.Contains(g, "TestMain") {
			continue
		}
		if strings.Contains(g, "discordgo") || strings.Contains(g, "host/internal/discord/link") {
			left = append(left, g)
		}
	}
	return left
}

func contextOf(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), 2*long)
}
