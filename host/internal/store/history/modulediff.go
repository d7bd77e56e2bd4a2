package history

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/store"
)

// Direction tells whether a change lets more happen.
type Direction string

// The directions, the most dangerous first. Other is a change of words, actions or
// suggestions: nothing is allowed by it alone, but a profile may read the action.
const (
	Loosened  Direction = "loosened"
	Other     Direction = "other"
	Tightened Direction = "tightened"
)

// AnswerChange is one difference between the answers of the two versions to a call.
type AnswerChange struct {
	Direction Direction `json:"direction"`
	// Kind names the change, such as "check" or "allow rule staging/*".
	Kind string   `json:"kind"`
	Was  string   `json:"was"`
	Is   string   `json:"is"`
	Call DiffCall `json:"call"`
}

// ChangeCount is how many calls have changes of one kind.
type ChangeCount struct {
	Direction Direction `json:"direction"`
	Kind      string    `json:"kind"`
	Calls     int       `json:"calls"`
}

// ModuleDiff is the result of a comparison.
type ModuleDiff struct {
	Old string `json:"old"`
	New string `json:"new"`
	// Rows of the audit were read; Calls different ones put to both versions, of which Masked
	// hold placeholders; Unreadable rows were left out.
	Rows       int `json:"rows"`
	Calls      int `json:"calls"`
	Masked     int `json:"masked"`
	Unreadable int `json:"unreadable"`
	// Untried of the calls were left when the time was over. Older means that older calls were not
	// read, because there were more than a comparison takes.
	Untried int  `json:"untried,omitempty"`
	Older   bool `json:"older,omitempty"`
	// Rules is how many stored rules were tried.
	Rules  int           `json:"rules"`
	Counts []ChangeCount `json:"counts"`
	// Changes are ordered by direction, then as the calls are; RuleChanges are those of rules
	// for changed names.
	Changes     []AnswerChange `json:"changes"`
	RuleChanges []NameChange   `json:"rule_changes"`
}

// Loosened reports whether anything would be let through sooner.
func (r *ModuleDiff) Loosened() bool {
	return slices.ContainsFunc(r.Changes, func(c AnswerChange) bool { return c.Direction == Loosened }) ||
		slices.ContainsFunc(r.RuleChanges, func(c NameChange) bool { return c.Direction == Loosened })
}

// DiffCall is one past call, or several with the same tool and input.
type DiffCall struct {
	// Seq and Time are of the audit's last row of it.
	Seq   int64           `json:"seq"`
	Time  time.Time       `json:"timestamp"`
	Tool  string          `json:"tool"`
	Input json.RawMessage `json:"input"`
	// Masked means: the audit holds placeholders where secrets were.
	Masked bool `json:"masked,omitempty"`
	// Decision is its latest outcome; Times how often it came.
	Decision store.Outcome `json:"decision"`
	Times    int           `json:"times"`
}

// Often says how often a call came, and whether its secrets are masked.
func (c DiffCall) Often() string {
	often := "once"
	if c.Times > 1 {
		often = fmt.Sprintf("%d times", c.Times)
	}
	if c.Masked {
		often += ", masked"
	}
	return often
}

// NameChange is a rule in force for other calls with the new version, because of its new names:
// no past call has to show it.
type NameChange struct {
	Direction Direction `json:"direction"`
	ID        string    `json:"id,omitempty"`
	Rule      string    `json:"rule"`
	// Names are those of the calls, What is the change.
	Names []string `json:"names"`
	What  string   `json:"what"`
}

// String implements fmt.Stringer.
func (c NameChange) String() string {
	return fmt.Sprintf("%s: %s: %s", c.Rule, strings.Join(c.Names, ", "), c.What)
}

// Directions are all of them, in the order of Sort.
func Directions() []Direction { return []Direction{Loosened, Other, Tightened} }

func (d Direction) rank() int { return slices.Index(Directions(), d) }

