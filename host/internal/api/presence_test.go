package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// somebody is a person always there, for the tests of all the rest.
type somebody struct{ *pin.Keeper }

func (somebody) Require(context.Context, pin.Who) error { return nil }

const approverPIN, wrongPIN = "4711 0815", "0815 4711"

// guardedWorld is a world with a PIN never typed. now, possibly nil, is the keeper's clock.
func guardedWorld(t *testing.T, now func() time.Time) *world {
	t.Helper()
	return newWorld(t, func(c *api.Config) {
		k := pin.New(pin.Config{Store: c.Audit.(*store.Store), Now: now})
		must(t, k.Set(t.Context(), "", approverPIN, pin.Who{By: "ana"}))
		c.Presence = k
	})
}

// needsPIN reports whether an answer is the refusal for want of the PIN.
func needsPIN(got rawAnswer) bool {
	return got.status == http.StatusForbidden && strings.Contains(got.body, `"code":"presence_required"`)
}

// attempt is one request, by its route.
type attempt struct {
	name, route string
	path        string // instead of the route's
	body        string
}

func (w *world) attempt(t *testing.T, token, ticket string, a attempt) rawAnswer {
	t.Helper()
	method, path, _ := strings.Cut(a.route, " ")
	if a.path != "" {
		path = a.path
	}
	r := rawRequest{method: method, path: path, token: token, body: a.body}
	if ticket != "" {
		r.header = map[string]string{"Callgate-Ticket": ticket}
	}
	return w.mustRaw(t, r)
}

// unlockTCP types the PIN over the port and returns the ticket.
func (w *world) unlockTCP(t *testing.T, token string) string {
	t.Helper()
	got := w.attempt(t, token, "", attempt{route: "POST /v1/presence/unlock", body: fmt.Sprintf(`{"pin":%q}`, approverPIN)})
	var view view.Presence
	must(t, json.Unmarshal([]byte(got.body), &view))
	if view.Ticket == "" {
		t.Fatalf("unlock: got %d %s, want a ticket", got.status, got.body)
	}
	return string(view.Ticket)
}

