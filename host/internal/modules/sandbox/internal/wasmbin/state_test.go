package wasmbin_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
	"github.com/callgate/callgate/host/internal/testkit/wasmgen"
)

// keeper saves and restores an instance the way a host does.
type keeper struct {
	mod     api.Module
	result  *wasmbin.Result
	globals []api.MutableGlobal
	values  []uint64
	memory  []byte
}

func newKeeper(mod api.Module, result *wasmbin.Result) *keeper {
	k := &keeper{mod: mod, result: result}
	for _, name := range result.Globals {
		k.globals = append(k.globals, mod.ExportedGlobal(name).(api.MutableGlobal))
	}
	return k
}

// view is the whole memory.
func (k *keeper) view() []byte {
	if !k.result.Memory || k.mod.Memory() == nil {
		return nil
	}
	view, _ := k.mod.Memory().Read(0, k.mod.Memory().Size()) // all of it is in range
	return view
}

func (k *keeper) save(tb fataler) {
	k.memory, k.values = bytes.Clone(k.view()), nil
	for _, g := range k.globals {
		k.values = append(k.values, g.Get())
	}
	k.call(tb, wasmbin.SaveName)
}

func (k *keeper) call(tb fataler, name string) {
	if !k.result.Kept {
		return
	}
	if _, err := k.mod.ExportedFunction(name).Call(context.Background()); err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
}

// restore reports false when something has grown.
func (k *keeper) restore(tb fataler) bool {
	if len(k.view()) != len(k.memory) || k.dirty() == wasmbin.DirtyGrown {
		return false
	}
	copy(k.view(), k.memory)
	for i, g := range k.globals {
		g.Set(k.values[i])
	}
	k.call(tb, wasmbin.RestoreName)
	return true
}

func (k *keeper) dirty() uint64 {
	if !k.result.Kept {
		return wasmbin.DirtyNot
	}
	return k.mod.ExportedGlobal(wasmbin.DirtyGlobal).Get()
}

// idle makes an instance of a module with imports that do nothing.
func idle(tb testing.TB, result *wasmbin.Result) *keeper {
	tb.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	tb.Cleanup(func() { _ = r.Close(ctx) })
	compiled, err := r.CompileModule(ctx, result.Wasm)
	if err != nil {
		tb.Fatal(err)
	}
	(&meter{slice: 1000}).link(tb, r)
	hosts := map[string]wazero.HostModuleBuilder{}
	for _, f := range compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if module == wasmbin.FuelModule {
			continue
		}
		if hosts[module] == nil {
			hosts[module] = r.NewHostModuleBuilder(module)
		}
		hosts[module].NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context, v []uint64) { clear(v) }), f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, host := range hosts {
		if _, err := host.Instantiate(ctx); err != nil {
			tb.Fatal(err)
		}
	}
	mod, err := r.InstantiateModule(ctx, compiled, wazero.NewModuleConfig())
	if err != nil {
		tb.Fatal(err)
	}
	return newKeeper(mod, result)
}

// count calls a counting module: 0 when it saw the first call, 1 otherwise.
func (k *keeper) count(t *testing.T) uint64 {
	t.Helper()
	seen, err := k.mod.ExportedFunction("check_read_only").Call(context.Background())
	if err != nil {
		t.Logf("a later call: %v", err)
		return 1
	}
	return seen[0]
}

