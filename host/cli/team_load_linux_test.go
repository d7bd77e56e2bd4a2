package cli

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client"
)

// load has calls allowed by all daemons of a team, each worker in a session of its own.
type load struct {
	*team
	name    string
	workers int
	agents  []*client.Client // of each daemon
	ids     atomic.Int64
}

func newLoad(tm *team, name string, workers int) *load {
	return &load{team: tm, name: name, workers: workers, agents: tm.agents()}
}

// agents connects to each daemon.
func (tm *team) agents() (agents []*client.Client) {
	for _, m := range tm.members {
		agents = append(agents, m.agent(tm.t))
	}
	return agents
}

// one has one call allowed.
func (l *load) one(worker int) error {
	agent := l.agents[worker%len(l.agents)]
	id := fmt.Sprintf("%s-%d", l.name, l.ids.Add(1))
	res, err := agent.Check(l.t.Context(), bashCall(fmt.Sprintf("%s-%d", l.name, worker), id, "ls -la"), nil)
	if err == nil && (res.Decision.Behavior != engine.Allow || res.AuditSeq == 0) {
		err = fmt.Errorf("call %s: got %+v in row %d, want an allow with its row", id, res.Decision, res.AuditSeq)
	}
	return err
}

// full sends calls as fast as they are answered. It returns how many a second were, and the
// processor time behind them.
func (l *load) full(length time.Duration) (rate float64, times []time.Duration, spent usage) {
	l.run(2*time.Second, 0) // connections, sessions and the module's answers
	before, begun := l.used(), time.Now()
	times = l.run(length, 0)
	return float64(len(times)) / time.Since(begun).Seconds(), times, l.used().since(before)
}

// run sends calls for a time: each worker one after the other, or one in every period, begun at its
// time whatever the ones before took. It returns how long each took, from that time on.
func (l *load) run(length, period time.Duration) (times []time.Duration) {
	end := time.Now().Add(length)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for worker := range l.workers {
		workers.Go(func() {
			due := time.Now().Add(period * time.Duration(worker) / time.Duration(l.workers))
			for time.Now().Before(end) && !l.t.Failed() {
				if period == 0 {
					due = time.Now()
				}
				time.Sleep(time.Until(due))
				if err := l.one(worker); err != nil {
					l.t.Error(err)
					return
				}
				mu.Lock()
				times = append(times, time.Since(due))
				mu.Unlock()
				due = due.Add(period)
			}
		})
	}
	workers.Wait()
	return times
}

// spread tells the middle and the end of some times.
func spread(times []time.Duration) string {
	if len(times) == 0 {
		return "none"
	}
	slices.Sort(times)
	at := func(share float64) time.Duration {
		return times[min(int(share*float64(len(times))), len(times)-1)].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("p50 %s, p99 %s, longest %s of %d", at(.5), at(.99), at(1), len(times))
}

// loadAverage is the first number of the machine's load average.
func (l *load) loadAverage() string {
	text := read(l.t, "/proc/loadavg")
	return text[:max(0, slices.Index([]byte(text), ' '))]
}
