package console

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

// The bounds of the page: a person waits for it.
const (
	mostCauses   = 8
	triedCauses  = 30
	triedPatient = 2 * time.Second
)

// trendsPage are the numbers of a time, with the causes of asks and denials.
type trendsPage struct {
	Period               string
	Calls, Asked, Denied int
	// Rate and Share are Asked and Denied of 100 calls.
	Rate, Share     string
	Rates, Outcomes chart
	Steps           []trendStep
	Causes          []askCause
	Refused         []refusedCause
	Tally           store.Tally
	// Answered counts asks that a rule answers by now; Untried means rarer ones were not decided again.
	Answered int
	Untried  bool
}

// trendStep is a row of the table behind the pictures.
type trendStep struct {
	store.TallyStep
	Name, Rate string
}

// askCause are asks that one rule would end.
type askCause struct {
	// Rule is the rule for Agent; empty where none can help, and Why says so.
	Rule, Agent, Why string
	Calls            int
	// Example is one of the calls, as in Activity.
	Example store.Cause
	Bar     int
}

// refusedCause are calls that did not run.
type refusedCause struct {
	store.Cause
	Bar int
}

// Periods are the choices of the page.
func (trendsPage) Periods() []option {
	return []option{{"24h", "Last 24 hours"}, {"7d", "Last 7 days"}, {"30d", "Last 30 days"}}
}

// trends shows what the gate did: how often people are asked, why, and what did not run.
func (s *Server) trends(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query(), "since"); err != nil {
		return err
	}
	body := trendsPage{Period: r.URL.Query().Get("since")}
	if body.Period == "" {
		body.Period = "7d"
	}
	since, until, step, err := period(body.Period, s.c.Now().Local())
	if err != nil {
		return err
	}
	if body.Tally, err = of.client.TallyAudit(r.Context(), since, until, step); err != nil {
		return err
	}
	body.count()
	body.draw(since, until, step)
	if err := s.causes(r, of, &body); err != nil {
		return err
	}
	return s.render(w, http.StatusOK, "trends", framed(r, of, "Trends", "/trends", body))
}

// period is a choice's time, from the begin of an hour or a day of this machine.
func period(name string, now time.Time) (since, until time.Time, step time.Duration, err error) {
	hour := now.Truncate(time.Hour)
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch name {
	case "24h":
		return hour.Add(-23 * time.Hour), hour.Add(time.Hour), time.Hour, nil
	case "7d":
		return today.AddDate(0, 0, -6), today.AddDate(0, 0, 1), 6 * time.Hour, nil
	case "30d":
		return today.AddDate(0, 0, -29), today.AddDate(0, 0, 1), 24 * time.Hour, nil
	}
	return since, until, 0, refuse(http.StatusBadRequest, "since: want 24h, 7d or 30d")
}

func (b *trendsPage) count() {
	for _, step := range b.Tally.Steps {
		b.Calls += step.Calls
		b.Asked += step.Asked
		b.Denied += step.Denied
	}
	b.Rate, b.Share = perHundred(b.Asked, b.Calls), perHundred(b.Denied, b.Calls)
}

