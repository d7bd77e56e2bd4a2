package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// A tally counts each decision in its step, and no other row.
func TestTally(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	since := time.Date(2026, 2, 12, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		minute   int
		tool     string
		decision store.Outcome
	}{
		{-1, "Bash", store.AskApproved}, // before
		{0, "Bash", store.Allowed}, {59, "Bash", store.AskApproved}, {59, "Bash", store.AskDenied},
		{120, "Read", store.AskTimeout}, {121, "Read", store.Denied}, {122, "Bash", store.AskCancelled},
		{180, "Bash", store.AskApproved}, // after
	} {
		r := decision()
		r.Time, r.Tool, r.Action, r.Decision = since.Add(time.Duration(c.minute)*time.Minute), c.tool, "tool:x:"+c.tool, c.decision
		if _, err := s.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.AddRule(t.Context(), allow("Bash", "make:*")); err != nil {
		t.Fatal(err)
	}
	got, err := s.Tally(t.Context(), since, since.Add(3*time.Hour), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	steps := ""
	for _, step := range got.Steps {
		steps += fmt.Sprintf("%d:%d/%d/%d ", step.At.Hour(), step.Calls, step.Asked, step.Denied)
	}
	if want := "0:3/2/1 2:3/2/3 "; steps != want {
		t.Errorf("steps are %s: want %s", steps, want)
	}
	list := func(causes []store.Cause) (out string) {
		for _, c := range causes {
			out += fmt.Sprintf("%s x%d %s #%d ", c.Action, c.Calls, c.Decision, c.Seq)
		}
		return out
	}
	if want := "tool:x:Bash x3 ask_cancelled #7 tool:x:Read x1 ask_timeout #5 "; list(got.Asked) != want {
		t.Errorf("asked are %s: want %s", list(got.Asked), want)
	}
	if want := "tool:x:Bash x2 ask_cancelled #7 tool:x:Read x2 deny #6 "; list(got.Denied) != want || !got.Whole {
		t.Errorf("denied are %s: want %s", list(got.Denied), want)
	}
	if none, err := s.Tally(t.Context(), since.AddDate(1, 0, 0), since.AddDate(2, 0, 0), 7*24*time.Hour); err != nil || len(none.Steps)+len(none.Asked)+len(none.Denied) > 0 {
		t.Errorf("a time without rows: %+v, %v", none, err)
	}
	if _, err := s.Tally(t.Context(), since, since.AddDate(1, 0, 0), time.Hour); err == nil {
		t.Error("too many steps were taken")
	}
	if _, err := s.Tally(t.Context(), since, since, time.Hour); err == nil {
		t.Error("no time at all was taken")
	}
}
