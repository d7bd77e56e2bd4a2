package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// TestShipped: a module with shipped code is not read, compiled or kept. Code under another name
// is not found, and damaged code is reported; the module is then compiled.
func TestShipped(t *testing.T) {
	t.Parallel()
	data := wasm(t, "deploy")
	name, code, err := sandbox.Precompile(t.Context(), sandbox.Limits{}, data)
	if err != nil {
		t.Fatal(err)
	}
	if _, again, err := sandbox.Precompile(t.Context(), sandbox.Limits{}, data); err != nil || !bytes.Equal(again, code) {
		t.Errorf("a second time: other bytes, %v", err)
	}
	changed := bytes.Clone(code)
	changed[len(changed)/2]++
	for _, c := range []struct {
		what     string
		limits   sandbox.Limits
		code     []byte
		err      error
		ready    bool
		compiled bool
		report   string
	}{
		{what: "as made", code: code, ready: true},
		{what: "other limits of the call", limits: sandbox.Limits{Fuel: 7_000_000}, code: code, ready: true},
		{what: "other limits in the code", limits: sandbox.Limits{MemoryPages: 99}, code: code, compiled: true},
		{what: "changed", code: changed, ready: true, compiled: true, report: "shipped code is not used"},
		{what: "cut off", code: code[:len(code)-1], ready: true, compiled: true, report: "shipped code is not used"},
		{what: "of nothing", ready: true, compiled: true, report: "shipped code is not used"},
		{what: "unreadable", err: errors.New("no"), ready: true, compiled: true, report: "shipped code is not used: no"},
	} {
		s := newStore(t)
		r, err := sandbox.New(t.Context(), sandbox.Config{CacheDir: s.dir, Limits: c.limits, Report: func(err error) { s.reported = append(s.reported, err.Error()) }})
		if err != nil {
			t.Fatal(err)
		}
		reads := 0
		from := sandbox.Source{
			Digest: sandbox.Digest(data), Size: len(data), Read: func() ([]byte, error) { reads++; return data, nil },
			Shipped: func(asked string) func() ([]byte, error) {
				if asked != name {
					return nil
				}
				return func() ([]byte, error) { return c.code, c.err }
			},
		}
		if got := r.Ready(from); got != c.ready {
			t.Errorf("%s: ready: got %v", c.what, got)
		}
		m, err := r.LoadKnown(t.Context(), "deploy", from)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if got, err := m.Call(t.Context(), sandbox.Describe, nil); err != nil || !strings.Contains(string(got), `"name"`) {
			t.Errorf("%s: got %q, %v; want its description", c.what, got, err)
		}
		if compiled := reads == 1 && len(s.entries(t)) == 1; compiled != c.compiled || !compiled && reads+len(s.entries(t)) > 0 {
			t.Errorf("%s: read %d times, %d entries kept", c.what, reads, len(s.entries(t)))
		}
		if got := strings.Join(s.reported, "; "); !strings.Contains(got, c.report) || c.report == "" && got != "" {
			t.Errorf("%s: reported %q; want %q", c.what, got, c.report)
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
