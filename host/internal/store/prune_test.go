package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// aged is a store with a clock under the test's control, with n decisions a minute apart from
// start on.
func aged(t *testing.T, n int) (*store.Store, *sharedClock) {
	t.Helper()
	c := &sharedClock{at: start}
	s := opened(t, place(t), store.Options{Now: c.now})
	for range n {
		if _, err := s.Append(t.Context(), store.Row{Agent: "a", Decision: store.Denied, Tool: "Bash"}); err != nil {
			t.Fatal(err)
		}
		c.add(time.Minute)
	}
	return s, c
}

var start = time.Date(2026, 2, 12, 10, 0, 0, 0, time.UTC)

// sharedClock is a clock for several hands.
type sharedClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *sharedClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *sharedClock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func verified(t *testing.T, s *store.Store) store.Report {
	t.Helper()
	report, err := s.VerifyAudit(t.Context())
	if err != nil || !report.OK() {
		t.Fatalf("verify: got %+v (%+v), %v", report, report.Break, err)
	}
	return report
}

// Old rows go, a row says which, and the rest follows them.
func TestPruneAudit_removesWhatIsOldAndSaysSo(t *testing.T) {
	t.Parallel()
	s, _ := aged(t, 1000)
	before := start.Add(700 * time.Minute)
	if p, err := s.Prunable(t.Context(), before); err != nil || p.Rows != 700 || p.From != 1 || p.Through != 700 {
		t.Errorf("prunable: got %+v, %v, want rows 1 to 700", p, err)
	}
	if at, err := s.LastPrune(t.Context()); err != nil || !at.IsZero() {
		t.Errorf("last prune before any: got %v, %v", at, err)
	}
	last := rowsOf(t, s, store.Filter{After: 699, Limit: 1})[0]
	p, err := s.PruneAudit(t.Context(), before, "ann")
	if err != nil || p.Rows != 700 {
		t.Fatalf("prune: got %+v, %v", p, err)
	}
	rows := rowsOf(t, s, store.Filter{})
	if len(rows) != 301 || rows[0].Seq != 701 {
		t.Fatalf("rows left: got %d from %d, want 301 from 701", len(rows), rows[0].Seq)
	}
	said := rows[300]
	if said.Event != store.EventAuditPruned || said.DecidedBy != "ann" || !strings.Contains(said.Detail, "rows 1 to 700") {
		t.Errorf("the row about it: got %+v", said)
	}
	r := verified(t, s)
	if r.From != 701 || r.Rows != 301 || r.Removed == nil || r.Removed.Through != 700 || r.Removed.Hash != last.Hash || r.Removed.By != "ann" || r.Removed.Seq != said.Seq {
		t.Errorf("report: got %+v, %+v", r, r.Removed)
	}
	if again, err := s.PruneAudit(t.Context(), before, "ann"); err != nil || again.Rows != 0 {
		t.Errorf("again: got %+v, %v, want nothing", again, err)
	}
	if _, err := s.PruneAudit(t.Context(), start.Add(900*time.Minute), "ann"); err != nil {
		t.Fatal(err)
	}
	s = reopened(t, s)
	if r := verified(t, s); r.From != 901 || r.Removed.Through != 900 {
		t.Errorf("after a second removal and a restart: got %+v", r)
	}
	if _, err := s.Append(t.Context(), store.Row{Decision: store.Allowed}); err != nil {
		t.Fatal(err)
	}
	verified(t, s)
}

// When everything is old the row about it is all there is.
func TestPruneAudit_ofEverything(t *testing.T) {
	t.Parallel()
	s, _ := aged(t, 10)
	if _, err := s.PruneAudit(t.Context(), start.Add(time.Hour), "ann"); err != nil {
		t.Fatal(err)
	}
	if r := verified(t, s); r.From != 11 || r.Rows != 1 {
		t.Errorf("got %+v, want row 11 alone", r)
	}
}

// A clock that went back: rows behind a new one stay, with any age of theirs.
func TestPruneAudit_stopsAtTheFirstRowThatIsNotOld(t *testing.T) {
	t.Parallel()
	s, c := aged(t, 10)
	c.add(-24 * time.Hour)
	if _, err := s.Append(t.Context(), store.Row{Decision: store.Allowed}); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Prunable(t.Context(), start); err != nil || p.Rows != 0 {
		t.Errorf("got %+v, %v, want nothing: row 1 is not older", p, err)
	}
}

