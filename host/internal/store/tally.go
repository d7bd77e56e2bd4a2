package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// The bounds of a tally. Of the rows behind its causes the newest tell enough.
const (
	MaxTallySteps = 100
	maxCauseRows  = 2000
	maxCauses     = 40
)

// Tally counts decisions between Since, inclusive, and Until, exclusive, in steps of equal length.
type Tally struct {
	Since time.Time     `json:"since"`
	Until time.Time     `json:"until"`
	Step  time.Duration `json:"step_ns"`
	// Steps are those with decisions, the oldest first.
	Steps []TallyStep `json:"steps"`
	// Asked are calls that waited for a person, Denied are those that did not run; the most frequent
	// first, equal calls once, at most 40 each. They come from the newest 2,000 such rows; Whole
	// means that these were all.
	Asked  []Cause `json:"asked"`
	Denied []Cause `json:"denied"`
	Whole  bool    `json:"whole"`
}

// TallyStep are the decisions of one step. Asked counts every call that waited for a person, also
// those that a person denied; Denied counts every call that did not run.
type TallyStep struct {
	At     time.Time `json:"at"`
	Calls  int       `json:"calls"`
	Asked  int       `json:"asked"`
	Denied int       `json:"denied"`
}

// Cause is a call that came several times.
type Cause struct {
	Tool   string `json:"tool"`
	Action string `json:"action_string"`
	// Decision and Stage are of the newest row, Seq its number.
	Decision Outcome `json:"decision"`
	Stage    string  `json:"stage"`
	Seq      int64   `json:"seq"`
	Calls    int     `json:"calls"`
}

// Tally counts the decisions since a time in steps. It reads no row that simply allowed: the calls
// of a step are its rows but the events, for the rows of the audit have no gaps.
func (s *Store) Tally(ctx context.Context, since, until time.Time, step time.Duration) (Tally, error) {
	t := Tally{Since: since, Until: until, Step: step, Steps: []TallyStep{}}
	if step <= 0 || !since.Before(until) || until.Sub(since) > MaxTallySteps*step {
		return t, fmt.Errorf("tally from %s to %s in steps of %s: want at most %d steps", since, until, step, MaxTallySteps)
	}
	bounds, err := s.tallyBounds(ctx, &t)
	if err == nil {
		err = s.tallyEvents(ctx, &t, bounds)
	}
	if err == nil {
		err = s.tallyStopped(ctx, &t, bounds)
	}
	if err == nil {
		err = s.tallyCauses(ctx, &t, bounds)
	}
	if err != nil {
		return t, fmt.Errorf("tally: %w", s.closedOr(err))
	}
	t.Steps = slices.DeleteFunc(t.Steps, func(one TallyStep) bool { return one.Calls == 0 })
	return t, nil
}

// tallyBounds makes the steps, with all their rows as calls. It returns the number of the first row of each, and
// of the first row after all of them.
func (s *Store) tallyBounds(ctx context.Context, t *Tally) ([]int64, error) {
	var low, end int64
	if err := s.reads.QueryRowContext(ctx, "SELECT coalesce(min(seq), 1), coalesce(max(seq), 0) + 1 FROM audit_log").Scan(&low, &end); err != nil {
		return nil, err
	}
	var bounds []int64
	for at := t.Since; ; at = at.Add(t.Step) {
		if at.After(t.Until) {
			at = t.Until
		}
		seq, err := s.seqSince(ctx, at, low, end)
		if err != nil {
			return nil, err
		}
		if len(bounds) > 0 {
			t.Steps[len(t.Steps)-1].Calls = int(seq - low)
		}
		bounds, low = append(bounds, seq), seq
		if at.Equal(t.Until) {
			return bounds, nil
		}
		t.Steps = append(t.Steps, TallyStep{At: at})
	}
}

