package console

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/wire"
)

// rowsPerPage is how many rows of the audit one page has; lookedAt how many it looks at, and lookedAtText
// how many for a text or a rule. BenchmarkActivityMillion of package store times such pages.
const (
	rowsPerPage  = 50
	lookedAt     = 50_000
	lookedAtText = 10_000
)

// activityPage is the audit as a story, the newest row first.
type activityPage struct {
	Filter activityFilter
	Days   []day
	// Session is the chosen session; nil without one.
	Session *store.Session
	// Partial means that older rows were not looked at yet.
	Partial bool
	// Older is the address of the next page; empty on the last. Newest is the address of the first
	// page; empty on it.
	Older, Newest string
}

// activityFilter is the filter as its form shows it.
type activityFilter struct {
	Agent, Session, Tool, Person, Show, Since, Text, Rule string
	Chosen                                                bool
}

// day is a day's rows.
type day struct {
	Name string
	Rows []store.Row
}

// option is one option of a select.
type option struct{ Value, Name string }

// outcomes and periods are the options of the filter's form.
var (
	outcomes = []option{
		{"", "Everything"}, {string(store.EventDecision), "Calls only"}, ofOutcome(store.Allowed), ofOutcome(store.Denied),
		ofOutcome(store.AskApproved), ofOutcome(store.AskDenied), ofOutcome(store.AskTimeout), ofOutcome(store.AskCancelled),
		{string(store.EventRuleAdded), "Rules added"}, {string(store.EventRuleRemoved), "Rules removed"},
	}
	periods = []option{{"", "Any time"}, {"1h", "Last hour"}, {"24h", "Last 24 hours"}, {"7d", "Last 7 days"}, {"30d", "Last 30 days"}}
)

func ofOutcome(o store.Outcome) option { return option{string(o), outcomeWords[o]} }

func (f activityFilter) Outcomes() []option { return outcomes }
func (f activityFilter) Periods() []option  { return periods }

// query is the filter as an address's parameters.
func (f activityFilter) query() url.Values {
	q := url.Values{}
	for _, p := range [][2]string{
		{"agent", f.Agent}, {"session", f.Session}, {"tool", f.Tool}, {"person", f.Person}, {"show", f.Show}, {"since", f.Since}, {"text", f.Text}, {"rule", f.Rule},
	} {
		if p[1] != "" {
			q.Set(p[0], p[1])
		}
	}
	return q
}

// rows is the filter as the API takes it.
func (f activityFilter) rows(now time.Time) (store.Filter, error) {
	out := store.Filter{Agent: f.Agent, Session: f.Session, Tool: f.Tool, Person: f.Person, Text: f.Text, Rule: f.Rule, Newest: true, Limit: rowsPerPage, Look: lookedAt}
	if f.Text != "" || f.Rule != "" {
		out.Look = lookedAtText
	}
	switch outcome := store.Outcome(f.Show); {
	case f.Show == "":
	case outcome.Valid():
		out.Event, out.Decision = store.EventDecision, outcome
	default:
		out.Event = store.Event(f.Show)
	}
	since, err := history.When("since", f.Since, now)
	if err != nil {
		return out, refuse(http.StatusBadRequest, err.Error())
	}
	out.Since = since
	return out, nil
}

