//go:build unix

package rounds_test

import (
	"errors"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/testkit/rounds"
)

// burn uses about the given processor time.
func burn(d time.Duration) func(int) error {
	return func(n int) error {
		for end := rounds.CPU() + time.Duration(n)*d; rounds.CPU() < end; {
		}
		return nil
	}
}

func TestMediansTellVariantsApart(t *testing.T) {
	got, err := rounds.Medians(3, 5*time.Millisecond, []rounds.Variant{
		{Name: "short", Run: burn(100 * time.Microsecond)}, {Name: "long", Run: burn(time.Millisecond)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got[0] < 90*time.Microsecond || got[1] < 5*got[0] {
		t.Errorf("got %v, want about 100µs and 1ms", got)
	}
}

func TestMediansStopAtAnError(t *testing.T) {
	broken := errors.New("broken")
	_, err := rounds.Medians(3, time.Millisecond, []rounds.Variant{{Name: "bad", Run: func(int) error { return broken }}})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the variant's error", err)
	}
}