// T15: a changed row is not removed, as it proves the change; and removing rows by hand is
// detected.
func TestT15_pruningHidesNothing(t *testing.T) {
	t.Parallel()
	before := start.Add(5 * time.Minute)
	t.Run("edited", func(t *testing.T) {
		t.Parallel()
		s, _ := aged(t, 10)
		tamper(t, s.Path(), "UPDATE audit_log SET tool = 'Read' WHERE seq = 3")
		if _, err := s.PruneAudit(t.Context(), before, "ann"); !errors.Is(err, store.ErrAuditBroken) || !strings.Contains(err.Error(), "row 3") {
			t.Errorf("got %v, want ErrAuditBroken at row 3", err)
		}
		if n := len(rowsOf(t, s, store.Filter{})); n != 10 {
			t.Errorf("rows: got %d, want all 10", n)
		}
	})
	for name, queries := range map[string][]string{
		"anchor set by hand":      {"UPDATE audit_anchor SET seq = 4, hash = (SELECT hash FROM audit_log WHERE seq = 4), target = 4", "DELETE FROM audit_log WHERE seq <= 4"},
		"further than was said":   {"PRUNE", "UPDATE audit_anchor SET seq = 7, hash = (SELECT hash FROM audit_log WHERE seq = 7), target = 7", "DELETE FROM audit_log WHERE seq <= 7"},
		"the row about it edited": {"PRUNE", "UPDATE audit_log SET rule_text = 'audit through row 99' WHERE event = 'audit_pruned'"},
		"a row put back":          {"PRUNE", "INSERT INTO audit_log SELECT 2, timestamp, event, agent_name, session, user_id, tool, action_string, decision, decided_by, detail, stage, code, rule_id, rule_text, module_digest, call_id, digest, input, latency, prev, hash, rule_source, module, ask_id, evidence FROM audit_log WHERE seq = 7"},
		"another anchor":          {"PRUNE", "UPDATE audit_anchor SET hash = zeroblob(32)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := aged(t, 10)
			for _, q := range queries {
				if q != "PRUNE" {
					tamper(t, s.Path(), q)
				} else if _, err := s.PruneAudit(t.Context(), before, "ann"); err != nil {
					t.Fatal(err)
				}
			}
			if r, err := s.VerifyAudit(t.Context()); err != nil || r.OK() {
				t.Errorf("verify: got %+v, %v, want a break", r, err)
			}
		})
	}
}

// A setting in force stays so after its row is gone, and a forged one stays refused.
func TestPruneAudit_restatesWhatIsInForce(t *testing.T) {
	t.Parallel()
	s, c := aged(t, 1)
	ctx := t.Context()
	for i := range 250 {
		if _, err := s.AddRule(ctx, allow("Bash", fmt.Sprint("npm run ", i))); err != nil {
			t.Fatal(err)
		}
	}
	forged, err := s.AddRule(ctx, allow("Bash", "ls"))
	must(t, err)
	_, err = s.CreateToken(ctx, store.Token{Name: "brief", Kind: store.TokenAdmin, Sum: store.Hash{1}, CreatedBy: "ann"}, "")
	must(t, err)
	must(t, s.SaveSetting(ctx, "pin", []byte("hash"), store.Row{Event: store.EventPINSet, DecidedBy: "ann"}))
	must(t, s.SaveSetting(ctx, "lost", []byte("x"), store.Row{Event: store.EventConfigAccepted, DecidedBy: "ann"}))
	c.add(time.Hour)
	tamper(t, s.Path(), "UPDATE rules SET content = 'rm -rf /' WHERE id = ?", forged.ID)
	tamper(t, s.Path(), "DELETE FROM settings WHERE name = 'lost'")
	p, err := s.PruneAudit(ctx, c.now(), "callgate")
	if err != nil || p.Rows != 255 {
		t.Fatalf("prune: got %+v, %v", p, err)
	}
	s = reopenedAt(t, s, c)
	rules, err := s.RulesFor(ctx, "a", "", "", nil)
	if err != nil || len(rules) != 250 {
		t.Errorf("rules in force: got %d, %v, want 250", len(rules), err)
	}
	if refused := s.RefusedRules(); len(refused) != 1 || refused[0].ID != forged.ID {
		t.Errorf("refused rules: got %v, want the forged one", refused)
	}
	if tokens, begun, err := s.Tokens(ctx); err != nil || !begun || len(tokens) != 1 || !tokens[0].Usable(c.now()) {
		t.Errorf("tokens: got %+v, %v, %v", tokens, begun, err)
	}
	if v, err := s.Setting(ctx, "pin"); err != nil || string(v) != "hash" {
		t.Errorf("setting: got %q, %v", v, err)
	}
	if _, err := s.Setting(ctx, "lost"); !errors.Is(err, store.ErrForged) {
		t.Errorf("a setting that somebody took away: got %v, want ErrForged", err)
	}
	verified(t, s)
	// Once more: a restated one is restated.
	c.add(time.Hour)
	if _, err := s.PruneAudit(ctx, c.now(), "callgate"); err != nil {
		t.Fatal(err)
	}
	s = reopenedAt(t, s, c)
	if rules, err := s.RulesFor(ctx, "a", "", "", nil); err != nil || len(rules) != 250 {
		t.Errorf("rules after a second removal: got %d, %v, want 250", len(rules), err)
	}
	if v, err := s.Setting(ctx, "pin"); err != nil || string(v) != "hash" {
		t.Errorf("setting after a second removal: got %q, %v", v, err)
	}
}

