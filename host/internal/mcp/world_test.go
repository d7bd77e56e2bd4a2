package mcp

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// patience bounds the wait for an event that must come.
const patience = 2 * time.Minute

// fakeDaemon decides by the name of the tool: "deny..." is denied, "ask..." waits for answer,
// anything else is allowed.
type fakeDaemon struct {
	mu       sync.Mutex
	down     error
	requests []wire.Request
	accepted map[string]string          // digest by name
	texts    map[string]json.RawMessage // accepted definitions
	hidden   map[string]bool
	paused   bool
	// asked hears of each ask; answer gives its end. person does the same for definitions.
	asked  chan string
	answer chan engine.Behavior
	person chan bool
}

func newFakeDaemon() *fakeDaemon {
	return &fakeDaemon{accepted: map[string]string{}, texts: map[string]json.RawMessage{}, hidden: map[string]bool{},
		asked: make(chan string, 64), answer: make(chan engine.Behavior), person: make(chan bool)}
}

func (f *fakeDaemon) failing() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.down
}

func (f *fakeDaemon) Check(ctx context.Context, r wire.Request, progress func(protocol.Progress)) (wire.Result, error) {
	if err := f.failing(); err != nil {
		return wire.Result{}, err
	}
	f.mu.Lock()
	f.requests = append(f.requests, r)
	f.mu.Unlock()
	tool := r.Tool[strings.LastIndex(r.Tool, "__")+2:]
	res := wire.Result{Decision: engine.Decision{Behavior: engine.Allow, Reason: "a rule"}}
	switch {
	case strings.HasPrefix(tool, "deny"):
		res.Decision = engine.Decision{Behavior: engine.Deny, Reason: "deny rule X"}
	case strings.HasPrefix(tool, "ask"):
		progress(protocol.Progress{State: "shown", AskID: "k3m9qd"})
		f.asked <- r.Tool
		select {
		case b := <-f.answer:
			res.Decision.Behavior = b
		case <-ctx.Done():
			f.asked <- "withdrawn"
			return wire.Result{}, ctx.Err()
		}
	}
	return res, nil
}

func (f *fakeDaemon) Evaluate(context.Context, wire.Request) (wire.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.paused {
		return wire.Result{Decision: engine.Decision{Behavior: engine.Deny, Reason: "the session is stopped"}}, f.down
	}
	return wire.Result{Decision: engine.Decision{Behavior: engine.Ask}}, f.down
}

func (f *fakeDaemon) VisibleTools(_ context.Context, r wire.VisibleToolsRequest) (out wire.VisibleTools, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range r.Tools {
		if !f.hidden[name] {
			out.Tools = append(out.Tools, wire.VisibleTool{Name: name, Offered: true})
		}
	}
	return out, f.down
}

