package ask_test

import (
	"context"
	"errors"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

func TestElsewhere(t *testing.T) {
	t.Parallel()
	alive := func(context.Context) (map[string]bool, error) {
		return map[string]bool{"here": true, "there": true}, nil
	}
	unknown := func(context.Context) (map[string]bool, error) { return nil, errors.New("the store is away") }
	for name, c := range map[string]struct {
		of, on string
		alive  func(context.Context) (map[string]bool, error)
		want   bool
	}{
		"one daemon alone":      {"", "", nil, false},
		"this daemon's":         {"here", "here", alive, false},
		"a running daemon's":    {"there", "here", alive, true},
		"a dead daemon's":       {"dead", "here", alive, false},
		"nobody knows who runs": {"there", "here", unknown, true},
	} {
		b := ask.New(ask.Config{Node: c.on, Alive: c.alive})
		if got := b.Elsewhere(t.Context(), ask.Ask{Node: c.of}); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
