package api_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

const someToken = "cg_check_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func TestClient_tokenOfAnotherDaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c, err := client.Dial(w.socket, someToken)
	must(t, err)
	if _, err := c.Health(t.Context()); !errors.Is(err, client.ErrNotOurs) {
		t.Errorf("got %v, want ErrNotOurs", err)
	}
}

// TestClient_everyMethod drives the methods not in other tests.
func TestClient_everyMethod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	admin, agent := w.dial(w.port, "admin"), w.client("ci")
	ctx := t.Context()
	r := bash("npm run build")
	r.CallID, r.Context.Session = "c1", "a/b ?#%"
	_, err := agent.Check(ctx, r, nil)
	must(t, err)

	added, err := admin.AddRule(ctx, "ana", allowRule("npm run build"))
	must(t, err)
	if added.Rule.CreatedBy != "ana" {
		t.Errorf("created by: got %q, want ana", added.Rule.CreatedBy)
	}
	allow := engine.Allow
	rules, err := admin.Rules(ctx, store.RuleFilter{Scope: engine.Global, Behavior: &allow, Tool: "Bash", Expired: true})
	must(t, err)
	if len(rules) != 1 || rules[0].ID != added.Rule.ID {
		t.Errorf("rules: got %+v", rules)
	}
	match, err := admin.TestRule(ctx, protocol.RuleTest{Rule: allowRule("ls"), Input: json.RawMessage(`{"command":"ls"}`)})
	if err != nil || !match {
		t.Errorf("test rule: got %t, %v, want true", match, err)
	}
	list, err := admin.Tools(ctx)
	if err != nil || len(list) != 1 {
		t.Errorf("tools: got %+v, %v", list, err)
	}
	if tool, err := admin.Tool(ctx, "shell"); err != nil || tool.Name != "Bash" {
		t.Errorf("tool: got %+v, %v", tool, err)
	}
	must(t, admin.SetMode(ctx, "ana", r.Context.Session, new(engine.Explore)))
	sessions, err := admin.Sessions(ctx, store.SessionFilter{Agent: "ci", Limit: 10})
	if err != nil || len(sessions) != 1 || sessions[0].ID != r.Context.Session || sessions[0].Mode == nil || *sessions[0].Mode != engine.Explore {
		t.Errorf("sessions: got %+v, %v", sessions, err)
	}
	if _, err := admin.InterruptSession(ctx, "ana", r.Context.Session); err != nil {
		t.Error(err)
	}
	if _, err := admin.ClearSession(ctx, "ana", r.Context.Session); err != nil {
		t.Error(err)
	}
	var refused *protocol.Error
	if err := admin.ResumeSession(ctx, "", r.Context.Session); !errors.As(err, &refused) || refused.Code != protocol.CodeConflict {
		t.Errorf("resume: got %v, want conflict", err)
	}
	must(t, admin.RemoveRule(ctx, "ana", added.Rule.ID))
	if _, err := admin.Ask(ctx, "zzzzzz"); !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		t.Errorf("ask: got %v, want 404", err)
	}
	if err := admin.Seen(ctx, "zzzzzz", "ana"); !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		t.Errorf("seen: got %v, want 404", err)
	}
	if _, err := agent.Rules(ctx, store.RuleFilter{}); !errors.As(err, &refused) || refused.Status != http.StatusForbidden {
		t.Errorf("rules by a check token: got %v, want 403", err)
	}
	h, err := admin.Health(ctx)
	if err != nil || h.Version != "test" || h.Checks == nil || *h.Checks != 0 {
		t.Errorf("health: got %+v, %v", h, err)
	}
}