func (f *fakeDaemon) MCPTools(ctx context.Context, r wire.MCPToolsRequest, wait bool) (out wire.MCPTools, err error) {
	if err := f.failing(); err != nil {
		return out, err
	}
	if wait {
		f.asked <- "definitions"
		select {
		case ok := <-f.person:
			out.Reason = "a person answered"
			f.mu.Lock()
			for _, raw := range r.Tools {
				if name, digest := digestFor(raw); ok {
					f.accepted[name], f.texts[name] = digest, raw
				}
			}
			f.mu.Unlock()
		case <-ctx.Done():
			return out, ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, raw := range r.Tools {
		name, digest := digestFor(raw)
		s := wire.MCPToolState{Name: name, Digest: digest, State: wire.MCPAccepted}
		switch f.accepted[name] {
		case "":
			s.State = wire.MCPNew
		case digest:
		default:
			s.State, s.Accepted = wire.MCPChanged, f.texts[name]
		}
		out.Tools = append(out.Tools, s)
	}
	return out, nil
}

func digestFor(raw json.RawMessage) (name, digest string) {
	var d struct{ Name string }
	_ = json.Unmarshal(raw, &d)
	text, _ := strictjson.Object(raw)
	sum := sha256.Sum256(text)
	return d.Name, hex.EncodeToString(sum[:])
}

// accept accepts definitions before the proxy sees them.
func (f *fakeDaemon) accept(definitions ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range definitions {
		name, digest := digestFor(json.RawMessage(d))
		f.accepted[name], f.texts[name] = digest, json.RawMessage(d)
	}
}

func (f *fakeDaemon) set(change func(f *fakeDaemon)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// tool is a definition of the fake server.
func tool(name string) string { return `{"name":"` + name + `","description":"does ` + name + `"}` }

// fakeServer is an MCP server in the test's hands.
type fakeServer struct {
	mu       sync.Mutex
	tools    []string
	pageSize int
	// got are the lines of the client, but for tools/list.
	got chan string
	out *sink
	// silent answers no call.
	silent bool
}

func (s *fakeServer) run(in io.Reader) {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Name   string
				Cursor string
			}
		}
		_ = json.Unmarshal([]byte(line), &m) // other params do not matter
		if m.Method == "tools/list" {
			_ = s.out.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, s.page(m.Params.Cursor)))
			continue
		}
		s.got <- strings.TrimSuffix(line, "\n")
		if m.Method == "tools/call" && !s.silent {
			_ = s.out.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"ran %s"}]}}`, m.ID, m.Params.Name))
		}
	}
}

func (s *fakeServer) page(cursor string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := 0
	_, _ = fmt.Sscan(cursor, &from)
	to, next := len(s.tools), ""
	if s.pageSize > 0 && from+s.pageSize < to {
		to = from + s.pageSize
		next = fmt.Sprintf(`,"nextCursor":"%d"`, to)
	}
	return `{"tools":[` + strings.Join(s.tools[from:to], ", ") + `]` + next + `,"x-kept":1}`
}

func (s *fakeServer) define(tools ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = tools
}

// world is a client, the proxy, a server and a daemon.
type world struct {
	t      testing.TB
	daemon *fakeDaemon
	server *fakeServer
	client *io.PipeWriter
	told   chan string
	end    chan error
}

func newWorld(t testing.TB, change func(*Config, *fakeServer)) *world {
	t.Helper()
	w := &world{t: t, daemon: newFakeDaemon(), told: make(chan string, 4096), end: make(chan error, 1)}
	w.server = &fakeServer{got: make(chan string, 4096)}
	c := Config{Server: "files", Program: "npx", Definition: "d1", Connect: func() (Daemon, error) { return w.daemon, w.daemon.failing() }, Note: func(line string) { t.Log(line) }, ListPatience: patience}
	for _, name := range []string{"read", "deny_it", "ask_it"} {
		w.server.tools = append(w.server.tools, tool(name))
	}
	if change != nil {
		change(&c, w.server)
	}
	w.daemon.accept(w.server.tools...)
	fromClient, client := io.Pipe()
	fromProxy, toClient := io.Pipe()
	fromServer, serverOut := io.Pipe()
	serverIn, toServer := io.Pipe()
	w.client, w.server.out = client, &sink{out: serverOut}
	go func() {
		w.server.run(serverIn)
		_ = serverOut.Close()
	}()
	go func() {
		in := bufio.NewReader(fromProxy)
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				close(w.told)
				return
			}
			w.told <- strings.TrimSuffix(line, "\n")
		}
	}()
	go func() {
		w.end <- relay(context.Background(), c, fromClient, toClient, fromServer, toServer, func() { _ = toServer.Close() })
		_ = toClient.Close()
		_ = toServer.Close()
	}()
	t.Cleanup(func() {
		_ = client.Close()
		select {
		case <-w.end:
		case <-time.After(patience):
			t.Error("the proxy did not end")
		}
	})
	return w
}

func (w *world) send(lines ...string) {
	w.t.Helper()
	for _, l := range lines {
		if _, err := io.WriteString(w.client, l+"\n"); err != nil {
			w.t.Fatal(err)
		}
	}
}

// next waits for one text of a channel.
func next(t testing.TB, c <-chan string) string {
	t.Helper()
	select {
	case s, ok := <-c:
		if !ok {
			t.Fatal("it has ended")
		}
		return s
	case <-time.After(patience):
		t.Fatal("nothing came")
		return ""
	}
}

// want waits for a text with all parts.
func want(t *testing.T, c <-chan string, parts ...string) string {
	t.Helper()
	got := next(t, c)
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Fatalf("got %s, want %q in it", got, p)
		}
	}
	return got
}

// none requires an empty channel, after everything before has been passed on.
func none(t *testing.T, c <-chan string) {
	t.Helper()
	select {
	case s := <-c:
		t.Fatalf("got %s, want nothing", s)
	default:
	}
}

func call(id, name, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, name, arguments)
}
