package sandbox

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// testModule loads a golden or hostile module in a runtime of its own.
func testModule(t *testing.T, file string, cfg Config) *Module {
	t.Helper()
	wasm, err := os.ReadFile(repo.File("testdata") + "/" + file + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Limits.Timeout == 0 {
		cfg.Limits.Timeout = time.Minute
	}
	r, err := New(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	m, err := r.Load(context.Background(), file, wasm)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustTake(t *testing.T, m *Module) *instance {
	t.Helper()
	inst, err := m.take(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return inst
}

// instances counts a pool's instances.
func (p *pool) instances() (n int) {
	for i := range p.slots {
		if s := &p.slots[i]; s.claim(slotReady) {
			n++
			s.state.Store(slotReady)
		}
	}
	return n
}

// TestPoolIsFair: waiting calls get an instance in order, without overtaking, and one that
// gives up is not waited for.
func TestPoolIsFair(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := testModule(t, "modules/deploy", Config{Limits: Limits{Instances: 2}})
		first, second := mustTake(t, m), mustTake(t, m)
		if first == second {
			t.Fatal("one instance for two calls")
		}
		var mu sync.Mutex
		var order []int
		wait := func(ctx context.Context, n int) {
			inst, err := m.take(ctx)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				order = append(order, -n)
				return
			}
			order = append(order, n)
			m.pool.put(ctx, inst)
		}
		impatient, cancel := context.WithCancel(t.Context())
		for n := 1; n <= 5; n++ {
			ctx := t.Context()
			if n == 3 {
				ctx = impatient
			}
			go wait(ctx, n)
			synctest.Wait()
		}
		cancel()
		synctest.Wait()
		m.pool.put(t.Context(), first)
		synctest.Wait()
		m.pool.put(t.Context(), second)
		if want := []int{-3, 1, 2, 4, 5}; !slices.Equal(order, want) {
			t.Errorf("got %v; want %v", order, want)
		}
		if n := m.pool.waiting.Load(); n != 0 {
			t.Errorf("%d wait; want none", n)
		}
		m.Close(t.Context())
	})
}

// TestPoolGivesBack: idle instances give up their own memory after seconds and end after a
// minute, except one; then nothing runs any more.
func TestPoolGivesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := testModule(t, "modules/deploy", Config{Limits: Limits{Instances: 4}})
		var all []*instance
		for range 4 {
			all = append(all, mustTake(t, m))
		}
		for _, inst := range all {
			inst.memory.Bytes()[100]++ // a page of its own
			m.pool.put(t.Context(), inst)
		}
		used := m.rt.memory.Used()
		if n := m.pool.instances(); n != 4 {
			t.Fatalf("%d instances; want 4", n)
		}
		time.Sleep((trimAfter + 1) * idleTick)
		if n := m.pool.instances(); n != 4 {
			t.Errorf("%d instances after seconds; want 4", n)
		}
		time.Sleep((endAfter + 1) * idleTick)
		if n := m.pool.instances(); n != 1 {
			t.Errorf("%d instances after a minute; want 1", n)
		}
		if now := m.rt.memory.Used(); now >= used {
			t.Errorf("%d bytes are counted after, %d before; want fewer", now, used)
		}
		if m.pool.idler.armed.Load() {
			t.Error("the idler runs for nothing")
		}
		if last := mustTake(t, m); last.memory.Mode() != memory.Untracked && last.memory.Private() != 0 {
			t.Errorf("the last keeps %d bytes of its own; want none", last.memory.Private())
		} else {
			m.pool.put(t.Context(), last)
		}
		if !m.pool.idler.armed.Load() {
			t.Error("the idler sleeps on")
		}
		m.Close(t.Context())
		if got := m.rt.memory.Used(); got != 0 {
			t.Errorf("%d bytes are counted after close; want none", got)
		}
	})
}

// TestSlowStart: while one call makes an instance, others use the ready ones.
func TestSlowStart(t *testing.T) {
	t.Parallel()
	m := testModule(t, "modules/deploy", Config{Limits: Limits{Instances: 2}})
	m.pool.put(t.Context(), mustTake(t, m))
	starting, err := m.pool.take(t.Context()) // the ready one
	if err != nil {
		t.Fatal(err)
	}
	empty, err := m.pool.take(t.Context())
	if err != nil || empty.inst != nil {
		t.Fatalf("got %v, %v; want an empty slot", empty, err)
	}
	m.pool.free(t.Context(), starting) // its call ended while the other one starts
	if got, err := m.Call(t.Context(), Describe, nil); err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	m.pool.free(t.Context(), empty)
}

