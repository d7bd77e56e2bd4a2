package sandbox_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// padded is a golden module with n more functions, each taking the engine about a millisecond.
func padded(tb testing.TB, name string, n int) []byte {
	tb.Helper()
	some := []byte{0x41, 0, 0x28, 2, 0, 0x04, 0x40, 0x0b, 0x20, 0, 0x28, 2, 0, 0x21, 0} // an if, and a load
	return with(tb, name, n, slices.Concat([]byte{1, 1, 0x7f}, slices.Repeat(some, 50), []byte{0x0b}))
}

// with is a golden module with n more functions of that body.
func with(tb testing.TB, name string, n int, body []byte) []byte {
	tb.Helper()
	data := wasm(tb, name)
	out := data[:8:8]
	for at := 8; at < len(data); {
		id := data[at]
		size, w := uleb(data[at+1:])
		content := data[at+1+w:][:size]
		at += 1 + w + size
		count, skip := uleb(content)
		switch id {
		case 1: // one more type, of nothing
			content = slices.Concat(leb(count+1), content[skip:], []byte{0x60, 0, 0})
		case 3:
			content = slices.Concat(leb(count+n), content[skip:], slices.Repeat(leb(types(data)), n))
		case 10:
			content = slices.Concat(leb(count+n), content[skip:], slices.Repeat(append(leb(len(body)), body...), n))
		}
		out = slices.Concat(out, []byte{id}, leb(len(content)), content)
	}
	return out
}

func leb(v int) (out []byte) {
	for ; v >= 0x80; v >>= 7 {
		out = append(out, byte(v)|0x80)
	}
	return append(out, byte(v))
}

func uleb(data []byte) (v, n int) {
	for shift := 0; ; shift += 7 {
		v |= int(data[n]&0x7f) << shift
		n++
		if data[n-1] < 0x80 {
			return v, n
		}
	}
}

// types is a module's number of types; they are its first section.
func types(data []byte) int {
	_, w := uleb(data[9:])
	n, _ := uleb(data[9+w:])
	return n
}

// TestCompile_bounds: a compilation too long, or with too much memory, is abandoned, by the
// name of its limit, and another module loads after it. Not beside other tests: the watched
// heap is the process's.
func TestCompile_bounds(t *testing.T) {
	large := padded(t, "deploy", 6000) // some seconds, and some 100 MB
	for want, limits := range map[string]sandbox.Limits{
		"limit compile_time: compiling takes longer than 50ms": {CompileTime: 5 * time.Millisecond},
		"limit compile_mib: compiling takes ":                  {CompileBytes: 16 << 20},
	} {
		t.Run(want, func(t *testing.T) {
			r := newRuntime(t, limits)
			m, err := r.Load(t.Context(), "large", large)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, %v; want %q", m, err, want)
			}
			if name, _, _ := strings.Cut(strings.TrimPrefix(want, "limit "), ":"); sandbox.LimitOf(err) != name {
				t.Errorf("got %q; want the limit %s", sandbox.LimitOf(err), name)
			}
			if _, err := r.WithLimits(sandbox.Limits{CompileTime: time.Minute, CompileBytes: 1 << 30}).Load(t.Context(), "deploy", wasm(t, "deploy")); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCompile_ends: a compilation ends with its caller, and with the runtime.
func TestCompile_ends(t *testing.T) {
	t.Parallel()
	large := padded(t, "deploy", 2000)
	for name, end := range map[string]func(r *sandbox.Runtime, cancel func()){
		"caller":  func(_ *sandbox.Runtime, cancel func()) { cancel() },
		"runtime": func(r *sandbox.Runtime, _ func()) { _ = r.Close(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRuntime(t, sandbox.Limits{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			loaded := make(chan error)
			go func() {
				_, err := r.Load(ctx, "large", large)
				loaded <- err
			}()
			end(r, cancel)
			if err := <-loaded; err == nil || name == "caller" && !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "context canceled") {
				t.Errorf("got %v; want it given up", err)
			}
		})
	}
}

// TestCompile_function: one too slow function is not begun.
func TestCompile_function(t *testing.T) {
	t.Parallel()
	ifs := slices.Repeat([]byte{0x41, 0, 0x04, 0x40, 0x0b}, 20_000)
	out := with(t, "deploy", 1, slices.Concat([]byte{0}, ifs, []byte{0x0b}))
	m, err := newRuntime(t, sandbox.Limits{}).Load(t.Context(), "bomb", out)
	if err == nil || !strings.Contains(err.Error(), "limit milliseconds to compile one function: ") || !strings.Contains(err.Error(), ", at most 2000") {
		t.Errorf("got %v, %v; want the function refused", m, err)
	}
}
