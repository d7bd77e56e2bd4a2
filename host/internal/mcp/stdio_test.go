package mcp

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/caller"
)

// TestPass: messages other than calls pass both ways, byte for byte.
func TestPass(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"x":9007199254740993, "y" : 1e2}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":"","method":"resources/read","params":{"uri":"file:///x"}}`,
		`{"jsonrpc":"2.0","id":-1,"method":"x/unknown","params":[1],"extra":{"a":[]}}`,
		`{"jsonrpc":"2.0","id":18446744073709551617,"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`,
		`{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}`,
		`{"jsonrpc":"2.0","id":"big","method":"completion/complete","params":{"text":"` + strings.Repeat("x", 5<<20) + `"}}`,
	} {
		w.send(m)
		if got := next(t, w.server.got); got != m {
			t.Errorf("to the server: got %.200s, want %.200s", got, m)
		}
	}
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25", "z":1}}`,
		`{"jsonrpc":"2.0","id":18446744073709551617,"result":{}}`,
		`{"jsonrpc":"2.0","id":"","error":{"code":-1,"message":"no"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"sampling/createMessage","params":{"messages":[]}}`,
		`{"jsonrpc":"2.0","id":6,"method":"elicitation/create","params":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x"}}`,
		`{"jsonrpc":"2.0","id":"big","result":{"text":"` + strings.Repeat("y", 5<<20) + `"}}`,
	} {
		if err := w.server.out.send([]byte(m)); err != nil {
			t.Fatal(err)
		}
		if got := next(t, w.told); got != m {
			t.Errorf("to the client: got %.200s, want %.200s", got, m)
		}
	}
}

// TestCalls: an allowed call reaches the server as it came, a denied one is a result.
func TestCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	allowed := ` {"jsonrpc":"2.0", "id":"a\u0062", "method":"tools\/call", "params":{"name":"re\u0061d","arguments":{"n":9007199254740993,"p":"é"},"task":{"ttl":1}}}`
	w.send(allowed)
	if got := next(t, w.server.got); got != allowed {
		t.Errorf("forwarded: got %s, want the judged bytes %s", got, allowed)
	}
	want(t, w.told, `"id":"a\u0062"`, "ran read")
	r := w.daemon.requests[0]
	if r.Tool != "mcp__files__read" || string(r.Input) != `{"n":9007199254740993,"p":"é"}` || r.Context.Server.Name != "files" || r.Context.Server.Definition != "d1" {
		t.Errorf("judged: got %s %s %+v", r.Tool, r.Input, r.Context.Server)
	}
	w.send(`{"jsonrpc":"2.0","id":"t","method":"tools/call","params":{"name":"read","_meta":{"traceparent":"00-a-b-01"}}}`)
	want(t, w.server.got, "traceparent")
	want(t, w.told, `"id":"t"`, "ran read")
	if got := w.daemon.requests[1].Traceparent; got != "00-a-b-01" {
		t.Errorf("trace: got %q", got)
	}
	w.send(call("2", "deny_it", "{}"))
	if got, wanted := next(t, w.told), `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Denied by Callgate: deny rule X."}],"isError":true}}`; got != wanted {
		t.Errorf("denied: got %s, want %s", got, wanted)
	}
	w.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"deny_it","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	want(t, w.told, `"isError":true,"resultType":"complete"}}`)
	w.send(call("4", "unlisted", "{}"))
	want(t, w.told, `lists no tool \"unlisted\"`, `"isError":true`)
	none(t, w.server.got)
}

// TestRefused: calls in a doubtful form never reach the server. Each was a way past a judge that
// reads otherwise than the server.
func TestRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, m := range map[string]string{
		"arguments twice":         `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{},"arguments":{"a":1}}}`,
		"arguments in two cases":  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{},"Arguments":{"a":1}}}`,
		"a folded letter":         `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","argument\u017f":{"a":1}}}`,
		"the name twice":          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","name":"deny_it"}}`,
		"the name in two cases":   `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","NAME":"deny_it"}}`,
		"the method twice":        `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"deny_it"}}`,
		"the method in two cases": `{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"deny_it"}}`,
		"params in two cases":     `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read"},"Params":{"name":"deny_it"}}`,
		"another method's case":   `{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"deny_it"}}`,
		"a method with a blank":   `{"jsonrpc":"2.0","id":1,"method":"tools/call ","params":{"name":"deny_it"}}`,
		"a member of them twice":  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"a":{"b":1,"b":2}}}}`,
		"a batch":                 `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"deny_it"}}]`,
		"no object":               `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["read"]}`,
		"arguments null":          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":null}}`,
		"no name":                 `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}`,
		"an id null":              `{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"read"}}`,
		"an id of another type":   `{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{"name":"read"}}`,
		"request and answer":      `{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{},"params":{"name":"read"}}`,
		"two objects":             call("1", "read", "{}") + call("2", "deny_it", "{}"),
		"half an object":          `{"jsonrpc":"2.0","id":1,"method":"tools/call"`,
		"invalid UTF-8":           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"re\xffad\"}}",
		"a lone surrogate":        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"a":"\ud800"}}}`,
		"not JSON":                "hello",
	} {
		w.send(m)
		got := next(t, w.told)
		if !strings.Contains(got, `"error"`) && !strings.Contains(got, `"isError":true`) {
			t.Errorf("%s: got %s, want a refusal", name, got)
		}
	}
	// Without an id nothing can be answered: the next message shows that it was dropped.
	w.send(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"read"}}`, `{"jsonrpc":"2.0","id":9,"method":"ping"}`)
	want(t, w.server.got, `"ping"`)
	none(t, w.server.got)
}

