package wasmbin_test

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
	"github.com/callgate/callgate/host/internal/testkit/wasmgen"
)

// stage runs generated modules, one at a time: it plays their host, and writes down all their
// actions.
type stage struct {
	r     wazero.Runtime
	meter *meter // nil where modules stay as they are
	asked uint64
	notes []string
}

const stagePages = 8 // more than wasmgen.MaxPages, as the limit of growing memories

func newStage(tb testing.TB, slice int64) *stage {
	tb.Helper()
	ctx := context.Background()
	s := &stage{r: wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithMemoryLimitPages(stagePages))}
	tb.Cleanup(func() { _ = s.r.Close(ctx) })
	if slice > 0 {
		s.meter = &meter{slice: slice}
		s.meter.link(tb, s.r)
	}
	b := s.r.NewHostModuleBuilder(wasmgen.Host)
	for name, f := range map[string]struct {
		do      api.GoFunc
		in, out []api.ValueType
	}{
		"note": {func(_ context.Context, v []uint64) { s.notes = append(s.notes, fmt.Sprintf("note %x", v[0])) }, []api.ValueType{api.ValueTypeI64}, nil},
		"ask":  {s.ask, []api.ValueType{api.ValueTypeI32}, []api.ValueType{api.ValueTypeI32}},
		"swap": {func(_ context.Context, v []uint64) { v[0], v[1] = v[1], v[0] }, []api.ValueType{api.ValueTypeI32, api.ValueTypeF64}, []api.ValueType{api.ValueTypeF64, api.ValueTypeI32}},
		"same": {func(context.Context, []uint64) {}, []api.ValueType{api.ValueTypeExternref}, []api.ValueType{api.ValueTypeExternref}},
	} {
		b.NewFunctionBuilder().WithGoFunction(f.do, f.in, f.out).Export(name)
	}
	if _, err := b.Instantiate(ctx); err != nil {
		tb.Fatal(err)
	}
	return s
}

func (s *stage) ask(_ context.Context, v []uint64) {
	s.asked++
	v[0] = uint64(uint32(31*v[0] + s.asked))
	s.notes = append(s.notes, fmt.Sprintf("asked, said %x", v[0]))
}

// perform makes an instance and all calls of a module, and returns a line for each call and
// each thing of the state. fuel is each call's use, the start first, and counted the result of
// [wasmgen.Options.Count].
func (s *stage) perform(wasm []byte, m *wasmgen.Module) (told []string, fuel, counted []int64) {
	ctx := context.Background()
	s.asked, s.notes = 0, nil
	if s.meter != nil {
		s.meter.forget()
	}
	before := s.meter.used()
	mod, err := s.r.Instantiate(ctx, wasm)
	if err != nil {
		return []string{"start: " + startClass(err)}, nil, nil
	}
	defer mod.Close(ctx)
	if s.meter != nil {
		s.meter.adopt(mod)
	}
	for i := range len(m.Calls) + 1 {
		if i > 0 {
			s.call(mod, m.Calls[i-1])
		}
		fuel = append(fuel, s.meter.used()-before)
		if count := mod.ExportedGlobal(wasmgen.CountGlobal); count != nil {
			counted = append(counted, int64(count.Get()))
		}
		before = s.meter.used()
	}
	return append(s.notes, state(mod, m)...), fuel, counted
}

func (s *stage) call(mod api.Module, c wasmgen.Call) {
	results, err := mod.ExportedFunction(c.Name).Call(context.Background(), c.Args...)
	err = s.meter.balance(err)
	s.notes = append(s.notes, fmt.Sprintf("%s: %x %s", c.Name, hideFunctions(mod.ExportedFunction(c.Name), results), class(err)))
}

// hideFunctions leaves of references to functions only whether they are null.
func hideFunctions(f api.Function, results []uint64) []uint64 {
	at := 0
	for _, typ := range f.Definition().ResultTypes() {
		if at >= len(results) {
			break
		}
		switch typ {
		case 0x70: // funcref
			results[at] = min(results[at], 1)
		case 0x7b: // v128
			at++
		}
		at++
	}
	return results
}

var digestSeed = maphash.MakeSeed()

