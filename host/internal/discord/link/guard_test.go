package link_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"github.com/callgate/callgate/host/internal/discord/link"
)

const (
	hello = `{"op":10,"d":{"heartbeat_interval":45000}}`
	began = `{"op":0,"s":1,"t":"READY","d":{"v":10,"session_id":"s1","resume_gateway_url":"wss://x","guilds":[null],"user":{"id":"1"}}}`
)

var packets = map[string]struct {
	resuming bool
	in       []string
	out      string // the result of the last one; "" when it ends the connection, "-" when it is dropped
}{
	"a hello":                {false, []string{hello}, `{"op":10,"d":{"heartbeat_interval":45000}}`},
	"a hello of 0":           {false, []string{`{"op":10,"d":{"heartbeat_interval":0}}`}, ""},
	"a hello of -1":          {false, []string{`{"op":10,"d":{"heartbeat_interval":-1}}`}, ""},
	"a hello of too much":    {false, []string{`{"op":10,"d":{"heartbeat_interval":1e300}}`}, ""},
	"a hello of a word":      {false, []string{`{"op":10,"d":{"heartbeat_interval":"soon"}}`}, ""},
	"a hello of nothing":     {false, []string{`{"op":10}`}, ""},
	"two hellos":             {false, []string{hello, hello}, ""},
	"no hello":               {false, []string{began}, ""},
	"null":                   {false, []string{hello, `null`}, ""},
	"a list":                 {false, []string{hello, `[]`}, ""},
	"no JSON":                {false, []string{hello, `{"op":`}, ""},
	"nothing":                {false, []string{hello, ``}, ""},
	"no operation":           {false, []string{hello, `{"d":{}}`}, ""},
	"a beginning":            {false, []string{hello, began}, `{"op":0,"s":1,"t":"READY","d":{"session_id":"s1","resume_gateway_url":""}}`},
	"two beginnings":         {false, []string{hello, began, began}, ""},
	"a beginning of nothing": {false, []string{hello, `{"op":0,"s":1,"t":"READY","d":null}`}, ""},
	"no session":             {false, []string{hello, `{"op":0,"s":1,"t":"READY","d":{"session_id":""}}`}, ""},
	"events before":          {false, []string{hello, `{"op":0,"s":1,"t":"MESSAGE_CREATE","d":{}}`}, ""},
	"events while resuming":  {true, []string{hello, `{"op":0,"s":9,"t":"MESSAGE_DELETE","d":{"id":"1"}}`}, `{"op":0,"s":9,"t":"MESSAGE_DELETE","d":{"id":"1"}}`},
	"resumed":                {true, []string{hello, `{"op":0,"s":9,"t":"RESUMED","d":{"_trace":[]}}`}, `{"op":0,"s":9,"t":"RESUMED","d":{}}`},
	"resumed, not asked":     {false, []string{hello, `{"op":0,"s":9,"t":"RESUMED","d":{}}`}, ""},
	"begun, while resuming":  {true, []string{hello, began}, ""},
	"an event":               {false, []string{hello, began, `{"op":0,"s":2,"t":"INTERACTION_CREATE","d":{"a":1}}`}, `{"op":0,"s":2,"t":"INTERACTION_CREATE","d":{"a":1}}`},
	"an event without s":     {false, []string{hello, began, `{"op":0,"t":"INTERACTION_CREATE","d":{"a":1}}`}, ""},
	"an event not wanted":    {false, []string{hello, began, `{"op":0,"s":3,"t":"GUILD_CREATE","d":null}`}, `{"op":0,"s":3,"d":null}`},
	"an event not known":     {false, []string{hello, began, `{"op":0,"s":3,"t":"\u0000","d":[]}`}, `{"op":0,"s":3,"d":null}`},
	"an ack":                 {false, []string{hello, `{"op":11}`}, `{"op":11,"d":null}`},
	"a ping":                 {false, []string{hello, `{"op":1,"d":7}`}, `{"op":1,"d":null}`},
	"a reconnect":            {false, []string{hello, began, `{"op":7,"d":null}`}, ""},
	"an invalid session":     {false, []string{hello, began, `{"op":9,"d":false}`}, ""},
	"a new operation":        {false, []string{hello, began, `{"op":77,"d":{}}`}, "-"},
}