// prepared makes the objects of the attempts: an ask on show, rules, sessions.
func (w *world) prepared(t *testing.T) (widening, harmless []attempt) {
	t.Helper()
	w.attach()
	events := w.broker.Subscribe(t.Context())
	checking, stop := context.WithCancel(context.Background())
	var waiting sync.WaitGroup
	waiting.Go(func() {
		_, _ = w.dial(w.port, "default").Check(checking, wire.Request{Tool: "Bash", Input: json.RawMessage(`{"command":"make"}`), Context: wire.CallContext{Session: "s"}}, nil)
	})
	t.Cleanup(func() { stop(); waiting.Wait() })
	a := shown(t, events)
	rule := func(b engine.Behavior, scope engine.Scope, key string) string {
		text := "make " + b.String()
		r, err := w.store.AddRule(t.Context(), engine.Rule{Tool: "Bash", Content: &text, Behavior: b, Scope: scope, ScopeKey: key})
		must(t, err)
		return r.ID
	}
	deny, ask, allow := rule(engine.Deny, engine.Global, ""), rule(engine.Ask, engine.Global, ""), rule(engine.Allow, engine.Global, "")
	other := rule(engine.Allow, engine.Agent, "default")
	strict := engine.Explore
	for _, id := range []string{"strict", "ruled", "plain"} {
		_, err := w.store.TouchSession(t.Context(), store.Session{ID: id, Agent: "default", Token: "check:default"})
		must(t, err)
	}
	must(t, w.store.SetMode(t.Context(), "strict", &strict, "ana"))
	rule(engine.Deny, engine.Session, "ruled")
	narrow := attempt{route: "POST /v1/agents/narrowed/profile", body: `{"profile":"locked"}`}
	if got := w.attempt(t, "admin", w.unlockTCP(t, "admin"), narrow); got.status != http.StatusOK { // from none: its allow patterns might widen
		t.Fatalf("give a profile: got %d %s", got.status, got.body)
	}

	answer := "/v1/asks/" + a.ID + "/answer"
	widening = []attempt{
		{"approve", "POST /v1/asks/{id}/answer", answer, `{"verdict":"approve"}`},
		{"approve for the session", "POST /v1/asks/{id}/answer", answer, `{"verdict":"approve","whole_tool":true,"for_session":true}`},
		{"approve an ask that is none", "POST /v1/asks/{id}/answer", "/v1/asks/zzzzzz/answer", `{"verdict":"approve"}`},
		{"add an allow rule", "POST /v1/rules", "", `{"rule":"Bash(make)","behavior":"allow"}`},
		{"remove a deny rule", "DELETE /v1/rules/{id}", "/v1/rules/" + deny, ""},
		{"remove an ask rule", "DELETE /v1/rules/{id}", "/v1/rules/" + ask, ""},
		{"a looser mode", "POST /v1/sessions/{id}/mode", "/v1/sessions/plain/mode", `{"mode":"accept_edits"}`},
		{"a looser mode for forks", "POST /v1/sessions/{id}/mode", "/v1/sessions/plain/mode", `{"mode":"bypass","kind":"interactive_fork"}`},
		{"bypass", "POST /v1/sessions/{id}/mode", "/v1/sessions/plain/mode", `{"mode":"bypass"}`},
		{"neither is stricter", "POST /v1/sessions/{id}/mode", "/v1/sessions/strict/mode", `{"mode":"dont_ask"}`},
		{"back to the agent's looser mode", "POST /v1/sessions/{id}/mode", "/v1/sessions/strict/mode", `{"mode":null}`},
		{"clear a stricter mode away", "POST /v1/sessions/{id}/clear", "/v1/sessions/strict/clear", ""},
		{"clear a deny rule away", "POST /v1/sessions/{id}/clear", "/v1/sessions/ruled/clear", ""},
		{"resume", "POST /v1/sessions/{id}/resume", "/v1/sessions/plain/resume", ""},
		{"remove rows of the audit", "POST /v1/audit/prune", "", `{"before":"2001-01-01T00:00:00Z"}`},
		{"accept a configuration", "POST /v1/config/accept", "", `{"digest":"x"}`},
		{"create a token", "POST /v1/tokens", "", `{"kind":"admin","name":"eve"}`},
		{"rotate a token", "POST /v1/tokens/{name}/rotate", "/v1/tokens/approver/rotate", ""},
		{"add an allow rule among others", "POST /v1/rules/changes", "", `{"rules":[{"rule":"Bash(rm)","behavior":"deny"},{"rule":"Bash(make)","behavior":"allow"}]}`},
		{"remove a deny rule among others", "POST /v1/rules/changes", "", fmt.Sprintf(`{"rules":[],"remove":[%q,%q]}`, allow, deny)},
		{"type an allow rule", "POST /v1/command", "", `{"text":"/allow Bash(make)","global":true}`},
		{"begin a passkey", "POST /v1/passkeys/challenge", "", ""},
		{"add a passkey", "POST /v1/passkeys", "", `{"name":"x","credential":{}}`},
		{"trust a folder", "POST /v1/folders", "", `{"path":"/srv/none/site","access":"read"}`},
		{"accept MCP tools", "POST /v1/mcp/servers/{id}/accept", "/v1/mcp/servers/m1/accept", `{"digests":["x"]}`},
		{"trust a folder on a card", "POST /v1/asks/{id}/answer", answer, `{"verdict":"approve","folder":"edit"}`},
		{"give a looser profile", "POST /v1/agents/{name}/profile", "/v1/agents/narrowed/profile", `{"profile":"open"}`},
		{"back to the looser profile", "POST /v1/agents/{name}/profile/reset", "/v1/agents/narrowed/profile/reset", ""},
		{"back to all profiles of the file", "POST /v1/profiles/reset", "", ""},
		{"an allow rule in a chat's head", "PUT /v1/sessions/{id}/lists", "/v1/sessions/plain/lists", `{"allow":["Bash(make)"],"ask":[],"deny":[]}`},
		{"add a tool module", "PUT /v1/modules/{file}", "/v1/modules/d.wasm?may_allow=true", ""},
		{"pin a tool module", "POST /v1/modules/{file}/pin", "/v1/modules/d.wasm/pin", "{}"},
		{"roll a tool module back", "POST /v1/modules/{file}/rollback", "/v1/modules/d.wasm/rollback", "{}"},
		{"take a tool module away, with what it denies", "DELETE /v1/modules/{file}", "/v1/modules/d.wasm", ""},
		{"a looser mode in a chat's head", "PUT /v1/sessions/{id}/lists", "/v1/sessions/plain/lists", `{"allow":[],"ask":[],"deny":[],"mode":"bypass"}`},
	}
	harmless = []attempt{
		{"add a deny rule", "POST /v1/rules", "", `{"rule":"Bash(rm)","behavior":"deny"}`},
		{"add an ask rule", "POST /v1/rules", "", `{"rule":"Bash(rm)","behavior":"ask"}`},
		{"remove an allow rule", "DELETE /v1/rules/{id}", "/v1/rules/" + allow, ""},
		{"the same mode", "POST /v1/sessions/{id}/mode", "/v1/sessions/plain/mode", `{"mode":"default"}`},
		{"a stricter mode", "POST /v1/sessions/{id}/mode", "/v1/sessions/plain/mode", `{"mode":"dont_ask"}`},
		{"a stricter mode for forks", "POST /v1/sessions/{id}/mode", "/v1/sessions/plain/mode", `{"mode":"dont_ask","kind":"interactive_fork"}`},
		{"tell what old rows there are", "POST /v1/audit/prune", "", `{"before":"2001-01-01T00:00:00Z","dry_run":true}`},
		{"interrupt", "POST /v1/sessions/{id}/interrupt", "/v1/sessions/plain/interrupt", ""},
		{"leave a fork", "POST /v1/sessions/{id}/exit-fork", "/v1/sessions/plain/exit-fork", ""},
		{"add a deny rule among others", "POST /v1/rules/changes", "", fmt.Sprintf(`{"rules":[{"rule":"Bash(mv)","behavior":"deny"}],"remove":[%q]}`, other)},
		{"tell what an allow rule would do", "POST /v1/rules/changes", "", `{"rules":[{"rule":"Bash(make)","behavior":"allow"}],"dry_run":true}`},
		{"type a deny rule", "POST /v1/command", "", `{"text":"/deny Bash(cp)","global":true}`},
		{"type a rule for lists elsewhere", "POST /v1/command", "", `{"text":"/allow Bash(cp)","lists":{"allow":[],"ask":[],"deny":[]}}`},
		{"tell what pinning would do", "POST /v1/modules/{file}/pin", "/v1/modules/d.wasm/pin", `{"dry_run":true}`},
		{"compare two versions of a tool module", "POST /v1/modules/{file}/diff", "/v1/modules/d.wasm/diff", "{}"},
		{"take back every trusted folder", "POST /v1/folders/reset", "", ""},
		{"list trusted folders", "GET /v1/folders", "", ""},
		{"give the same profile", "POST /v1/agents/{name}/profile", "/v1/agents/narrowed/profile", `{"profile":"locked"}`},
		{"a deny rule in a chat's head", "PUT /v1/sessions/{id}/lists", "/v1/sessions/plain/lists", `{"allow":[],"ask":[],"deny":["Bash(rm)"]}`},
		{"seen", "POST /v1/asks/{id}/seen", "/v1/asks/" + a.ID + "/seen", `{"approver":"ana"}`},
		{"deny", "POST /v1/asks/{id}/answer", answer, `{"verdict":"deny"}`},
		{"clear", "POST /v1/sessions/{id}/clear", "/v1/sessions/s/clear", ""},
		{"list rules", "GET /v1/rules", "", ""},
	}
	return widening, harmless
}

