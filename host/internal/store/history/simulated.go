package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

// Simulated is the effect that a change of the rules would have had on past calls. A call counts as
// changed when it is decided otherwise with the change than without it, and otherwise than it was
// decided then.
type Simulated struct {
	Since time.Time `json:"since"`
	// Calls are the decided calls of that time. Of them, Concerned are of tools and places that the
	// change can concern.
	Calls     int `json:"calls"`
	Concerned int `json:"concerned"`
	// Judged are the different calls that were decided again; each stands for all its repeats.
	Judged int `json:"judged"`
	// Unread calls could not be decided again: the audit keeps them without their secrets, or cut.
	// Moved calls were decided in their session's present directory, which is not that of the call.
	// Untried calls were left when the time was over: the oldest.
	Unread  int `json:"unread"`
	Moved   int `json:"moved"`
	Untried int `json:"untried"`
	// Most is set where more calls could be concerned than a simulation holds: it read no older ones,
	// and counts none of them.
	Most int `json:"most,omitempty"`
	// Changed calls would have been Allowed, Asked about or Denied. Overruled are those of Allowed
	// that a person had denied.
	Changed   int `json:"changed"`
	Allowed   int `json:"allowed"`
	Asked     int `json:"asked"`
	Denied    int `json:"denied"`
	Overruled int `json:"overruled"`
	// Rows are the newest of the changed calls.
	Rows []SimulatedRow `json:"rows"`
}

// SimulatedRow is a past call that would have been decided otherwise.
type SimulatedRow struct {
	Row store.Row `json:"row"`
	// Now is its decision with the change.
	Now engine.Behavior `json:"now"`
}

// Simulating is how far a simulation is.
type Simulating struct {
	// Read are the calls read so far; then Judged of Total different calls are decided again.
	Read   int `json:"read"`
	Judged int `json:"judged"`
	Total  int `json:"total"`
}

// Limits are sentences about the calls that a simulation could not decide as they came; none when
// there are no such calls.
func (s Simulated) Limits() (lines []string) {
	for _, l := range []struct {
		n    int
		text string
	}{
		{s.Unread, "calls held a secret that the audit removed, or were cut, and could not be decided again"},
		{s.Moved, "calls ran in a directory that is not known, and were decided in their session's present one"},
		{s.Untried, "older calls were left out: the time was over"},
	} {
		if l.n > 0 {
			lines = append(lines, fmt.Sprintf("%d %s.", l.n, l.text))
		}
	}
	if s.Most > 0 {
		lines = append(lines, fmt.Sprintf("A simulation holds at most %d calls that the change can concern. Older calls were not read and are not counted.", s.Most))
	}
	return lines
}

// Summary is the result in one sentence.
func (s Simulated) Summary() string {
	if s.Changed == 0 {
		return fmt.Sprintf("It would have changed none of %d calls.", s.Calls)
	}
	var parts []string
	for _, p := range []struct {
		n    int
		text string
	}{{s.Allowed, "would have run without a question"}, {s.Asked, "would have been asked about"}, {s.Denied, "would have been denied"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.text))
		}
	}
	return fmt.Sprintf("It would have changed %d of %d calls: %s.", s.Changed, s.Calls, strings.Join(parts, ", "))
}

// Effect is a changed call's new decision, for people.
func (r SimulatedRow) Effect() string {
	switch r.Now {
	case engine.Allow:
		return "would have run"
	case engine.Ask:
		return "would have asked"
	}
	return "would have been denied"
}
