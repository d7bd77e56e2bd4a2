package link_test

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

var (
	key    = ed25519.NewKeyFromSeed([]byte(strings.Repeat("k", ed25519.SeedSize)))
	public = hex.EncodeToString(key.Public().(ed25519.PublicKey))
)

// call is one made by Discord.
type call struct {
	method, kind, body, stamp string
	change                    func(http.Header)
}

func click(id int) call {
	return call{body: interactionText(id, 3, `{"custom_id":"g1|i|a|approve","component_type":2}`)}
}

func interactionText(id, kind int, data string) string {
	return fmt.Sprintf(`{"id":"%d","application_id":"77","type":%d,"token":%q,"data":%s,"member":{"user":{"id":"5"},"roles":[]},"message":{"id":"9","channel_id":"8"}}`, id, kind, ticket, data)
}

func (c call) request() *http.Request {
	if c.method == "" {
		c.method = http.MethodPost
	}
	if c.kind == "" {
		c.kind = "application/json"
	}
	if c.stamp == "" {
		c.stamp = strconv.FormatInt(time.Now().Unix(), 10)
	}
	r := httptest.NewRequest(c.method, "/", strings.NewReader(c.body))
	r.Header.Set("Content-Type", c.kind)
	r.Header.Set("X-Signature-Timestamp", c.stamp)
	r.Header.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(key, []byte(c.stamp+c.body))))
	if c.change != nil {
		c.change(r.Header)
	}
	return r
}

func endpoint(t *testing.T, c *link.Client, events link.Events) *link.Endpoint {
	t.Helper()
	e, err := link.NewEndpoint(link.EndpointConfig{PublicKey: public, Events: events, Client: c, Keep: forget})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// forget keeps nothing of an interaction: the test has no later endpoint.
func forget(context.Context, uint64) error { return nil }

func ask(e http.Handler, c call) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	e.ServeHTTP(w, c.request())
	return w
}

// nowhere is a client for no use.
func nowhere(t *testing.T) *link.Client {
	return client(t, func(r *http.Request) (*http.Response, error) {
		t.Errorf("a REST call was made: %s %s", r.Method, r.URL.Path)
		return nil, io.EOF
	})
}

// A signed but unreadable interaction, or one without a person, is handed on without person and
// data, so its sender gets an answer.
func TestEndpoint_handsOnWhatCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct {
		body     string
		customID string
		data     bool
		whose    bool
	}{
		"whole":                {click(1).body, "", true, true},
		"nobody's":             {strings.Replace(click(2).body, `"user":{"id":"5"},`, "", 1), "", true, false},
		"of a path":            {strings.Replace(click(3).body, `"user":{"id":"5"},`, `"user":{"id":"../5"},`, 1), "", true, false},
		"an unknown component": {strings.Replace(click(4).body, `"channel_id":"8"`, `"channel_id":"8","components":[{"type":77}]`, 1), "g1|i|a|approve", false, true},
		"a number for a user":  {strings.Replace(click(5).body, `"user":{"id":"5"},`, `"user":5,`, 1), "g1|i|a|approve", false, false},
		"odd values":           {strings.Replace(click(6).body, `"custom_id"`, `"values":5,"custom_id"`, 1), "g1|i|a|approve", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			events := newRecord()
			e := endpoint(t, nowhere(t), events)
			w := ask(e, call{body: test.body})
			must(t, e.Close())
			if len(events.interactions) != 1 {
				t.Fatalf("answered %d, %d handed on", w.Code, len(events.interactions))
			}
			i := events.interactions[0]
			if i.CustomID != test.customID || (i.Data != nil) != test.data || (i.Member != nil) != test.whose || i.Respond == nil {
				t.Errorf("handed on %+v with the custom id %q", i.Interaction, i.CustomID)
			}
		})
	}
}