// perHundred is a part of a whole as people say it.
func perHundred(part, whole int) string {
	if whole == 0 {
		return "0"
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", 100*float64(part)/float64(whole)), ".0")
}

// draw makes the pictures, and the table with the same numbers.
func (b *trendsPage) draw(since, until time.Time, step time.Duration) {
	rates := drawing{since: since, until: until, step: step}
	outcomes := rates
	for _, one := range b.Tally.Steps {
		name := stepName(one.At.Local(), step)
		rate := perHundred(one.Asked, one.Calls)
		b.Steps = append(b.Steps, trendStep{one, name, rate})
		rates.add(one.At, fmt.Sprintf("%s: %s asks per 100 of %d calls", name, rate, one.Calls), part{"asked", 100 * float64(one.Asked) / float64(one.Calls)})
		outcomes.add(one.At, fmt.Sprintf("%s: %d calls, %d did not run", name, one.Calls, one.Denied),
			part{"denied", float64(one.Denied)}, part{"ran", float64(one.Calls - one.Denied)})
	}
	b.Rates, b.Outcomes = rates.chart(), outcomes.chart()
}

// stepName is the time of a step for people.
func stepName(at time.Time, step time.Duration) string {
	if step < 24*time.Hour {
		return at.Format("Mon 2 Jan, 15:04")
	}
	return at.Format("Mon 2 Jan")
}

// causes finds the rules that would end the most asks, by deciding calls again: an ask that would
// not come any more is only counted.
func (s *Server) causes(r *http.Request, of *session, b *trendsPage) error {
	for _, c := range b.Tally.Denied[:min(len(b.Tally.Denied), mostCauses)] {
		b.Refused = append(b.Refused, refusedCause{Cause: c, Bar: bar(c.Calls, b.Tally.Denied[0].Calls)})
	}
	ctx, cancel := context.WithTimeout(r.Context(), triedPatient)
	defer cancel()
	state, err := stateOf(r, of)
	if err != nil {
		return err
	}
	known := of.causes(state, s.c.Now())
	defer func() { of.keepCauses(known) }()
	var tried []triedCause
	for i, c := range b.Tally.Asked {
		if i >= triedCauses || ctx.Err() != nil {
			b.Untried = true
			break
		}
		one, ok := known.by[c.Seq]
		var err error
		if !ok {
			one, err = s.try(r.WithContext(ctx), of, c)
		}
		one.Cause = c // its number of calls may have grown
		if err == nil {
			known.by[c.Seq] = one
		}
		switch {
		case err != nil && ctx.Err() == nil:
			return err
		case err != nil:
			b.Untried = true
		case one.allowed:
			b.Answered += c.Calls
		default:
			tried = append(tried, one)
		}
	}
	b.Causes = merged(tried)
	return nil
}

// keptCauses are causes that were decided again, by their newest row, while rules, modules and
// settings are in one state.
type keptCauses struct {
	state string
	at    time.Time
	by    map[int64]triedCause
}

// causesHold bounds their age: a decision also depends on files.
const causesHold = time.Minute

// stateOf is a digest of the rules, the modules and the settings in force.
func stateOf(r *http.Request, of *session) (string, error) {
	rules, err := of.client.Rules(r.Context(), store.RuleFilter{})
	if err != nil {
		return "", err
	}
	modules, err := of.client.Modules(r.Context())
	if err != nil {
		return "", err
	}
	config, err := of.client.ConfigState(r.Context())
	return digest(rules, modules, config), err
}

// triedCause is a cause with the rules for it, the narrowest first.
type triedCause struct {
	store.Cause
	agent, why string
	rules      []string
	allowed    bool
}

// try decides a cause's newest call again.
func (s *Server) try(r *http.Request, of *session, c store.Cause) (triedCause, error) {
	entry, err := of.client.AuditRow(r.Context(), c.Seq)
	if err != nil {
		return triedCause{}, err
	}
	out := triedCause{Cause: c, agent: entry.Row.Agent}
	d, why := s.again(r, of, entry.Row)
	switch {
	case d == nil:
		out.why = why
	case d.Behavior == engine.Allow:
		out.allowed = true
	case d.Behavior == engine.Deny:
		out.why = "It would be denied now, without a question."
	case d.Safety():
		out.why = "A safety check: no rule skips it."
	default:
		out.rules = lone(d.Suggestions)
		out.why = "No single rule would answer it."
	}
	return out, nil
}

// lone are the suggestions that help by themselves.
func lone(all []engine.Suggestion) (out []string) {
	sets := map[int]int{}
	for _, one := range all {
		sets[one.Set]++
	}
	for _, one := range all {
		if sets[one.Set] == 1 {
			out = append(out, ruleText(one))
		}
	}
	return out
}

// merged joins causes with a rule in common, the rule for the most calls of an agent first.
func merged(tried []triedCause) []askCause {
	calls := map[[2]string]int{}
	for _, c := range tried {
		for _, rule := range c.rules {
			calls[[2]string{c.agent, rule}] += c.Calls
		}
	}
	var out []askCause
	for _, c := range tried {
		best := ""
		for _, rule := range c.rules { // of equal ones the narrowest
			if best == "" || calls[[2]string{c.agent, rule}] > calls[[2]string{c.agent, best}] {
				best = rule
			}
		}
		if i := slices.IndexFunc(out, func(o askCause) bool { return best != "" && o.Rule == best && o.Agent == c.agent }); i >= 0 {
			out[i].Calls += c.Calls
			continue
		}
		one := askCause{Rule: best, Agent: c.agent, Calls: c.Calls, Example: c.Cause}
		if best == "" {
			one.Why = c.why
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b askCause) int { return b.Calls - a.Calls })
	out = out[:min(len(out), mostCauses)]
	for i := range out {
		out[i].Bar = bar(out[i].Calls, out[0].Calls)
	}
	return out
}

// bar is a number's part of the longest bar, in hundredths.
func bar(n, most int) int { return max(100*n/max(most, 1), 1) }