// TestMemoryOfAllModules: the modules of one runtime share its memory. Idle instances make
// room; when all of it is in use, the demanding call fails, with the setting's name, and no
// other.
func TestMemoryOfAllModules(t *testing.T) {
	t.Parallel()
	const most = 6 << 20
	m := testModule(t, "hostile/count_grown", Config{Memory: most, Limits: Limits{Instances: 8, MemoryPages: 64}})
	r := m.rt
	wasm, err := os.ReadFile(repo.File("testdata/hostile/memory_bomb.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	bomb, err := r.Load(t.Context(), "bomb", wasm)
	if err != nil {
		t.Fatal(err)
	}
	held := []*instance{mustTake(t, m)}
	idle := mustTake(t, m)
	m.pool.put(t.Context(), idle)
	rest := most - r.memory.Used() - PageSize
	if r.memory.Take(rest) != nil { // as if other modules had it
		t.Fatal("no memory")
	}
	for range 3 {
		got, err := bomb.Call(t.Context(), CheckPermissions, nil)
		if e, ok := err.(*Error); !ok || e.Kind != KindMemory || e.Limit != "modules.memory_mib" {
			t.Errorf("got %s, %v; want an error for want of memory", got, err)
		}
	}
	if n := m.pool.instances(); n != 0 {
		t.Errorf("%d instances idle; want them given back first", n)
	}
	bomb.Close(t.Context())
	if more := most - r.memory.Used(); r.memory.Take(more) == nil {
		rest += more
	}
	if got, err := m.Call(t.Context(), Describe, nil); err == nil {
		t.Errorf("got %s; want no memory for another instance", got)
	}
	if t1 := held[0].begin(make([]byte, 4<<20)); t1 == nil || t1.Limit != memorySetting {
		t.Errorf("a large input: got %v; want no host memory for it", t1)
	}
	r.memory.Give(rest)
	if got, err := m.Call(t.Context(), Describe, nil); err != nil {
		t.Errorf("with room again: got %s, %v", got, err)
	}
	for _, inst := range held {
		m.pool.put(t.Context(), inst)
	}
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if got := r.memory.Used(); got != 0 {
		t.Errorf("%d bytes are counted after close; want none", got)
	}
}

// TestStarved: a module filling the memory and holding on to it takes the others' spare
// instances, but not the answering one; a module without an instance comes before idle ones.
func TestStarved(t *testing.T) {
	t.Parallel()
	good := testModule(t, "modules/deploy", Config{Memory: 8 << 20, Limits: Limits{Instances: 8, MemoryPages: 64}})
	wasm, err := os.ReadFile(repo.File("testdata/hostile/memory_bomb.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	load := func(name string) *Module {
		m, err := good.rt.Load(t.Context(), name, wasm)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	spare := []*instance{mustTake(t, good), mustTake(t, good), mustTake(t, good)}
	for _, inst := range spare {
		good.pool.put(t.Context(), inst)
	}
	bomb := load("bomb")
	holds := mustTake(t, bomb) // a lasting call
	budget := good.rt.memory
	rest := budget.Most() - budget.Used() // it has the rest
	if budget.Take(rest) != nil {
		t.Fatal("no memory")
	}
	if got, err := bomb.Call(t.Context(), CheckPermissions, nil); err == nil {
		t.Errorf("got %s; want an error for want of memory", got)
	}
	if n := good.pool.instances(); n != 1 {
		t.Errorf("%d instances are left to the good module; want 1", n)
	}
	if got, err := good.Call(t.Context(), Describe, nil); err != nil {
		t.Errorf("a good call beside: got %s, %v", got, err)
	}
	budget.Give(rest)
	fresh := load("new")
	rest = budget.Most() - budget.Used()
	if budget.Take(rest) != nil {
		t.Fatal("no memory")
	}
	if got, err := fresh.Call(t.Context(), Describe, nil); err != nil {
		t.Errorf("the first call of a module: got %s, %v", got, err)
	}
	bomb.pool.put(t.Context(), holds)
	budget.Give(rest)
	if err := good.rt.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestStartOutlivesItsCaller: a start abandoned by its caller is not lost, or on a busy machine
// a module would begin again and again and never answer.
func TestStartOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	m := testModule(t, "modules/deploy", Config{Limits: Limits{Instances: 1}})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Call(ctx, Describe, nil); err == nil {
		t.Fatal("a call whose caller had given up succeeded")
	}
	s, err := m.pool.take(t.Context())
	if err != nil || s.inst == nil {
		t.Fatalf("got %v, %v; want the instance that was begun", s, err)
	}
	m.pool.free(t.Context(), s)
	if _, err := m.Call(t.Context(), Describe, nil); err != nil {
		t.Error(err)
	}
}
