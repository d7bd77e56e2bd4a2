package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

// Attack: a time beyond nanoseconds since 1970. Its UnixNano is any number: rows "older than
// the year 1450" were all rows, rows "until the year 9999" were none, so a search found no
// events.
func TestT15_timesBeyondNanoseconds(t *testing.T) {
	t.Parallel()
	s, _ := aged(t, 10)
	for year := 2; year <= 9999; year += 97 {
		at := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		past := year < 2026
		p, err := s.Prunable(t.Context(), at)
		if err != nil || past != (p.Rows == 0) {
			t.Errorf("older than %d: got %d rows, %v", year, p.Rows, err)
		}
		if n := len(rowsOf(t, s, store.Filter{Until: at})); past != (n == 0) {
			t.Errorf("until %d: got %d rows", year, n)
		}
		if n := len(rowsOf(t, s, store.Filter{Since: at})); past != (n == 10) {
			t.Errorf("since %d: got %d rows", year, n)
		}
		if _, err := s.Sessions(t.Context(), store.SessionFilter{Since: at}); err != nil {
			t.Error(err)
		}
	}
}

// Attack: a denial until the year 2300, in nanoseconds since 1970 the year 1715, so it has
// ended when the store is read again.
func TestRule_endsWhereTimeCanTell(t *testing.T) {
	t.Parallel()
	s, _ := aged(t, 1)
	r := allow("Bash", "rm:*")
	r.Behavior, r.ExpiresAt = engine.Deny, time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC)
	if _, err := s.AddRule(t.Context(), r); !errors.Is(err, store.ErrBadRule) {
		t.Errorf("add: got %v, want ErrBadRule", err)
	}
	if _, err := s.ChangeRules(t.Context(), store.Change{Add: []engine.Rule{r}}); !errors.Is(err, store.ErrBadRule) {
		t.Errorf("change: got %v, want ErrBadRule", err)
	}
}