func TestEndpoint_refuses(t *testing.T) {
	at := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).Unix(), 10) }
	ping := `{"type":1}`
	other := ed25519.NewKeyFromSeed([]byte(strings.Repeat("x", ed25519.SeedSize)))
	big := strings.Repeat(" ", 1<<20) + ping
	for name, test := range map[string]struct {
		call   call
		status int
	}{
		"nothing wrong":       {call{body: ping}, 200},
		"a GET":               {call{method: http.MethodGet, body: ping}, 405},
		"a form":              {call{kind: "application/x-www-form-urlencoded", body: ping}, 415},
		"JSON with a charset": {call{kind: "application/json; charset=utf-8", body: ping}, 200},
		"no signature":        {call{body: ping, change: func(h http.Header) { h.Del("X-Signature-Ed25519") }}, 401},
		"two signatures":      {call{body: ping, change: func(h http.Header) { h.Add("X-Signature-Ed25519", "00") }}, 401},
		"half a signature":    {call{body: ping, change: func(h http.Header) { h.Set("X-Signature-Ed25519", h.Get("X-Signature-Ed25519")[:64]) }}, 401},
		"no time":             {call{body: ping, change: func(h http.Header) { h.Del("X-Signature-Timestamp") }}, 401},
		"another time":        {call{body: ping, change: func(h http.Header) { h.Set("X-Signature-Timestamp", at(time.Minute)) }}, 401},
		"an old time":         {call{body: ping, stamp: at(-6 * time.Minute)}, 401},
		"a time 25 years ago": {call{body: ping, stamp: at(-25 * 365 * 24 * time.Hour)}, 401},
		"a time to come":      {call{body: ping, stamp: at(6 * time.Minute)}, 401},
		"a time near":         {call{body: ping, stamp: at(-4 * time.Minute)}, 200},
		"a time that is none": {call{body: ping, stamp: "soon"}, 401},
		"a time with much on": {call{body: ping, stamp: strings.Repeat("0", 20) + at(0)}, 401},
		"another key": {call{body: ping, change: func(h http.Header) {
			h.Set("X-Signature-Ed25519", hex.EncodeToString(ed25519.Sign(other, []byte(at(0)+ping))))
		}}, 401},
		"too long":           {call{body: big}, 401},
		"no JSON":            {call{body: "{"}, 400},
		"no interaction":     {call{body: `{"type":3}`}, 400},
		"an unknown type":    {call{body: interactionText(1, 17, `{}`)}, 400},
		"a path for a token": {call{body: strings.Replace(click(3).body, ticket, "../../users/@me", 1)}, 400},
	} {
		t.Run(name, func(t *testing.T) {
			events := newRecord()
			e := endpoint(t, nowhere(t), events)
			w := ask(e, test.call)
			if w.Code != test.status {
				t.Errorf("answered %d %q, want %d", w.Code, w.Body, test.status)
			}
			if test.status == 200 && strings.TrimSpace(w.Body.String()) != `{"type":1}` {
				t.Errorf("answered %q", w.Body)
			}
			must(t, e.Close())
			if len(events.interactions) > 0 {
				t.Error("it was dealt with")
			}
		})
	}
}

func TestEndpoint_wantsAKey(t *testing.T) {
	for _, text := range []string{"", "zz", public[:62], public + "00", " " + public} {
		if _, err := link.NewEndpoint(link.EndpointConfig{PublicKey: text}); err == nil || !strings.Contains(err.Error(), "developer portal") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestEndpoint_answersInItsAnswer(t *testing.T) {
	m := plain("done")
	form := message.Modal{CustomID: "g1|i|a|reason", Title: "Why?", Components: []discordgo.MessageComponent{
		discordgo.ActionsRow{Components: []discordgo.MessageComponent{discordgo.TextInput{CustomID: "reason", Label: "Reason", Style: discordgo.TextInputShort}}},
	}}
	for name, test := range map[string]struct {
		answer link.Response
		want   string
	}{
		"a message":  {link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &m}, `"content":"done"`},
		"a form":     {link.Response{Type: discordgo.InteractionResponseModal, Modal: &form}, `"custom_id":"g1|i|a|reason"`},
		"no choices": {link.Response{Type: discordgo.InteractionApplicationCommandAutocompleteResult}, `{"type":8,"data":{"choices":[]}}`},
		"deferred":   {link.Response{Type: discordgo.InteractionResponseDeferredChannelMessageWithSource}, `{"type":5,"data":{"flags":64}}`},
		"later":      {link.Response{Type: discordgo.InteractionResponseDeferredMessageUpdate}, `{"type":6}`},
	} {
		t.Run(name, func(t *testing.T) {
			events := newRecord()
			events.click = func(ctx context.Context, i *link.Interaction) {
				must(t, i.Respond(ctx, test.answer))
				if err := i.Respond(ctx, test.answer); err != link.ErrAnswered {
					t.Errorf("a second answer: %v", err)
				}
			}
			e := endpoint(t, nowhere(t), events)
			w := ask(e, click(1))
			must(t, e.Close())
			if w.Code != 200 || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("answered %d %s", w.Code, w.Body)
			}
			if kind := w.Header().Get("Content-Type"); kind != "application/json" {
				t.Errorf("content type %q", kind)
			}
			if w := ask(e, click(1)); w.Code != 401 || len(events.interactions) != 1 {
				t.Errorf("the same interaction again: %d, %d were dealt with", w.Code, len(events.interactions))
			}
		})
	}
}

