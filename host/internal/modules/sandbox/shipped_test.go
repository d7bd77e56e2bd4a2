package sandbox_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// TestShipped: a module with shipped files is not read, compiled, started or kept. Files under other
// names are not found, and damaged ones are reported; what they hold is then made.
func TestShipped(t *testing.T) {
	t.Parallel()
	data := wasm(t, "deploy")
	files, err := sandbox.Precompile(t.Context(), sandbox.Limits{}, data)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := sandbox.Precompile(t.Context(), sandbox.Limits{}, data); err != nil || !reflect.DeepEqual(again, files) {
		t.Errorf("a second time: other files, %v", err)
	}
	names := slices.SortedFunc(maps.Keys(files), func(a, b string) int { return len(files[b]) - len(files[a]) })
	if len(names) != 2 {
		t.Fatalf("got %d files, want the code and the state", len(names))
	}
	code, state := names[0], names[1]
	changed := func(name string, change func(data []byte) []byte) map[string][]byte {
		all := maps.Clone(files)
		all[name] = change(bytes.Clone(all[name]))
		return all
	}
	turn := func(data []byte) []byte { data[len(data)/2]++; return data }
	cut := func(data []byte) []byte { return data[:len(data)-1] }
	empty := func([]byte) []byte { return nil }
	swapped := map[string][]byte{code: files[state], state: files[code]}
	for _, c := range []struct {
		what              string
		limits            sandbox.Limits
		files             map[string][]byte
		compiled, started bool
		report            string
	}{
		{what: "as made", files: files},
		{what: "other limits of the call", limits: sandbox.Limits{Fuel: 7_000_000}, files: files},
		{what: "other limits in the code", limits: sandbox.Limits{MemoryPages: 99}, files: files, compiled: true, started: true},
		{what: "code alone", files: map[string][]byte{code: files[code]}, started: true},
		{what: "state alone", files: map[string][]byte{state: files[state]}, compiled: true},
		{what: "changed code", files: changed(code, turn), compiled: true, report: "shipped code is not used"},
		{what: "code cut off", files: changed(code, cut), compiled: true, report: "shipped code is not used"},
		{what: "code of nothing", files: changed(code, empty), compiled: true, report: "shipped code is not used"},
		{what: "changed state", files: changed(state, turn), started: true, report: "shipped state is not used"},
		{what: "state cut off", files: changed(state, cut), started: true, report: "shipped state is not used"},
		{what: "state of nothing", files: changed(state, empty), started: true, report: "shipped state is not used"},
		{what: "one for the other", files: swapped, compiled: true, started: true, report: "shipped state is not used"},
	} {
		s := newStore(t)
		r, err := sandbox.New(t.Context(), sandbox.Config{CacheDir: s.dir, Limits: c.limits, Report: func(err error) { s.reported = append(s.reported, err.Error()) }})
		if err != nil {
			t.Fatal(err)
		}
		reads := 0
		from := sandbox.Source{
			Digest: sandbox.Digest(data), Size: len(data), Read: func() ([]byte, error) { reads++; return data, nil },
			Shipped: func(asked string) *io.SectionReader {
				if _, ok := c.files[asked]; !ok {
					return nil
				}
				return io.NewSectionReader(bytes.NewReader(c.files[asked]), 0, int64(len(c.files[asked])))
			},
		}
		_, there := c.files[code]
		if got, want := r.Ready(from), there && c.limits.MemoryPages == 0; got != want {
			t.Errorf("%s: ready: got %v", c.what, got)
		}
		m, err := r.LoadKnown(t.Context(), "deploy", from)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if got, err := m.Call(t.Context(), sandbox.Describe, nil); err != nil || !strings.Contains(string(got), `"name"`) {
			t.Errorf("%s: got %q, %v; want its description", c.what, got, err)
		}
		if compiled := len(s.entries(t)) == 1; compiled != c.compiled || reads != len(s.entries(t)) {
			t.Errorf("%s: read %d times, %d entries of code kept", c.what, reads, len(s.entries(t)))
		}
		if kept, err := filepath.Glob(filepath.Join(s.dir, "states", "*.code")); err != nil || (len(kept) == 1) != c.started {
			t.Errorf("%s: %d states kept, %v", c.what, len(kept), err)
		}
		if got := strings.Join(s.reported, "; "); !strings.Contains(got, c.report) || c.report == "" && got != "" {
			t.Errorf("%s: reported %q; want %q", c.what, got, c.report)
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// TestShippedState: a module answers with its shipped state as with the one found at its start, at the
// same price.
func TestShippedState(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"deploy", "everything", "echo"} {
		data := wasm(t, name)
		files, err := sandbox.Precompile(t.Context(), sandbox.Limits{}, data)
		if err != nil {
			t.Fatal(err)
		}
		r, err := sandbox.New(t.Context(), sandbox.Config{CacheDir: t.TempDir(), Report: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		opened := 0
		from := sandbox.Source{Digest: sandbox.Digest(data), Size: len(data), Read: func() ([]byte, error) { return data, nil }}
		found := answers(t, r, name, from)
		from.Shipped = func(asked string) *io.SectionReader {
			if _, ok := files[asked]; !ok {
				return nil
			}
			opened++
			return io.NewSectionReader(bytes.NewReader(files[asked]), 0, int64(len(files[asked])))
		}
		if got := answers(t, r, name, from); !slices.Equal(got, found) {
			t.Errorf("%s: shipped: %q, found: %q", name, got, found)
		}
		if opened != len(files) { // a module with tables has no state among them
			t.Errorf("%s: opened %d files", name, opened)
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
}

// answers are a module's outputs or errors, with their fuel.
func answers(t *testing.T, r *sandbox.Runtime, name string, from sandbox.Source) (all []string) {
	t.Helper()
	m, err := r.LoadKnown(t.Context(), name, from)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close(context.Background())
	for _, verb := range []string{sandbox.Describe, sandbox.CheckPermissions, sandbox.CheckReadOnly, sandbox.MatchRule} {
		var used sandbox.Usage
		output, err := m.Append(t.Context(), nil, sandbox.Request{Export: verb, Input: []byte(`{"input":{"target":"prod"}}`), Used: &used})
		all = append(all, fmt.Sprintf("%s: %s, %v, %d", verb, output, err, used.Fuel))
	}
	return all
}