// TestIDs: an id under way is not used again, and our own ids are nobody else's.
func TestIDs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Config, s *fakeServer) { s.silent = true })
	w.send(call("1", "read", "{}"))
	want(t, w.server.got, `"read"`)
	w.send(call("1", "read", `{"b":1}`))
	want(t, w.told, "another request with this id is under way")
	w.send(call(`"1"`, "read", "{}")) // another id: a string
	want(t, w.server.got, `"id":"1"`)
	none(t, w.server.got)
}

// TestAsk: while a person decides, other messages pass and the client sees progress; the answer
// decides.
func TestAsk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config, _ *fakeServer) { c.ProgressEvery = time.Millisecond })
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_it","_meta":{"progressToken":"p"}}}`)
	want(t, w.daemon.asked, "ask_it")
	want(t, w.told, `"method":"notifications/progress","params":{"progressToken":"p","progress":1e-06,"message":"waiting for approval`)
	want(t, w.told, `"progress":2e-06,"message":"waiting for approval`)
	for !strings.Contains(next(t, w.told), `"message":"waiting for approval k3m9qd"`) {
	}
	w.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	want(t, w.server.got, "ping")
	w.daemon.answer <- engine.Allow
	want(t, w.server.got, "ask_it")
	for !strings.Contains(next(t, w.told), "ran ask_it") {
	}
}

func TestAskDenied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(call("1", "ask_it", "{}"))
	want(t, w.daemon.asked, "ask_it")
	w.daemon.answer <- engine.Deny
	want(t, w.told, `"isError":true`)
	none(t, w.server.got)
}

// TestCancel: a cancelled call withdraws its ask, and has no answer; the server hears nothing.
func TestCancel(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(call("1", "ask_it", "{}"))
	want(t, w.daemon.asked, "ask_it")
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	want(t, w.daemon.asked, "withdrawn")
	w.send(call("2", "read", "{}"))
	want(t, w.told, "ran read")
	want(t, w.server.got, "read")
	none(t, w.server.got)
	none(t, w.told)
}

// TestEnd: the end of the client withdraws its asks.
func TestEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(call("1", "ask_it", "{}"))
	want(t, w.daemon.asked, "ask_it")
	_ = w.client.Close()
	want(t, w.daemon.asked, "withdrawn")
}

// TestReturn: a client that does not wait repeats the call and gets the answer, once.
func TestReturn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config, _ *fakeServer) { c.ReturnAfter = 50 * time.Millisecond })
	w.send(call("1", "ask_it", `{"a":1}`))
	want(t, w.daemon.asked, "ask_it")
	want(t, w.told, `"id":1`, "waiting for approval", "Repeat exactly the same call", `"isError":true`)
	w.daemon.answer <- engine.Allow
	if got := w.repeat(2); !strings.Contains(got, "ran ask_it") {
		t.Errorf("after the approval: got %s", got)
	}
	want(t, w.server.got, "ask_it")
	none(t, w.daemon.asked)
	w.send(call("1000", "ask_it", `{"a":1}`))
	want(t, w.daemon.asked, "ask_it")
	want(t, w.told, "waiting for approval")
	// Between the approval and the repetition the session was stopped.
	w.daemon.set(func(f *fakeDaemon) { f.paused = true })
	w.daemon.answer <- engine.Allow
	if got := w.repeat(1001); !strings.Contains(got, "the session is stopped") {
		t.Errorf("in a stopped session: got %s", got)
	}
	none(t, w.daemon.asked)
	none(t, w.server.got)
}

