package store_test

import (
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// A failing change reverts itself alone, its audit row included; one that tears the transaction
// down fails all in it. Either way acknowledged changes are there and the chain is whole.
func TestWriter_failureInAGroup(t *testing.T) {
	t.Parallel()
	for name, raise := range map[string]string{"its own": "ABORT", "the whole transaction": "ROLLBACK"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fresh(t)
			refuseRules(t, s, raise)
			acknowledged, failed := appendBesideFailures(t, s)
			if raise == "ABORT" && failed > 0 {
				t.Errorf("appends that failed: got %d, want none", failed)
			}
			report, err := s.VerifyAudit(t.Context())
			if err != nil || !report.OK() || report.Rows != int64(len(acknowledged)) {
				t.Errorf("verify: got %+v, %v, want %d sound rows", report, err, len(acknowledged))
			}
			for _, r := range rowsOf(t, s, store.Filter{}) {
				if want := acknowledged[r.Seq]; r != want {
					t.Errorf("row %d: got %+v, want %+v", r.Seq, r, want)
				}
			}
			if got := texts(t, s, "", "", ""); len(got) != 0 {
				t.Errorf("rules: got %v, want none", got)
			}
		})
	}
}

// refuseRules makes the database refuse each new rule. PostgreSQL has one way of it.
func refuseRules(t *testing.T, s *store.Store, raise string) {
	t.Helper()
	query := "CREATE TRIGGER no BEFORE INSERT ON rules BEGIN SELECT RAISE(" + raise + ", 'no'); END"
	if os.Getenv(overPostgres) != "" {
		query = "CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$; CREATE TRIGGER no BEFORE INSERT ON rules EXECUTE FUNCTION no()"
	}
	tamper(t, s.Path(), query)
}

// appendBesideFailures appends rows while unstorable rules are added.
func appendBesideFailures(t *testing.T, s *store.Store) (acknowledged map[int64]store.Row, failed int) {
	t.Helper()
	acknowledged = map[int64]store.Row{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if r, err := s.AddRule(t.Context(), allow("Bash", fmt.Sprint(i))); err == nil {
				t.Errorf("a rule that the file refuses: got %+v, want an error", r)
			}
		})
		wg.Go(func() {
			row, err := s.Append(t.Context(), decision())
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed++
				return
			}
			acknowledged[row.Seq] = row
		})
	}
	wg.Wait()
	return acknowledged, failed
}

// A rule unable to replace an expired one leaves it in place.
func TestAddRule_failureTakesEverythingBack(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	short := allow("Bash", "x")
	short.ExpiresAt = c.now.Add(time.Minute)
	old := added(t, s, short)
	c.now = c.now.Add(time.Hour)
	refuseRules(t, s, "ABORT")
	if r, err := s.AddRule(t.Context(), allow("Bash", "x")); err == nil {
		t.Errorf("got %+v, want an error", r)
	}
	s = reopened(t, s)
	if got, err := s.Rule(t.Context(), old.ID); err != nil || !got.ExpiresAt.Equal(old.ExpiresAt) {
		t.Errorf("the expired rule: got %+v, %v, want %+v", got, err, old)
	}
	if got := rowsOf(t, s, store.Filter{}); len(got) != 1 || got[0].Event != store.EventRuleAdded {
		t.Errorf("audit: got %+v, want the first adding alone", got)
	}
}