// Attack T10: a signed call is recorded, and made again after a restart, when nothing of it is
// in memory. Calls processed by an earlier endpoint, and older ones, are refused; newer ones
// are not.
func TestT10_refusesWhatWasThereBeforeARestart(t *testing.T) {
	var last uint64
	started := func(events link.Events) *link.Endpoint {
		e, err := link.NewEndpoint(link.EndpointConfig{
			PublicKey: public, Events: events, Client: nowhere(t), Last: last,
			Keep: func(_ context.Context, id uint64) error { last = max(last, id); return nil },
		})
		must(t, err)
		return e
	}
	before := started(newRecord())
	for _, id := range []int{100, 103, 101} {
		if w := ask(before, click(id)); w.Code != 202 {
			t.Errorf("%d the first time: %d", id, w.Code)
		}
	}
	must(t, before.Close())
	events := newRecord()
	after := started(events)
	for id, want := range map[int]int{99: 401, 100: 401, 101: 401, 102: 401, 103: 401, 104: 202} {
		if w := ask(after, click(id)); w.Code != want {
			t.Errorf("%d after the restart: %d, want %d", id, w.Code, want)
		}
	}
	must(t, after.Close())
	if n := len(events.interactions); n != 1 {
		t.Errorf("%d were dealt with, want the new one", n)
	}
}

// An interaction that cannot be stored is not processed: it could be repeated after a restart.
func TestEndpoint_dealsOnlyWithWhatIsKept(t *testing.T) {
	events := newRecord()
	e, err := link.NewEndpoint(link.EndpointConfig{PublicKey: public, Events: events, Client: nowhere(t), Keep: func(context.Context, uint64) error { return io.ErrShortWrite }})
	must(t, err)
	if w := ask(e, click(1)); w.Code != 503 {
		t.Errorf("answered %d", w.Code)
	}
	must(t, e.Close())
	if len(events.interactions) > 0 {
		t.Error("it was dealt with")
	}
	if _, err := link.NewEndpoint(link.EndpointConfig{PublicKey: public, Events: events, Client: nowhere(t)}); err == nil {
		t.Error("an endpoint was made that keeps nothing")
	}
}

// Of two of the same at the same time one is dealt with.
func TestEndpoint_onceEach(t *testing.T) {
	events := newRecord()
	var all sync.WaitGroup
	var fine atomic.Int32
	e := endpoint(t, nowhere(t), events)
	for i := range 400 {
		all.Go(func() {
			switch w := ask(e, click(i%20)); w.Code {
			case 202, 200: // at once, or deferred on a busy machine
				fine.Add(1)
			case 401, 503:
			default:
				t.Errorf("answered %d", w.Code)
			}
		})
	}
	all.Wait()
	must(t, e.Close())
	if n := len(events.interactions); n > 20 || int(fine.Load()) != n {
		t.Errorf("%d were dealt with, %d answered", n, fine.Load())
	}
}

func TestEndpoint_containsPanics(t *testing.T) {
	events := newRecord()
	events.click = func(context.Context, *link.Interaction) { panic("no") }
	e := endpoint(t, nowhere(t), events)
	if w := ask(e, click(1)); w.Code != 202 {
		t.Errorf("answered %d", w.Code)
	}
	must(t, e.Close())
}

// A slow store's time is taken from Events' time: Discord waits 3 s for all.
func TestEndpoint_defersInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		events := newRecord()
		events.click = func(ctx context.Context, _ *link.Interaction) { <-ctx.Done() }
		slow := func(context.Context, uint64) error { time.Sleep(time.Second); return nil }
		e, err := link.NewEndpoint(link.EndpointConfig{PublicKey: public, Events: events, Client: nowhere(t), Keep: slow})
		must(t, err)
		var w *httptest.ResponseRecorder
		if took := timed(func() { w = ask(e, click(1)) }); took > 2500*time.Millisecond || strings.TrimSpace(w.Body.String()) != `{"type":6}` {
			t.Errorf("answered %q after %v", w.Body, took)
		}
		must(t, e.Close())
	})
}

