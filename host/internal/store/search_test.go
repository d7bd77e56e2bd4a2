package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

// Each filter finds its row and no other, whichever way it is looked for.
func TestAudit_eachFilter(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	at := func(hour int) time.Time { return time.Date(2026, 2, 12, hour, 0, 0, 0, time.UTC) }
	for _, r := range []store.Row{
		{Time: at(1), Agent: "builder", Session: "s1", User: "ann", Tool: "Bash", Action: "tool:bash:100% done", Decision: store.Allowed, RuleID: "r1", RuleText: "Bash(make:*)"},
		{Time: at(2), Agent: "builder", Session: "s2", User: "bob", Tool: "Bash", Action: "tool:bash:a_b", Decision: store.AskApproved, DecidedBy: "ann, cy", AskID: "k1", CallID: "c2"},
		{Time: at(3), Agent: "writer", Session: "s2", User: "dan", Tool: "Read", Action: `tool:view:C:\x`, Decision: store.Denied, Detail: "No Pattern", Input: `{"file_path":"needle"}`},
	} {
		if _, err := s.Append(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	rule, err := s.AddRule(t.Context(), allow("Bash", "make:*"))
	must(t, err)
	for name, c := range map[string]struct {
		f    store.Filter
		want string
	}{
		"nothing":              {store.Filter{}, "1 2 3 4"},
		"agent":                {store.Filter{Agent: "writer"}, "3"},
		"agent, exactly":       {store.Filter{Agent: "writ"}, ""},
		"session":              {store.Filter{Session: "s2"}, "2 3"},
		"tool":                 {store.Filter{Tool: "Read"}, "3"},
		"decision":             {store.Filter{Decision: store.AskApproved}, "2"},
		"user":                 {store.Filter{User: "ann"}, "1"},
		"decided by":           {store.Filter{DecidedBy: "ann"}, "4"},
		"person":               {store.Filter{Person: "ann"}, "1 2 4"},
		"one of several":       {store.Filter{Person: "cy"}, "2"},
		"part of a name":       {store.Filter{Person: "an"}, ""},
		"rule by id":           {store.Filter{Rule: "r1"}, "1"},
		"rule by text":         {store.Filter{Rule: "Bash(make:*)"}, "1 4"},
		"a stored rule":        {store.Filter{Rule: rule.ID}, "4"},
		"call":                 {store.Filter{Call: "c2"}, "2"},
		"ask":                  {store.Filter{Ask: "k1"}, "2"},
		"since, itself in":     {store.Filter{Since: at(2), Event: store.EventDecision}, "2 3"},
		"until, itself out":    {store.Filter{Until: at(2)}, "1"},
		"text":                 {store.Filter{Text: "no pattern"}, "3"},
		"text of the input":    {store.Filter{Text: "NEEDLE"}, "3"},
		"text of a rule":       {store.Filter{Text: "make:"}, "1 4"},
		"percent is a percent": {store.Filter{Text: "100% d"}, "1"},
		"percent is no star":   {store.Filter{Text: "1%e"}, ""},
		"underscore is one":    {store.Filter{Text: "a_b"}, "2"},
		"underscore is no dot": {store.Filter{Text: "a_one"}, ""},
		"backslash":            {store.Filter{Text: `C:\x`}, "3"},
		"all at once":          {store.Filter{Agent: "builder", Session: "s2", Tool: "Bash", Person: "bob", Text: "A_B", Since: at(1), Until: at(9), Decision: store.AskApproved}, "2"},
		"event":                {store.Filter{Event: store.EventRuleAdded, Person: "ann"}, "4"},
		"after":                {store.Filter{After: 3}, "4"},
		"before":               {store.Filter{Before: 2}, "1"},
	} {
		for _, newest := range []bool{false, true} {
			f := c.f
			f.Newest = newest
			got := ""
			for _, r := range rowsOf(t, s, f) {
				one := fmt.Sprint(r.Seq)
				switch {
				case got == "":
					got = one
				case newest:
					got = one + " " + got
				default:
					got += " " + one
				}
			}
			if got != c.want {
				t.Errorf("%s (newest %v): got rows %q, want %q", name, newest, got, c.want)
			}
		}
	}
}
