package console

import (
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

// The axis ends at a round number above every bar, with a handful of lines.
func TestScale(t *testing.T) {
	for most, want := range map[float64]string{0: "1 1", 0.4: "1 1", 1: "1 1", 7: "8 2", 28.6: "30 10", 100: "100 50", 1234: "1500 500"} {
		end, step := scale(most)
		if got := fmt.Sprint(end, " ", step); got != want {
			t.Errorf("scale(%v) is %s: want %s", most, got, want)
		}
	}
}

// A bar is at its time, its parts one above the other and inside the picture.
func TestChart(t *testing.T) {
	since := time.Date(2026, 2, 12, 0, 0, 0, 0, time.Local)
	d := drawing{since: since, until: since.Add(4 * time.Hour), step: time.Hour}
	d.add(since.Add(3*time.Hour), "three", part{"denied", 1}, part{"none", 0}, part{"ran", 3})
	c := d.chart()
	if len(c.Bars) != 1 || fmt.Sprint(c.Bars[0]) != "{three 571.7 128.1 [{denied 123.5 36.5} {ran 14.0 109.5}]}" {
		t.Errorf("got %v", c.Bars)
	}
}

// The rule for the most calls joins causes; one agent's rule says nothing of another's.
func TestMerged(t *testing.T) {
	cause := func(agent, action string, calls int, rules ...string) triedCause {
		return triedCause{Cause: store.Cause{Action: action, Calls: calls}, agent: agent, rules: rules, why: "none"}
	}
	got := merged([]triedCause{
		cause("a", "x", 5), cause("a", "npm run build", 4, "exact", "wide"), cause("a", "npm run test", 3, "other", "wide"), cause("b", "npm run test", 1, "wide"),
	})
	text := ""
	for _, c := range got {
		text += fmt.Sprintf("%d %s %q %s %q; ", c.Calls, c.Agent, c.Rule, c.Example.Action, c.Why)
	}
	if want := `7 a "wide" npm run build ""; 5 a "" x "none"; 1 b "wide" npm run test ""; `; text != want {
		t.Errorf("got %s\nwant %s", text, want)
	}
	rule := func(content string, set int) engine.Suggestion {
		return engine.Suggestion{Tool: "Bash", Content: &content, Set: set}
	}
	if got := lone([]engine.Suggestion{rule("a", 0), rule("b", 1), rule("c", 1)}); fmt.Sprint(got) != "[Bash(a)]" {
		t.Errorf("a rule in a set of two counts: %v", got)
	}
}
