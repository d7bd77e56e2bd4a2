package store_test

import (
	"errors"
	"math"
	"testing"

	"github.com/callgate/callgate/host/internal/store"
)

// The highest id stays, for any later ones and any other key's.
func TestKeepInteraction_keepsTheHighest(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for _, id := range []uint64{7, 1 << 40, 255, 256, math.MaxUint64 - 1, 1 << 63} {
		must(t, s.KeepInteraction(t.Context(), "k1", id))
	}
	must(t, s.KeepInteraction(t.Context(), "k2", 5))
	s = reopened(t, s)
	for key, want := range map[string]uint64{"k1": math.MaxUint64 - 1, "k2": 5, "k3": 0} {
		got, err := s.LastInteraction(t.Context(), key)
		if err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", key, got, err, want)
		}
	}
}

// An invalid value does not count as no value: then everything could be repeated.
func TestLastInteraction_refusesWhatIsNone(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := opened(t, path, store.Options{})
	must(t, s.KeepInteraction(t.Context(), "k1", 7))
	must(t, s.Close())
	tamper(t, path, "UPDATE meta SET value = x'01' WHERE name = 'interaction k1'")
	s = opened(t, path, store.Options{})
	if got, err := s.LastInteraction(t.Context(), "k1"); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("got %d, %v", got, err)
	}
}
