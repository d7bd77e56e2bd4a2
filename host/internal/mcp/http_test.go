package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
)

// webServer is an MCP server over HTTP in the test's hands.
type webServer struct {
	*httptest.Server
	mu    sync.Mutex
	tools []string
	// got are the requests but for tools/list; answer answers them.
	got    chan *http.Request
	bodies chan string
	answer func(w http.ResponseWriter, body string)
	// list answers tools/list with this text.
	list func(w http.ResponseWriter, result string)
}

func newWebServer(t *testing.T) *webServer {
	s := &webServer{tools: []string{tool("read"), tool("deny_it"), tool("ask_it")}, got: make(chan *http.Request, 64), bodies: make(chan string, 64)}
	s.answer = func(w http.ResponseWriter, body string) {
		var m struct{ ID json.RawMessage }
		_ = json.Unmarshal([]byte(body), &m) // a test's own message
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"ran":true}}`, m.ID)
	}
	s.list = func(w http.ResponseWriter, result string) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, result)
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // the proxy's body is whole
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(body, &m) // other bodies do not matter
		if m.Method == "tools/list" {
			s.mu.Lock()
			result := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s],"x-kept":1}}`, m.ID, strings.Join(s.tools, ", "))
			s.mu.Unlock()
			s.list(w, result)
			return
		}
		s.got <- r
		s.bodies <- string(body)
		s.answer(w, string(body))
	}))
	t.Cleanup(s.Close)
	return s
}

// web is the proxy before a web server.
type web struct {
	t      *testing.T
	daemon *fakeDaemon
	server *webServer
	url    string
	end    chan error
	stop   context.CancelFunc
}

func newWeb(t *testing.T, change func(*Config, *webServer)) *web {
	t.Helper()
	w := &web{t: t, daemon: newFakeDaemon(), server: newWebServer(t), end: make(chan error, 1)}
	c := Config{Server: "files", Program: "host", Definition: "d1", Connect: func() (Daemon, error) { return w.daemon, w.daemon.failing() }, Note: func(string) {}, ListPatience: patience}
	if change != nil {
		change(&c, w.server)
	}
	w.daemon.accept(w.server.tools...)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	up, err := ParseUpstream(w.server.URL + "/mcp?key=secret")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	w.stop, w.url = stop, "http://"+listener.Addr().String()+"/mcp"
	go func() { w.end <- Serve(ctx, c, listener, up) }()
	t.Cleanup(func() {
		stop()
		if err := <-w.end; err != nil {
			t.Error(err)
		}
	})
	return w
}

