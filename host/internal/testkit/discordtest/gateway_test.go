package discordtest_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/gorilla/websocket"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// wire is a gateway connection without any client library.
type wire struct {
	t    *testing.T
	conn *websocket.Conn
}

type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  int64           `json:"s"`
	Type string          `json:"t"`
}

func dial(t *testing.T, s *discordtest.Server) *wire {
	t.Helper()
	conn, resp, err := websocket.DefaultDialer.DialContext(within(t), "ws"+strings.TrimPrefix(s.URL(), "http")+"/?v=10&encoding=json", nil)
	must(t, err)
	_ = resp.Body.Close()
	t.Cleanup(func() { _ = conn.Close() })
	must(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	w := &wire{t, conn}
	if hello := w.next(); hello.Op != 10 || !strings.Contains(string(hello.Data), "heartbeat_interval") {
		t.Fatalf("hello is %+v", hello)
	}
	return w
}

func (w *wire) send(text string) {
	w.t.Helper()
	must(w.t, w.conn.WriteMessage(websocket.TextMessage, []byte(text)))
}

func (w *wire) next() frame {
	w.t.Helper()
	var f frame
	must(w.t, w.conn.ReadJSON(&f))
	return f
}

// until returns the next event of a type.
func (w *wire) until(event string) frame {
	w.t.Helper()
	for {
		if f := w.next(); f.Type == event {
			return f
		}
	}
}

// closed reads up to the close code.
func (w *wire) closed() int {
	for {
		_, _, err := w.conn.ReadMessage()
		if err == nil {
			continue
		}
		if closed, is := err.(*websocket.CloseError); is { //nolint:errorlint // gorilla returns it bare
			return closed.Code
		}
		return -1
	}
}

func identify(token string, intents discordgo.Intent) string {
	return `{"op":2,"d":{"token":"` + token + `","intents":` + itoa(int(intents)) + `,"properties":{"os":"linux"}}}`
}

func itoa(n int) string { data, _ := json.Marshal(n); return string(data) }

// Each way to do it wrong has its close code.
func TestCloseCodes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		send     []string
		code     int
		violates bool
	}{
		"bad token":           {[]string{identify("wrong", usual)}, 4004, false},
		"disallowed intents":  {[]string{identify("TOKEN", usual|discordgo.IntentMessageContent)}, 4014, false},
		"unknown intents":     {[]string{identify("TOKEN", 1<<30)}, 4013, true},
		"no intents":          {[]string{`{"op":2,"d":{"token":"TOKEN"}}`}, 4002, true},
		"identified twice":    {[]string{identify("TOKEN", usual), identify("TOKEN", usual)}, 4005, true},
		"before identifying":  {[]string{`{"op":3,"d":{}}`}, 4003, true},
		"unknown opcode":      {[]string{identify("TOKEN", usual), `{"op":99,"d":{}}`}, 4001, true},
		"no JSON":             {[]string{`hello`}, 4002, true},
		"too long":            {[]string{`{"op":1,"d":"` + strings.Repeat("x", 4096) + `"}`}, 4002, true},
		"ahead of the server": {[]string{`{"op":6,"d":{"token":"TOKEN","session_id":"SESSION","seq":99}}`}, 4007, true},
		"resume, bad token":   {[]string{`{"op":6,"d":{"token":"wrong","session_id":"SESSION","seq":1}}`}, 4004, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := discordtest.Start(t, discordtest.Options{})
			session := "none"
			if strings.Contains(c.send[0], "SESSION") {
				session = begin(t, s).id
			}
			w := dial(t, s)
			for _, text := range c.send {
				w.send(strings.NewReplacer("TOKEN", s.Token, "SESSION", session).Replace(text))
			}
			if got := w.closed(); got != c.code {
				t.Errorf("closed with %d, want %d", got, c.code)
			}
			if violations := s.TakeViolations(); (len(violations) > 0) != c.violates {
				t.Errorf("violations %v", violations)
			}
		})
	}
}

// begun is a session without its socket.
type begun struct {
	id  string
	seq int64
}

func begin(t *testing.T, s *discordtest.Server) begun {
	t.Helper()
	w := dial(t, s)
	w.send(identify(s.Token, usual))
	var ready struct {
		Session string `json:"session_id"`
	}
	must(t, json.Unmarshal(w.until("READY").Data, &ready))
	last := w.until("GUILD_CREATE")
	s.DropSockets()
	must(t, s.WaitDisconnected(within(t)))
	return begun{ready.Session, last.Seq}
}

