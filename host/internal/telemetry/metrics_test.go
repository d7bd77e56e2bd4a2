package telemetry_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/callgate/callgate/host/internal/telemetry"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// full are metrics with a value in each name.
func full() *telemetry.Metrics {
	m := telemetry.New("v1", telemetry.Sources{
		Asks: func() telemetry.Asks { return telemetry.Asks{Waiting: 2, Oldest: 90 * time.Second, Surfaces: 1} },
		Store: func() telemetry.Store {
			return telemetry.Store{Commits: 3, Changes: 7, Failures: 1, Took: time.Second, Seq: 6, Behind: 2, Busy: 3, Idle: 5, Waits: 8, Waited: 2 * time.Second}
		},
		Audit: func() telemetry.Audit { return telemetry.Audit{At: time.Unix(1700000000, 0), Seq: 5} },
		Pool: func() telemetry.Pool {
			return telemetry.Pool{UsedBytes: 1 << 20, LimitBytes: 2 << 20, CacheBytes: 3, Run: 4, Remembered: 5}
		},
		Modules: func() []telemetry.Module {
			return []telemetry.Module{{File: "bash.wasm", Calls: 4, Failures: 1, Took: time.Second, Fuel: 1000}}
		},
		Discord: func() telemetry.Discord { return telemetry.Discord{Configured: true, Cards: 3} },
		Hooks: func() []telemetry.Hook {
			return []telemetry.Hook{{Client: "codex", At: time.Unix(1700000000, 0)}, {Client: "opencode", Judged: true}}
		},
		Traces: func() telemetry.Spans { return telemetry.Spans{Enabled: true, Made: 9, Sent: 8, Failed: 1} },
	})
	m.Decided(telemetry.Decision{Outcome: "allow", Stage: "read_only", Took: time.Millisecond, Agent: "ci"})
	m.Decided(telemetry.Decision{Outcome: "ask_approved", Stage: "mode", Took: time.Millisecond, Asked: true, Waited: 3 * time.Second})
	return m
}

