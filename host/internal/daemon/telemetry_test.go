package daemon_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
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