// TestStateCounters: a module counting its calls in a global, in memory, in a table, by
// dropping a segment, or in a global of a vector or reference sees one each time. Growth
// reports itself.
func TestStateCounters(t *testing.T) {
	t.Parallel()
	all := golden(t)
	for _, tt := range []struct {
		name        string
		kept, grows bool
	}{
		{"count_global", false, false}, {"count_memory", false, false}, {"count_segment", false, false},
		{"count_table", true, false}, {"count_ref", true, false}, {"count_v128", true, false},
		{"count_grown_table", true, true}, {"count_grown", false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			result, err := wasmbin.Rewrite(all[tt.name], options)
			if err != nil || result.Kept != tt.kept {
				t.Fatalf("got %+v, %v; want kept %v", result, err, tt.kept)
			}
			k := idle(t, result)
			if f := k.mod.ExportedFunction("_initialize"); f != nil {
				if _, err := f.Call(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			k.save(t)
			for i := range 5 {
				if got := k.count(t); got != 0 {
					t.Errorf("call %d has seen one before", i)
				}
				if restored := k.restore(t); restored == tt.grows {
					t.Errorf("call %d: restored %v", i, restored)
				}
				if tt.grows {
					return
				}
			}
			if first, second := k.count(t), k.count(t); first != 0 || second == 0 {
				t.Errorf("without restoring: %d, %d; want the second to have seen the first", first, second)
			}
		})
	}
}

// performTwice calls everything, restores and calls everything again. It reports whether the
// module could be restored. The first warm calls come before the save.
func (s *stage) performTwice(t fataler, result *wasmbin.Result, m *wasmgen.Module, warm int) bool {
	s.meter.forget()
	mod, err := s.r.Instantiate(context.Background(), result.Wasm)
	if err != nil {
		return false
	}
	defer mod.Close(context.Background())
	s.meter.adopt(mod)
	k := newKeeper(mod, result)
	for _, c := range m.Calls[:warm] {
		s.call(mod, c)
	}
	k.save(t)
	pristine := state(mod, m)
	if !s.eachAlone(t, k, m, pristine) {
		return false
	}
	first, firstFuel := s.all(mod, m)
	if !k.restore(t) {
		return false
	}
	if got := state(mod, m); !slices.Equal(got, pristine) {
		t.Fatalf("state saved and restored: %s", difference(pristine, got))
	}
	second, secondFuel := s.all(mod, m)
	if !slices.Equal(first, second) {
		t.Fatalf("called, and called again restored: %s", difference(first, second))
	}
	if firstFuel != secondFuel {
		t.Fatalf("%d fuel, restored %d", firstFuel, secondFuel)
	}
	return true
}

// eachAlone makes each call, restores after it and looks at the state.
func (s *stage) eachAlone(t fataler, k *keeper, m *wasmgen.Module, pristine []string) bool {
	for _, c := range m.Calls {
		s.call(k.mod, c)
		if !k.restore(t) {
			return false
		}
		if got := state(k.mod, m); !slices.Equal(got, pristine) {
			t.Fatalf("state restored after %s: %s", c.Name, difference(pristine, got))
		}
	}
	return true
}

// all makes all calls of a module, and returns their results and the state after.
func (s *stage) all(mod api.Module, m *wasmgen.Module) (told []string, fuel int64) {
	s.asked, s.notes = 0, nil
	before := s.meter.used()
	for _, c := range m.Calls {
		s.call(mod, c)
	}
	fuel = s.meter.used() - before
	return append(s.notes, state(mod, m)...), fuel
}

// TestStateGenerated: a restored instance is as it was when it was saved, and
// does the same again, for the same fuel.
func TestStateGenerated(t *testing.T) {
	t.Parallel()
	s := newStage(t, 1<<20)
	restored, kept := 0, 0
	run := func(t fataler, data []byte, warm int) {
		m := wasmgen.Generate(data, wasmgen.Options{})
		result, err := wasmbin.Rewrite(m.Wasm, generatedOptions)
		if err != nil {
			t.Fatalf("refused: %v", err)
		}
		if s.performTwice(t, result, m, min(warm, len(m.Calls))) {
			restored++
			if result.Kept {
				kept++
			}
		}
	}
	all := 300 / divisor()
	for seed := range uint64(all) {
		run(t, choices(seed), int(seed%3))
	}
	if t.Logf("%d of %d restored, %d of them with shadows", restored, all, kept); kept < all/6 {
		t.Errorf("%d modules with shadows restored; want %d at least", kept, all/6)
	}
	rapid.Check(t, func(t *rapid.T) {
		run(t, rapid.SliceOfN(rapid.Byte(), 0, 2000).Draw(t, "choices"), rapid.IntRange(0, 3).Draw(t, "warm"))
	})
}