// request makes a request to the proxy; header are names and values in turn.
func (w *web) request(ctx context.Context, method, body string, header ...string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, w.url, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		switch header[i] {
		case "Host":
			r.Host = header[i+1]
		default:
			r.Header.Add(header[i], header[i+1])
		}
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// post is the status and text of the answer to a message.
func (w *web) post(body string, header ...string) (int, string) {
	w.t.Helper()
	res := w.request(context.Background(), http.MethodPost, body, header...)
	text, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// TestHTTP_pass: messages and headers pass as they are.
func TestHTTP_pass(t *testing.T) {
	t.Parallel()
	w := newWeb(t, func(_ *Config, s *webServer) {
		s.answer = func(rw http.ResponseWriter, body string) {
			switch {
			case strings.Contains(body, "notifications/"):
				rw.WriteHeader(http.StatusAccepted)
			case body == "":
				rw.WriteHeader(http.StatusNotFound)
			case strings.Contains(body, `"sign"`):
				rw.Header().Set("WWW-Authenticate", `Bearer resource_metadata="x"`)
				rw.WriteHeader(http.StatusUnauthorized)
				fmt.Fprint(rw, `{"error":"invalid_token"}`)
			default:
				rw.Header().Set("Content-Type", "application/json; charset=utf-8")
				rw.Header().Set("Mcp-Session-Id", "s1")
				fmt.Fprint(rw, `{"jsonrpc":"2.0", "id":0,"result":{"z":9007199254740993}}`)
			}
		}
	})
	body := `{"jsonrpc":"2.0", "id":0,"method":"initialize","params":{"x":9007199254740993}}`
	res := w.request(t.Context(), http.MethodPost, body, "Authorization", "Bearer up", "X-Custom", "1", "Mcp-Method", "initialize")
	text, _ := io.ReadAll(res.Body) // compared below
	if res.StatusCode != 200 || res.Header.Get("Mcp-Session-Id") != "s1" || string(text) != `{"jsonrpc":"2.0", "id":0,"result":{"z":9007199254740993}}` {
		t.Errorf("got %d %v %s", res.StatusCode, res.Header, text)
	}
	r := <-w.server.got
	if got := <-w.server.bodies; got != body {
		t.Errorf("to the server: got %s, want %s", got, body)
	}
	if r.URL.String() != "/mcp?key=secret" || r.Header.Get("Authorization") != "Bearer up" || r.Header.Get("X-Custom") != "1" || r.Header.Get("Mcp-Method") != "initialize" {
		t.Errorf("to the server: got %s %v", r.URL, r.Header)
	}
	if status, text := w.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); status != 202 || text != "" {
		t.Errorf("a notification: got %d %s", status, text)
	}
	if res := w.request(t.Context(), http.MethodDelete, "", "Mcp-Session-Id", "s1"); res.StatusCode != 404 {
		t.Errorf("DELETE: got %d", res.StatusCode)
	}
	res = w.request(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"sign"}`)
	if text, _ := io.ReadAll(res.Body); res.StatusCode != 401 || res.Header.Get("WWW-Authenticate") == "" || string(text) != `{"error":"invalid_token"}` {
		t.Errorf("signing in: got %d %s", res.StatusCode, text)
	}
}

// TestHTTP_calls: an allowed call reaches the server as it came, a denied one is a result.
func TestHTTP_calls(t *testing.T) {
	t.Parallel()
	w := newWeb(t, nil)
	allowed := ` {"jsonrpc":"2.0", "id":"a\u0062", "method":"tools\/call", "params":{"name":"re\u0061d","arguments":{"n":9007199254740993}}}`
	if status, text := w.post(allowed, "Mcp-Method", "tools/call", "Mcp-Name", "=?base64?cmVhZA==?="); status != 200 || !strings.Contains(text, `"ran":true`) {
		t.Errorf("allowed: got %d %s", status, text)
	}
	if got := <-w.server.bodies; got != allowed {
		t.Errorf("forwarded: got %s, want %s", got, allowed)
	}
	if r := w.daemon.requests[0]; r.Tool != "mcp__files__read" || string(r.Input) != `{"n":9007199254740993}` {
		t.Errorf("judged: got %s %s", r.Tool, r.Input)
	}
	want := `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Denied by Callgate: deny rule X."}],"isError":true}}`
	if status, text := w.post(call("2", "deny_it", "{}")); status != 200 || text != want {
		t.Errorf("denied: got %d %s", status, text)
	}
	if _, text := w.post(call("3", "unlisted", "{}")); !strings.Contains(text, "lists no tool") {
		t.Errorf("unlisted: got %s", text)
	}
	w.daemon.set(func(f *fakeDaemon) { f.down = fmt.Errorf("no daemon") })
	if _, text := w.post(call("4", "read", "{}")); !strings.Contains(text, `"isError":true`) {
		t.Errorf("without a daemon: got %s", text)
	}
	none(t, w.server.bodies)
}

// TestHTTP_refused: no request of a page in a browser, and none that the server may read otherwise.
func TestHTTP_refused(t *testing.T) {
	t.Parallel()
	w := newWeb(t, nil)
	good := call("1", "read", "{}")
	for name, test := range map[string]struct {
		status int
		body   string
		header []string
	}{
		"another host":          {403, good, []string{"Host", "evil.example"}},
		"a host like ours":      {403, good, []string{"Host", "127.0.0.1.evil.example"}},
		"no origin at all":      {403, good, []string{"Origin", "null"}},
		"another origin":        {403, good, []string{"Origin", "http://127.0.0.1.evil.example"}},
		"another local page":    {403, good, []string{"Origin", "http://127.0.0.1:1"}},
		"two origins":           {403, good, []string{"Origin", strings.TrimSuffix(w.url, "/mcp"), "Origin", "null"}},
		"compressed":            {415, good, []string{"Content-Encoding", "gzip"}},
		"a batch":               {400, "[" + good + "]", nil},
		"a name twice":          {400, `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call"}`, nil},
		"no id":                 {400, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read"}}`, nil},
		"another method ahead":  {400, good, []string{"Mcp-Method", "ping"}},
		"another tool ahead":    {400, good, []string{"Mcp-Name", "deny_it"}},
		"two tools ahead":       {400, good, []string{"Mcp-Name", "read", "Mcp-Name", "deny_it"}},
		"a call in the headers": {400, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, []string{"Mcp-Method", "tools/call"}},
	} {
		if status, text := w.post(test.body, test.header...); status != test.status {
			t.Errorf("%s: got %d %s, want %d", name, status, text, test.status)
		}
	}
	res, err := http.Post(w.url, "text/plain", strings.NewReader(good)) //nolint:noctx // the test's own server
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != 415 {
		t.Errorf("a form: got %d", res.StatusCode)
	}
	w.url += "/other"
	if status, _ := w.post(good); status != 404 {
		t.Errorf("another path: got %d", status)
	}
	none(t, w.server.bodies)
}

// line reads one line of a stream that is not blank.
func line(t *testing.T, in *bufio.Reader) string {
	t.Helper()
	for {
		text, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("the stream ended: %v", err)
		}
		if text = strings.TrimSpace(text); text != "" {
			return text
		}
	}
}

// TestHTTP_ask: a waiting call is a stream with progress; the answer decides, and comes as an event.
func TestHTTP_ask(t *testing.T) {
	t.Parallel()
	w := newWeb(t, func(c *Config, _ *webServer) { c.ProgressEvery = time.Millisecond })
	for _, behavior := range []engine.Behavior{engine.Allow, engine.Deny} {
		res := w.request(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_it","_meta":{"progressToken":"p"}}}`)
		if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
			t.Fatalf("got %q", got)
		}
		in := bufio.NewReader(res.Body)
		want(t, w.daemon.asked, "ask_it")
		if got := line(t, in); !strings.Contains(got, `data: {"jsonrpc":"2.0","method":"notifications/progress"`) {
			t.Errorf("got %s", got)
		}
		w.daemon.answer <- behavior
		for {
			if got := line(t, in); strings.Contains(got, `"id":1`) {
				if strings.Contains(got, `"isError":true`) != (behavior == engine.Deny) {
					t.Errorf("%s: got %s", behavior, got)
				}
				break
			}
		}
	}
	<-w.server.bodies
	none(t, w.server.bodies)
	// Without a token, comments show life.
	res := w.request(t.Context(), http.MethodPost, call("2", "ask_it", "{}"))
	want(t, w.daemon.asked, "ask_it")
	if got := line(t, bufio.NewReader(res.Body)); !strings.HasPrefix(got, ": waiting for approval") {
		t.Errorf("got %s", got)
	}
	if status, _ := w.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`); status != 202 {
		t.Errorf("cancelled: got %d", status)
	}
	want(t, w.daemon.asked, "withdrawn")
	// A client that is gone withdraws its call.
	ctx, cancel := context.WithCancel(t.Context())
	w.request(ctx, http.MethodPost, call("3", "ask_it", "{}"))
	want(t, w.daemon.asked, "ask_it")
	cancel()
	want(t, w.daemon.asked, "withdrawn")
	none(t, w.server.bodies)
}

// TestHTTP_kept: the answer to a kept call is for its own client.
func TestHTTP_kept(t *testing.T) {
	t.Parallel()
	w := newWeb(t, func(c *Config, _ *webServer) { c.ReturnAfter = time.Millisecond })
	again := func(session string) string {
		_, text := w.post(call("1", "ask_it", "{}"), "Mcp-Session-Id", session)
		return text
	}
	if got := again("a"); !strings.Contains(got, "It has not run") {
		t.Fatalf("got %s", got)
	}
	want(t, w.daemon.asked, "ask_it")
	if got := again("b"); !strings.Contains(got, "It has not run") {
		t.Fatalf("another client: got %s", got)
	}
	want(t, w.daemon.asked, "ask_it")
	w.daemon.answer <- engine.Allow
	w.daemon.answer <- engine.Allow
	for _, session := range []string{"a", "b"} {
		for !strings.Contains(again(session), `"ran":true`) {
		}
	}
}

// TestHTTP_lists: a list holds accepted definitions only, however it comes.
func TestHTTP_lists(t *testing.T) {
	t.Parallel()
	hidden := `{"name":"new","description":"hidden"}`
	for name, list := range map[string]func(w http.ResponseWriter, result string){
		"a document":                           nil,
		"an event":                             stream1("data: %s\n\n"),
		"an event behind a mark and lone ends": stream1("\ufeffdata: %s\r\r"),
		"an event of its own kind":             stream1("event: other\r\ndata:%s\r\n\r\n"),
		"an event in parts": func(w http.ResponseWriter, result string) {
			at := strings.Index(result, `"result"`)
			stream1("data: %s\n\n")(w, result[:at]+"\ndata: "+result[at:])
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t, func(c *Config, s *webServer) {
				c.ListPatience = time.Millisecond
				if list != nil {
					s.list = list
				}
			})
			w.server.mu.Lock()
			w.server.tools = append(w.server.tools, hidden)
			w.server.mu.Unlock()
			w.daemon.set(func(f *fakeDaemon) { f.hidden["mcp__files__deny_it"] = true })
			_, text := w.post(`{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
			if strings.Contains(text, "hidden") || strings.Contains(text, "deny_it") || !strings.Contains(text, tool("read")) || !strings.Contains(text, `"x-kept":1`) {
				t.Errorf("got %s", text)
			}
		})
	}
	t.Run("read again", func(t *testing.T) {
		t.Parallel()
		w := newWeb(t, func(c *Config, s *webServer) {
			c.ListPatience = time.Millisecond
			s.answer = func(rw http.ResponseWriter, _ string) {
				stream1("id: 4\ndata: %s\n\n")(rw, `{"jsonrpc":"2.0","id":5,"result":{"tools":[`+hidden+`]}}`)
			}
		})
		res := w.request(t.Context(), http.MethodGet, "", "Last-Event-ID", "3")
		if text, err := io.ReadAll(res.Body); err != nil || strings.Contains(string(text), "hidden") || !strings.Contains(string(text), "id: 4\ndata: ") {
			t.Errorf("got %s, %v", text, err)
		}
	})
}