// get asks h for a path under a host name and returns the status and the body.
func get(h http.Handler, path, host string, header ...string) (int, string) {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Host = host
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	body, _ := io.ReadAll(w.Result().Body) // a recorder's body is in memory
	return w.Code, string(body)
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	_, text := get(full().Handler(), "/metrics", "localhost")
	for _, want := range []string{
		`callgate_decisions_total{outcome="allow",stage="read_only"} 1`,
		`callgate_decisions_total{outcome="ask_approved",stage="mode"} 1`,
		`callgate_check_duration_seconds_count 2`,
		`callgate_ask_wait_seconds_bucket{outcome="ask_approved",le="5"} 1`,
		`callgate_asks_waiting 2`, `callgate_asks_oldest_seconds 90`, `callgate_ask_surfaces 1`,
		`callgate_store_commit_seconds_count 3`, `callgate_store_changes_total 7`, `callgate_store_errors_total 1`, `callgate_audit_seq 6`, `callgate_node_behind_changes 2`,
		`callgate_store_connections{state="busy"} 3`, `callgate_store_connections{state="idle"} 5`, `callgate_store_connection_wait_seconds_sum 2`, `callgate_store_connection_wait_seconds_count 8`,
		`callgate_audit_verified_seq 5`, `callgate_audit_verified_timestamp_seconds 1.7e+09`, `callgate_audit_broken 0`,
		`callgate_sandbox_memory_bytes 1.048576e+06`, `callgate_module_answers_total{from="memory"} 5`,
		`callgate_module_call_seconds_sum{module="bash.wasm"} 1`, `callgate_module_failures_total{module="bash.wasm"} 1`, `callgate_module_fuel_total{module="bash.wasm"} 1000`,
		`callgate_trace_spans_total{state="made"} 9`, `callgate_trace_spans_total{state="sent"} 8`, `callgate_hook_judged{client="codex"} 0`, `callgate_hook_judged{client="opencode"} 1`, `callgate_hook_probe_timestamp_seconds{client="codex"} 1.7e+09`, `callgate_discord_connected 0`, `callgate_discord_cards 3`, `callgate_build_info{version="v1"} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("missing: %s\n%s", want, ours(text))
		}
	}
	if !strings.Contains(text, `callgate_agent_last_check_timestamp_seconds{agent="ci"}`) || strings.Contains(text, `{agent=""}`) {
		t.Errorf("agents: got\n%s", ours(text))
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("lint: got %v, %v", problems, err)
	}
}

// ours are the lines about Callgate.
func ours(text string) string {
	return strings.Join(slices.Collect(func(yield func(string) bool) {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "callgate_") && !yield(line) {
				return
			}
		}
	}), "")
}

var metricName = regexp.MustCompile(`\bcallgate_[a-z_]+`)

// TestFiles: each metric of the dashboard and the alert rules exists, and each of ours is on the
// dashboard or in an alert.
func TestFiles(t *testing.T) {
	t.Parallel()
	_, text := get(full().Handler(), "/metrics", "localhost")
	exists := map[string]bool{}
	for line := range strings.Lines(ours(text)) {
		exists[metricName.FindString(line)] = true
	}
	var dashboard struct {
		UID    string `json:"uid"`
		Panels []struct {
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	read(t, "docs/monitoring/grafana.json", json.Unmarshal, &dashboard)
	var rules struct {
		Groups []struct {
			Name  string `yaml:"name"`
			Rules []struct {
				Alert       string            `yaml:"alert"`
				Record      string            `yaml:"record"`
				Expr        string            `yaml:"expr"`
				For         string            `yaml:"for"`
				Labels      map[string]string `yaml:"labels"`
				Annotations map[string]string `yaml:"annotations"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	read(t, "docs/monitoring/alerts.yaml", func(data []byte, v any) error { return yaml.UnmarshalWithOptions(data, v, yaml.Strict()) }, &rules)
	exprs := map[string]string{}
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			exprs["panel "+p.Title+" "+target.Expr] = target.Expr
		}
	}
	for _, g := range rules.Groups {
		for _, r := range g.Rules {
			exprs["rule "+r.Alert+r.Record] = r.Expr
			if r.Alert != "" && (r.Annotations["summary"] == "" || r.Annotations["action"] == "" || r.Labels["severity"] == "") {
				t.Errorf("alert %s: want a summary, an action and a severity", r.Alert)
			}
		}
	}
	if len(exprs) < 25 {
		t.Fatalf("read %d expressions", len(exprs))
	}
	used := map[string]bool{"callgate_build_info": true}
	for where, expr := range exprs {
		for _, name := range metricName.FindAllString(expr, -1) {
			used[name] = true
			if !exists[name] {
				t.Errorf("%s: no metric %s", where, name)
			}
		}
		if where != "rule CallgateDown" && !metricName.MatchString(expr) {
			t.Errorf("%s: no metric of ours", where)
		}
	}
	for name := range exists {
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_count"), "_sum"), "_bucket")
		if !used[name] && !used[base+"_count"] && !used[base+"_bucket"] {
			t.Errorf("%s is in no panel and no alert", name)
		}
	}
}

func read(t *testing.T, file string, decode func([]byte, any) error, into any) {
	t.Helper()
	data, err := os.ReadFile(repo.File(file))
	if err == nil {
		err = decode(data, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func TestHandler(t *testing.T) {
	t.Parallel()
	var problems []string
	h := telemetry.Handler(full(), func(context.Context) []string { return problems })
	for _, c := range []struct {
		path, host string
		header     []string
		status     int
		text       string
	}{
		{"/metrics", "127.0.0.1:9464", nil, 200, "callgate_audit_seq"},
		{"/livez", "localhost", nil, 200, "ok"},
		{"/readyz", "[::1]:1", nil, 200, "ok"},
		{"/metrics", "evil.example:9464", nil, 403, "loopback"},
		{"/metrics", "", nil, 403, "loopback"},
		{"/metrics", "127.0.0.1", []string{"Origin", "http://evil.example"}, 403, "programs of this machine"},
		{"/livez", "127.0.0.1", []string{"Sec-Fetch-Site", "cross-site"}, 403, "programs of this machine"},
		{"/v1/check", "127.0.0.1", nil, 404, ""},
	} {
		status, text := get(h, c.path, c.host, c.header...)
		if status != c.status || !strings.Contains(text, c.text) {
			t.Errorf("%s under %q %v: got %d %.80q, want %d with %q", c.path, c.host, c.header, status, text, c.status, c.text)
		}
	}
	problems = []string{"the store cannot be used"}
	if status, text := get(h, "/readyz", "localhost"); status != 503 || !strings.Contains(text, problems[0]) {
		t.Errorf("not ready: got %d %q", status, text)
	}
	if status, _ := get(h, "/livez", "localhost"); status != 200 {
		t.Errorf("alive and not ready: got %d", status)
	}
}
