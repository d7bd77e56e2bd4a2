package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
)

// faultChecks is how many checks are answered amid faults: 1,000 with CALLGATE_FAULTS set, as
// `make faults` does, else fewer.
func faultChecks() int {
	if os.Getenv("CALLGATE_FAULTS") != "" {
		return 1000
	}
	return 120
}

// hammer asks daemons until each of its calls is answered.
type hammer struct {
	*team
	denied atomic.Bool // the deny rule was stored
	count  atomic.Int64

	mu       sync.Mutex
	answered map[int64]string // calls by their row
}

// answer has a call answered, by one daemon after the other as a client does that tries again. It
// reports the answer.
func (h *hammer) answer(ctx context.Context, first int, id, session, command string) (res wire.Result) {
	t := h.t
	for i := first; ctx.Err() == nil; i++ {
		late := h.denied.Load()
		agent := h.members[i%len(h.members)].agent(t)
		once, cancel := context.WithTimeout(ctx, 20*time.Second)
		res, err := agent.Check(once, bashCall(session, id, command), nil)
		cancel()
		agent.Close()
		if err != nil || res.Decision.Code == engine.CodeStoreUnavailable {
			if err == nil && res.Decision.Behavior != engine.Deny {
				t.Errorf("%s without the store: got %+v, want a denial", id, res.Decision)
			}
			select { // as a client does
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		switch {
		case res.AuditSeq == 0 && res.Decision.Behavior != engine.Deny:
			t.Errorf("%s: got %+v without a row", id, res.Decision)
		case late && command == forbidden && res.Decision.Behavior != engine.Deny:
			t.Errorf("%s: got %+v after the deny rule was stored", id, res.Decision)
		}
		if res.AuditSeq == 0 {
			continue
		}
		h.mu.Lock()
		h.answered[res.AuditSeq] = id
		h.mu.Unlock()
		return res
	}
	return res
}

const forbidden = "touch here"

func bashCall(session, id, command string) wire.Request {
	return wire.Request{Tool: "Bash", CallID: id, Input: []byte(fmt.Sprintf(`{"command":%q}`, command)), Context: wire.CallContext{Session: session, CWD: "/"}}
}

// approve answers all asks of a daemon with yes, until ctx ends.
func (h *hammer) approve(ctx context.Context, m *member) {
	for ctx.Err() == nil {
		admin := m.admin(h.t)
		if _, err := admin.Unlock(ctx, "ann", world.PIN); err == nil {
			_ = admin.Events(ctx, "test", "ann", func(client.Event) error { // it ends with the daemon
				asks, err := admin.Asks(ctx, ask.Filter{State: ask.Shown})
				for _, a := range asks {
					_, _ = admin.Answer(ctx, a.ID, ask.Answer{Verdict: ask.Approve, By: "ann"}) // another may be first
				}
				return err
			})
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// addRule stores a rule by any daemon.
func (h *hammer) addRule(ctx context.Context, rule string, behavior engine.Behavior) {
	for i := 1; ctx.Err() == nil; i++ {
		admin := h.members[i%len(h.members)].admin(h.t)
		if _, err := admin.AddRule(ctx, "ann", protocol.NewRule{Rule: rule, Behavior: &behavior}); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond) // the database may be away
	}
}

// TestTeamFaults kills a daemon and the database, and partitions another daemon, amid answered
// checks. Each answer has its row in one chain, nothing is decided on old rules, and an approval is
// used once.
func TestTeamFaults(t *testing.T) {
	t.Parallel()
	h := &hammer{team: newDaemons(t, "defaults: {mode: bypass}\nasks: {timeout: 5m}\n"), answered: map[int64]string{}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h.addRule(ctx, "Bash(npm:*)", engine.Ask)
	var approvers sync.WaitGroup
	for _, m := range h.members {
		approvers.Go(func() { h.approve(ctx, m) })
	}
	n := int64(faultChecks())
	faults := map[int64]func(){
		n / 6: func() { h.members[0].kill(); h.members[0].start(t) },
		n / 3: func() {
			h.server.Stop("immediate")
			h.members[1].ready(t, exitDeny)
			h.server.Start()
		},
		n / 2: func() { h.addRule(ctx, "Bash(touch:*)", engine.Deny); h.denied.Store(true) },
		2 * n / 3: func() {
			h.members[2].proxy.Silence(true)
			h.members[1].kill()
			h.members[1].start(t)
			h.members[2].proxy.Silence(false)
		},
	}
	var next atomic.Int64
	var checks sync.WaitGroup
	for worker := range 8 {
		checks.Go(func() {
			for i := next.Add(1); i <= n; i = next.Add(1) {
				command := []string{"ls -la", forbidden, "npm install left-pad"}[i%3]
				h.answer(ctx, worker, fmt.Sprintf("toolu_%d", i), fmt.Sprintf("s%d", worker), command)
				if fault := faults[h.count.Add(1)]; fault != nil {
					fault()
				}
			}
		})
	}
	checks.Wait()
	cancel()
	approvers.Wait()
	if !h.denied.Load() || len(h.answered) != int(n) {
		t.Errorf("answered: got %d rows, want %d", len(h.answered), n)
	}
	h.compare(h.rows())
}

// compare compares the answers with the rows.
func (h *hammer) compare(rows []store.Row) {
	t := h.t
	found, approved := map[int64]string{}, map[string]string{}
	for _, row := range rows {
		if row.Event != store.EventDecision {
			continue
		}
		found[row.Seq] = row.CallID
		if row.Decision != store.AskApproved {
			continue
		}
		if id, used := approved[row.AskID]; used && id != row.CallID {
			t.Errorf("the approval of ask %s was used for the calls %s and %s", row.AskID, id, row.CallID)
		}
		approved[row.AskID] = row.CallID
	}
	for seq, id := range h.answered {
		if found[seq] != id {
			t.Errorf("row %d: got call %q, want the answered call %q", seq, found[seq], id)
		}
	}
	if len(approved) == 0 {
		t.Error("no ask was approved")
	}
	t.Logf("answered %d, rows %d, approvals %d", len(h.answered), len(rows), len(approved))
}

// TestTeamFailover: after a failover to a standby that was behind, every daemon refuses the store
// that lost rows, until it is started again.
func TestTeamFailover(t *testing.T) {
	t.Parallel()
	h := &hammer{team: newDaemons(t, "defaults: {mode: bypass}\n"), answered: map[int64]string{}}
	standby := h.server.Replica()
	standby.Stop("fast")
	for i := range h.members { // each has rows of its own that the standby has not
		h.answer(t.Context(), i, fmt.Sprint("before-", i), fmt.Sprint("s", i), "ls -la")
	}
	h.server.Stop("immediate")
	standby.Start()
	standby.Promote()
	for _, m := range h.members {
		m.proxy.Lead(standby)
	}
	for i, m := range h.members {
		res, err := m.agent(t).Check(t.Context(), bashCall(fmt.Sprint("s", i), fmt.Sprint("after-", i), "ls -la"), nil)
		if err != nil || res.Decision.Behavior != engine.Deny || res.AuditSeq != 0 {
			t.Errorf("daemon %d on the standby: got %+v, %v, want a denial without a row", i, res, err)
		}
	}
	for _, m := range h.members {
		m.kill()
		m.start(t)
	}
	h.answered = map[int64]string{}
	for i := range h.members {
		if res := h.answer(t.Context(), i, fmt.Sprint("accepted-", i), fmt.Sprint("s", i), "ls -la"); res.Decision.Behavior != engine.Allow {
			t.Errorf("daemon %d, started again: got %+v, want an allow", i, res.Decision)
		}
	}
	h.server, h.schema = standby, standby.Moved(h.schema)
	rows := h.rows()
	for seq, id := range h.answered {
		if !slices.ContainsFunc(rows, func(row store.Row) bool { return row.Seq == seq && row.CallID == id }) {
			t.Errorf("row %d of call %s is missing", seq, id)
		}
	}
}

// TestTeamDeadNode: an ask of a daemon that died is taken up by the client's retry on another one, or
// ends at its deadline; before that the other daemons say that its client is not connected.
func TestTeamDeadNode(t *testing.T) {
	t.Parallel()
	h := &hammer{team: newDaemons(t, "asks: {timeout: 30s}\n"), answered: map[int64]string{}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h.keysDiffer(ctx)
	dying, other := h.members[0], h.members[1]
	admin := other.admin(t)
	if _, err := admin.Unlock(ctx, "ann", world.PIN); err != nil {
		t.Fatal(err)
	}
	events := make(chan ask.Event, 100)
	go func() {
		_ = admin.Events(ctx, "test", "ann", func(e client.Event) error {
			if ev, err := e.Ask(); err == nil && ev.Ask.ID != "" {
				events <- ev
			}
			return nil
		})
		close(events)
	}()
	asked := map[string]ask.Ask{}
	for _, id := range []string{"retried", "left"} {
		go func() { _, _ = dying.agent(t).Check(ctx, bashCall("s-"+id, id, "npm install left-pad"), nil) }() // it dies
		for ev := range events {
			if ev.Ask.CallID == id {
				asked[id] = ev.Ask
				break
			}
		}
	}
	dying.kill()
	results := make(chan wire.Result, 1)
	go func() { results <- h.answer(ctx, 1, "retried", "s-retried", "npm install left-pad") }()
	for ctx.Err() == nil {
		answered, err := admin.Answer(ctx, asked["retried"].ID, ask.Answer{Verdict: ask.Approve, By: "ann"})
		if err == nil || answered.Ask.State != ask.Shown {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if res := <-results; res.Decision.Behavior != engine.Allow || res.AskID != asked["retried"].ID {
		t.Errorf("the retry: got %+v of ask %s, want an allow by ask %s", res.Decision, res.AskID, asked["retried"].ID)
	}
	away := false
	for ev := range events {
		if ev.Ask.ID == asked["left"].ID && ev.Ask.State != ask.Shown {
			break
		}
		away = away || ev.Ask.ID == asked["left"].ID && ev.Ask.Away
	}
	if !away {
		t.Error("the ask without a retry: nobody heard that its client is not connected")
	}
	left, err := admin.Ask(ctx, asked["left"].ID)
	if err != nil || left.State != ask.TimedOut {
		t.Errorf("the ask without a retry: got %s (%s), %v, want it timed out", left.State, left.Cause, err)
	}
	h.rows()
}

// keysDiffer expects the list of daemons to warn: these made a key each.
func (h *hammer) keysDiffer(ctx context.Context) {
	t := h.t
	var nodes []wire.Node
	for end := time.Now().Add(patience); len(auditKeys(nodes)) < len(h.members); time.Sleep(50 * time.Millisecond) { // until each has given its next sign of life
		var err error
		if nodes, err = h.members[0].nodes(ctx, t); err != nil || time.Now().After(end) {
			t.Fatalf("keys: got %q of %+v, %v, want one of each daemon", auditKeys(nodes), nodes, err)
		}
	}
	var out strings.Builder
	if printNodes(&out, nodes); !strings.Contains(out.String(), "warning: the running daemons have 3 different keys") {
		t.Errorf("no warning: %s", out.String())
	}
	for i := range nodes {
		nodes[i].AuditKey = nodes[0].AuditKey
	}
	out.Reset()
	if printNodes(&out, nodes); strings.Contains(out.String(), "warning") {
		t.Errorf("a warning for one key: %s", out.String())
	}
}