func reopenedAt(t *testing.T, s *store.Store, c *sharedClock) *store.Store {
	t.Helper()
	must(t, s.Close())
	return opened(t, s.Path(), store.Options{Now: c.now})
}

// ending ends after so many looks at it.
type ending struct {
	context.Context
	left atomic.Int64
}

func (e *ending) Done() <-chan struct{} {
	if e.left.Add(-1) >= 0 {
		return e.Context.Done()
	}
	done := make(chan struct{})
	close(done)
	return done
}

func (e *ending) Err() error {
	if e.left.Load() < 0 {
		return context.Canceled
	}
	return e.Context.Err()
}

// However far a removal came before it was cut off, the audit is sound, also for
// who verifies at once and for the next process, and the next removal goes on.
func TestPruneAudit_goesOnWhereItWasCutOff(t *testing.T) {
	t.Parallel()
	s, c := aged(t, 260)
	before := start.Add(250 * time.Minute)
	cut, begun := 0, false
	for looks := int64(1); ; looks++ {
		ctx := &ending{Context: t.Context()}
		ctx.left.Store(looks)
		_, err := s.PruneAudit(ctx, before, "ann")
		if err == nil {
			break
		}
		cut++
		verified(t, s)
		if at, err := s.LastPrune(t.Context()); err == nil && !at.IsZero() && !begun {
			begun, looks = true, 0 // from here on every step of the removal itself
		}
		if cut%7 == 0 {
			s = reopenedAt(t, s, c)
			verified(t, s)
		}
	}
	must(t, s.FinishPrune(t.Context()))
	if r := verified(t, s); r.From != 251 || cut < 5 {
		t.Errorf("got %+v after %d attempts that were cut off, want rows from 251 on", r, cut)
	}
}

// Removal beside decisions, searches and verifying, for the race detector.
func TestPruneAudit_hammer(t *testing.T) {
	t.Parallel()
	s, c := aged(t, 300)
	ctx := t.Context()
	var wg sync.WaitGroup
	const callers = 8
	rounds := 40
	if raceflag.Enabled {
		rounds = 10 // each waits for the disk, and the detector sees as much
	}
	for range callers {
		wg.Go(func() {
			for range rounds {
				if _, err := s.Append(ctx, decision()); err != nil {
					t.Error(err)
				}
				c.add(time.Second)
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			for range 15 {
				if r, err := s.VerifyAudit(ctx); err != nil || !r.OK() {
					t.Errorf("verify: got %+v (%+v), %v", r, r.Break, err)
				}
				for _, err := range s.Audit(ctx, store.Filter{Agent: "builder", Newest: true}) {
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Go(func() {
		for i := range 15 {
			if _, err := s.PruneAudit(ctx, start.Add(time.Duration(20*(i+1))*time.Minute), "callgate"); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	if r := verified(t, s); r.From != 301 || r.Head < int64(300+callers*rounds) {
		t.Errorf("got %+v, want rows from 301 on", r)
	}
}
