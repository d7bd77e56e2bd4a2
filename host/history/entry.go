// Package history tells people what the audit says: one row with what is known beside
// it, a line of a list, and the words by which rows are chosen. It reads and changes
// nothing; the command line, the API and Discord share it.
package history

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/store"
)

// Entry is one row of the audit with what is still known beside it.
type Entry struct {
	Row store.Row `json:"row"`
	// Ask is the ask that a person answered, as long as it is kept: without its
	// input and without the secrets that its texts quoted.
	Ask *ask.Ask `json:"ask,omitempty"`
	// RuleChanges tell what became of the stored rule that decided, the oldest
	// first; at most 20.
	RuleChanges []store.Row `json:"rule_changes,omitempty"`
}

// maxRuleChanges bounds RuleChanges.
const maxRuleChanges = 20

// Audit is the audit; of *store.Store.
type Audit interface {
	Audit(ctx context.Context, f store.Filter) iter.Seq2[store.Row, error]
}

// Asks finds asks, also those that have ended; of *ask.Broker.
type Asks interface {
	Get(ctx context.Context, id string) (ask.Ask, error)
}

// Look returns one row with what is known beside it. store.ErrNotFound when there is
// no row of that number.
func Look(ctx context.Context, audit Audit, asks Asks, seq int64) (Entry, error) {
	if seq < 1 {
		return Entry{}, fmt.Errorf("row %d of the audit: %w", seq, store.ErrNotFound)
	}
	rows, err := Rows(ctx, audit, store.Filter{After: seq - 1, Before: seq + 1, Limit: 1})
	if err != nil {
		return Entry{}, err
	}
	if len(rows) == 0 {
		return Entry{}, fmt.Errorf("row %d of the audit: %w", seq, store.ErrNotFound)
	}
	out := Entry{Row: rows[0]}
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

// ruleChanges are the rows about a stored rule that are no decisions.
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

// Rows are all rows that f chooses.
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

// Fields are the names and values of an entry that are there, in the order in which
// people read them; times are of this machine. The values are as the audit has them:
// make them visible before they are shown.
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