func TestClient_auditPagesAndExports(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	agent, admin := w.client("ci"), w.client("admin")
	for i := range 7 {
		_, err := agent.Check(t.Context(), bash(fmt.Sprint("=cmd ", i)), nil)
		must(t, err)
	}
	for _, newest := range []bool{false, true} {
		var seqs []int64
		f := store.Filter{Agent: "ci", Event: store.EventDecision, Limit: 3, Newest: newest}
		for {
			page, err := admin.Audit(t.Context(), f)
			must(t, err)
			for _, row := range page.Rows {
				seqs = append(seqs, row.Seq)
			}
			if page.Next == 0 {
				break
			}
			if f.After = page.Next; newest {
				f.After, f.Before = 0, page.Next
			}
		}
		if len(seqs) != 7 || (seqs[0] < seqs[6]) == newest {
			t.Errorf("newest %t: got rows %v, want 7 in order", newest, seqs)
		}
	}
	var lines, table bytes.Buffer
	must(t, admin.ExportAudit(t.Context(), store.Filter{Agent: "ci", Event: store.EventDecision}, "jsonl", &lines))
	must(t, admin.ExportAudit(t.Context(), store.Filter{Agent: "ci", Event: store.EventDecision}, "csv", &table))
	if n := strings.Count(lines.String(), "\n"); n != 7 {
		t.Errorf("jsonl: got %d lines, want 7", n)
	}
	if n := strings.Count(table.String(), "\n"); n != 8 {
		t.Errorf("csv: got %d lines, want 8:\n%s", n, table.String())
	}
}

// TestExport_formulasAreInert: an agent's text must not run in a spreadsheet.
func TestExport_formulasAreInert(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "\n=1": "'\n=1", "＝1": "'＝1", "npm": "npm", "": ""} {
		if got := api.Inert(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

type audit = api.Audit // a name for the field, different from its method

// failingAudit breaks off after its first rows.
type failingAudit struct{ audit }

func (f failingAudit) Audit(ctx context.Context, filter store.Filter) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		filter.Limit = 2
		for row, err := range f.audit.Audit(ctx, filter) {
			if !yield(row, err) {
				return
			}
		}
		yield(store.Row{}, errors.New("disk gone"))
	}
}

func (f failingAudit) AuditPage(ctx context.Context, filter store.Filter) ([]store.Row, int64, error) {
	rows, next, err := f.audit.AuditPage(ctx, filter)
	return rows, next, cmp.Or(err, errors.New("disk gone"))
}

// TestExport_brokenOffIsAnError: half an audit must not be taken for a whole one.
func TestExport_brokenOffIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.Audit = failingAudit{c.Audit} })
	for i := range 3 {
		_, err := w.client("ci").Check(t.Context(), bash(fmt.Sprint("make ", i)), nil)
		must(t, err)
	}
	for _, format := range []string{"jsonl", "csv"} {
		if err := w.client("admin").ExportAudit(t.Context(), store.Filter{}, format, io.Discard); err == nil {
			t.Errorf("%s: got no error", format)
		}
	}
	var refused *protocol.Error
	if _, err := w.client("admin").Audit(t.Context(), store.Filter{}); !errors.As(err, &refused) || refused.Status != http.StatusInternalServerError {
		t.Errorf("page: got %v, want 500", err)
	}
}

// lateGate fails after the client has heard of progress.
type lateGate struct {
	api.Gate
	heard chan struct{}
}

func (g lateGate) Check(_ context.Context, _ authority.Caller, _ wire.Request, progress gate.Progress) (wire.Result, error) {
	progress(&ask.Event{Kind: ask.EventShown, Ask: ask.Ask{ID: "abc123"}})
	<-g.heard
	return wire.Result{Decision: engine.Decision{Behavior: engine.Allow}}, errors.New("too late")
}

// TestCheck_failsInItsStream: the status has gone out as 200, the answer still
// denies.
func TestCheck_failsInItsStream(t *testing.T) {
	t.Parallel()
	heard := make(chan struct{})
	w := newWorld(t, func(c *api.Config) { c.Gate = lateGate{c.Gate, heard} })
	res, err := w.client("default").Check(t.Context(), bash("make"), func(protocol.Progress) { close(heard) })
	var refused *protocol.Error
	if !errors.As(err, &refused) || refused.Code != protocol.CodeInternal || res.Decision.Behavior != engine.Deny {
		t.Errorf("got %+v, %v, want the daemon's error and deny", res.Decision, err)
	}
}
