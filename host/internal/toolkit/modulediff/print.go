package modulediff

import (
	"fmt"
	"io"

	"github.com/callgate/callgate/host/internal/approval/card"
)

// Print writes the counts, and of each direction at most so many changes. Texts of
// modules and calls are made harmless.
func (r *Report) Print(w io.Writer, most int) {
	fmt.Fprintf(w, "%s\n-> %s\n%d rows of the audit, %d different calls, %d stored rules\n", card.Line(r.Old), card.Line(r.New), r.Rows, r.Calls, r.Rules)
	if r.Masked > 0 {
		fmt.Fprintf(w, "%d of the calls are kept with secrets masked: what the versions answer to the real ones may differ\n", r.Masked)
	}
	if r.Unreadable > 0 {
		fmt.Fprintf(w, "%d rows are left out: their input is kept in part, or was none, or there were too many\n", r.Unreadable)
	}
	if len(r.Changes) == 0 && len(r.RuleChanges) == 0 {
		fmt.Fprintln(w, "both versions answer the same")
		return
	}
	for _, d := range directions {
		r.print(w, d, most)
	}
	if len(r.RuleChanges) > 0 {
		fmt.Fprintln(w, "\nrules whose names it answers for otherwise:")
	}
	for _, c := range r.RuleChanges {
		fmt.Fprintf(w, "  %s: %s %s\n", c.Direction, c.ID, card.Line(c.String()))
	}
}

func (r *Report) print(w io.Writer, d Direction, most int) {
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
	shown, left := 0, 0
	for _, c := range r.Changes {
		if c.Direction != d {
			continue
		}
		if shown == most {
			left++
			continue
		}
		shown++
		c.print(w)
	}
	if left > 0 {
		fmt.Fprintf(w, "  and %d more (--all shows them)\n", left)
	}
}

func (c Change) print(w io.Writer) {
	note := "once"
	if c.Call.Times > 1 {
		note = fmt.Sprintf("%d times", c.Call.Times)
	}
	if c.Call.Masked {
		note += ", masked"
	}
	fmt.Fprintf(w, "  %s %s\n    (row %d, then %s, %s)\n    %s: %s -> %s\n",
		card.Line(c.Call.Tool), card.Line(string(c.Call.Input)), c.Call.Seq, c.Call.Decision, note,
		card.Line(c.Kind), orNothing(c.Was), orNothing(c.Is))
}

func orNothing(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return card.Line(text)
}
