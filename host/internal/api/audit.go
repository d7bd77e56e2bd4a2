package api

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/protocol/view"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
)

// The sizes of one page of the audit, in rows.
const (
	defaultPage = 100
	maxPage     = 1000
)

var auditParams = []string{"agent", "session", "tool", "user", "decided_by", "person", "rule", "call", "ask", "event", "decision", "since", "until", "text", "after", "before", "newest", "limit"}

// auditFilter reads the parameters of a filter on rows.
func auditFilter(q params) (f store.Filter, err error) {
	f = store.Filter{
		Agent: q["agent"], Session: q["session"], Tool: q["tool"], User: q["user"], DecidedBy: q["decided_by"], Person: q["person"],
		Rule: q["rule"], Call: q["call"], Ask: q["ask"],
		Event: store.Event(q["event"]), Decision: store.Outcome(q["decision"]), Text: q["text"],
	}
	if f.Since, err = q.time("since"); err != nil {
		return f, err
	}
	if f.Until, err = q.time("until"); err != nil {
		return f, err
	}
	if f.After, err = q.number("after", 0, math.MaxInt64); err != nil {
		return f, err
	}
	if f.Before, err = q.number("before", 0, math.MaxInt64); err != nil {
		return f, err
	}
	f.Newest, err = q.flag("newest")
	return f, err
}

func (s *Server) searchAudit(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	q, err := query(r, append([]string{"look"}, auditParams...)...)
	if err != nil {
		return err
	}
	f, err := auditFilter(q)
	if err != nil {
		return err
	}
	if f.Look, err = q.number("look", 0, math.MaxInt32); err != nil {
		return err
	}
	limit, err := q.number("limit", defaultPage, maxPage)
	if err != nil {
		return err
	}
	f.Limit = int(max(limit, 1))
	var page view.AuditPage
	if page.Rows, page.Next, err = s.c.Audit.AuditPage(r.Context(), f); err != nil {
		return err
	}
	return reply(w, http.StatusOK, page)
}

// tallyAudit counts decisions in steps of time: by default those of the last week, by day.
func (s *Server) tallyAudit(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	q, err := query(r, "since", "until", "step")
	if err != nil {
		return err
	}
	since, err := q.time("since")
	if err != nil {
		return err
	}
	until, err := q.time("until")
	if err != nil {
		return err
	}
	step, err := q.duration("step")
	if err != nil {
		return err
	}
	if until.IsZero() {
		until = s.c.Now()
	}
	if since.IsZero() {
		since = until.AddDate(0, 0, -7)
	}
	step = cmp.Or(step, 24*time.Hour)
	if !since.Before(until) {
		return badField("since", "want a time before until")
	}
	if until.Sub(since) > store.MaxTallySteps*step {
		return badField("step", fmt.Sprintf("want at most %d steps", store.MaxTallySteps))
	}
	tally, err := s.c.Audit.Tally(r.Context(), since, until, step)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, tally)
}

func (s *Server) verifyAudit(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	verify := s.c.Audit.VerifyAudit
	if s.c.Notary != nil {
		verify = s.c.Notary.Verify
	}
	report, err := verify(r.Context())
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, report)
}

// exportAudit writes all rows chosen by the filter. An error on the way cuts the connection, so
// half an audit is never taken for a whole one.
func (s *Server) exportAudit(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	q, err := query(r, append([]string{"format"}, auditParams...)...)
	if err != nil {
		return err
	}
	f, err := auditFilter(q)
	if err != nil {
		return err
	}
	limit, err := q.number("limit", 0, math.MaxInt32)
	if err != nil {
		return err
	}
	f.Limit = int(limit)
	var out rowWriter
	switch q["format"] {
	case "", "jsonl":
		w.Header().Set("Content-Type", protocol.LinesType)
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		out = lineWriter{enc}
	case "csv":
		w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
		out = newCSVWriter(w)
	case "ocsf":
		w.Header().Set("Content-Type", protocol.LinesType)
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		out = ocsfWriter{enc}
	case "proof":
		if out, err = s.newProofWriter(w, r, &f); err != nil {
			return err
		}
	default:
		return badField("format", fmt.Sprintf("%q: want jsonl, csv, ocsf or proof", q["format"]))
	}
	for row, err := range s.c.Audit.Audit(r.Context(), f) {
		if err == nil {
			patient(w)
			err = out.write(row)
		}
		if err != nil {
			return s.cut(err)
		}
	}
	if err := out.end(); err != nil {
		return s.cut(err)
	}
	return nil
}

// cut ends a half-written answer in a way the client notices.
func (s *Server) cut(err error) error {
	s.c.Log.Error("export ended early", "error", err)
	panic(http.ErrAbortHandler)
}

// rowWriter writes rows in one format.
type rowWriter interface {
	write(store.Row) error
	end() error
}

type lineWriter struct{ enc *json.Encoder }

func (l lineWriter) write(r store.Row) error { return l.enc.Encode(r) }
func (l lineWriter) end() error              { return nil }

// ocsfWriter writes one event of the schema per line.
type ocsfWriter struct{ enc *json.Encoder }

func (o ocsfWriter) write(r store.Row) error { return o.enc.Encode(history.ToOCSF(r)) }
func (o ocsfWriter) end() error              { return nil }

// csvWriter writes one line per row, the columns named as in JSON.
type csvWriter struct{ csv *csv.Writer }

var csvColumns = []string{
	"seq", "timestamp", "event", "agent_name", "session", "user_id", "tool", "action_string", "decision", "decided_by", "detail",
	"stage", "code", "rule_id", "rule_text", "module_digest", "call_id", "digest", "input", "latency_ns", "prev", "hash",
	"rule_source", "module", "ask_id",
}

func newCSVWriter(w io.Writer) csvWriter {
	c := csvWriter{csv.NewWriter(w)}
	_ = c.csv.Write(csvColumns) // an error stays in the writer
	return c
}

func (c csvWriter) write(r store.Row) error {
	fields := []string{
		strconv.FormatInt(r.Seq, 10), r.Time.UTC().Format(time.RFC3339Nano), string(r.Event), r.Agent, r.Session, r.User, r.Tool, r.Action,
		string(r.Decision), r.DecidedBy, r.Detail, r.Stage, r.Code, r.RuleID, r.RuleText, r.ModuleDigest, r.CallID, r.Digest, r.Input,
		strconv.FormatInt(int64(r.Latency), 10), r.Prev.String(), r.Hash.String(),
		r.RuleSource, r.Module, r.AskID,
	}
	for i := range fields {
		fields[i] = inert(fields[i])
	}
	return c.csv.Write(fields)
}

func (c csvWriter) end() error {
	c.csv.Flush()
	return c.csv.Error()
}

// inert keeps a spreadsheet from taking an agent's text for a formula, by an
// apostrophe before it. Who needs the exact text exports JSON lines.
func inert(text string) string {
	first, _ := utf8.DecodeRuneInString(text)
	if text != "" && strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) {
		return "'" + text
	}
	return text
}