// Who takes too long gets a deferral, and his answer goes by REST.
func TestEndpoint_defers(t *testing.T) {
	m, file := plain("done"), plain("all of it")
	file.Files = []message.File{{Name: "command.txt", Type: "text/plain", Data: []byte("rm")}}
	update := link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &m}
	say := link.Response{Type: discordgo.InteractionResponseChannelMessageWithSource, Message: &m}
	for name, test := range map[string]struct {
		kind   int
		answer link.Response
		slow   bool
		body   string
		want   string // the REST call
	}{
		"a click, an update": {3, update, true, `{"type":6}`, "PATCH /api/v10/webhooks/77/" + ticket + "/messages/@original"},
		"a click, a message": {3, say, true, `{"type":6}`, "POST /api/v10/webhooks/77/" + ticket},
		"a command":          {2, say, true, `{"type":5,"data":{"flags":64}}`, "PATCH /api/v10/webhooks/77/" + ticket + "/messages/@original"},
		"a file":             {2, link.Response{Type: say.Type, Message: &file}, false, "", "POST /api/v10/interactions/1/" + ticket + "/callback"},
		"a completion":       {4, link.Response{Type: discordgo.InteractionApplicationCommandAutocompleteResult}, true, "", "POST /api/v10/interactions/1/" + ticket + "/callback"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var made []string
				c := client(t, func(r *http.Request) (*http.Response, error) {
					made = append(made, r.Method+" "+r.URL.Path)
					if strings.HasSuffix(r.URL.Path, "/callback") {
						return answer(204, ""), nil
					}
					return answer(200, `{"id":"9","channel_id":"8"}`), nil
				})
				events := newRecord()
				events.click = func(ctx context.Context, i *link.Interaction) {
					if test.slow {
						time.Sleep(10 * time.Second)
					}
					must(t, i.Respond(ctx, test.answer))
				}
				e := endpoint(t, c, events)
				var w *httptest.ResponseRecorder
				took := timed(func() {
					w = ask(e, call{body: interactionText(1, test.kind, `{"name":"x","custom_id":"x","component_type":2}`)})
				})
				if took > 2500*time.Millisecond || strings.TrimSpace(w.Body.String()) != test.body || (w.Code == 202) != (test.body == "") {
					t.Errorf("answered %d %q after %v", w.Code, w.Body, took)
				}
				time.Sleep(time.Minute)
				must(t, e.Close())
				must(t, c.Close())
				if len(made) != 1 || made[0] != test.want {
					t.Errorf("REST calls %q, want %q", made, test.want)
				}
			})
		})
	}
}

func TestEndpoint_withDiscordtest(t *testing.T) {
	s := discordtest.Start(t, discordtest.Options{})
	events := newRecord()
	events.click = func(ctx context.Context, i *link.Interaction) {
		m := plain("done")
		_ = i.Respond(ctx, link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &m}) // the one who clicks sees it
	}
	e, err := link.NewEndpoint(link.EndpointConfig{PublicKey: s.PublicKey(), Events: events, Client: newClient(t, s), Keep: forget})
	must(t, err)
	web := httptest.NewServer(e)
	t.Cleanup(func() { web.Close(); must(t, e.Close()) })
	ctx := ctxOf(t)
	must(t, s.SetEndpoint(ctx, web.URL))
	(&running{events: events}).clicks(t, s)
	for _, how := range []discordtest.Signing{{Bad: true}, {None: true}, {Tamper: true}, {Age: time.Hour}} {
		status, _, err := s.PostSigned(ctx, web.URL, []byte(click(1).body), how)
		if err != nil || status != 401 {
			t.Errorf("%+v: %d %v", how, status, err)
		}
	}
}

func TestResponses_areChecked(t *testing.T) {
	long := plain(strings.Repeat("x", message.MaxContent+1))
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("a call was made: %s", r.URL.Path)
	}, func(t *testing.T, c *link.Client) {
		for name, r := range map[string]link.Response{
			"nothing":         {},
			"a pong":          {Type: discordgo.InteractionResponsePong},
			"no message":      {Type: discordgo.InteractionResponseUpdateMessage},
			"no form":         {Type: discordgo.InteractionResponseModal},
			"too long":        {Type: discordgo.InteractionResponseUpdateMessage, Message: &long},
			"an empty form":   {Type: discordgo.InteractionResponseModal, Modal: &message.Modal{}},
			"too many choice": {Type: discordgo.InteractionApplicationCommandAutocompleteResult, Choices: make([]*discordgo.ApplicationCommandOptionChoice, 26)},
		} {
			if err := c.Respond(t.Context(), interaction(1), r); err == nil || !strings.Contains(err.Error(), link.ErrUnsound.Error()) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := c.Post(t.Context(), channel, long); err == nil || strings.Contains(err.Error(), "xxxx") {
			t.Errorf("a post: %v", err)
		}
	})
}

func TestCallback_isAsDiscordTakesIt(t *testing.T) {
	var body map[string]any
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		must(t, json.NewDecoder(r.Body).Decode(&body))
		return answer(204, ""), nil
	}, func(t *testing.T, c *link.Client) {
		m := plain("x")
		m.Nonce, m.EnforceNonce = "n", true
		m.Reference = &discordgo.MessageReference{MessageID: "1"}
		must(t, c.Respond(t.Context(), interaction(1), link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &m}))
		data, ok := body["data"].(map[string]any)
		if !ok || data["nonce"] != nil || data["message_reference"] != nil || data["components"] == nil || data["content"] != "x" {
			t.Errorf("body %v", body)
		}
		if mentions, ok := data["allowed_mentions"].(map[string]any); !ok || mentions["parse"] == nil {
			t.Errorf("mentions %v", data["allowed_mentions"])
		}
	})
}
