// Package history presents the audit to people: one row with related records, a line of a list, and
// the words for choosing rows. It reads and changes nothing; the command line, the API and Discord
// share it.
package history

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// Entry is one row of the audit with its existing related records.
type Entry struct {
	Row store.Row `json:"row"`
	// Ask is the ask answered by a person, as long as it is kept: without its input and with
	// secrets removed from its texts.
	Ask *ask.Ask `json:"ask,omitempty"`
	// RuleChanges are the changes of the deciding stored rule, the oldest first; at most 20.
	RuleChanges []store.Row `json:"rule_changes,omitempty"`
}

// maxRuleChanges bounds RuleChanges.
const maxRuleChanges = 20

// Audit is the audit; of *store.Store.
type Audit interface {
	Audit(ctx context.Context, f store.Filter) iter.Seq2[store.Row, error]
}

// Asks finds asks, including ended ones; of *ask.Broker.
type Asks interface {
	Get(ctx context.Context, id string) (ask.Ask, error)
}

// Get returns one row with its related records. store.ErrNotFound for an unknown number.
func Get(ctx context.Context, audit Audit, asks Asks, seq int64) (Entry, error) {
	row, err := Row(ctx, audit, seq)
	if err != nil {
		return Entry{}, err
	}
	out := Entry{Row: row}
	if out.Row.AskID != "" {
		a, err := asks.Get(ctx, out.Row.AskID)
		switch {
		case err == nil && !a.State.Waiting():
			out.Ask = &a
		case err != nil && !errors.Is(err, ask.ErrUnknown):
			return Entry{}, err
		}
	}
	if out.Row.RuleID != "" {
		out.RuleChanges, err = ruleChanges(ctx, audit, out.Row.RuleID)
	}
	return out, err
}

// ruleChanges are the rows about a stored rule other than decisions.
func ruleChanges(ctx context.Context, audit Audit, id string) ([]store.Row, error) {
	var out []store.Row
	for _, event := range []store.Event{store.EventRuleAdded, store.EventRuleKept, store.EventRuleExtended, store.EventRuleRemoved, store.EventRuleExpired} {
		rows, err := Rows(ctx, audit, store.Filter{Rule: id, Event: event, Limit: maxRuleChanges - len(out)})
		if err != nil {
			return nil, err
		}
		if out = append(out, rows...); len(out) >= maxRuleChanges {
			break
		}
	}
	return out, nil
}

// Row is the row of a number. store.ErrNotFound for an unknown one.
func Row(ctx context.Context, audit Audit, seq int64) (store.Row, error) {
	if seq > 0 {
		for row, err := range audit.Audit(ctx, store.Filter{After: seq - 1, Before: seq + 1, Limit: 1}) {
			return row, err
		}
	}
	return store.Row{}, fmt.Errorf("row %d of the audit: %w", seq, store.ErrNotFound)
}

// Rows are all rows chosen by f.
func Rows(ctx context.Context, audit Audit, f store.Filter) ([]store.Row, error) {
	var out []store.Row
	for row, err := range audit.Audit(ctx, f) {
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

// Fields are an entry's names and non-empty values, in reading order; times are of this machine.
// The values are as in the audit: make them visible before showing them.
func (e Entry) Fields() [][2]string {
	r := e.Row
	all := [][2]string{
		{"row", fmt.Sprint(r.Seq)}, {"time", r.Time.Local().Format(time.RFC3339)}, {"event", string(r.Event)}, {"outcome", string(r.Decision)},
		{"agent", r.Agent}, {"session", r.Session}, {"user", r.User}, {"tool", r.Tool}, {"action", r.Action}, {"input", r.Input},
		{"decided by", r.DecidedBy}, {"why", r.Detail}, {"stage", r.Stage}, {"code", r.Code},
		{"rule", r.RuleText}, {"rule id", r.RuleID}, {"rule from", r.RuleSource},
		{"module", r.Module}, {"module digest", r.ModuleDigest}, {"call id", r.CallID}, {"call digest", r.Digest}, {"ask", r.AskID},
	}
	all = append(all, e.asked()...)
	if r.Latency > 0 {
		all = append(all, [2]string{"took", r.Latency.String()})
	}
	for _, c := range e.RuleChanges {
		all = append(all, [2]string{string(c.Event), fmt.Sprintf("row %d, %s, %s: %s", c.Seq, c.Time.Local().Format(time.DateTime), c.DecidedBy, c.RuleText)})
	}
	all = append(all, [2]string{"hash", r.Hash.String()}, [2]string{"follows", r.Prev.String()})
	var out [][2]string
	for _, field := range all {
		if field[1] != "" {
			out = append(out, field)
		}
	}
	return out
}

// asked are the fields of the ask.
func (e Entry) asked() [][2]string {
	a := e.Ask
	if a == nil {
		return nil
	}
	out := [][2]string{{"asked", a.CreatedAt.Local().Format(time.RFC3339)}, {"ask ended", string(a.State) + " (" + string(a.Cause) + ")"}}
	if a.Answer != nil {
		out = append(out, [2]string{"answer", a.Answer.Verdict.String() + " by " + a.Answer.By}, [2]string{"answered at", a.Answer.Surface}, [2]string{"reason given", a.Answer.Reason})
	}
	for _, v := range a.Votes {
		out = append(out, [2]string{"approved by", v.By})
	}
	return out
}
