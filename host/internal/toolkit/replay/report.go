package replay

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/store"
)

// Late is the number of a session's calls after which the gate has learnt all it can.
const Late = 30

// Report is the result of a replay.
type Report struct {
	// All is over all sources, Sources over each.
	All     Row   `json:"all"`
	Sources []Row `json:"sources"`
	// Causes are the subjects of asks, the most frequent first; Denials the denials without a
	// question.
	Causes  []Cause `json:"causes"`
	Denials []Cause `json:"denials"`
	// Best are the rules that would have saved asks; nil when not looked for.
	Best *Advice `json:"best,omitempty"`
}

// Row counts calls.
type Row struct {
	Name     string `json:"name"`
	Sessions int    `json:"sessions"`
	Calls    int    `json:"calls"`
	Asks     int    `json:"asks"`
	// Per100 are the asks of 100 calls, Late100 of those after a session's first Late.
	Per100  float64 `json:"asks_per_100"`
	Late100 float64 `json:"asks_per_100_after_first_30"`
	// Median is the median of the sessions' asks per 100; Quiet of 100 sessions have at
	// most 3.
	Median float64 `json:"median_session"`
	Quiet  float64 `json:"sessions_with_at_most_3_per_100"`
	// Repeats are asks about the very same call of a session; Again those like an earlier one
	// with stored rules; AgainUnstored like one without.
	Repeats       int `json:"repeats"`
	Again         int `json:"like_an_earlier_one_stored"`
	AgainUnstored int `json:"like_an_earlier_one_not_stored"`
	// NoOffer are asks without a rule on offer.
	NoOffer int `json:"asks_without_an_offer"`
	Denied  int `json:"denied"`
	// Failed are calls without a decision.
	Failed int `json:"failed"`
}

// Cause is one kind of ask or denial.
type Cause struct {
	Tool string `json:"tool"`
	Code string `json:"code"`
	// What is the rough subject: the first words of the uncovered parts, or the reason.
	What string `json:"what"`
	// Calls are how many, NoOffer those without a rule on offer, Again those like an
	// earlier one of the session.
	Calls   int `json:"calls"`
	NoOffer int `json:"without_an_offer"`
	Again   int `json:"again"`
	// Examples are some of the calls.
	Examples []string `json:"examples"`
}

// maxExamples are kept of each cause.
const maxExamples = 3

// Summarize counts the outcomes.
func Summarize(outcomes []Outcome) Report {
	r := Report{All: row("all", outcomes), Sources: []Row{}, Causes: causes(outcomes, isAsked), Denials: causes(outcomes, isDenied)}
	bySource := map[string][]Outcome{}
	for _, o := range outcomes {
		bySource[o.Source] = append(bySource[o.Source], o)
	}
	for _, name := range slices.Sorted(maps.Keys(bySource)) {
		r.Sources = append(r.Sources, row(name, bySource[name]))
	}
	return r
}

func isAsked(o *Outcome) bool { return o.Asked }

func isDenied(o *Outcome) bool {
	return o.Outcome != store.Allowed && o.Outcome != store.AskApproved && o.Error == ""
}

