package discord

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/wire"
)

func inSession(name string) func(*wire.Request) {
	return func(r *wire.Request) { r.Context.Session = name }
}

// Attack T12: a member whom nobody lists clicks, chooses, reacts and writes, hundreds of
// times. The audit has one row and the channel one hint; the ask goes on, and who may
// answer it does.
func TestT12_bystanders(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm ci")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 40 {
				seen, err := w.bob.Click(w.context(), m.ID, "Allow once")
				if err != nil || seen.Message == nil || seen.Message.For != w.bob.ID {
					t.Errorf("bob sees %+v, %v", seen, err)
				}
			}
		})
	}
	for i := range 100 {
		must(t, w.bob.React(m.ID, []string{"🔓", "✅", "❌"}[i%3]))
		must(t, w.bob.Unreact(m.ID, []string{"🔓", "✅", "❌"}[i%3]))
		_, err := w.bob.Write(m.ChannelID, "yes")
		must(t, err)
		_, err = w.bob.Reply(m.ID, "yes")
		must(t, err)
	}
	all.Wait()
	w.undecided(a)
	if rows := w.rows(store.EventAnswerRefused); len(rows) != 1 {
		t.Errorf("the audit has %d rows of refusals", len(rows))
	}
	hints := 0
	for _, n := range w.server.Messages() {
		if n.ReplyTo == m.ID && n.Author.Bot {
			hints++
		}
	}
	if hints > 1 {
		t.Errorf("bob was told %d times in public", hints)
	}
	_, err := w.ann.Click(w.context(), m.ID, "Allow once")
	must(t, err)
	w.wants(done, store.AskApproved)
}

// Attack T12: whatever stands before Discord answers in its place for a while. Asks are
// denied at their deadline or answered elsewhere, nothing is approved, a page of HTML
// makes no card forgotten or posted twice, and when it is over all cards are as they are
// to be.
func TestT12_pagesInPlaceOfDiscord(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]discordtest.Fault{
		"403":             {Status: 403, HTML: true, Message: "<h1>Access denied</h1>"},
		"404":             {Status: 404, HTML: true, Message: "<h1>Not here</h1>"},
		"500":             {Status: 500, HTML: true, Message: "<h1>Oops</h1>"},
		"Cloudflare's":    {RateLimit: &discordtest.RateLimit{After: time.Second, HTML: true}},
		"no limit's end":  {RateLimit: &discordtest.RateLimit{After: 5 * time.Hour}, Method: "POST", Route: "/channels/{channel_id}/messages"},
		"200 with a page": {Status: 200, HTML: true, Message: "<h1>Log in</h1>"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, usual)
			first, _, m := w.posed("npm ci")
			w.server.Inject(fault)
			done := w.check("npm audit", otherSession)
			b := w.shown("npm audit")
			_, err := w.gate.Answer(w.context(), b.ID, ask.Answer{By: "cy", Surface: "terminal"})
			must(t, err)
			w.wants(done, store.AskDenied)
			a := w.shown("npm ci")
			_, err = w.gate.Answer(w.context(), a.ID, ask.Answer{By: "cy", Surface: "terminal"})
			must(t, err)
			w.wants(first, store.AskDenied)
			_, err = w.server.WaitRequests(w.context(), "PATCH", "", 1)
			must(t, err)
			w.server.ClearFaults()
			if name == "no limit's end" {
				w.final(m.ID, "denied") // of another bucket
				return
			}
			w.restart(nil) // what was left is mended at the latest then
			w.final(m.ID, "denied")
			if n := w.posted("npm ci"); n != 1 {
				t.Errorf("the card was posted %d times", n)
			}
		})
	}
}

// Attack T12: Discord takes every request and answers none. Asks end at their deadline,
// other surfaces answer, the surface stops while Discord still hangs, and nothing of it is
// left.
func TestT12_hangs(t *testing.T) {
	before := runtime.NumGoroutine()
	w := newWorld(t, usual)
	_, _, m := w.posed("npm ci")
	hold := make(chan struct{})
	t.Cleanup(sync.OnceFunc(func() { close(hold) }))
	w.server.Inject(discordtest.Fault{Hold: hold})
	var calls []<-chan wire.Result
	for i := range 10 {
		calls = append(calls, w.check(fmt.Sprintf("make %d", i), inSession(fmt.Sprint(i))))
	}
	for i := range calls {
		a := w.shown(fmt.Sprintf("make %d", i))
		_, err := w.gate.Answer(w.context(), a.ID, ask.Answer{By: "cy", Surface: "terminal"})
		must(t, err)
	}
	for _, done := range calls {
		w.wants(done, store.AskDenied)
	}
	clicked := make(chan struct{})
	clicking, cancel := context.WithCancel(w.context())
	go func() {
		defer close(clicked)
		_, _ = w.ann.Click(clicking, m.ID, "Deny") // nobody hears the answer
	}()
	at := time.Now()
	w.stop()
	t.Logf("stopped in %v with %d goroutines before and %d after", time.Since(at), before, runtime.NumGoroutine())
	if took := time.Since(at); took > 40*time.Second {
		t.Errorf("stopping took %v", took)
	}
	cancel()
	<-clicked
}