// free are the routes without need of a person, for any request.
var free = []string{
	"GET /v1/health", "GET /livez", "GET /readyz", "GET /metrics", "GET /v1/openapi.json", "POST /v1/check", "POST /v1/evaluate", "POST /v1/offer", "POST /v1/calls/finished", "GET /v1/asks", "GET /v1/asks/{id}",
	"POST /v1/asks/{id}/seen", "GET /v1/rules", "POST /v1/rules/test", "POST /v1/rules/simulate", "GET /v1/tools", "GET /v1/tools/{name}", "GET /v1/config", "GET /v1/modules", "POST /v1/modules/reload", "POST /v1/modules/{file}/diff",
	"GET /v1/sessions", "GET /v1/sessions/{id}", "POST /v1/sessions/{id}/interrupt", "POST /v1/sessions/{id}/exit-fork", "GET /v1/audit", "GET /v1/audit/export",
	"GET /v1/audit/verify", "GET /v1/audit/tally", "GET /v1/audit/rows/{seq}", "GET /v1/audit/rows/{seq}/proof", "GET /v1/audit/checkpoint", "GET /v1/presence", "POST /v1/presence/unlock", "POST /v1/presence/set", "POST /v1/presence/lock",
	"POST /v1/presence/reset", "GET /v1/profiles", "GET /v1/nodes", "GET /v1/hooks", "GET /v1/folders", "DELETE /v1/folders/{id}", "POST /v1/folders/reset", "POST /v1/mcp/tools", "GET /v1/mcp/servers", "DELETE /v1/mcp/servers/{id}", "GET /v1/tokens", "POST /v1/tokens/{name}/revoke", "POST /v1/console", "GET /v1/events",
	"GET /v1/passkeys", "DELETE /v1/passkeys/{id}", "POST /v1/asks/{id}/challenge",
	"GET /v1/push", "POST /v1/push", "DELETE /v1/push/{id}",
}

