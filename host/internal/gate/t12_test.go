package gate_test

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/wire"
)

// floodMemory is the permitted growth from a thousand refused asks to ten thousand, in bytes:
// each of them leaves a row on disk. A hundred and twenty bytes of each would exceed it.
const floodMemory = 1 << 20

// TestT12_Flood: ten thousand asks of one agent, over a thousand sessions, give 20
// cards. Each of the others is a denial with its row, another agent's ask is shown
// and answered meanwhile, and memory stays flat.
func TestT12_Flood(t *testing.T) { // not beside other tests: it measures memory
	w := newWorld(t, "agents: {worker: {mode: default}, other: {mode: default}}\n")
	events := w.Broker.Subscribe(t.Context())
	var waiting sync.WaitGroup
	for i := range ask.DefaultPerAgent {
		waiting.Go(func() {
			res, err := w.Gate.Check(t.Context(), worker, flooding(i), nil)
			if err != nil || res.Decision.Behavior == engine.Allow {
				t.Errorf("call %d, which nobody answered: got %+v, %v, want a denial", i, res.Decision, err)
			}
		})
		await(t, events, ask.EventShown)
	}
	refused := 10_000 - ask.DefaultPerAgent
	if raceflag.Enabled {
		refused /= 8 // ten times slower
	}
	early := refused / 10
	refuse := func(from, to int) {
		var g sync.WaitGroup
		for part := range 8 { // their rows go to the disk together
			g.Go(func() {
				for i := from + part; i < to; i += 8 {
					res, err := w.Gate.Check(t.Context(), worker, flooding(ask.DefaultPerAgent+i), nil)
					if err != nil || res.Decision.Behavior != engine.Deny || res.Outcome != store.Denied || res.Decision.ConvertedBy != string(ask.CauseFlood) || res.AuditSeq == 0 {
						t.Errorf("call %d: got %+v, %v, want it denied by %s, with a row", i, res, err, ask.CauseFlood)
					}
				}
			})
		}
		g.Wait()
	}
	refuse(0, early)
	before := w.heap()
	refuse(early, refused/2)
	w.askedMeanwhile()
	refuse(refused/2, refused)
	grown := int64(w.heap()) - int64(before)
	t.Logf("grown by %d KiB", grown>>10)
	if grown > floodMemory && !raceflag.Enabled {
		t.Errorf("memory: grown by %d bytes, want at most %d", grown, floodMemory)
	}
	cards := w.Broker.Waiting(ask.Filter{Agent: "worker"})
	if len(cards) != ask.DefaultPerAgent {
		t.Errorf("cards: got %d, want %d", len(cards), ask.DefaultPerAgent)
	}
	if got := w.deniedRows("worker"); got != refused {
		t.Errorf("rows of denials: got %d, want %d", got, refused)
	}
	for _, a := range cards {
		w.Answer(a.ID, ask.Answer{Verdict: ask.Deny})
	}
	waiting.Wait()
	if got := w.Broker.Waiting(ask.Filter{}); len(got) != 0 {
		t.Errorf("still waiting: %+v", got)
	}
}

// flooding is the i-th call of the flood, each another one.
func flooding(i int) wire.Request {
	r := call(fmt.Sprint("c", i))
	r.Context.Session = fmt.Sprint("s", i%1000)
	return r
}

// askedMeanwhile has another agent ask, and the person answer it.
func (w *world) askedMeanwhile() {
	w.T.Helper()
	r := call("deploy")
	r.Context.Session = "elsewhere"
	shown, done := w.Start(authority.Caller{Token: "check:other", Agent: "other"}, r)
	if shown.Agent != "other" {
		w.T.Fatalf("shown: got an ask of %s, want other's", shown.Agent)
	}
	w.Answer(shown.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: shown.ID})
	if res := <-done; res.Decision.Behavior != engine.Allow {
		w.T.Errorf("another agent's approved call: got %+v, want allow", res.Decision)
	}
}

// deniedRows counts the audit's plain denials of an agent.
func (w *world) deniedRows(agent string) (n int) {
	w.T.Helper()
	for row, err := range w.Store.Audit(w.T.Context(), store.Filter{Event: store.EventDecision, Agent: agent}) {
		if err != nil {
			w.T.Fatal(err)
		}
		if row.Decision == store.Denied {
			n++
		}
	}
	return n
}

func await(t *testing.T, events <-chan ask.Event, kind ask.EventKind) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		select {
		case ev := <-events:
			if ev.Kind == kind {
				return
			}
		case <-late:
			t.Fatalf("no ask was %s", kind)
		}
	}
}

// heap is the kept memory, in bytes, without that of the test's tool.
func (w *world) heap() uint64 {
	w.Tool.Forget()
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
