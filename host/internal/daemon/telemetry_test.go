package daemon_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
)

// TestMetrics has a real daemon decide calls and reads its numbers at the port of the log.
func TestMetrics(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "telemetry: {metrics: 127.0.0.1:0}\nagents: {ci: {mode: dont_ask}}\n")
	log := newLines()
	d, _ := w.Serve(log.logger())
	at := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(log.await(t, "serving metrics"))
	c := w.Agent(d.Address().String(), "ci")
	for _, command := range []string{"ls secret-name", "make secret-name", "ls -la"} {
		if _, err := c.Check(t.Context(), bash("s", "", command), nil); err != nil {
			t.Fatal(err)
		}
	}
	text := fetch(t, "http://"+at[1]+"/metrics")
	for _, want := range []string{
		`callgate_decisions_total\{outcome="allow",stage="[a-z_]+"\} 2\n`,
		`callgate_decisions_total\{outcome="deny",stage="[a-z_]+"\} 1\n`,
		`callgate_agent_last_check_timestamp_seconds\{agent="ci"\} \d`,
		`callgate_module_call_seconds_count\{module="[a-z.]*bash[a-z.]*"\} [1-9]`,
		`callgate_module_fuel_total\{module="[a-z.]*bash[a-z.]*"\} [1-9]`,
		`callgate_sandbox_memory_limit_bytes [1-9]`, `callgate_store_changes_total [1-9]`, `callgate_audit_seq [1-9]`, `callgate_store_errors_total 0\n`,
	} {
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret-name") || strings.Contains(text, "discord_connected") {
		t.Errorf("an input, or Discord, is in\n%s", text)
	}
	if got := fetch(t, "http://"+at[1]+"/readyz"); got != "ok\n" {
		t.Errorf("readyz: got %q", got)
	}
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// TestTraces has a real daemon decide a call within an agent's trace, and reads its spans at a
// collector. The second call's trace is a line of the request that is none.
func TestTraces(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 64)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a cut one has no span
		bodies <- string(body)
	}))
	t.Cleanup(collector.Close)
	w := newWorld(t, "telemetry: {traces: '"+collector.URL+"'}\nagents: {ci: {mode: dont_ask}}\n")
	d, _ := w.Serve(newLines().logger())
	c := w.Agent(d.Address().String(), "ci")
	for i, trace := range []string{"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "00-x\r\nHost: evil"} {
		r := bash("s", fmt.Sprint("call-", i), "ls secret-name")
		r.Traceparent = trace
		if res, err := c.Check(t.Context(), r, nil); err != nil || res.Decision.Behavior != engine.Allow {
			t.Fatalf("got %+v, %v", res, err)
		}
	}
	var all string
	for _, want := range []string{
		`"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"[0-9a-f]{16}","parentSpanId":"00f067aa0ba902b7","name":"callgate.check"`,
		`"name":"callgate.admit"`, `"name":"callgate.describe"`, `"name":"callgate.rules"`, `"name":"callgate.decide"`, `"name":"callgate.audit"`,
		`"name":"callgate.check_permissions"`, `"stringValue":"Bash"`, `"stringValue":"call-1"`, `"key":"callgate.audit.seq","value":{"intValue":"\d+"}`,
	} {
		for !regexp.MustCompile(want).MatchString(all) {
			select {
			case body := <-bodies:
				all += body + "\n"
			case <-t.Context().Done():
				t.Fatalf("no %s in\n%s", want, all)
			}
		}
	}
	if strings.Contains(all, "secret-name") {
		t.Errorf("an input is in\n%s", all)
	}
}
