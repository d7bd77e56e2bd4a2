package wasmbin_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
	"github.com/callgate/callgate/host/sandbox/internal/wasmgen"
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

// idle makes an instance of a module whose imports do nothing.
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

// TestStateCounters: a module that counts its calls in a global, in memory, in a
// table, by dropping a segment, or in a global of a vector or reference sees one
// each time. What grew tells so.
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

// performTwice calls everything, restores and calls everything again. It reports
// whether the module could be restored. The first warm calls come before what is
// saved.
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

// all makes all calls of a module, and tells what happened and the state after.
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
	for seed := range uint64(300) {
		run(t, choices(seed), int(seed%3))
	}
	if t.Logf("%d of 300 restored, %d of them with shadows", restored, kept); kept < 50 {
		t.Errorf("%d modules with shadows restored; want 50 at least", kept)
	}
	rapid.Check(t, func(t *rapid.T) {
		run(t, rapid.SliceOfN(rapid.Byte(), 0, 2000).Draw(t, "choices"), rapid.IntRange(0, 3).Draw(t, "warm"))
	})
}

// withTable is a module with a table of functions, a function of the given code,
// and more sections, each with its place: 7 export, 9 element.
func withTable(code, exports, elements string) string {
	sized := func(id byte, content string) string {
		if content == "" {
			return ""
		}
		return string([]byte{id, byte(len(content))}) + content
	}
	body := "\x00" + code
	return empty + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" + "\x04\x04\x01\x70\x00\x01" +
		sized(7, exports) + sized(9, elements) + sized(10, "\x01"+string([]byte{byte(len(body))})+body)
}

// TestShadowsAreHidden: no module can name a shadow, or drop what is not there.
func TestShadowsAreHidden(t *testing.T) {
	t.Parallel()
	const write = "\x41\x00\xd0\x70\x26\x00" // i32.const 0, ref.null func, table.set 0: table 1 is a shadow
	for _, tt := range []struct{ name, wasm, want string }{
		{"nothing", withTable(write+"\x0b", "", ""), ""},
		{"table.get", withTable(write+"\x41\x00\x25\x01\x1a\x0b", "", ""), "there is no table 1"},
		{"table.set", withTable(write+"\x41\x00\xd0\x70\x26\x01\x0b", "", ""), "there is no table 1"},
		{"call_indirect", withTable(write+"\x41\x00\x11\x00\x01\x0b", "", ""), "there is no table 1"},
		{"table.size", withTable(write+"\xfc\x10\x01\x1a\x0b", "", ""), "there is no table 1"},
		{"table.grow", withTable(write+"\xd0\x70\x41\x01\xfc\x0f\x01\x1a\x0b", "", ""), "there is no table 1"},
		{"table.fill", withTable(write+"\x41\x00\xd0\x70\x41\x01\xfc\x11\x01\x0b", "", ""), "there is no table 1"},
		{"table.copy to", withTable(write+"\x41\x00\x41\x00\x41\x01\xfc\x0e\x01\x00\x0b", "", ""), "there is no table 1"},
		{"table.copy from", withTable(write+"\x41\x00\x41\x00\x41\x01\xfc\x0e\x00\x01\x0b", "", ""), "there is no table 1"},
		{"table.init", withTable(write+"\x41\x00\x41\x00\x41\x01\xfc\x0c\x00\x01\x0b", "", "\x01\x01\x00\x00"), "there is no table 1"},
		{"an export", withTable(write+"\x0b", "\x01\x01t\x01\x01", ""), "there is no table 1"},
		{"an element segment", withTable(write+"\x0b", "", "\x01\x02\x01\x41\x00\x0b\x00\x00"), "there is no table 1"},
		{"elem.drop", withTable(write+"\xfc\x0d\x01\x0b", "", "\x01\x01\x00\x00"), "there is no segment 1"},
		{"data.drop", withTable(write+"\xfc\x09\x00\x0b", "", ""), "there is no segment 0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			result, err := wasmbin.Rewrite([]byte(tt.wasm), options)
			if tt.want == "" {
				if err != nil || !result.Kept {
					t.Errorf("got %v, %v; want a shadow", result, err)
				}
			} else if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want error %q", result, err, tt.want)
			}
		})
	}
}

// BenchmarkState saves and restores 16 tables of 65,536 entries, which is the most
// that a module may have by default.
func BenchmarkState(b *testing.B) {
	wasm := empty + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" + "\x04\x51\x10" + strings.Repeat("\x70\x00\x80\x80\x04", 16) + "\x07\x08\x01\x04call\x00\x00"
	body := "\x00"
	for table := range 16 {
		body += "\x41\x00\xd0\x70\x26" + string([]byte{byte(table)})
	}
	body += "\x0b"
	wasm += "\x0a" + string([]byte{byte(len(body) + 2)}) + "\x01" + string([]byte{byte(len(body))}) + body
	large := options
	large.TableEntries = 65536
	result, err := wasmbin.Rewrite([]byte(wasm), large)
	if err != nil {
		b.Fatal(err)
	}
	k := idle(b, result)
	call := k.mod.ExportedFunction("call")
	k.save(b)
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			k.call(b, wasmbin.SaveName)
		}
	})
	b.Run("restore", func(b *testing.B) {
		for b.Loop() {
			if _, err := call.Call(b.Context()); err != nil {
				b.Fatal(err)
			}
			k.call(b, wasmbin.RestoreName)
		}
	})
	b.Run("restore nothing", func(b *testing.B) {
		for b.Loop() {
			k.call(b, wasmbin.RestoreName)
		}
	})
}