// Sort orders the differences by direction, and counts those of calls.
func (r *ModuleDiff) Sort() {
	slices.SortStableFunc(r.Changes, func(a, b AnswerChange) int { return a.Direction.rank() - b.Direction.rank() })
	slices.SortStableFunc(r.RuleChanges, func(a, b NameChange) int { return a.Direction.rank() - b.Direction.rank() })
	for _, c := range r.Changes {
		i := slices.IndexFunc(r.Counts, func(n ChangeCount) bool { return n.Direction == c.Direction && n.Kind == c.Kind })
		if i < 0 {
			r.Counts, i = append(r.Counts, ChangeCount{Direction: c.Direction, Kind: c.Kind}), len(r.Counts)
		}
		r.Counts[i].Calls++
	}
}

// Shorten keeps at most so many differences of each direction; Counts still count all.
func (r *ModuleDiff) Shorten(most int) {
	kept := map[Direction]int{}
	r.Changes = slices.DeleteFunc(r.Changes, func(c AnswerChange) bool {
		kept[c.Direction]++
		return kept[c.Direction] > most
	})
}

// Of are the differences of one direction, and how many more Shorten has left out.
func (r *ModuleDiff) Of(d Direction) (shown []AnswerChange, left int) {
	for _, c := range r.Changes {
		if c.Direction == d {
			shown = append(shown, c)
		}
	}
	for _, n := range r.Counts {
		if n.Direction == d {
			left += n.Calls
		}
	}
	return shown, left - len(shown)
}

// Same reports whether no difference was found.
func (r *ModuleDiff) Same() bool { return len(r.Changes)+len(r.RuleChanges) == 0 }

// Limits are sentences about what the comparison could not see; none when there is nothing to say.
func (r *ModuleDiff) Limits() (lines []string) {
	for _, l := range []struct {
		n    int
		text string
	}{
		{r.Masked, "of the calls are kept with secrets masked: what the versions answer to the real ones may differ"},
		{r.Unreadable, "rows are left out: their input is kept in part, or was none, or there were too many"},
		{r.Untried, "of the calls were left out: the time was over"},
	} {
		if l.n > 0 {
			lines = append(lines, fmt.Sprintf("%d %s", l.n, l.text))
		}
	}
	if r.Older {
		lines = append(lines, "there were more calls: those older than these were not read")
	}
	return lines
}

// Print writes the counts, and of each direction at most so many changes. Texts of
// modules and calls are made harmless.
func (r *ModuleDiff) Print(w io.Writer, most int) {
	fmt.Fprintf(w, "%s\n-> %s\n%d rows of the audit, %d different calls, %d stored rules\n", card.Line(r.Old), card.Line(r.New), r.Rows, r.Calls, r.Rules)
	for _, line := range r.Limits() {
		fmt.Fprintln(w, line)
	}
	if r.Same() {
		fmt.Fprintln(w, "both versions answer the same")
		return
	}
	for _, d := range Directions() {
		r.print(w, d, most)
	}
	if len(r.RuleChanges) > 0 {
		fmt.Fprintln(w, "\nrules whose names it answers for otherwise:")
	}
	for _, c := range r.RuleChanges {
		fmt.Fprintf(w, "  %s: %s %s\n", c.Direction, c.ID, card.Line(c.String()))
	}
}

func (r *ModuleDiff) print(w io.Writer, d Direction, most int) {
	title := string(d)
	for _, n := range r.Counts {
		if n.Direction == d {
			if title != "" {
				fmt.Fprintf(w, "\n%s:\n", title)
				title = ""
			}
			fmt.Fprintf(w, "  %5d  %s\n", n.Calls, card.Line(n.Kind))
		}
	}
	all, left := r.Of(d)
	if len(all) > most {
		all, left = all[:most], left+len(all)-most
	}
	for _, c := range all {
		c.print(w)
	}
	if left > 0 {
		fmt.Fprintf(w, "  and %d more (--all shows them)\n", left)
	}
}

func (c AnswerChange) print(w io.Writer) {
	fmt.Fprintf(w, "  %s %s\n    (row %d, then %s, %s)\n    %s: %s -> %s\n",
		card.Line(c.Call.Tool), card.Line(string(c.Call.Input)), c.Call.Seq, c.Call.Decision, c.Call.Often(),
		card.Line(c.Kind), orNothing(c.Was), orNothing(c.Is))
}

func orNothing(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return card.Line(text)
}
