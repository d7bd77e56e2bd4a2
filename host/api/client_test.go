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
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

const someToken = "cg_check_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// soundResult is an allow as the gate gives it.
const soundResult = `{"decision":{"behavior":"allow","stage":"allow_rule","code":"rule_matched"},"outcome":"allow","digest":"` +
	`0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","audit_seq":7,"micros":12}`

// signed completes what a test's daemon answers as one that knows the token: a
// line with SIGN in it, and an answer that is no stream, get their MAC.
type signed struct {
	http.ResponseWriter
	token  string
	r      *http.Request
	body   []byte
	status int
}

// WriteHeader implements http.ResponseWriter.
func (s *signed) WriteHeader(status int) { s.status = status }

// Write implements http.ResponseWriter.
func (s *signed) Write(p []byte) (int, error) {
	status := cmp.Or(s.status, http.StatusOK)
	s.Header().Set(api.MACHeader, api.AnswerMAC(s.token, s.r, s.body, status, p))
	s.ResponseWriter.WriteHeader(status)
	var out strings.Builder
	for line := range strings.Lines(string(p)) {
		if plain := strings.Replace(line, `,"mac":"SIGN"`, "", 1); plain != line {
			mac := api.AnswerMAC(s.token, s.r, s.body, http.StatusOK, []byte(strings.TrimSuffix(plain, "\n")))
			line = strings.Replace(line, "SIGN", mac, 1)
		}
		out.WriteString(line)
	}
	_, err := io.WriteString(s.ResponseWriter, out.String())
	return len(p), err
}

// Unwrap is for http.ResponseController.
func (s *signed) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// sign is where a line's MAC goes.
const sign = `,"mac":"SIGN"`

// impostor is a daemon that knows the token, to answer as the test wants.
func impostor(t *testing.T, token string, check http.HandlerFunc) string {
	t.Helper()
	return plainImpostor(t, token, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		check(&signed{ResponseWriter: w, token: token, r: r, body: body}, r)
	})
}

// plainImpostor is an impostor that answers as it is told to, MAC or not.
func plainImpostor(t *testing.T, token string, answer http.HandlerFunc) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/health", func(w http.ResponseWriter, r *http.Request) {
		addr := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]string{"status": "ok", "proof": api.Prove(token, r.URL.Query().Get("nonce"), addr)})
	})
	mux.HandleFunc("POST /v1/", answer)
	s := &http.Server{Handler: mux}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}

// broken are the answers of a daemon that went away: the call may be put again.
var broken = map[string]bool{
	"no line feed at the end": true, "only progress": true, "nothing": true, "cut off in the result": true,
	"connection cut in the stream": true,
}

// TestClient_takesAnAllowOnlyWhole tries answers that come close to one.
func TestClient_takesAnAllowOnlyWhole(t *testing.T) {
	t.Parallel()
	lines := func(status int, kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	stream := func(body string) http.HandlerFunc { return lines(200, "application/x-ndjson", body) }
	without := func(part string) string { return strings.Replace(soundResult, part, "", 1) }
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		allow  bool
	}{
		"whole":                     {stream(`{"progress":{"state":"shown"}}` + "\n" + `{"result":` + soundResult + sign + "}\n"), true},
		"no line feed at the end":   {stream(`{"result":` + soundResult + sign + "}"), false},
		"only progress":             {stream(`{"progress":{"state":"shown"}}` + "\n"), false},
		"nothing":                   {stream(""), false},
		"cut off in the result":     {stream(`{"result":` + soundResult[:60]), false},
		"two results":               {stream(strings.Repeat(`{"result":`+soundResult+sign+"}\n", 2)), false},
		"a problem after it":        {stream(`{"result":` + soundResult + sign + "}\n" + `{"problem":{}}` + "\n"), false},
		"progress after it":         {stream(`{"result":` + soundResult + sign + "}\n" + `{"progress":{"state":"shown"}}` + "\n"), false},
		"result and problem in one": {stream(`{"result":` + soundResult + `,"problem":{"error":{"code":"internal","message":"x"}},"mac":"SIGN"}` + "\n"), false},
		"status 202":                {lines(202, "application/x-ndjson", `{"result":`+soundResult+sign+"}\n"), false},
		"status 500":                {lines(500, "application/x-ndjson", `{"result":`+soundResult+sign+"}\n"), false},
		"status 403 with an allow":  {lines(403, "application/json", soundResult), false},
		"a page":                    {lines(200, "text/html", `{"result":`+soundResult+sign+"}\n"), false},
		"plain JSON":                {lines(200, "application/json", soundResult), false},
		"a name twice":              {stream(`{"result":{"decision":{"behavior":"deny","behavior":"allow","stage":"mode"},"outcome":"allow","audit_seq":1,"micros":1},"mac":"SIGN"}` + "\n"), false},
		"behavior in capitals":      {stream(`{"result":` + strings.Replace(soundResult, "allow", "ALLOW", 1) + sign + "}\n"), false},
		"not audited":               {stream(`{"result":` + without(`"audit_seq":7,`) + sign + "}\n"), false},
		"without an outcome":        {stream(`{"result":` + without(`"outcome":"allow",`) + sign + "}\n"), false},
		"without a stage":           {stream(`{"result":` + without(`"stage":"allow_rule",`) + sign + "}\n"), false},
		"outcome says deny":         {stream(`{"result":` + strings.Replace(soundResult, `"outcome":"allow"`, `"outcome":"deny"`, 1) + sign + "}\n"), false},
		"ask":                       {stream(`{"result":` + strings.Replace(soundResult, `"behavior":"allow"`, `"behavior":"ask"`, 1) + sign + "}\n"), false},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/v1/health", http.StatusTemporaryRedirect)
		}, false},
		"connection cut in the stream": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-ndjson")
			_, _ = io.WriteString(w, `{"result":`+soundResult+sign+"}\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := api.Dial(impostor(t, someToken, tc.answer), someToken)
			must(t, err)
			defer c.Close()
			res, err := c.Check(t.Context(), bash("ls"), nil)
			if got := res.Decision.Behavior == engine.Allow && err == nil; got != tc.allow {
				t.Errorf("allowed: got %t, want %t: %+v, %v", got, tc.allow, res, err)
			}
			if err != nil && res.Decision.Behavior != engine.Deny {
				t.Errorf("beside the error %v: got %s, want deny", err, res.Decision.Behavior)
			}
			if got := errors.Is(err, api.ErrLost); got != broken[name] {
				t.Errorf("lost: got %t, want %t: %v", got, broken[name], err)
			}
		})
	}
}