// state tells memory, globals and tables of an instance.
func state(mod api.Module, m *wasmgen.Module) (told []string) {
	ctx := context.Background()
	if m.Memory {
		memory, _ := mod.Memory().Read(0, mod.Memory().Size()) // all of it is in range
		told = append(told, fmt.Sprintf("memory: %d bytes, %x", len(memory), maphash.Bytes(digestSeed, memory)))
	}
	for _, name := range m.Probes {
		got, err := mod.ExportedFunction(name).Call(ctx)
		told = append(told, fmt.Sprintf("%s: %x %s", name, got, class(err)))
	}
	for _, name := range m.TableProbes {
		probe := mod.ExportedFunction(name)
		for i := range uint64(100) {
			got, err := probe.Call(ctx, i)
			if err != nil {
				break // beyond the end; its size is a probe of its own
			}
			told = append(told, fmt.Sprintf("%s(%d): %x", name, i, got))
		}
	}
	return told
}

// generatedOptions bound no generated module.
var generatedOptions = func() wasmbin.Options {
	opts := specOptions
	opts.MemoryPages, opts.TableEntries = stagePages, 1<<20
	return opts
}()

// theatre has the stages for comparing a module.
type theatre struct{ plain, single, large *stage }

// unmetered are generatedOptions without fuel and stack.
var unmetered = func() wasmbin.Options {
	opts := generatedOptions
	opts.Unmetered = true
	return opts
}()

func newTheatre(tb testing.TB) *theatre {
	tb.Helper()
	return &theatre{newStage(tb, 0), newStage(tb, 1), newStage(tb, 1<<20)}
}

// fataler is the common part of a test, a fuzz target and a property.
type fataler interface {
	Fatalf(format string, args ...any)
}

// compare runs the module of data before and after rewriting.
func (th *theatre) compare(t fataler, data []byte) {
	m := wasmgen.Generate(data, wasmgen.Options{})
	result, err := wasmbin.Rewrite(m.Wasm, generatedOptions)
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	if again, err := wasmbin.Rewrite(m.Wasm, generatedOptions); err != nil || !slices.Equal(again.Wasm, result.Wasm) {
		t.Fatalf("rewritten twice, the results differ: %v", err)
	}
	free, err := wasmbin.Rewrite(m.Wasm, unmetered)
	if err != nil {
		t.Fatalf("refused without fuel: %v", err)
	}
	before, _, _ := th.plain.perform(m.Wasm, m)
	without, _, _ := th.large.perform(free.Wasm, m)
	single, fuel, _ := th.single.perform(result.Wasm, m)
	large, largeFuel, _ := th.large.perform(result.Wasm, m)
	for _, after := range [][]string{without, single, large} {
		if !slices.Equal(before, after) {
			t.Fatalf("before and after differ: %s", difference(before, after))
		}
	}
	if !slices.Equal(fuel, largeFuel) {
		t.Fatalf("fuel in slices of 1 %d, in large ones %d", fuel, largeFuel)
	}
	th.count(t, data, fuel)
}

// count compares the fuel of each call with its executed instructions, counted here by the
// module itself.
func (th *theatre) count(t fataler, data []byte, fuel []int64) {
	m := wasmgen.Generate(data, wasmgen.Options{Count: true})
	_, _, counted := th.plain.perform(m.Wasm, m)
	if len(counted) != len(fuel) {
		t.Fatalf("%d calls, %d when counted", len(fuel), len(counted))
	}
	done := int64(0)
	for i := range counted {
		if ran := counted[i] - done; fuel[i] < ran {
			t.Fatalf("call %d: %d fuel for %d instructions", i, fuel[i], ran)
		}
		done = counted[i]
	}
}

func difference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%s; %s", a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines; %d lines", len(a), len(b))
}

// choices returns bytes for a generated module, the same for the same seed.
func choices(seed uint64) []byte {
	data := make([]byte, 2000)
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	_, _ = source.Read(data) // never fails
	return data[:int(source.Uint64()%2000)]
}

// TestRewriteGenerated: generated modules do the same before and after, and use
// the same fuel for any slices.
func TestRewriteGenerated(t *testing.T) {
	t.Parallel()
	th := newTheatre(t)
	rapid.Check(t, func(t *rapid.T) {
		th.compare(t, rapid.SliceOfN(rapid.Byte(), 0, 2000).Draw(t, "choices"))
	})
}

// FuzzRewriteGenerated is TestRewriteGenerated for a fuzzer's bytes.
func FuzzRewriteGenerated(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(choices(seed))
	}
	th := newTheatre(f)
	f.Fuzz(func(t *testing.T, data []byte) { th.compare(t, data) })
}
