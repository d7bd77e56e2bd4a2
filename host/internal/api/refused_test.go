package api_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/store"
)

// clockwork is a server's clock under the test's control.
func clockwork(ahead *atomic.Int64) func(*api.Config) {
	start := time.Now()
	return func(c *api.Config) { c.Now = func() time.Time { return start.Add(time.Duration(ahead.Load())) } }
}

// rows are the denials of the audit from before the gate.
func (w *world) rows(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	for row, err := range w.store.Audit(t.Context(), store.Filter{Event: store.EventDecision}) {
		must(t, err)
		if row.Decision != store.Denied || row.Stage != "error" {
			t.Errorf("got row %+v, want a denial", row)
		}
		token, _, _ := strings.Cut(strings.TrimPrefix(row.Detail, "token "), ": ")
		out[row.Code+" of "+token]++
	}
	return out
}

// TestCheck_refusedBeforeItIsReadIsAudited, since a call was denied.
func TestCheck_refusedBeforeItIsReadIsAudited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, r := range []rawRequest{
		{method: "POST", path: "/v1/check", token: "ci", body: "{"},
		{method: "POST", path: "/v1/check", token: "ci", body: `{"tool":"Bash","input":{},"approved":true}`},
		{method: "POST", path: "/v1/check", token: "ci", body: "x", contentType: "text/plain"},
		{method: "POST", path: "/v1/check?timeout=soon", token: "ci", body: "{}"},
		{method: "GET", path: "/v1/check", token: "ci"},
		{method: "POST", path: "/v1/check/", token: "integrator", body: "{}"},
		{method: "POST", path: "/v1/check", token: "approver", body: "{}"},
		{method: "POST", path: "/v1/check", token: "ci", body: `{"tool":"Bash","input":{"command":"` + strings.Repeat("a", 16<<20) + `"}}`},
		{method: "POST", path: "/v1/check", secret: "Bearer " + oldSecret("cg_check_", "A"), body: "{"}, // without an owner: the log's
		{method: "POST", path: "/v1/rules", token: "ci", body: "{"},                                     // no call
	} {
		if got := w.mustRaw(t, r); got.status < 400 {
			t.Errorf("%+v: got %d", r, got.status)
		}
	}
	want := map[string]int{
		"invalid_json of check:ci": 1, "unknown_field of check:ci": 1, "unsupported_media_type of check:ci": 1, "bad_request of check:ci": 2,
		"not_found of integrator": 1, "forbidden of approver": 1, "too_large of check:ci": 1,
	}
	if got := w.rows(t); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// TestT12_floodOfRefusedRequests leaves a bounded number of rows, and a count.
func TestT12_floodOfRefusedRequests(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	w := newWorld(t, clockwork(&ahead))
	flood := func(n int) {
		for range n {
			w.mustRaw(t, rawRequest{method: "POST", path: "/v1/check", token: "ci", body: "{"})
		}
	}
	flood(api.RefusedRows + 12)
	if got := w.rows(t)["invalid_json of check:ci"]; got != api.RefusedRows {
		t.Errorf("got %d rows, want %d", got, api.RefusedRows)
	}
	ahead.Store(int64(time.Minute))
	flood(1)
	if got := w.rows(t); got["refused of check:ci"] != 1 || got["invalid_json of check:ci"] != api.RefusedRows+1 {
		t.Errorf("a minute later: got %v, want one row that counts, and one more", got)
	}
	for row, err := range w.store.Audit(t.Context(), store.Filter{Text: "more requests"}) {
		must(t, err)
		if !strings.Contains(row.Detail, ": 12 more requests were refused") {
			t.Errorf("got %q, want 12 counted", row.Detail)
		}
	}
}

// TestT12_floodOfStrangers is one line of the log in a second.
func TestT12_floodOfStrangers(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	w := newWorld(t, clockwork(&ahead))
	const line = "requests with an invalid token were refused"
	for range 20 {
		w.mustRaw(t, rawRequest{method: "GET", path: "/v1/rules"})
	}
	if n := strings.Count(w.log.String(), line); n != 1 {
		t.Errorf("got %d lines, want 1", n)
	}
	ahead.Store(int64(time.Second))
	w.mustRaw(t, rawRequest{method: "GET", path: "/v1/rules"})
	if n := strings.Count(w.log.String(), line); n != 2 || !strings.Contains(w.log.String(), "requests=20") {
		t.Errorf("a second later: got %d lines, want 2 and the count:\n%s", n, w.log.String())
	}
	if rows := w.rows(t); len(rows) != 0 {
		t.Errorf("the audit has %v of strangers", rows)
	}
}