func TestClient_problemInItsStream(t *testing.T) {
	t.Parallel()
	address := impostor(t, someToken, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = io.WriteString(w, `{"problem":{"error":{"code":"internal","message":"the gate failed"},"decision":{"behavior":"deny"}},"mac":"SIGN"}`+"\n")
	})
	c, err := api.Dial(address, someToken)
	must(t, err)
	var refused *api.Error
	if _, err := c.Check(t.Context(), bash("ls"), nil); !errors.As(err, &refused) || refused.Code != api.CodeInternal {
		t.Errorf("got %v, want the daemon's own error", err)
	}
}

func TestClient_noDaemon(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	must(t, free.Close())
	for _, endpoint := range []string{filepath.Join(dir, "no.sock"), filepath.Join(dir, "none", "no.sock"), free.Addr().String()} {
		c, err := api.Dial(endpoint, someToken)
		must(t, err)
		res, err := c.Check(t.Context(), bash("ls"), nil)
		if !errors.Is(err, api.ErrNoDaemon) || !strings.Contains(err.Error(), "callgate serve") || res.Decision.Behavior != engine.Deny {
			t.Errorf("%s: got %+v, %v, want ErrNoDaemon and how to start it", endpoint, res.Decision, err)
		}
	}
}

func TestClient_tokenOfAnotherDaemon(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	c, err := api.Dial(w.socket, someToken)
	must(t, err)
	if _, err := c.Health(t.Context()); !errors.Is(err, api.ErrNotOurs) {
		t.Errorf("got %v, want ErrNotOurs", err)
	}
}

func TestDial_refuses(t *testing.T) {
	t.Parallel()
	for endpoint, token := range map[string]string{
		"192.0.2.1:7433": someToken, "example.org:80": someToken, "https://127.0.0.1:1": someToken, "s.sock": someToken, "": someToken,
		"/run/s.sock": "", "/run/t.sock": "Bearer x", "/run/u.sock": someToken + "\r\nX: y",
	} {
		if _, err := api.Dial(endpoint, token); err == nil {
			t.Errorf("endpoint %q, token %q: got no error", endpoint, token)
		}
	}
	for _, endpoint := range []string{"/run/s.sock", "unix:/run/s.sock", "127.0.0.1:7433", "localhost:7433", "http://127.0.0.1:7433/", "[::1]:7433"} {
		if _, err := api.Dial(endpoint, someToken); err != nil {
			t.Errorf("endpoint %q: %v", endpoint, err)
		}
	}
}

// TestClient_everyMethod drives what the other tests do not.
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
	match, err := admin.TestRule(ctx, api.RuleTest{Rule: allowRule("ls"), Input: json.RawMessage(`{"command":"ls"}`)})
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
	var refused *api.Error
	if err := admin.ResumeSession(ctx, "", r.Context.Session); !errors.As(err, &refused) || refused.Code != api.CodeConflict {
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

type audit = api.Audit // a name for the field that is not its method's

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
	var refused *api.Error
	if _, err := w.client("admin").Audit(t.Context(), store.Filter{}); !errors.As(err, &refused) || refused.Status != http.StatusInternalServerError {
		t.Errorf("page: got %v, want 500", err)
	}
}

// lateGate fails after the client has heard of progress.
type lateGate struct {
	api.Gate
	heard chan struct{}
}

func (g lateGate) Check(_ context.Context, _ gate.Caller, _ gate.Request, progress gate.Progress) (gate.Result, error) {
	progress(ask.Event{Kind: ask.EventShown, Ask: ask.Ask{ID: "abc123"}})
	<-g.heard
	return gate.Result{Decision: engine.Decision{Behavior: engine.Allow}}, errors.New("too late")
}

// TestCheck_failsInItsStream: the status has gone out as 200, the answer still
// denies.
func TestCheck_failsInItsStream(t *testing.T) {
	t.Parallel()
	heard := make(chan struct{})
	w := newWorld(t, func(c *api.Config) { c.Gate = lateGate{c.Gate, heard} })
	res, err := w.client("default").Check(t.Context(), bash("make"), func(api.Progress) { close(heard) })
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.CodeInternal || res.Decision.Behavior != engine.Deny {
		t.Errorf("got %+v, %v, want the daemon's error and deny", res.Decision, err)
	}
}