// TestT06_WideningWantsAPerson is a program with the admin token and nothing else.
func TestT06_WideningWantsAPerson(t *testing.T) {
	t.Parallel()
	w := guardedWorld(t, nil)
	widening, harmless := w.prepared(t)
	for _, token := range []string{"admin", "approver"} {
		for _, a := range widening {
			got := w.attempt(t, token, "", a)
			if token == "approver" && (strings.HasPrefix(a.route, "POST /v1/tokens") || strings.HasPrefix(a.route, "PUT /v1/modules") || strings.HasPrefix(a.route, "POST /v1/modules")) {
				continue // it may not at all
			}
			if !needsPIN(got) {
				t.Errorf("%s: %s without the PIN: got %d %s, want presence_required", token, a.name, got.status, got.body)
			}
			if got := w.attempt(t, token, "made up", a); !needsPIN(got) {
				t.Errorf("%s: %s with a false ticket: got %d %s, want presence_required", token, a.name, got.status, got.body)
			}
		}
	}
	for _, a := range harmless {
		if got := w.attempt(t, "admin", "", a); got.status >= 300 {
			t.Errorf("%s: got %d %s, want it done without the PIN", a.name, got.status, got.body)
		}
	}
	for _, op := range api.Operations() {
		wants := slices.ContainsFunc(widening, func(a attempt) bool { return a.route == op })
		if wants == slices.Contains(free, op) {
			t.Errorf("%s: want it either among what can widen or among what cannot", op)
		}
	}
}

func TestT06_WithThePINItIsDone(t *testing.T) {
	t.Parallel()
	w := guardedWorld(t, nil)
	widening, _ := w.prepared(t)
	ticket := w.unlockTCP(t, "admin")
	for _, a := range widening {
		if got := w.attempt(t, "admin", ticket, a); got.status == http.StatusForbidden || got.status >= 500 {
			t.Errorf("%s: got %d %s", a.name, got.status, got.body)
		}
	}
}

func TestT06_TicketIsBoundAndExpires(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	w := guardedWorld(t, func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) })
	add := attempt{route: "POST /v1/rules", body: `{"rule":"Bash(make)","behavior":"allow"}`}
	ticket := w.unlockTCP(t, "admin")
	if got := w.attempt(t, "approver", ticket, add); !needsPIN(got) {
		t.Errorf("another token with the ticket: got %d %s", got.status, got.body)
	}
	// The ticket is for where no terminal can be seen; the socket shows whether
	// there is one.
	over := rawRequest{method: "POST", path: "/v1/rules", token: "admin", body: add.body, header: map[string]string{protocol.TicketHeader: ticket}, socket: true}
	if got := w.mustRaw(t, over); (runtime.GOOS == "linux" || runtime.GOOS == "darwin") && !needsPIN(got) {
		t.Errorf("the ticket over the socket: got %d %s, want presence_required", got.status, got.body)
	}
	if got := w.attempt(t, "admin", ticket, add); got.status != http.StatusCreated {
		t.Errorf("the ticket where it belongs: got %d %s", got.status, got.body)
	}
	ahead.Store(int64(pin.Hold))
	if got := w.attempt(t, "admin", ticket, add); !needsPIN(got) {
		t.Errorf("after %s: got %d %s, want presence_required", pin.Hold, got.status, got.body)
	}
	ahead.Store(0)
	ticket = w.unlockTCP(t, "admin")
	if got := w.attempt(t, "admin", ticket, attempt{route: "POST /v1/presence/lock"}); got.status != http.StatusOK {
		t.Errorf("lock: got %d %s", got.status, got.body)
	}
	if got := w.attempt(t, "admin", ticket, add); !needsPIN(got) {
		t.Errorf("after lock: got %d %s, want presence_required", got.status, got.body)
	}
}

