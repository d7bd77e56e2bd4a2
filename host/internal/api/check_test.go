package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

func allowRule(commandText string) protocol.NewRule {
	allow := engine.Allow
	return protocol.NewRule{Rule: "Bash(" + commandText + ")", Behavior: &allow}
}

// checked is the result of a check in the background.
type checked struct {
	res wire.Result
	err error
}

func checkAside(ctx context.Context, c *client.Client, r wire.Request, progress func(protocol.Progress)) <-chan checked {
	out := make(chan checked, 1)
	go func() {
		res, err := c.Check(ctx, r, progress)
		out <- checked{res, err}
	}()
	return out
}

func receive[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(20 * time.Second):
		t.Fatal("nothing came for 20 s")
		panic("unreachable")
	}
}

func TestCheck_asksStoresTheRuleAndAllowsTheNextCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, endpoint := range map[string]string{"socket": w.socket, "port": w.port} {
		t.Run(name, func(t *testing.T) {
			agent, admin := w.dial(endpoint, "default"), w.dial(endpoint, "admin")
			defer w.broker.Attach(ask.Surface{Name: "test"})()
			events := w.broker.Subscribe(t.Context())
			var mu sync.Mutex
			var states []string
			out := checkAside(t.Context(), agent, bash("make "+name), func(p protocol.Progress) {
				mu.Lock()
				defer mu.Unlock()
				states = append(states, p.State)
			})
			a := shown(t, events)
			if len(a.Decision.Suggestions) == 0 {
				t.Fatalf("no suggestions: %s: %+v", a.Decision.SuggestionsNote, a.Decision.Trace)
			}
			waiting, err := admin.Asks(t.Context(), ask.Filter{})
			must(t, err)
			if len(waiting) != 1 || waiting[0].ID != a.ID || string(waiting[0].Input) != `{"command":"make `+name+`"}` {
				t.Fatalf("asks: got %+v, want the one with id %s", waiting, a.ID)
			}
			answered, err := admin.Answer(t.Context(), a.ID, ask.Answer{Verdict: ask.Approve, Sets: []int{a.Decision.Suggestions[0].Set}, Scope: engine.Agent, By: "ana", ConfirmID: a.ID})
			must(t, err)
			if len(answered.Rules) != 1 || answered.Rules[0].String() != "Bash(make "+name+")" {
				t.Errorf("stored rules: got %v", answered.Rules)
			}
			got := receive(t, out)
			must(t, got.err)
			if got.res.Decision.Behavior != engine.Allow || got.res.Outcome != store.AskApproved || got.res.DecidedBy != "ana" {
				t.Errorf("got %+v, want allow, ask_approved by ana", got.res)
			}
			mu.Lock()
			if len(states) == 0 {
				t.Error("no progress was told")
			}
			mu.Unlock()
			again, err := agent.Check(t.Context(), bash("make "+name), nil)
			must(t, err)
			if again.Decision.Behavior != engine.Allow || again.Decision.Stage != engine.StageAllowRule {
				t.Errorf("second call: got %s at %s, want allow at allow_rule", again.Decision.Behavior, again.Decision.Stage)
			}
		})
	}
}

func TestCheck_deniedByAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.attach()
	events := w.broker.Subscribe(t.Context())
	out := checkAside(t.Context(), w.client("default"), bash("make"), nil)
	_, err := w.client("admin").Answer(t.Context(), shown(t, events).ID, ask.Answer{Reason: "not today", By: "ana"})
	must(t, err)
	got := receive(t, out)
	must(t, got.err)
	if got.res.Decision.Behavior != engine.Deny || got.res.Outcome != store.AskDenied || !strings.Contains(got.res.Decision.Message, "not today") {
		t.Errorf("got %+v, want ask_denied with the reason", got.res)
	}
}

func TestCheck_clientThatLeavesCancelsItsAsk(t *testing.T) {
	t.Parallel()
	for _, accept := range []string{"application/json", "application/x-ndjson", "text/event-stream"} {
		t.Run(accept, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.attach()
			events := w.broker.Subscribe(t.Context())
			ctx, leave := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := w.raw(ctx, rawRequest{method: http.MethodPost, path: "/v1/check", token: "default", body: `{"tool":"Bash","input":{"command":"make"}}`, accept: accept})
				done <- err
			}()
			a := shown(t, events)
			leave()
			if err := receive(t, done); !errors.Is(err, context.Canceled) {
				t.Errorf("client: got %v, want canceled", err)
			}
			for ev := range events {
				if ev.Kind == ask.EventCancelled && ev.Ask.ID == a.ID && ev.Ask.Cause == ask.CauseCaller {
					return
				}
			}
			t.Error("the ask was not cancelled")
		})
	}
}

func TestCheck_forms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.Heartbeat = 20 * time.Millisecond })
	for accept, want := range map[string][]string{
		"application/json":     {`{"decision":{"behavior":"deny"`},
		"":                     {`{"decision":{"behavior":"deny"`},
		"application/x-ndjson": {`{"progress":{"state":"shown"`, `{"progress":{"state":"heartbeat","ask_id":"`, "\n" + `{"result":{"decision":{"behavior":"deny"`},
		"text/event-stream":    {"event: progress\ndata: {\"state\":\"shown\"", "event: progress\ndata: {\"state\":\"heartbeat\"", "event: result\ndata: {\"decision\":{\"behavior\":\"deny\""},
	} {
		t.Run(accept, func(t *testing.T) {
			defer w.broker.Attach(ask.Surface{Name: "test"})()
			r := rawRequest{method: http.MethodPost, path: "/v1/check?timeout=300ms", token: "default", accept: accept, body: `{"tool":"Bash","input":{"command":"make"},"context":{"session":"s` + accept + `"}}`}
			got, err := w.raw(t.Context(), r)
			must(t, err)
			if got.status != http.StatusOK {
				t.Errorf("status: got %d: %s", got.status, got.body)
			}
			for _, text := range want {
				if !strings.Contains(got.body, text) {
					t.Errorf("got %s\nwant in it %s", got.body, text)
				}
			}
			if !strings.Contains(got.body, `"outcome":"ask_timeout"`) {
				t.Errorf("got %s\nwant ask_timeout", got.body)
			}
		})
	}
}

