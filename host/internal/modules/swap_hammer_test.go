package modules_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/swaptest"
	"github.com/callgate/callgate/host/wire"
)

// swapping is the number of the hammer's swaps; under the race detector and with -short fewer,
// as the test says.
func swapping(t *testing.T) int {
	switch {
	case raceflag.Enabled:
		t.Log("100 swaps instead of 1,000: under the race detector compiling takes a hundred times as long")
		return 100
	case testing.Short():
		t.Log("100 swaps instead of 1,000: -short")
		return 100
	}
	return 1000
}

// decisionsOfASwap is the clients' maximum of decisions from one swap's beginning to the next
// one's: many times the number possible during the swap itself, and not eight hundred times, of
// an unchanged module.
const decisionsOfASwap = 100

// TestSwap_hammer: two clients decide while a module is swapped 1,000 times, from before each
// swap until after it, one file in ten being broken. No decision fails or is answered by two
// modules, and afterwards all is as it was. It runs by itself: it counts the process's
// resources.
func TestSwap_hammer(t *testing.T) {
	swaps := swapping(t)
	files, dir, cache := swaptest.Open(t, repo.File("testdata")), t.TempDir(), filepath.Join(t.TempDir(), "cache")
	r, err := sandbox.New(t.Context(), sandbox.Config{CacheDir: cache, Limits: sandbox.Limits{Timeout: time.Minute, Fuel: 3_000_000, CompileTime: 10 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(context.Background()) }()
	write(t, dir, "d.wasm", files.Version(0))
	c := open(t, modules.Options{Runtime: r, Dir: dir, CacheDir: cache, Fallback: "Deploy", Settings: modules.Settings{Grants: map[string]modules.Rights{"d": {MayAllow: true}}},
		Report: func(err error) { t.Error(err) }})
	noProblems(t, c)
	var versions sync.Map // number by digest
	versions.Store(sandbox.Digest(files.Version(0)), 0)
	turns := make(chan struct{}, decisionsOfASwap)
	decisions := func(stop <-chan struct{}, done *atomic.Int64) {
		for {
			select {
			case <-stop:
				return
			case <-turns:
			}
			if !decided(t, c, &versions) {
				return
			}
			done.Add(1)
		}
	}
	run := func(from, n int) int64 {
		var clients sync.WaitGroup
		var done atomic.Int64
		stop := make(chan struct{})
		for range 2 {
			clients.Go(func() { decisions(stop, &done) })
		}
		for i := from; i < from+n && !t.Failed(); i++ {
			for len(turns) < cap(turns) { // only this one sends
				turns <- struct{}{}
			}
			swapOnce(t, c, files, dir, &versions, i)
		}
		close(stop)
		clients.Wait()
		return done.Load()
	}
	run(1, 20) // one-time allocations of a process exist now
	before := usage(t, cache)
	done := run(100, swaps)
	after := usageBelow(t, cache, before)
	t.Logf("%d swaps, %d decisions; before %s, after %s", swaps, done, before, after)
	if done == 0 {
		t.Error("nothing was decided")
	}
}

// swapOnce puts version i in place, or a harmlessly broken file.
func swapOnce(t *testing.T, c *modules.Catalog, files *swaptest.Modules, dir string, versions *sync.Map, i int) {
	t.Helper()
	was := c.Modules()[0].Digest
	data, want := files.Version(i), ""
	if i%10 == 9 {
		data, want = files.Broken(i/10, i)
	} else {
		versions.Store(sandbox.Digest(data), i)
	}
	out, err := c.Change(t.Context(), func() error { return os.WriteFile(filepath.Join(dir, "d.wasm"), data, 0o600) })
	if err != nil || len(out.Swaps) != 1 {
		t.Errorf("swap %d: got %+v, %v; want one", i, out, err)
		return
	}
	s := out.Swaps[0]
	good := s.What == wire.SwapSwapped && s.Was == was && s.Is == sandbox.Digest(data) && s.Why == ""
	kept := s.What == wire.SwapKept && s.Was == was && s.Is == was && s.Found == sandbox.Digest(data) && strings.Contains(s.Why, want) && strings.Contains(s.Why, "stays in use")
	if want == "" && !good || want != "" && !kept {
		t.Errorf("swap %d, want %q: got %+v", i, want, s)
	}
}

// decided makes one decision as the gate does, and reports whether a single module in use made
// it.
func decided(t *testing.T, c *modules.Catalog, versions *sync.Map) bool {
	tools := c.Snapshot()
	defer tools.Release()
	e := tools.Lookup("Deploy")
	number, ok := versions.Load(e.Digest)
	if e.Err != nil || !ok {
		t.Errorf("got %+v, a digest that was in use: %t", e, ok)
		return false
	}
	n := number.(int)
	ctx := context.Background()
	d, describeErr := e.Describe(ctx, call(`{"target":"staging/x"}`))
	v, checkErr := e.Tool.CheckPermissions(ctx, call(`{"target":"staging/x"}`))
	matched, matchErr := tools.Lookup("deploy").Tool.MatchRule(ctx, call(`{"target":"staging/x"}`), engine.Allow, []engine.RuleText{{Content: "staging/*"}})
	s, suggestErr := e.Tool.GenerateSuggestions(ctx, call(`{"target":"staging/x"}`))
	for _, err := range []error{describeErr, checkErr, matchErr, suggestErr} {
		if err != nil {
			t.Errorf("version %d: %v", n, err)
			return false
		}
	}
	if d.Title != swaptest.Title(n) || v.Reason != swaptest.Reason(n) || len(matched) != 1 || s[0].Description != swaptest.Description(n) || e.Version != fmt.Sprintf("%05x", n) {
		t.Errorf("version %d of digest %s: got %q, %q, %v, %q: mixed", n, e.Digest, d.Title, v.Reason, matched, s[0].Description)
		return false
	}
	return true
}

// used are the resources of the process and the cache.
type used struct {
	heap, rss                    int64
	goroutines, files, fds, map_ int
}

func (u used) String() string {
	return fmt.Sprintf("heap %d KiB, RSS %d KiB, %d goroutines, %d descriptors, %d mappings, %d files in the cache", u.heap>>10, u.rss>>10, u.goroutines, u.fds, u.map_, u.files)
}

func usage(t *testing.T, cache string) used {
	t.Helper()
	runtime.GC()
	runtime.GC() // the first one's garbage
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u := used{heap: int64(m.HeapAlloc), goroutines: runtime.NumGoroutine()}
	if data, err := os.ReadFile("/proc/self/statm"); err == nil {
		var size, resident int64
		_, _ = fmt.Sscan(string(data), &size, &resident)
		u.rss = resident * int64(os.Getpagesize())
	}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		u.fds = len(entries)
	}
	if data, err := os.ReadFile("/proc/self/maps"); err == nil {
		u.map_ = strings.Count(string(data), "\n")
	}
	_ = filepath.WalkDir(cache, func(_ string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			u.files++
		}
		return nil
	})
	return u
}

// usageBelow waits until the process's resources are back, except for noise.
func usageBelow(t *testing.T, cache string, before used) used {
	t.Helper()
	const noise = 8 << 20 // of an allocator with its own reserves
	end := time.Now().Add(30 * time.Second)
	for {
		u := usage(t, cache)
		back := u.heap <= before.heap+noise/4 && u.rss <= before.rss+2*noise && u.goroutines <= before.goroutines && u.fds <= before.fds &&
			u.map_ <= before.map_+64 && u.files <= before.files
		if back {
			return u
		}
		if time.Now().After(end) {
			t.Errorf("it has %s; before it had %s", u, before)
			return u
		}
		runtime.Gosched()
	}
}