// repeat repeats a call, in another spelling, until it is not waiting any more.
func (w *world) repeat(id int) string {
	for ; ; id++ {
		w.send(call(fmt.Sprint(id), "ask_it", `{ "a" : 1 }`))
		if got := next(w.t, w.told); !strings.Contains(got, "waiting for approval") {
			return got
		}
	}
}

// TestDaemonDown: calls are denied with the command to run; a list of unknown tools says why it is
// none, and one of tools known as accepted still works.
func TestDaemonDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	down := fmt.Errorf("%w (nothing listens). Start it: callgate serve", caller.ErrNoDaemon)
	w.daemon.set(func(f *fakeDaemon) { f.down = down })
	w.send(call("1", "read", "{}"))
	want(t, w.told, "callgate serve", `"isError":true`)
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	want(t, w.told, `"id":2,"error"`, "callgate serve")
	w.daemon.set(func(f *fakeDaemon) { f.down = nil })
	w.send(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
	want(t, w.told, `"id":3,"result"`, `"read"`)
	w.daemon.set(func(f *fakeDaemon) { f.down = errors.New("broken") })
	w.send(`{"jsonrpc":"2.0","id":4,"method":"tools/list"}`)
	want(t, w.told, `"id":4,"result"`, `"read"`)
	w.send(call("5", "read", "{}"))
	want(t, w.told, "broken", "callgate doctor", `"isError":true`)
	none(t, w.server.got)
}

// TestHostileServer: answers without a request, twice, unreadable, or to a call that the server has
// not got.
func TestHostileServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Config, s *fakeServer) { s.silent = true })
	w.send(call("1", "ask_it", "{}"))
	want(t, w.daemon.asked, "ask_it")
	w.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	for _, m := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, // the call waits for a person
		`{"jsonrpc":"2.0","id":77,"result":{}}`,
		"a line of a log", `{"id":`, `[]`, "",
		`{"jsonrpc":"2.0","id":2,"result":{},"result":{"a":1}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"n":1}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"n":2}}`,
		`{"jsonrpc":"2.0","id":9,"method":"ping"}`,
	} {
		if err := w.server.out.send([]byte(m)); err != nil {
			t.Fatal(err)
		}
	}
	want(t, w.told, `"id":2,"error"`)
	want(t, w.told, `"id":3,"result":{"n":1}`)
	want(t, w.told, `"id":9,"method":"ping"`)
	none(t, w.told)
}

// TestLegs: the repetition that a server asked for is the same call, once; any other state is a
// call of its own.
func TestLegs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *Config, s *fakeServer) { s.silent = true })
	leg := func(id, state string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"ask_it","arguments":{"a":1},"requestState":%s,"inputResponses":{}}}`, id, state)
	}
	w.send(call("1", "ask_it", `{"a":1}`))
	want(t, w.daemon.asked, "ask_it")
	w.daemon.answer <- engine.Allow
	want(t, w.server.got, `"id":1`)
	if err := w.server.out.send([]byte(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{},"requestState":"s1"}}`)); err != nil {
		t.Fatal(err)
	}
	want(t, w.told, "input_required")
	w.send(leg("2", `"other"`))
	want(t, w.daemon.asked, "ask_it")
	w.daemon.answer <- engine.Deny
	want(t, w.told, `"id":2`, "isError")
	w.send(leg("3", `"s1"`))
	want(t, w.server.got, `"id":3`)
	w.send(leg("4", `"s1"`))
	want(t, w.daemon.asked, "ask_it")
}

// TestManyCalls: of 1,000 calls at once, allowed and denied, each gets its own answer, and no other
// reaches the server.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const n = 1000
	go func() {
		for i := range n {
			name := "read"
			if i%2 == 1 {
				name = "deny_it"
			}
			_, _ = fmt.Fprintln(w.client, call(fmt.Sprint(i), name, fmt.Sprintf(`{"i":%d}`, i)))
		}
	}()
	seen := map[string]bool{}
	for range n {
		got := next(t, w.told)
		m, err := read([]byte(got))
		if err != nil || seen[string(m.id)] {
			t.Fatalf("got %s (%v) a second time", got, err)
		}
		seen[string(m.id)] = true
		odd := strings.ContainsAny(string(m.id[len(m.id)-1:]), "13579")
		if odd != strings.Contains(got, "isError") || !odd != strings.Contains(got, "ran read") {
			t.Fatalf("got %s, want another answer", got)
		}
	}
	if len(w.server.got) != n/2 {
		t.Errorf("the server got %d calls, want %d", len(w.server.got), n/2)
	}
}