func TestCheck_panicDenies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	res, err := w.client("default").Check(t.Context(), bash("panic"), nil)
	if err == nil || res.Decision.Behavior != engine.Deny {
		t.Errorf("got %+v, %v, want an error and deny", res.Decision, err)
	}
	if _, err := w.client("admin").Health(t.Context()); err != nil {
		t.Errorf("the daemon after it: %v", err)
	}
}

func TestCheck_tooManyAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.MaxChecks = 4 })
	w.attach()
	events := w.broker.Subscribe(t.Context())
	ctx, leave := context.WithCancel(t.Context())
	var waiting []<-chan checked
	for i := range 2 {
		r := bash(fmt.Sprint("make ", i))
		r.Context.Session = fmt.Sprint("s", i)
		waiting = append(waiting, checkAside(ctx, w.client("default"), r, nil))
		shown(t, events)
	}
	res, err := w.client("default").Check(t.Context(), bash("make more"), nil)
	var refused *protocol.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusTooManyRequests || res.Decision.Behavior != engine.Deny || !strings.Contains(refused.Message, "at most 2 of one token and 4 in all (asks.checks)") {
		t.Errorf("got %+v, %v, want 429 and deny", res.Decision, err)
	}
	if _, err := w.client("ci").Check(t.Context(), bash("make more"), nil); err != nil {
		t.Errorf("another agent meanwhile: %v", err)
	}
	leave()
	for _, out := range waiting {
		receive(t, out)
	}
}

// TestCheck_tooManyLargeAtOnce bounds one token's memory in the daemon, and leaves small
// requests and other tokens their way.
func TestCheck_tooManyLargeAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.attach()
	events := w.broker.Subscribe(t.Context())
	ctx, leave := context.WithCancel(t.Context())
	large := strings.Repeat("a", 300<<10)
	var waiting []<-chan checked
	for i := range 16 {
		r := bash(large)
		r.Context.Session = fmt.Sprint("s", i)
		waiting = append(waiting, checkAside(ctx, w.client("default"), r, nil))
		shown(t, events)
	}
	var refused *protocol.Error
	if _, err := w.client("default").Check(t.Context(), bash(large), nil); !errors.As(err, &refused) || refused.Status != http.StatusTooManyRequests {
		t.Errorf("one more: got %v, want 429", err)
	}
	if _, err := w.client("ci").Check(t.Context(), bash(large), nil); err != nil {
		t.Errorf("another agent's: %v", err)
	}
	if _, err := w.client("default").Evaluate(t.Context(), bash("small")); err != nil {
		t.Errorf("a small one: %v", err)
	}
	leave()
	for _, out := range waiting {
		receive(t, out)
	}
	if _, err := w.client("ci").Check(t.Context(), bash(large), nil); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestEvaluate_storesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.attach()
	res, err := w.client("default").Evaluate(t.Context(), bash("make"))
	must(t, err)
	if res.Decision.Behavior != engine.Ask || len(res.Decision.Trace) == 0 {
		t.Errorf("got %+v, want ask with a trace", res.Decision)
	}
	page, err := w.client("admin").Audit(t.Context(), store.Filter{Event: store.EventDecision})
	must(t, err)
	if len(page.Rows) != 0 {
		t.Errorf("audit: got %d rows, want none", len(page.Rows))
	}
}

func TestShutdown_keepsTheAsk(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.attach()
	events := w.broker.Subscribe(t.Context())
	out := checkAside(t.Context(), w.client("default"), bash("make"), nil)
	a := shown(t, events)
	w.broker.Close()
	must(t, w.server.Shutdown(t.Context()))
	if got := receive(t, out); got.res.Decision.Behavior != engine.Deny {
		t.Errorf("got %+v, %v, want deny", got.res.Decision, got.err)
	}
	kept, err := w.store.Ask(t.Context(), a.ID)
	must(t, err)
	if !kept.State.Waiting() {
		t.Errorf("the ask: got %s, want it to wait", kept.State)
	}
}

// TestCheck_hammer has 64 clients check at once, each knowing its required answer.
func TestCheck_hammer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	_, err := w.client("admin").AddRule(t.Context(), "test", allowRule("npm run build"))
	must(t, err)
	const clients, rounds = 64, 8
	var wg sync.WaitGroup
	for i := range clients {
		c := w.dial([]string{w.socket, w.port}[i%2], "ci")
		wg.Go(func() {
			for round := range rounds {
				text, want := "npm run build", engine.Allow
				if (i+round)%2 == 1 {
					text, want = fmt.Sprint("forbidden ", i, round), engine.Deny
				}
				r := bash(text)
				r.Context.Session = fmt.Sprint("s", i)
				res, err := c.Check(t.Context(), r, nil)
				if err != nil || res.Decision.Behavior != want || res.AuditSeq == 0 {
					t.Errorf("client %d: %s: got %+v, row %d, %v, want %s", i, text, res.Decision, res.AuditSeq, err, want)
				}
			}
		})
	}
	wg.Wait()
	report, err := w.client("admin").VerifyAudit(t.Context())
	must(t, err)
	if !report.OK() || report.Rows < clients*rounds {
		t.Errorf("audit: got %+v, want at least %d sound rows", report, clients*rounds)
	}
}