func TestGuard(t *testing.T) {
	for name, test := range packets {
		t.Run(name, func(t *testing.T) {
			check := link.NewGuard(test.resuming)
			for _, text := range test.in[:len(test.in)-1] {
				if _, err := check([]byte(text)); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			out, err := check([]byte(test.in[len(test.in)-1]))
			switch {
			case (err != nil) != (test.out == ""):
				t.Errorf("error %v", err)
			case (out == nil) != (test.out == "-" || test.out == ""), out != nil && string(out) != test.out:
				t.Errorf("became %s, want %s", out, test.out)
			}
		})
	}
}

// For any input from the gateway, discordgo gets only packets it can take.
func FuzzGuard(f *testing.F) {
	for _, test := range packets {
		for _, text := range test.in {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, resuming := range []bool{false, true} {
			for _, before := range [][]string{nil, {hello}, {hello, began}} {
				check := link.NewGuard(resuming)
				for _, b := range before {
					_, _ = check([]byte(b)) // the earlier packets
				}
				out, err := check([]byte(text))
				if err != nil || out == nil {
					continue
				}
				var e *discordgo.Event
				if json.Unmarshal(out, &e) != nil || e == nil {
					t.Fatalf("discordgo cannot take %s", out)
				}
				switch e.Operation {
				case 0, 1, 11:
				case 10:
					var h struct {
						Interval time.Duration `json:"heartbeat_interval"`
					}
					if json.Unmarshal(e.RawData, &h) != nil || h.Interval <= 0 {
						t.Fatalf("discordgo panics at %s", out)
					}
				default:
					t.Fatalf("discordgo gets %s", out)
				}
			}
		}
	})
}

// An accepted interaction has all members promised by its type.
func FuzzInteraction(f *testing.F) {
	for _, text := range []string{
		click(1).body, interactionText(1, 2, `{"name":"x","options":[{"name":"a","type":3,"value":"b"}]}`),
		interactionText(1, 5, `{"custom_id":"x","components":[{"type":1,"components":[{"type":4,"custom_id":"r","value":"v"}]}]}`),
		interactionText(1, 5, `{"custom_id":"x","components":[{"type":18}]}`), interactionText(1, 3, `null`), interactionText(1, 4, `[]`), `null`, `{}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if link.ReadInteraction([]byte(text)) != nil {
			return
		}
		var i discordgo.Interaction
		must(t, json.Unmarshal([]byte(text), &i))
		switch i.Type {
		case discordgo.InteractionApplicationCommand, discordgo.InteractionApplicationCommandAutocomplete:
			_ = i.ApplicationCommandData()
		case discordgo.InteractionMessageComponent:
			_ = i.MessageComponentData()
		case discordgo.InteractionModalSubmit:
			_ = i.ModalSubmitData()
		default:
			t.Fatalf("type %d is taken", i.Type)
		}
	})
}

// odd is a gateway with a script, and then silence.
type odd struct {
	*httptest.Server
	gone chan struct{} // one for each ended connection
}

func newOdd(t *testing.T, says ...string) *odd {
	o := &odd{gone: make(chan struct{}, 1000)}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/gateway/bot") {
			body, _ := json.Marshal(map[string]any{"url": "ws" + strings.TrimPrefix(o.URL, "http"),
				"session_start_limit": map[string]int{"remaining": 500, "reset_after": 1000}}) // plain data
			_, _ = w.Write(body) // the client's affair
			return
		}
		upgrader := websocket.Upgrader{}
		conn, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close(); o.gone <- struct{}{} }()
		for _, text := range says {
			if conn.WriteMessage(websocket.TextMessage, []byte(text)) != nil {
				return
			}
		}
		for {
			if _, _, err := conn.ReadMessage(); err != nil {
				return
			}
		}
	}))
	t.Cleanup(o.Close)
	return o
}

// A packet that would end the process, or hang for ever, ends one connection.
func TestGateway_outlivesOddServers(t *testing.T) {
	t.Parallel()
	for name, says := range map[string][]string{
		"an interval of 0":   {`{"op":10,"d":{"heartbeat_interval":0}}`},
		"null":               {hello, `null`},
		"null at once":       {`null`},
		"no server's body":   {hello, began, `{"op":0,"s":2,"t":"GUILD_CREATE","d":null}`, `{"op":0,"s":3,"t":"GUILD_CREATE","d":{"members":[null]}}`, `[]`},
		"an op 9 for ever":   {hello, `{"op":9,"d":false}`},
		"silence":            {},
		"silence after that": {hello},
		"a half interaction": {hello, began, `{"op":0,"s":2,"t":"INTERACTION_CREATE","d":{"type":3}}`, `{"op":0,"s":3,"t":"MESSAGE_CREATE","d":null}`, `{"op":0,"s":4,"t":"MESSAGE_REACTION_ADD","d":null}`, `{"op":0,"s":5,"t":"MESSAGE_DELETE_BULK","d":7}`, `x`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOdd(t, says...)
			client := must1[*link.Client](t)(link.NewClient(link.ClientConfig{Token: token, APIURL: o.URL}))
			g := link.NewGateway(link.GatewayConfig{Client: client, Events: newRecord()})
			g.Hurry()
			g.OpenWithin(200 * time.Millisecond)
			ctx, cancel := contextOf(t)
			done := make(chan error, 1)
			go func() { done <- g.Run(ctx) }()
			for range 2 {
				select {
				case <-o.gone:
				case <-time.After(long):
					t.Fatalf("the connection was kept: %+v", g.State())
				}
			}
			cancel()
			must(t, <-done)
			must(t, client.Close())
		})
	}
}