// Attack T12, T28: events that are malformed, enormous, or of kinds that nobody knows.
// Each is dropped by itself: the connection stays, no ask is decided, and the next click
// counts.
func TestT12_malformedEvents(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm ci")
	id := w.customID(a, "approve")
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for event, bodies := range map[string][]string{
		"INTERACTION_CREATE": {
			`null`, `[]`, `7`, `"x"`, `{}`, deep, `{"id":"1","type":3,"data":null}`, `{"id":"1","application_id":"2","token":"t","type":99,"data":{}}`,
			fmt.Sprintf(`{"id":"1","application_id":"2","token":"t","type":3,"channel_id":%q,"message":{"id":%q},"data":{"custom_id":%q,"component_type":2}}`, m.ChannelID, m.ID, id),
			fmt.Sprintf(`{"id":"2","application_id":"2","token":"../../x","type":3,"channel_id":%q,"member":{"user":{"id":%q}},"data":{"custom_id":%q,"component_type":2}}`, m.ChannelID, w.ann.ID, id),
			fmt.Sprintf(`{"id":"3","application_id":"2","token":"t","type":5,"member":{"user":{"id":%q}},"data":{"custom_id":%q,"components":[{"type":18},{"type":99,"components":[{"type":98}]},null]}}`, w.ann.ID, id),
			fmt.Sprintf(`{"id":"4","application_id":"2","token":"t","type":3,"member":{"user":null},"data":{"custom_id":%q,"component_type":2}}`, id),
		},
		"MESSAGE_REACTION_ADD": {`null`, `{}`, fmt.Sprintf(`{"user_id":"x","channel_id":%q,"message_id":%q,"emoji":{"name":"✅"}}`, m.ChannelID, m.ID), fmt.Sprintf(`{"user_id":%q,"channel_id":%q,"message_id":%q,"emoji":{"id":"5","name":"✅"}}`, w.ann.ID, m.ChannelID, m.ID)},
		"MESSAGE_CREATE":       {`null`, `{}`, fmt.Sprintf(`{"id":"5","channel_id":%q,"author":null,"content":"yes","type":19,"message_reference":{"message_id":%q}}`, m.ChannelID, m.ID), fmt.Sprintf(`{"id":"5","channel_id":%q,"content":%q}`, m.ChannelID, strings.Repeat("x", 1<<20))},
		"MESSAGE_UPDATE":       {`null`, `{}`, fmt.Sprintf(`{"id":%q,"channel_id":%q}`, m.ID, m.ChannelID), fmt.Sprintf(`{"id":%q,"channel_id":%q,"components":[{"type":99}]}`, m.ID, m.ChannelID)},
		"MESSAGE_DELETE":       {`null`, `{}`, `{"id":7}`},
		"MESSAGE_DELETE_BULK":  {`null`, `{}`, `{"ids":[null,7]}`, `{"ids":"x"}`},
		"NO_SUCH_EVENT":        {deep},
	} {
		for _, body := range bodies {
			w.server.Dispatch(event, body)
		}
	}
	seen, err := w.bob.Click(w.context(), m.ID, "Allow once") // what came before is read
	must(t, err)
	if seen.Message == nil {
		t.Errorf("bob sees %+v", seen)
	}
	w.undecided(a)
	_, err = w.ann.Click(w.context(), m.ID, "Deny")
	must(t, err)
	w.wants(done, store.AskDenied)
	w.server.TakeViolations() // the answers to interactions that there are not
}

// Attack T12: the clock is set back, or forth, by hours: a reaction that seems to come
// before its card holds no place for hours, and one that is meant counts.
func TestT12_clockSetBack(t *testing.T) {
	var mu sync.Mutex
	var shift time.Duration
	w := newWorld(t, usual, func(w *world) {
		w.change = func(c *Config) {
			c.Now = func() time.Time {
				mu.Lock()
				defer mu.Unlock()
				return time.Now().Add(shift)
			}
		}
	})
	for _, by := range []time.Duration{-5 * time.Hour, 5 * time.Hour} {
		command := fmt.Sprintf("npm ci %v", by)
		done, _, m := w.posed(command)
		mu.Lock()
		shift += by
		mu.Unlock()
		must(t, w.ann.React(m.ID, "❌"))
		w.wants(done, store.AskDenied)
	}
}