// stream1 writes an answer as an event of this form.
func stream1(form string) func(w http.ResponseWriter, result string) {
	return func(w http.ResponseWriter, result string) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, form, result)
	}
}

// TestHTTP_answers: an answer that cannot be read does not pass.
func TestHTTP_answers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		kind   string
		header []string
		body   string
	}{
		"a redirect":     {307, "text/plain", []string{"Location", "http://evil.example"}, "x"},
		"compressed":     {200, "application/json", []string{"Content-Encoding", "gzip"}, "x"},
		"another type":   {200, "text/html", nil, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		"no message":     {200, "application/json", nil, `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		"a hidden list":  {200, "application/json", nil, `{"jsonrpc":"2.0","id":9,"result":{"tools":[` + tool("new") + `]}}`},
		"in a bad state": {400, "application/json", nil, `{"jsonrpc":"2.0","id":9,"result":{"tools":[` + tool("new") + `]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWeb(t, func(c *Config, s *webServer) {
				c.ListPatience = time.Millisecond
				s.answer = func(rw http.ResponseWriter, _ string) {
					rw.Header().Set("Content-Type", test.kind)
					for i := 0; i < len(test.header); i += 2 {
						rw.Header().Set(test.header[i], test.header[i+1])
					}
					rw.WriteHeader(test.status)
					_, _ = io.WriteString(rw, test.body) // the proxy reads it
				}
			})
			res := w.request(t.Context(), http.MethodPost, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			if text, err := io.ReadAll(res.Body); err != nil || res.StatusCode == test.status && test.body != "" && string(text) == test.body || res.Header.Get("Location") != "" {
				t.Errorf("got %d %s, %v", res.StatusCode, text, err)
			}
		})
	}
}

// TestHTTP_stream: the server's own messages pass at once, and a changed list is read anew.
func TestHTTP_stream(t *testing.T) {
	t.Parallel()
	more := make(chan string)
	w := newWeb(t, func(_ *Config, s *webServer) {
		s.answer = func(rw http.ResponseWriter, body string) {
			rw.Header().Set("Content-Type", "text/event-stream")
			_ = http.NewResponseController(rw).Flush() // the client waits for the head
			for text := range more {
				fmt.Fprintf(rw, "data: %s\n\n", text)
				_ = http.NewResponseController(rw).Flush() // the test waits for it
			}
		}
	})
	res := w.request(t.Context(), http.MethodGet, "")
	in := bufio.NewReader(res.Body)
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{"messages":[]}}`,
		`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`{"jsonrpc":"2.0","id":6,"method":"elicitation/create","params":{"x":9007199254740993}}`,
	} {
		more <- m
		if got := line(t, in); got != "data: "+m {
			t.Errorf("got %s, want %s", got, m)
		}
	}
	close(more)
}

// TestParseUpstream: a server in clear text is one of this machine.
func TestParseUpstream(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"https://mcp.example/x": true, "http://127.0.0.1:1/mcp": true, "http://localhost/": true, "http://[::1]:2": true,
		"http://mcp.example/": false, "http://127.0.0.1.evil.example/": false, "https://a:b@mcp.example/": false, "file:///x": false, "": false, "https://mcp.example/#x": false,
	} {
		if _, err := ParseUpstream(text); (err == nil) != good {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// FuzzEvents: a stream that was read and written reads as the same events.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("\ufeffid: 1\r\ndata: a\rdata\n\n: c\nevent:x\ndata:\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		first := readEvents(data)
		w := httptest.NewRecorder()
		s := &stream{out: w}
		for _, ev := range first {
			s.send(ev)
		}
		if second := readEvents(w.Body.Bytes()); fmt.Sprintf("%q", first) != fmt.Sprintf("%q", second) {
			t.Errorf("got %q, want %q", second, first)
		}
	})
}

func readEvents(data []byte) (all []event) {
	for in := newEvents(bytes.NewReader(data)); ; {
		ev, err := in.next()
		if err != nil {
			return all
		}
		all = append(all, ev)
	}
}
