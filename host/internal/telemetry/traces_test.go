package telemetry_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/telemetry"
	"github.com/callgate/callgate/host/internal/telemetry/stage"
)

// span is a span as a collector reads it.
type span struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	StartTimeUnixNano, EndTimeUnixNano  string
	Attributes                          []struct {
		Key   string
		Value struct{ StringValue, IntValue string }
	}
	Status struct{ Code int }
}

func (s span) attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue + a.Value.IntValue
		}
	}
	return ""
}

// collector takes traces and answers with a status.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	bodies []string
	heads  []http.Header
}

func newCollector(t *testing.T) *collector {
	c := &collector{status: http.StatusOK}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a cut request fails to parse below
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies, c.heads = append(c.bodies, string(body)), append(c.heads, r.Header)
		if r.URL.Path != "/v1/traces" || r.Method != http.MethodPost {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.WriteHeader(c.status)
	}))
	t.Cleanup(c.Close)
	return c
}

// spans are those that arrived, by name.
func (c *collector) spans(t *testing.T) map[string]span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]span{}
	for _, body := range c.bodies {
		var r struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
		}
		if err := json.Unmarshal([]byte(body), &r); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		for _, s := range r.ResourceSpans[0].ScopeSpans[0].Spans {
			out[s.Name] = s
		}
	}
	return out
}

const (
	agentTrace  = "4bf92f3577b34da6a3ce929d0e0e4736"
	agentSpan   = "00f067aa0ba902b7"
	traceparent = "00-" + agentTrace + "-" + agentSpan + "-01"
)

func TestTraces(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	traces := telemetry.NewTraces(c.URL+"/", map[string]string{"X-Key": "k"}, "v1", slog.New(slog.DiscardHandler))
	ctx, done := traces.Begin(t.Context(), traceparent)
	decided := stage.Begin(ctx, "decide")
	stage.Begin(ctx, "match_rule")()
	decided()
	done(telemetry.Checked{
		Tool: strings.Repeat("é", 200), CallID: "c1", Agent: "ci", Session: "s1", Outcome: "deny", Stage: "error", Code: "host_error",
		Rule: "r1", ModuleDigest: "d", Ask: "a1", AuditSeq: 7, Failed: true,
	})
	if err := traces.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := c.spans(t)
	root, step, inner := got["callgate.check"], got["callgate.decide"], got["callgate.match_rule"]
	if root.TraceID != agentTrace || root.ParentSpanID != agentSpan || root.Kind != 2 || root.Status.Code != 2 {
		t.Errorf("root: got %+v, want a server's span within the agent's, failed", root)
	}
	if step.ParentSpanID != root.SpanID || inner.ParentSpanID != step.SpanID || inner.TraceID != agentTrace || step.Kind != 1 {
		t.Errorf("steps: got %+v and %+v, want one around the other", step, inner)
	}
	for key, want := range map[string]string{
		"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": strings.Repeat("é", 100), "gen_ai.tool.call.id": "c1", "gen_ai.agent.name": "ci",
		"gen_ai.conversation.id": "s1", "callgate.decision.outcome": "deny", "callgate.decision.stage": "error", "callgate.decision.code": "host_error",
		"callgate.rule.id": "r1", "callgate.module.digest": "d", "callgate.ask.id": "a1", "callgate.audit.seq": "7",
	} {
		if got := root.attribute(key); got != want {
			t.Errorf("%s: got %q, want %q", key, got, want)
		}
	}
	if h := c.heads[0]; h.Get("X-Key") != "k" || h.Get("Content-Type") != "application/json" {
		t.Errorf("headers: got %v", h)
	}
	if !strings.Contains(c.bodies[0], `{"key":"service.name","value":{"stringValue":"callgate"}}`) {
		t.Errorf("no name of the service in %s", c.bodies[0])
	}
	if got, want := traces.Spans(), (telemetry.Spans{Enabled: true, Made: 3, Sent: 3}); got != want {
		t.Errorf("spans: got %+v, want %+v", got, want)
	}
}

// TestTraces_begin: a trace of its own without a valid word of the agent, none where the agent does
// not sample, and none from a nil *Traces.
func TestTraces_begin(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", strings.ToUpper(traceparent), "00-" + strings.Repeat("0", 32) + "-" + agentSpan + "-01", traceparent + "\r\nX: y"} {
		c := newCollector(t)
		traces := telemetry.NewTraces(c.URL, nil, "v1", slog.New(slog.DiscardHandler))
		_, done := traces.Begin(t.Context(), text)
		done(telemetry.Checked{Tool: "Bash"})
		if err := traces.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if root := c.spans(t)["callgate.check"]; len(root.TraceID) != 32 || root.TraceID == agentTrace || root.ParentSpanID != "" {
			t.Errorf("%q: got %+v, want a trace of its own", text, root)
		}
	}
	c := newCollector(t)
	traces := telemetry.NewTraces(c.URL, nil, "v1", slog.New(slog.DiscardHandler))
	for _, tr := range []*telemetry.Traces{traces, nil} {
		ctx, done := tr.Begin(t.Context(), strings.TrimSuffix(traceparent, "01")+"00")
		stage.Begin(ctx, "decide")()
		done(telemetry.Checked{})
		if err := tr.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.spans(t); len(got) > 0 {
		t.Errorf("got %v, want nothing of a trace that is not sampled", got)
	}
}

// TestTraces_failure: a collector that refuses, and one that is away, cost a line of the log each
// time they begin to fail, and no check.
func TestTraces_failure(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	c.status = http.StatusServiceUnavailable
	var log strings.Builder
	traces := telemetry.NewTraces(c.URL, nil, "v1", slog.New(slog.NewTextHandler(&log, nil)))
	for range 2000 {
		_, done := traces.Begin(context.Background(), "")
		done(telemetry.Checked{})
	}
	if err := traces.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := traces.Spans(); got.Made != 2000 || got.Sent != 0 || got.Failed == 0 {
		t.Errorf("spans: got %+v, want 2000 made and none sent", got)
	}
	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "503") {
		t.Errorf("log: got %s, want one line with the answer", log.String())
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	got, err := telemetry.Headers(" authorization=Bearer%20x%3D , X-A=b,")
	if err != nil || len(got) != 2 || got["authorization"] != "Bearer x=" || got["X-A"] != "b" {
		t.Errorf("got %v, %v", got, err)
	}
	for _, bad := range []string{"secret", "a=b,=secret", "a b=secret", "a=%zzsecret", "a=secret%0d%0ax"} {
		if _, err := telemetry.Headers(bad); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got %v, want an error without the text", bad, err)
		}
	}
}