func (s *Server) activity(w http.ResponseWriter, r *http.Request, of *session) error {
	q := r.URL.Query()
	if err := only(q, "agent", "session", "tool", "person", "show", "since", "text", "rule", "before"); err != nil {
		return err
	}
	body := activityPage{Filter: activityFilter{
		Agent: q.Get("agent"), Session: q.Get("session"), Tool: q.Get("tool"), Person: q.Get("person"),
		Show: q.Get("show"), Since: q.Get("since"), Text: q.Get("text"), Rule: q.Get("rule"),
	}}
	chosen := body.Filter.query()
	body.Filter.Chosen = len(chosen) > 0
	f, err := body.Filter.rows(s.c.Now())
	if err != nil {
		return err
	}
	if text := q.Get("before"); text != "" {
		if f.Before, err = strconv.ParseInt(text, 10, 64); err != nil || f.Before < 1 {
			return refuse(http.StatusBadRequest, "before: want a row number")
		}
		body.Newest = address("/activity", chosen)
	}
	page, err := of.client.Audit(r.Context(), f)
	if err != nil {
		return err
	}
	body.Days = byDay(page.Rows, s.c.Now())
	if page.Next > 0 {
		body.Partial = len(page.Rows) < f.Limit
		chosen.Set("before", strconv.FormatInt(page.Next, 10))
		body.Older = address("/activity", chosen)
	}
	if body.Filter.Session != "" {
		if view, err := of.client.Session(r.Context(), body.Filter.Session); err == nil { // an ended session has rows all the same
			body.Session = &view.Session
		}
	}
	out := framed(r, of, "Activity", "/activity", body)
	if body.Newest == "" {
		out.Live = "calls"
	}
	return s.render(w, http.StatusOK, "activity", out)
}

// address is a path with parameters.
func address(path string, q url.Values) string {
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// byDay groups rows by the day of this machine.
func byDay(rows []store.Row, now time.Time) []day {
	var days []day
	for _, row := range rows {
		name := dayName(row.Time.Local(), now.Local())
		if len(days) == 0 || days[len(days)-1].Name != name {
			days = append(days, day{Name: name})
		}
		last := &days[len(days)-1]
		last.Rows = append(last.Rows, row)
	}
	return days
}

func dayName(t, now time.Time) string {
	switch t.Format(time.DateOnly) {
	case now.Format(time.DateOnly):
		return "Today"
	case now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "Yesterday"
	}
	return t.Format("Monday, 2 January 2006")
}

// entryPage is one row with its trace.
type entryPage struct {
	Entry  history.Entry
	Fields [][2]string
	// Input is the call's input, laid out.
	Input string
	// Now is the decision of the same call with what holds now; nil where it cannot be made, and
	// NotNow says why.
	Now    *engine.Decision
	NotNow string
}

func (s *Server) showRow(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil || seq < 1 {
		return refuse(http.StatusNotFound, "there is no such row; see Activity")
	}
	entry, err := of.client.AuditRow(r.Context(), seq)
	if err != nil {
		return err
	}
	body := entryPage{Entry: entry, Input: laidOut(entry.Row.Input)}
	for _, f := range entry.Fields() {
		if f[0] != "input" {
			body.Fields = append(body.Fields, f)
		}
	}
	if entry.Row.Event == store.EventDecision && entry.Row.Input != "" {
		body.Now, body.NotNow = s.again(r, of, entry.Row)
	}
	return s.render(w, http.StatusOK, "entry", framed(r, of, "Row "+r.PathValue("seq"), "/activity", body))
}

// again decides a past call anew, with its input as the audit keeps it, secrets masked, and outside
// its session, which belongs to another token.
func (s *Server) again(r *http.Request, of *session, row store.Row) (*engine.Decision, string) {
	c := wire.CallContext{Agent: row.Agent}
	if view, err := of.client.Session(r.Context(), row.Session); err == nil {
		c.CWD = view.Session.CWD
	}
	res, err := of.client.Evaluate(r.Context(), wire.Request{Tool: row.Tool, Input: json.RawMessage(row.Input), Context: c})
	if err != nil {
		return nil, sentence(err)
	}
	return &res.Decision, ""
}

// sentence is an error's text, of the API's own where there is one.
func sentence(err error) string {
	var theirs *protocol.Error
	if errors.As(err, &theirs) {
		return theirs.Error()
	}
	return "the daemon did not answer"
}

// laidOut is JSON with line feeds and spaces, other text as it is.
func laidOut(text string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(text), "", "  ") != nil {
		return text
	}
	return out.String()
}
