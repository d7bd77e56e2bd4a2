package discord

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/store"
)

func TestButton_approves(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("npm install left-pad")
	seen, err := w.ann.Click(w.context(), m.ID, "Approve")
	must(t, err)
	if seen.Message == nil || seen.Message.ID != m.ID || len(seen.Message.Components) != 0 {
		t.Errorf("the answer to the click is not the card made new: %+v", seen)
	}
	w.wants(done, store.AskApproved)
	end := w.final(m.ID, "approved")
	if !strings.Contains(end.Content, "npm install left-pad") || !strings.Contains(end.Content, "ann") {
		t.Errorf("the card does not keep what was asked, or who approved:\n%s", end.Content)
	}
	rows := w.rows(store.EventAskAnswered)
	if len(rows) != 1 || rows[0].AskID != a.ID || rows[0].DecidedBy != "ann" || !strings.Contains(rows[0].Detail, w.ann.ID) ||
		!strings.Contains(rows[0].Detail, "by button") || !strings.Contains(rows[0].Detail, m.ID) || rows[0].Latency <= 0 {
		t.Errorf("the audit: %+v", rows)
	}
}