// Attack T12: the token is taken away while a hundred cards stand, and the daemon starts
// again with Discord down, then up. Each ask waits on, its card is posted once, and every
// click counts once.
func TestT12_restartsWithCards(t *testing.T) {
	const cards = 60
	w := newWorld(t, usual)
	claim := func(i int) func(*wire.Request) {
		return func(r *wire.Request) { r.Context.Session, r.CallID = fmt.Sprint("s", i), fmt.Sprint("c", i) }
	}
	for i := range cards {
		w.check(fmt.Sprintf("make %03d", i), claim(i))
	}
	for i := range cards {
		w.card(fmt.Sprintf("make %03d", i))
	}
	w.server.RefuseDials(true)
	remove := w.server.Inject(discordtest.Fault{Status: 503})
	w.stop()
	w.broker.Close()
	must(t, w.store.Close())
	w.openGate()
	calls := make([]<-chan wire.Result, cards)
	for i := range cards {
		calls[i] = w.check(fmt.Sprintf("make %03d", i), claim(i))
	}
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		w.openSurface() // waits until it is connected
	}()
	_, err := w.server.WaitRequests(w.context(), "", "", 1)
	must(t, err)
	w.server.RefuseDials(false)
	remove()
	<-opened
	for i := range cards {
		m := w.card(fmt.Sprintf("make %03d", i))
		_, err := w.ann.Click(w.context(), m.ID, []string{"Allow once", "Deny"}[i%2])
		must(t, err)
	}
	for i, done := range calls {
		want := engine.Allow
		if i%2 == 1 {
			want = engine.Deny
		}
		if r := w.outcome(done); r.Decision.Behavior != want || r.DecidedBy != "ann" {
			t.Errorf("call %d: %s by %q", i, r.Decision.Behavior, r.DecidedBy)
		}
		if n := w.posted(fmt.Sprintf("make %03d", i)); n != 1 {
			t.Errorf("card %d was posted %d times", i, n)
		}
	}
	w.eventually("nothing is left", func() bool { s := w.surface.State(); return s.Asks == 0 && s.Cards == 0 })
}

// Attack T14: secrets in the call, in a panic, and the bot's token are looked for in
// everything that the surface leaves: its log, its state, the audit, and all that stands in
// Discord when the asks have ended.
func TestT14_secrets(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	const thrown = "CANARY-of-a-panic"
	faulty := &throws{says: thrown}
	w := newWorld(t, usual, func(w *world) {
		w.change = func(c *Config) { faulty.Gate = c.Gate; c.Gate = faulty }
	})
	done, _, m := w.posed("curl -H token=" + secret)
	faulty.throw(true)
	_, err := w.ann.Click(w.context(), m.ID, "Allow once")
	must(t, err)
	faulty.throw(false)
	w.server.Inject(discordtest.Fault{Method: "PATCH", Status: 400, Code: 50035, Message: "Invalid Form Body", Count: 1})
	_, err = w.ann.Click(w.context(), m.ID, "Deny")
	must(t, err)
	w.wants(done, store.AskDenied)
	w.final(m.ID, "denied")
	w.server.Inject(discordtest.Fault{Status: 401})
	w.check("curl -H token="+secret+" again", otherSession)
	a := w.shown("again")
	w.eventually("the surface has given up", func() bool { return w.surface.State().Fatal })
	_, err = w.gate.Answer(w.context(), a.ID, ask.Answer{By: "cy", Surface: "terminal"})
	must(t, err)
	state, err := json.Marshal(w.surface.State())
	must(t, err)
	var rows []store.Row
	for row, err := range w.store.Audit(context.Background(), store.Filter{}) {
		must(t, err)
		rows = append(rows, row)
	}
	audit, err := json.Marshal(rows)
	must(t, err)
	w.mu.Lock()
	log := w.logged.String()
	w.mu.Unlock()
	if log == "" || len(rows) == 0 {
		t.Error("nothing was logged or audited: the test looks at nothing")
	}
	left := map[string]string{"the log": log, "the state": string(state), "the audit": string(audit)}
	for _, m := range w.server.Messages() {
		left["Discord"] += m.Content
		for _, f := range m.Attachments {
			left["Discord"] += string(f.Data)
		}
	}
	for where, text := range left {
		for _, canary := range []string{secret, thrown, w.server.Token, strings.Split(w.server.Token, ".")[2]} {
			if strings.Contains(text, canary) {
				t.Errorf("%s has %.12s…:\n%.2000s", where, canary, text)
			}
		}
	}
}

// throws is a gate that panics at times.
type throws struct {
	Gate
	mu   sync.Mutex
	on   bool
	says string
}

func (g *throws) throw(on bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.on = on
}

func (g *throws) Answer(ctx context.Context, id string, a ask.Answer) (ask.AnswerResult, error) {
	g.mu.Lock()
	on := g.on
	g.mu.Unlock()
	if on {
		panic(g.says)
	}
	return g.Gate.Answer(ctx, id, a)
}
