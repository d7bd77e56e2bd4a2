package ask_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// world is a broker over a memStore inside a synctest bubble, with its calls by name.
type world struct {
	t      *testing.T
	store  *memStore
	cfg    ask.Config
	broker *ask.Broker
	start  time.Time
	calls  map[string]*pending
}

// pending is one Ask in its own goroutine.
type pending struct {
	cancel context.CancelFunc
	done   chan struct{}
	out    ask.Outcome
	err    error
	at     time.Duration
}

// inWorld runs f in a bubble with a fresh broker.
func inWorld(t *testing.T, cfg ask.Config, f func(w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, store: newMemStore(), cfg: cfg, start: time.Now(), calls: map[string]*pending{}}
		w.cfg.Store = w.store
		w.broker = ask.New(w.cfg)
		f(w)
		w.broker.Close()
		synctest.Wait()
	})
}

// restart is a crash: a new broker over the same store.
func (w *world) restart() int {
	w.t.Helper()
	w.broker.Close()
	synctest.Wait()
	w.broker = ask.New(w.cfg)
	n, err := w.broker.Recover(w.t.Context())
	if err != nil {
		w.t.Fatalf("recover: %v", err)
	}
	return n
}

// call is the request of most tests; name is its call id and its input.
func call(name string) ask.Ask { return callWith(name, `{"command":"`+name+`"}`) }

func callWith(name, input string) ask.Ask {
	sum := sha256.Sum256([]byte("Bash" + input))
	return ask.Ask{
		Token: "tok", Agent: "coder", Session: "s1", User: "ann", CallID: name,
		Digest: hex.EncodeToString(sum[:]), Tool: "Bash", Input: json.RawMessage(input), CWD: "/my/project",
		Decision: engine.Decision{
			Behavior: engine.Ask, Stage: engine.StageMode, Code: engine.CodeModeAsk,
			Suggestions: []engine.Suggestion{{Tool: "Bash", Content: new("ls"), Behavior: engine.Allow, Set: 0}, {Tool: "Bash", Content: new("l*"), Behavior: engine.Allow, Set: 1}},
		},
		ProjectRoot: "/my/project",
	}
}

// request starts an Ask under name and waits until it blocks or is decided.
func (w *world) request(name string, a ask.Ask) {
	ctx, cancel := context.WithCancel(w.t.Context())
	w.requestWith(ctx, cancel, name, a)
}

func (w *world) requestWith(ctx context.Context, cancel context.CancelFunc, name string, a ask.Ask) {
	p := &pending{cancel: cancel, done: make(chan struct{})}
	w.calls[name] = p
	go func() {
		defer close(p.done)
		defer cancel()
		p.out, p.err = w.broker.Ask(ctx, &a)
		p.at = time.Since(w.start)
	}()
	synctest.Wait()
}

// until sleeps in the bubble's time.
func (w *world) until(at time.Duration) {
	time.Sleep(at - time.Since(w.start))
	synctest.Wait()
}

// id returns the id of the waiting ask with this call id, "" when none waits.
func (w *world) id(callID string) string {
	for _, a := range w.broker.Waiting(ask.Filter{}) {
		if a.CallID == callID {
			return a.ID
		}
	}
	return ""
}

func (w *world) answer(callID string, answer ask.Answer) (ask.Ask, error) {
	if answer.By == "" {
		answer.By = "approver"
	}
	a, err := w.broker.Answer(w.t.Context(), w.id(callID), answer)
	synctest.Wait()
	return a, err
}

func (w *world) approve(callID string) {
	w.t.Helper()
	if _, err := w.answer(callID, ask.Answer{Verdict: ask.Approve}); err != nil {
		w.t.Fatalf("approve %s: %v", callID, err)
	}
}

func (w *world) deny(callID string) {
	w.t.Helper()
	if _, err := w.answer(callID, ask.Answer{}); err != nil {
		w.t.Fatalf("deny %s: %v", callID, err)
	}
}

// outcome waits in bubble time for the call to be decided.
func (w *world) outcome(name string) ask.Outcome {
	w.t.Helper()
	p := w.calls[name]
	<-p.done
	if p.err != nil {
		w.t.Fatalf("ask %s: %v", name, p.err)
	}
	return p.out
}

// want checks how the call came out.
func (w *world) want(name string, state ask.State, cause ask.Cause) {
	w.t.Helper()
	out := w.outcome(name)
	if out.Ask.State != state || out.Cause != cause {
		w.t.Errorf("%s: got %s (%s), want %s (%s)", name, out.Ask.State, out.Cause, state, cause)
	}
	if out.Approved() != (state == ask.Approved) {
		w.t.Errorf("%s: Approved() = %v in state %s", name, out.Approved(), out.Ask.State)
	}
	if (out.Message == "") != (state == ask.Approved) {
		w.t.Errorf("%s: message %q in state %s", name, out.Message, out.Ask.State)
	}
}

// stored returns the stored ask with this call id, the newest.
func (w *world) stored(callID string) ask.Ask {
	w.t.Helper()
	a, err := w.store.LastAsk(w.t.Context(), ask.Key{Token: "tok", Session: "s1", CallID: callID})
	if err != nil {
		w.t.Fatalf("stored ask of %s: %v", callID, err)
	}
	return a
}
