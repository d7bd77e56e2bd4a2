package gate

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
)

// Simulation is a change of the stored rules, to be tried on past calls.
type Simulation struct {
	// Add are rules as AddRule would store them, Remove ids of stored ones.
	Add    []engine.Rule
	Remove []string
	// Since bounds the calls; Rows is how many of the changed ones are returned.
	Since time.Time
	Rows  int
	// Within bounds the time for deciding calls again; 0 is no bound.
	Within time.Duration
	// Most bounds the calls that it holds in memory; 0 means 1,000,000. The newest count.
	Most int
}

// Simulate decides past calls again, without the change and with it, and returns the differences.
// It asks, stores and audits nothing. report, possibly nil, hears of the progress, from one
// goroutine at a time. One simulation runs at a time; the others wait. store.ErrNotFound for a
// removed rule that is not stored.
//
// RATIONALE.md, "Which calls does a simulation decide again?".
func (g *Gate) Simulate(ctx context.Context, s Simulation, report func(history.Simulating)) (history.Simulated, error) {
	select {
	case g.rehearsing <- struct{}{}:
		defer func() { <-g.rehearsing }()
	case <-ctx.Done():
		return history.Simulated{}, ctx.Err()
	}
	if report == nil {
		report = func(history.Simulating) {}
	}
	r, err := g.newRehearsal(ctx, s)
	if err != nil {
		return history.Simulated{}, err
	}
	defer r.tools.Release()
	if err := r.read(ctx, report); err != nil {
		return history.Simulated{}, err
	}
	if err := r.judgeAll(ctx, report); err != nil {
		return history.Simulated{}, err
	}
	return r.result(ctx)
}

// errTaken ends the reading of past calls that are more than a simulation takes.
var errTaken = errors.New("more calls than a simulation takes")

// maxPast is Simulation.Most where it says nothing.
const maxPast = 1_000_000

// readPause is after how many calls the reading is reported.
const readPause = 10_000

// read takes the past calls that the change can concern, each different one once.
func (r *rehearsal) read(ctx context.Context, report func(history.Simulating)) error {
	for call, err := range r.gate.c.Store.PastCalls(ctx, r.s.Since) {
		if err != nil {
			return err
		}
		if r.out.Calls++; r.out.Calls%readPause == 0 {
			report(history.Simulating{Read: r.out.Calls})
		}
		if err := r.take(ctx, call); errors.Is(err, errTaken) {
			r.out.Most = r.most()
			break
		} else if err != nil {
			return err
		}
	}
	report(history.Simulating{Read: r.out.Calls, Total: len(r.different)})
	return nil
}

// take notes one past call.
func (r *rehearsal) take(ctx context.Context, call store.PastCall) error {
	if call.Digest == "" || !r.concerns(call.Tool) {
		return nil // without a digest it was no call: a malformed request
	}
	at, err := r.placeOf(ctx, call)
	if err != nil {
		return err
	}
	if !at.concerned {
		return nil
	}
	r.out.Concerned++
	if r.certain(call) {
		return nil
	}
	if len(r.calls) == r.most() {
		return errTaken
	}
	key := sameCall{at, call.Tool, call.Digest}
	same := r.same[key]
	if same == nil {
		same = &rehearsed{call: call, at: at}
		r.same[key] = same
		r.different = append(r.different, same)
	}
	r.calls = append(r.calls, past{call.Seq, call.Decision, same})
	return nil
}

func (r *rehearsal) most() int { return cmp.Or(r.s.Most, maxPast) }

// certain reports whether a call's outcome then and the kind of the change tell enough: an added
// allow rule leaves an allowed call allowed, an added deny rule a denied one denied. A call whose
// place was uncertain then stays as uncertain with more allow rules.
func (r *rehearsal) certain(call store.PastCall) bool {
	switch {
	case r.only(engine.Allow):
		return call.Decision == store.Allowed || call.Code == engine.CodeShellChanged || call.Code == engine.CodeUnsettled
	case r.only(engine.Deny):
		return call.Decision == store.Denied
	}
	return false
}

// result counts the differences and reads the rows of the newest ones.
func (r *rehearsal) result(ctx context.Context) (history.Simulated, error) {
	out := &r.out
	for _, p := range r.calls {
		switch {
		case p.same.state == untried:
			out.Untried++
		case p.same.state == unread:
			out.Unread++
		default:
			if p.same.moved {
				out.Moved++
			}
			if p.same.with == p.same.without || p.same.with == behaviorOf(p.was) {
				continue
			}
			r.count(p)
			if len(out.Rows) < r.s.Rows {
				out.Rows = append(out.Rows, history.SimulatedRow{Row: store.Row{Seq: p.seq}, Now: p.same.with})
			}
		}
	}
	for i := range out.Rows { // one that retention has removed meanwhile keeps its number alone
		row, err := history.Row(ctx, r.gate.c.Store, out.Rows[i].Row.Seq)
		switch {
		case err == nil:
			out.Rows[i].Row = row
		case !errors.Is(err, store.ErrNotFound):
			return history.Simulated{}, err
		}
	}
	return *out, nil
}

// count counts a changed call.
func (r *rehearsal) count(p past) {
	r.out.Changed++
	switch p.same.with {
	case engine.Allow:
		r.out.Allowed++
		if p.was == store.AskDenied {
			r.out.Overruled++
		}
	case engine.Ask:
		r.out.Asked++
	default:
		r.out.Denied++
	}
}

// behaviorOf is the decision behind an outcome: whatever became of an ask, the call was asked about.
func behaviorOf(o store.Outcome) engine.Behavior {
	switch o {
	case store.Allowed:
		return engine.Allow
	case store.Denied:
		return engine.Deny
	}
	return engine.Ask
}
