package assembly_test

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/wire"
)

// TestInFlight_waits: a relative path beside an unfinished cd waits for its end, and is decided
// by the state then; the result names the awaited call.
func TestInFlight_waits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch)
	w.must(w.Close())
	log := make(said, 1000)
	w.log = slog.New(slog.NewTextHandler(log, nil))
	w.open()
	cd := w.named("c1", "cd /")
	if res := w.check("worker", cd); res.Decision.Behavior != engine.Allow {
		t.Fatalf("cd: %+v", res.Decision)
	}
	done := make(chan wire.Result, 1)
	go func() { done <- w.check("worker", w.named("c2", "rm -rf build")) }()
	for line := range log {
		if strings.Contains(line, "a call waits for another one") {
			break
		}
	}
	if m, err := w.Gate.Finish(t.Context(), caller("worker"), wire.Finished{CallID: "c1", Tool: "Bash", Input: cd.Input, Context: cd.Context}); err != nil || !m.Match {
		t.Fatalf("finish: %+v, %v", m, err)
	}
	res := <-done
	if res.Decision.Behavior != engine.Allow {
		t.Fatalf("after cd has ended: %+v", res.Decision)
	}
	last := res.Decision.Trace[len(res.Decision.Trace)-1]
	if last.Step != "in_flight" || !strings.Contains(last.Saw, `"c1"`) {
		t.Errorf("the trace ends with %+v", last)
	}
}

// said passes on each message of a log.
type said chan string

// Write implements io.Writer.
func (s said) Write(line []byte) (int, error) {
	s <- string(line)
	return len(line), nil
}

// TestInFlight_limit: a call without an end in time leaves an ask that says so, and a program
// beside the shell delays no one.
func TestInFlight_limit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch)
	w.write("a.txt", "a")
	if res := w.check("worker", w.named("c1", "cd /")); res.Decision.Behavior != engine.Allow {
		t.Fatalf("cd: %+v", res.Decision)
	}
	r := w.named("c2", "cat a.txt")
	r.Timeout = 50 * time.Millisecond
	res := w.check("worker", r)
	if res.Decision.Behavior == engine.Allow || !strings.Contains(res.Decision.Reason, "it was waited for") && !strings.Contains(res.Decision.Message, "it was waited for") {
		t.Errorf("beside a cd that does not end: %+v", res.Decision)
	}
}

// TestInFlight_hammer: many calls of one session that each may move the others' paths, decided
// at the same time, end one after the other and none waits for ever.
func TestInFlight_hammer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch)
	w.write("a.txt", "a")
	var all sync.WaitGroup
	for _, id := range []string{"1", "2", "3", "4", "5", "6"} {
		all.Go(func() {
			r := w.named("h"+id, "cd . && rm -rf build"+id)
			res := w.check("worker", r)
			if res.Decision.Behavior != engine.Allow {
				t.Errorf("%s: %s (%s)", id, res.Decision.Behavior, res.Decision.Reason)
			}
			if _, err := w.Gate.Finish(t.Context(), caller("worker"), wire.Finished{CallID: "h" + id, Tool: "Bash", Input: r.Input, Context: r.Context}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
