package ratelog_test

import (
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/machine/ratelog"
)

func TestCount(t *testing.T) {
	now := time.Unix(100, 0)
	c := ratelog.Tally{Now: func() time.Time { return now }}
	for i, want := range []int{1, 0, 0} {
		if got := c.Count(); got != want {
			t.Errorf("number %d: %d, want %d", i, got, want)
		}
	}
	now = now.Add(time.Second)
	if got := c.Count(); got != 3 {
		t.Errorf("after a second: %d, want 3", got)
	}
	var zero ratelog.Tally
	if zero.Count() != 1 || zero.Count() != 0 {
		t.Error("the zero tally tells other than the first one")
	}
}