func row(name string, outcomes []Outcome) Row {
	r := Row{Name: name, Calls: len(outcomes)}
	type count struct{ calls, asks int }
	sessions := map[[2]string]count{}
	var late count
	for i := range outcomes {
		o := &outcomes[i]
		c := sessions[[2]string{o.Source, o.Session}]
		c.calls++
		c.asks += one(o.Asked)
		sessions[[2]string{o.Source, o.Session}] = c
		if o.Seq >= Late {
			late.calls++
			late.asks += one(o.Asked)
		}
		r.Asks += one(o.Asked)
		r.Repeats += one(o.Repeat)
		r.Again += one(o.KindRepeat == "stored")
		r.AgainUnstored += one(o.KindRepeat == "not stored")
		r.NoOffer += one(o.Asked && len(o.Suggestions) == 0)
		r.Denied += one(isDenied(o))
		r.Failed += one(o.Error != "")
	}
	rates := make([]float64, 0, len(sessions))
	quiet := 0
	for _, c := range sessions {
		rates = append(rates, per100(c.asks, c.calls))
		quiet += one(per100(c.asks, c.calls) <= 3)
	}
	slices.Sort(rates)
	r.Sessions, r.Per100, r.Late100, r.Quiet = len(sessions), per100(r.Asks, r.Calls), per100(late.asks, late.calls), per100(quiet, len(sessions))
	if len(rates) > 0 {
		r.Median = rates[len(rates)/2]
	}
	return r
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func per100(some, all int) float64 {
	if all == 0 {
		return 0
	}
	return 100 * float64(some) / float64(all)
}

// causes groups the outcomes of interest, the largest group first.
func causes(outcomes []Outcome, of func(*Outcome) bool) []Cause {
	found := map[[3]string]*Cause{}
	for i := range outcomes {
		o := &outcomes[i]
		if !of(o) {
			continue
		}
		k := [3]string{o.Tool, o.Code, o.shape()}
		c := found[k]
		if c == nil {
			c = &Cause{Tool: o.Tool, Code: o.Code, What: o.shape(), Examples: []string{}}
			found[k] = c
		}
		c.Calls++
		c.NoOffer += one(o.Asked && len(o.Suggestions) == 0)
		c.Again += one(o.KindRepeat != "")
		if text := card.Line(string(o.Input)); len(c.Examples) < maxExamples && !slices.Contains(c.Examples, text) {
			c.Examples = append(c.Examples, text)
		}
	}
	out := make([]Cause, 0, len(found))
	for _, c := range found {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b Cause) int {
		return cmp.Or(b.Calls-a.Calls, cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Code, b.Code), cmp.Compare(a.What, b.What))
	})
	return out
}

// The bounds of the output.
const (
	shownCauses  = 20
	shownExample = 160
)

// Print writes the report for a person.
func (r Report) Print(w io.Writer) {
	fmt.Fprintf(w, "%-32s %8s %6s %5s %9s %9s %7s %7s %6s %8s %6s %6s\n", "source", "sessions", "calls", "asks", "per 100", "after 30", "median", "repeats", "again", "no offer", "denied", "failed")
	for _, s := range append(r.Sources, r.All) {
		fmt.Fprintf(w, "%-32s %8d %6d %5d %9.1f %9.1f %7.1f %7d %6d %8d %6d %6d\n", cut(card.Line(s.Name), 32), s.Sessions, s.Calls, s.Asks, s.Per100, s.Late100, s.Median, s.Repeats, s.Again, s.NoOffer, s.Denied, s.Failed)
	}
	fmt.Fprintf(w, "\n%.0f of 100 sessions are asked about at most 3 of 100 calls.\n", r.All.Quiet)
	fmt.Fprintln(w, `after 30: of 100 calls after the first 30 of a session; median: of the sessions' asks of 100 calls;
repeats: the very same call again; again: like an earlier one of the session, whose rules were stored`)
	printCauses(w, "asked", r.Causes)
	printCauses(w, "denied", r.Denials)
	if r.Best != nil {
		r.Best.Print(w)
	}
}

func printCauses(w io.Writer, what string, all []Cause) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s, the most frequent first:\n", what)
	for _, c := range all[:min(shownCauses, len(all))] {
		fmt.Fprintf(w, "%5d  %s  %s", c.Calls, c.Tool, cut(card.Line(c.What), shownExample))
		if c.NoOffer > 0 {
			fmt.Fprintf(w, "  (%d without a rule on offer)", c.NoOffer)
		}
		fmt.Fprintln(w)
		for _, e := range c.Examples {
			fmt.Fprintf(w, "         %s\n", cut(e, shownExample))
		}
	}
	if more := len(all) - shownCauses; more > 0 {
		fmt.Fprintf(w, "       and %d more kinds; --json has all of them\n", more)
	}
}

func cut(text string, to int) string {
	if runes := []rune(text); len(runes) > to {
		return string(runes[:to-1]) + "…"
	}
	return strings.TrimSpace(text)
}
