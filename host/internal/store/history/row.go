package history

import (
	"fmt"
	"time"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/store"
)

// Columns are the headings for Cells.
func Columns() []string {
	return []string{"seq", "time", "agent", "outcome", "stage", "by", "what", "why"}
}

// Cells is a row as a line of a list, made visible: the event and the reason are cut to 60 and 80
// characters; Entry has them whole. Times are of this machine.
func Cells(r store.Row) []string {
	cells := Raw(r)
	for i, cell := range cells {
		cells[i] = card.Line(cell)
	}
	return cells
}

// Raw is Cells before it is made safe to show.
func Raw(r store.Row) []string {
	outcome, what := string(r.Decision), r.Action
	if r.Event != store.EventDecision {
		outcome, what = string(r.Event), r.RuleText
	}
	return []string{
		fmt.Sprint(r.Seq), r.Time.Local().Format(time.DateTime), r.Agent, outcome, r.Stage, r.DecidedBy, clip(what, 60), clip(r.Detail, 80),
	}
}

// clip shortens a cell.
func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// Outcomes are the words for choosing decisions.
func Outcomes() []string {
	return []string{
		string(store.Allowed), string(store.Denied), string(store.AskApproved),
		string(store.AskDenied), string(store.AskTimeout), string(store.AskCancelled),
	}
}
