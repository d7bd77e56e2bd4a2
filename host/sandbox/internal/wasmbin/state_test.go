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

// binarySection writes one that takes less than 128 bytes; none for no content.
func binarySection(id byte, content string) string {
	if content == "" {
		return ""
	}
	return string([]byte{id, byte(len(content))}) + content
}

// body is a function body without locals.
func body(code string) string { return string([]byte{byte(len(code) + 2)}) + "\x00" + code + "\x0b" }

// withTables is a module with two tables of functions, of one entry each, a
// function f of the given code, and perhaps more exports and elements.
func withTables(code, exports, elements string) string {
	if exports == "" {
		exports = "\x01\x01f\x00\x00"
	}
	return empty + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" + "\x04\x07\x02\x70\x00\x01\x70\x00\x01" +
		binarySection(7, exports) + binarySection(9, elements) + binarySection(10, "\x01"+body(code))
}

// TestShadowsAreHidden: no module can name a shadow, or drop what is not there.
func TestShadowsAreHidden(t *testing.T) {
	t.Parallel()
	const write = "\x41\x00\xd0\x70\x26\x00" // i32.const 0, ref.null func, table.set 0: table 2 is a shadow
	for _, tt := range []struct{ name, wasm, want string }{
		{"nothing", withTables(write, "", ""), ""},
		{"table.get", withTables(write+"\x41\x00\x25\x02\x1a", "", ""), "there is no table 2"},
		{"table.set", withTables(write+"\x41\x00\xd0\x70\x26\x02", "", ""), "there is no table 2"},
		{"call_indirect", withTables(write+"\x41\x00\x11\x00\x02", "", ""), "there is no table 2"},
		{"table.size", withTables(write+"\xfc\x10\x02\x1a", "", ""), "there is no table 2"},
		{"table.grow", withTables(write+"\xd0\x70\x41\x01\xfc\x0f\x02\x1a", "", ""), "there is no table 2"},
		{"table.fill", withTables(write+"\x41\x00\xd0\x70\x41\x01\xfc\x11\x02", "", ""), "there is no table 2"},
		{"table.copy to", withTables(write+"\x41\x00\x41\x00\x41\x01\xfc\x0e\x02\x00", "", ""), "there is no table 2"},
		{"table.copy from", withTables(write+"\x41\x00\x41\x00\x41\x01\xfc\x0e\x00\x02", "", ""), "there is no table 2"},
		{"table.init", withTables(write+"\x41\x00\x41\x00\x41\x01\xfc\x0c\x00\x02", "", "\x01\x01\x00\x00"), "there is no table 2"},
		{"an export", withTables(write, "\x01\x01t\x01\x02", ""), "there is no table 2"},
		{"an element segment", withTables(write, "", "\x01\x02\x02\x41\x00\x0b\x00\x00"), "there is no table 2"},
		{"elem.drop", withTables(write+"\xfc\x0d\x01", "", "\x01\x01\x00\x00"), "there is no segment 1"},
		{"data.drop", withTables(write+"\xfc\x09\x00", "", ""), "there is no segment 0"},
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

// TestDirty: each instruction that changes a table says so, and no other.
func TestDirty(t *testing.T) {
	t.Parallel()
	const (
		set      = "\x41\x00\xd2\x00\x26\x00"                  // i32.const 0, ref.func 0, table.set 0
		growOne  = "\xd0\x70\x41\x01\xfc\x0f\x00\x1a"          // ref.null func, i32.const 1, table.grow 0, drop
		growNone = "\xd0\x70\x41\x00\xfc\x0f\x00\x1a"          // by 0
		growMuch = "\xd0\x70\x41\x7f\xfc\x0f\x00\x1a"          // by 2^32-1, which fails
		never    = "\x41\x00\x04\x40" + set + growOne + "\x0b" // if 0: all of it
		full     = "\x41\x00\x25\x00\xd1\x04\x40\x00\x0b"      // traps when the entry of table 0 is null
	)
	for _, tt := range []struct {
		name, code string
		want       uint64
	}{
		{"nothing", never, wasmbin.DirtyNot},
		{"table.get and table.size", never + "\x41\x00\x25\x00\x1a\xfc\x10\x00\x1a", wasmbin.DirtyNot},
		{"table.set", set, wasmbin.DirtyRestore},
		{"table.fill", "\x41\x00\xd2\x00\x41\x01\xfc\x11\x00", wasmbin.DirtyRestore},
		{"table.init", "\x41\x00\x41\x00\x41\x01\xfc\x0c\x00\x00", wasmbin.DirtyRestore},
		{"table.copy", full + "\x41\x00\x41\x00\x41\x01\xfc\x0e\x00\x01", wasmbin.DirtyRestore},
		{"table.grow", growOne, wasmbin.DirtyGrown},
		{"table.grow by nothing", growNone, wasmbin.DirtyNot},
		{"table.grow that fails", growMuch, wasmbin.DirtyNot},
		{"grown, then set", growOne + set, wasmbin.DirtyGrown},
		{"set, then grown", set + growOne, wasmbin.DirtyGrown},
		{"set, then not grown", set + growMuch, wasmbin.DirtyRestore},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			result, err := wasmbin.Rewrite([]byte(withTables(tt.code, "", "\x02\x01\x00\x01\x00\x00\x41\x00\x0b\x01\x00")), options)
			if err != nil {
				t.Fatal(err)
			}
			k := idle(t, result)
			k.save(t)
			if _, err := k.mod.ExportedFunction("f").Call(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := k.dirty(); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
			if restored := k.restore(t); restored != (tt.want != wasmbin.DirtyGrown) || restored && k.dirty() != wasmbin.DirtyNot {
				t.Errorf("restored %v, dirty %d", restored, k.dirty())
			}
			if _, err := k.mod.ExportedFunction("f").Call(t.Context()); err != nil {
				t.Errorf("called again: %v", err)
			}
		})
	}
}

// segments is a module with a memory of one page and a table of 5 entries, a
// passive segment of 3 bytes and one of 3 functions, and the exports data and elem
// (to, from, n), which read them, dropdata and dropelem.
func segments() string {
	return empty + "\x01\x0a\x02\x60\x03\x7f\x7f\x7f\x00\x60\x00\x00" + "\x03\x05\x04\x00\x00\x01\x01" +
		binarySection(4, "\x01\x70\x00\x05") + binarySection(5, "\x01\x00\x01") +
		binarySection(7, "\x04\x04data\x00\x00\x04elem\x00\x01\x08dropdata\x00\x02\x08dropelem\x00\x03") +
		binarySection(9, "\x01\x01\x00\x03\x00\x01\x02") + binarySection(12, "\x01") +
		binarySection(10, "\x04"+body("\x20\x00\x20\x01\x20\x02\xfc\x08\x00\x00")+body("\x20\x00\x20\x01\x20\x02\xfc\x0c\x00\x00")+
			body("\xfc\x09\x00")+body("\xfc\x0d\x00")) +
		binarySection(11, "\x01\x01\x03abc")
}

// TestDroppedSegments: reading a segment by any bounds traps just when it did
// before rewriting, dropped or not.
func TestDroppedSegments(t *testing.T) {
	t.Parallel()
	const top = 1<<32 - 1
	result, err := wasmbin.Rewrite([]byte(segments()), options)
	if err != nil || !result.Kept || len(result.Globals) != 2 {
		t.Fatalf("got %+v, %v", result, err)
	}
	before, after := idle(t, &wasmbin.Result{Wasm: []byte(segments())}), idle(t, result)
	compare := func(name string, args ...uint64) {
		_, want := before.mod.ExportedFunction(name).Call(t.Context(), args...)
		_, got := after.mod.ExportedFunction(name).Call(t.Context(), args...)
		if class(got) != class(want) {
			t.Errorf("%s%d: got %q, want %q", name, args, class(got), class(want))
		}
	}
	for range 2 {
		for _, to := range []uint64{0, 1, 4, 5, 6, 65535, 65536, 65537, top} {
			for _, from := range []uint64{0, 1, 3, 4, top} {
				for _, n := range []uint64{0, 1, 2, 3, 4, 300_000, top} {
					compare("data", to, from, n)
					compare("elem", to, from, n)
				}
			}
		}
		compare("dropdata")
		compare("dropelem")
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