// Events during the bot's absence are replayed, once and in order.
func TestResume(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	alice := s.Person("alice")
	from := begin(t, s)
	id, err := alice.Write(s.Channel, "one")
	must(t, err)
	must(t, alice.React(id, "✅"))
	resume := `{"op":6,"d":{"token":"` + s.Token + `","session_id":"` + from.id + `","seq":` + itoa(int(from.seq)) + `}}`
	w := dial(t, s)
	w.send(resume)
	for _, want := range []string{"MESSAGE_CREATE", "MESSAGE_REACTION_ADD", "RESUMED"} {
		if f := w.next(); f.Type != want {
			t.Errorf("replayed %s, want %s", f.Type, want)
		}
	}
	w.send(`{"op":1,"d":5}`)
	if f := w.next(); f.Op != 11 {
		t.Errorf("the answer to a heartbeat is %+v", f)
	}
	s.AskReconnect()
	if f := w.next(); f.Op != 7 {
		t.Errorf("asked to reconnect by %+v", f)
	}
	s.Invalidate(true)
	if f := w.next(); f.Op != 9 || string(f.Data) != "true" {
		t.Errorf("invalidated by %+v", f)
	}
	s.ForgetSessions()
	w = dial(t, s)
	w.send(resume)
	if f := w.next(); f.Op != 9 || string(f.Data) != "false" {
		t.Errorf("a forgotten session is answered with %+v", f)
	}
	w.send(identify(s.Token, usual))
	w.until("READY")
	s.CloseSockets(4000, "try again")
	if got := w.closed(); got != 4000 {
		t.Errorf("closed with %d", got)
	}
}

// A bot closing with 1000 ends its session.
func TestNormalClose(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	w := dial(t, s)
	w.send(identify(s.Token, usual))
	var ready struct {
		Session string `json:"session_id"`
	}
	must(t, json.Unmarshal(w.until("READY").Data, &ready))
	must(t, w.conn.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1000, "")))
	must(t, s.WaitDisconnected(within(t)))
	w = dial(t, s)
	w.send(`{"op":6,"d":{"token":"` + s.Token + `","session_id":"` + ready.Session + `","seq":1}}`)
	if f := w.next(); f.Op != 9 {
		t.Errorf("the session lives on: %+v", f)
	}
}

// Events go to those who want them, and content to those who may read it.
func TestIntents(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	alice := s.Person("alice")
	guilds, direct := dial(t, s), dial(t, s)
	guilds.send(identify(s.Token, discordgo.IntentsGuilds|discordgo.IntentsGuildMessages))
	guilds.until("GUILD_CREATE")
	direct.send(identify(s.Token, discordgo.IntentsDirectMessages))
	direct.until("READY")
	write := func(channel, text string) {
		_, err := alice.Write(channel, text)
		must(t, err)
	}
	write(s.Channel, "secret")
	write(s.Channel, "<@"+s.Bot+"> hello")
	write(alice.DM(), "direct")
	content := func(w *wire) string {
		var m struct{ Content string }
		must(t, json.Unmarshal(w.until("MESSAGE_CREATE").Data, &m))
		return m.Content
	}
	for i, want := range []string{"", "<@" + s.Bot + "> hello"} {
		if got := content(guilds); got != want {
			t.Errorf("message %d in the guild reads %q, want %q", i, got, want)
		}
	}
	if got := content(direct); got != "direct" {
		t.Errorf("the direct message reads %q", got)
	}
	// A channel invisible to the bot is silent.
	hidden := s.AddChannel(s.Guild, "hidden")
	s.Overwrite(hidden, s.Bot, 0, discordtest.PermViewChannel)
	write(hidden, "unseen")
	write(s.Channel, "last <@"+s.Bot+">")
	if got := content(guilds); !strings.HasPrefix(got, "last") {
		t.Errorf("the bot heard %q from a channel it does not see", got)
	}
}

// Too many identifications reset the token.
func TestSessionStarts(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{SessionStarts: 2})
	for range 2 {
		w := dial(t, s)
		w.send(identify(s.Token, usual))
		w.until("READY")
	}
	_, limit := rest(t, s, "GET", "/gateway/bot", "")
	if left := limit["session_start_limit"].(map[string]any)["remaining"]; left != 0.0 {
		t.Errorf("%v starts are left", left)
	}
	w := dial(t, s)
	w.send(identify(s.Token, usual))
	if got := w.closed(); got != 4004 || len(s.TakeViolations()) != 1 {
		t.Errorf("closed with %d", got)
	}
	if status, _ := rest(t, s, "GET", "/users/@me", ""); status != 401 {
		t.Errorf("the token still works: HTTP %d", status)
	}
}