// TestT06_GuessingLocks guesses over the port with both kinds of token, at once.
func TestT06_GuessingLocks(t *testing.T) {
	t.Parallel()
	w := guardedWorld(t, nil)
	var guessing sync.WaitGroup
	var wrong, locked atomic.Int32
	for i := range 20 {
		token := []string{"admin", "approver"}[i%2]
		guessing.Go(func() {
			got, err := w.raw(t.Context(), rawRequest{method: "POST", path: "/v1/presence/unlock", token: token, body: fmt.Sprintf(`{"pin":%q}`, wrongPIN)})
			if err != nil {
				t.Error(err)
			}
			switch {
			case strings.Contains(got.body, `"code":"wrong_pin"`):
				wrong.Add(1)
			case strings.Contains(got.body, `"code":"pin_locked"`):
				locked.Add(1)
			default:
				t.Errorf("got %d %s", got.status, got.body)
			}
		})
	}
	guessing.Wait()
	if wrong.Load() != 4 || locked.Load() != 16 { // the fifth reports the lock
		t.Errorf("got %d wrong and %d locked, want 4 and 16", wrong.Load(), locked.Load())
	}
	got := w.attempt(t, "admin", "", attempt{route: "POST /v1/presence/unlock", body: fmt.Sprintf(`{"pin":%q}`, approverPIN)})
	if !strings.Contains(got.body, `"code":"pin_locked"`) {
		t.Errorf("the right PIN after five wrong ones: got %d %s, want pin_locked", got.status, got.body)
	}
	if _, err := w.dial(w.port, "admin").ResetPIN(t.Context(), "ana", false); err != nil {
		t.Errorf("reset: %v", err)
	}
	view, err := w.dial(w.port, "admin").Presence(t.Context())
	if err != nil || !view.Set || !view.Locked || time.Until(view.ResetAt) < 59*time.Minute {
		t.Errorf("after a reset was asked for: got %+v, %v, want it locked for an hour", view, err)
	}
}

// TestT06_CheckTokens may not even ask how the PIN stands.
func TestT06_CheckTokens(t *testing.T) {
	t.Parallel()
	w := guardedWorld(t, nil)
	for _, op := range []string{"GET /v1/presence", "POST /v1/presence/unlock", "POST /v1/presence/set", "POST /v1/presence/lock", "POST /v1/presence/reset"} {
		for _, token := range []string{"default", "integrator"} {
			if got := w.attempt(t, token, "", attempt{route: op, body: fmt.Sprintf(`{"pin":%q}`, approverPIN)}); !strings.Contains(got.body, `"code":"forbidden"`) {
				t.Errorf("%s by %s: got %d %s, want forbidden", op, token, got.status, got.body)
			}
		}
	}
}

// The PIN is in no log and no row of the audit.
func TestT14_ThePINIsNotKept(t *testing.T) {
	t.Parallel()
	w := guardedWorld(t, nil)
	c := w.dial(w.port, "admin")
	_, err := c.Unlock(t.Context(), "ana", wrongPIN)
	var e *protocol.Error
	if !errors.As(err, &e) || e.Code != protocol.CodeWrongPIN {
		t.Fatalf("got %v, want wrong_pin", err)
	}
	_, err = c.Unlock(t.Context(), "ana", approverPIN)
	must(t, err)
	_, err = c.SetPIN(t.Context(), "ana", approverPIN, "another one")
	must(t, err)
	texts := []string{w.log.String()}
	for row, err := range w.store.Audit(t.Context(), store.Filter{}) {
		must(t, err)
		text, err := json.Marshal(row)
		must(t, err)
		texts = append(texts, string(text))
	}
	for _, text := range texts {
		for _, secret := range []string{approverPIN, wrongPIN, "another one"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in %s", secret, text)
			}
		}
	}
}
