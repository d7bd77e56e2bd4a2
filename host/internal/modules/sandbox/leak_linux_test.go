package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// held counts the open files and the mappings of snapshots.
func held(t *testing.T) (files, mappings int) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("no /proc: %v", err)
	}
	for _, fd := range fds {
		if name, _ := os.Readlink("/proc/self/fd/" + fd.Name()); strings.Contains(name, "callgate-snapshot") {
			files++
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skipf("no /proc: %v", err)
	}
	return files, bytes.Count(maps, []byte("callgate-snapshot"))
}

// TestHammer: calls, failures, time-outs, warm-ups, shrinking and closing, all at once, on few
// instances. Each answer is right or a reasoned failure, and afterwards nothing is left. It
// runs by itself: it counts the whole process's.
func TestHammer(t *testing.T) {
	before := runtime.NumGoroutine()
	files, mappings := held(t)
	r, err := New(t.Context(), Config{Memory: 64 << 20, Limits: Limits{Fuel: 300_000, Timeout: time.Minute, Instances: 3, MemoryPages: 64}})
	if err != nil {
		t.Fatal(err)
	}
	var callers sync.WaitGroup
	for _, name := range []string{"modules/deploy", "hostile/count_grown", "hostile/count_table", "hostile/trap", "hostile/loop", "hostile/memory_bomb", "hostile/exit"} {
		wasm, err := os.ReadFile(repo.File("testdata") + "/" + name + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		m, err := r.Load(t.Context(), name, wasm)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 4 {
			callers.Go(func() { hammer(t, m, uint64(n)) })
		}
	}
	callers.Wait()
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := r.memory.Used(); got != 0 {
		t.Errorf("%d bytes are still counted", got)
	}
	for end := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		runtime.Gosched() // the ending ones are on their way
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines; %d before", n, before)
	}
	if f, m := held(t); f > files || m > mappings {
		t.Errorf("%d files and %d mappings of snapshots; %d and %d before", f, m, files, mappings)
	}
}

func hammer(t *testing.T, m *Module, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 7))
	for range 150 {
		switch random.IntN(30) {
		case 0, 1:
			m.pool.reclaim(t.Context(), random.IntN(2), func() bool { return random.IntN(2) == 0 })
		case 2:
			m.pool.tick()
		case 3:
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, _ = m.Call(ctx, CheckPermissions, nil) // late or answered, both are right
		case 4:
			_, _ = m.Call(t.Context(), CheckPermissions, nil) // a hostile one may do anything there
		default:
			got, err := m.Call(t.Context(), MatchRule, []byte(`{}`))
			if want := `{"matched":[]}`; err != nil || string(got) != want {
				t.Errorf("%s: got %s, %v; want %s", m.Name(), got, err, want)
				return
			}
		}
	}
}

// own is how much of some ranges is unshared, in KiB, by the page map: in smaps a range without
// a file melts into its neighbours. Source: the kernel's pagemap.rst.
func own(t *testing.T, ranges ...[]byte) (kib int) {
	t.Helper()
	const present, ofFile = 1 << 63, 1 << 61
	pages, err := os.Open("/proc/self/pagemap")
	if err != nil {
		t.Skipf("the page map cannot be read: %v", err)
	}
	defer pages.Close()
	for _, part := range ranges {
		first := uintptr(unsafe.Pointer(unsafe.SliceData(part))) / uintptr(memory.SystemPage)
		entries := make([]byte, 8*len(part)/memory.SystemPage)
		if _, err := pages.ReadAt(entries, 8*int64(first)); err != nil {
			t.Skipf("the page map cannot be read: %v", err)
		}
		for ; len(entries) > 0; entries = entries[8:] {
			if e := binary.NativeEndian.Uint64(entries); e&present != 0 && e&ofFile == 0 {
				kib += memory.SystemPage >> 10
			}
		}
	}
	return kib
}

// TestIdleMemory: an idle instance's own memory.
func TestIdleMemory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, file string
		most       int // KiB
	}{
		{"C", repo.File("testdata/bench/guests/check_c.wasm"), 64},
		{"Go", repo.File("plugins/dist/bash.wasm"), 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if raceflag.Enabled && tt.name == "Go" {
				t.Skip("compiling a Go guest under -race takes a minute")
			}
			wasm, err := os.ReadFile(tt.file)
			if err != nil {
				t.Skipf("no guest: %v: run make wasm", err)
			}
			r, err := New(t.Context(), Config{Limits: Limits{Timeout: time.Minute}})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = r.Close(context.Background()) }()
			m, err := r.Load(t.Context(), tt.name, wasm)
			if err != nil {
				t.Fatal(err)
			}
			call := func(n int) []byte {
				return fmt.Appendf(nil, `{"tool":"Bash","input":{"command":"cd a && make x%d 2>&1 | tail -%d"},"context":{"cwd":"/p","home":"/h"}}`, n, n)
			}
			for n := range 50 {
				if _, err := m.Call(t.Context(), CheckPermissions, call(n)); err != nil {
					t.Fatal(err)
				}
			}
			inst := mustTake(t, m)
			if inst.memory.Mode() == memory.Untracked {
				t.Skip("this system's page map does not tell which pages were written")
			}
			right := own(t, inst.memory.Bytes(), inst.kernel.Memory())
			inst.trim(keptPrivate)
			rested := own(t, inst.memory.Bytes(), inst.kernel.Memory())
			inst.trim(0)
			last := own(t, inst.memory.Bytes(), inst.kernel.Memory())
			t.Logf("private: %d KiB after a call, %d after seconds, %d after a minute", right, rested, last)
			if rested > tt.most || last > 64 {
				t.Errorf("%d KiB after seconds, want at most %d; %d after a minute, want at most 64", rested, tt.most, last)
			}
			m.pool.put(t.Context(), inst)
		})
	}
}