// A token that a person reset ends each socket, and is no good for a new session, a resumption or a
// request.
func TestResetToken(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	session := begin(t, s).id
	w := dial(t, s)
	w.send(identify(s.Token, usual))
	w.until("READY")
	s.ResetToken()
	if got := w.closed(); got != 4004 {
		t.Errorf("the open socket: closed with %d", got)
	}
	for name, text := range map[string]string{
		"identify": identify(s.Token, usual),
		"resume":   `{"op":6,"d":{"token":"` + s.Token + `","session_id":"` + session + `","seq":1}}`,
	} {
		again := dial(t, s)
		again.send(text)
		if got := again.closed(); got != 4004 {
			t.Errorf("%s: closed with %d", name, got)
		}
	}
	if status, _ := rest(t, s, "GET", "/users/@me", ""); status != 401 {
		t.Errorf("the token still works: HTTP %d", status)
	}
}

// Heartbeats can stay without their ACK, and dials be refused.
func TestGatewayFaults(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	s.MuteHeartbeats(true)
	w := dial(t, s)
	w.send(`{"op":1,"d":null}`)
	w.send(identify(s.Token, usual))
	if f := w.next(); f.Type != "READY" {
		t.Errorf("a muted heartbeat was answered: %+v", f)
	}
	s.RefuseDials(true)
	_, resp, err := websocket.DefaultDialer.DialContext(within(t), "ws"+strings.TrimPrefix(s.URL(), "http")+"/?v=10&encoding=json", nil)
	if err == nil || resp.StatusCode != 503 {
		t.Errorf("dialled all the same: %v", err)
	}
	s.ClearFaults()
	dial(t, s)
}

// A cut at each step of a click drops the socket there and nowhere else, and the bot
// gets the click once it is back.
func TestCutAt(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	alice := s.Person("alice")
	_, m := rest(t, s, "POST", "/channels/"+s.Channel+"/messages", `{"content":"x","components":`+strings.TrimPrefix(strings.TrimSuffix(rows(button(`"label":"a","custom_id":"a"`)), "}"), `{"components":`)+`}`)
	w := dial(t, s)
	w.send(identify(s.Token, usual))
	var ready struct {
		Session string `json:"session_id"`
	}
	must(t, json.Unmarshal(w.until("READY").Data, &ready))
	last := w.until("GUILD_CREATE")
	s.CutAt(1)
	done := make(chan error, 1)
	go func() { _, err := alice.Click(t.Context(), m["id"].(string), "a"); done <- err }()
	if got := w.closed(); got == 1000 {
		t.Error("closed in good order")
	}
	w = dial(t, s)
	w.send(`{"op":6,"d":{"token":"` + s.Token + `","session_id":"` + ready.Session + `","seq":` + itoa(int(last.Seq)) + `}}`)
	var i struct{ ID, Token string }
	must(t, json.Unmarshal(w.until("INTERACTION_CREATE").Data, &i))
	if status, body := rest(t, s, "POST", "/interactions/"+i.ID+"/"+i.Token+"/callback?with_response=true", `{"type":7,"data":{"content":"done","components":[]}}`); status != 200 {
		t.Errorf("HTTP %d %v", status, body)
	}
	must(t, <-done)
	if steps := s.Steps(); len(steps) < 6 {
		t.Errorf("steps %v", steps)
	}
}

// Close leaves nothing behind, in any state. No t.Parallel: it counts goroutines.
func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 3 {
		s, err := discordtest.New(discordtest.Options{})
		must(t, err)
		alice := s.Person("alice")
		w := dial(t, s)
		w.send(identify(s.Token, usual))
		w.until("READY")
		hold := make(chan struct{})
		s.Inject(discordtest.Fault{Route: "/users/@me", Hold: hold})
		dg := client(t, s)
		transport := dg.Client.Transport
		var busy sync.WaitGroup
		busy.Go(func() { _, _ = dg.User("@me") })
		must(t, s.Wait(within(t), func() bool { return true }))
		busy.Go(func() { _, _ = alice.Write(s.Channel, "hello") })
		s.Close()
		s.Close()
		busy.Wait()
		_ = transport
		_ = w.conn.Close()
	}
	deadline := time.Now().Add(time.Minute)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		runtime.Gosched() // the client's own goroutines end on their own
	}
	if after := runtime.NumGoroutine(); after > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", after, before, buf[:runtime.Stack(buf, true)])
	}
}