// seqSince is the number of the first row since a time, between two others. It halves the rows: their times grow, as far
// as the clock was never set back.
func (s *Store) seqSince(ctx context.Context, since time.Time, low, end int64) (int64, error) {
	for low < end {
		middle := low + (end-low)/2
		var at int64
		if err := s.reads.QueryRowContext(ctx, "SELECT timestamp FROM audit_log WHERE seq >= ? ORDER BY seq LIMIT 1", middle).Scan(&at); err != nil {
			return 0, err
		}
		if at < moment(since) {
			low = middle + 1
		} else {
			end = middle
		}
	}
	return low, nil
}

// stepOf is the step of a row between the first and the last bound.
func stepOf(bounds []int64, seq int64) int {
	n, _ := slices.BinarySearch(bounds, seq+1)
	return n - 1
}

// tallyEvents takes the rows that are no decisions out of the calls.
func (s *Store) tallyEvents(ctx context.Context, t *Tally, bounds []int64) error {
	rows, err := s.reads.QueryContext(ctx, "SELECT seq FROM audit_log"+s.db.by("audit_events")+" WHERE event <> 'decision' AND seq >= ? AND seq < ?", bounds[0], bounds[len(bounds)-1])
	if err != nil {
		return err
	}
	defer rows.Close() // its error comes out of rows.Err
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return err
		}
		t.Steps[stepOf(bounds, seq)].Calls--
	}
	return rows.Err()
}

// stoppedRows chooses the decisions that asked or denied, by their index.
func (s *Store) stoppedRows() string {
	return " FROM audit_log" + s.db.by("audit_stopped") + " WHERE decision NOT IN ('', 'allow') AND seq >= ? AND seq < ?"
}

func (s *Store) tallyStopped(ctx context.Context, t *Tally, bounds []int64) error {
	rows, err := s.reads.QueryContext(ctx, "SELECT seq, decision"+s.stoppedRows(), bounds[0], bounds[len(bounds)-1])
	if err != nil {
		return err
	}
	defer rows.Close() // its error comes out of rows.Err
	for rows.Next() {
		var seq int64
		var decision Outcome
		if err := rows.Scan(&seq, &decision); err != nil {
			return err
		}
		one := &t.Steps[stepOf(bounds, seq)]
		if asked(decision) {
			one.Asked++
		}
		if stopped(decision) {
			one.Denied++
		}
	}
	return rows.Err()
}

// tallyCauses reads the newest rows that asked or denied.
func (s *Store) tallyCauses(ctx context.Context, t *Tally, bounds []int64) error {
	rows, err := s.reads.QueryContext(ctx, "SELECT seq, tool, action_string, decision, stage"+s.stoppedRows()+" ORDER BY seq DESC LIMIT ?",
		bounds[0], bounds[len(bounds)-1], maxCauseRows)
	if err != nil {
		return err
	}
	defer rows.Close() // its error comes out of rows.Err
	waited, refused := causes{}, causes{}
	n := 0
	for ; rows.Next(); n++ {
		c := Cause{Calls: 1}
		if err := rows.Scan(&c.Seq, &c.Tool, &c.Action, &c.Decision, &c.Stage); err != nil {
			return err
		}
		if asked(c.Decision) {
			waited.add(c)
		}
		if stopped(c.Decision) {
			refused.add(c)
		}
	}
	t.Asked, t.Denied, t.Whole = waited.list(), refused.list(), n < maxCauseRows
	return rows.Err()
}

// asked reports whether a call waited for a person, stopped whether it did not run.
func asked(o Outcome) bool {
	return o == AskApproved || o == AskDenied || o == AskTimeout || o == AskCancelled
}
func stopped(o Outcome) bool { return o != Allowed && o != AskApproved }

// causes are calls by tool and action.
type causes map[[2]string]*Cause

// add counts a call; of equal ones the first stays.
func (m causes) add(c Cause) {
	key := [2]string{c.Tool, c.Action}
	if known := m[key]; known != nil {
		known.Calls++
		return
	}
	m[key] = &c
}

// list are the most frequent ones, the newest of equally frequent ones first.
func (m causes) list() []Cause {
	all := make([]Cause, 0, len(m))
	for _, c := range m {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b Cause) int { return cmp.Or(b.Calls-a.Calls, cmp.Compare(b.Seq, a.Seq)) })
	return all[:min(len(all), maxCauses)]
}
