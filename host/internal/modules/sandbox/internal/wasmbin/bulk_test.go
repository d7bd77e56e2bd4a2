package wasmbin_test

import (
	"context"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// bulkModule has 64 pages and exports fill, copy and init with the three
// operands of their instructions, and the memory; its only segment, passive, has
// four bytes.
const bulkModule = empty +
	"\x01\x07\x01\x60\x03\x7f\x7f\x7f\x00" + // (i32 i32 i32) -> ()
	"\x03\x04\x03\x00\x00\x00" +
	"\x05\x03\x01\x00\x40" +
	"\x07\x1f\x04" + "\x04fill\x00\x00" + "\x04copy\x00\x01" + "\x04init\x00\x02" + "\x06memory\x02\x00" +
	"\x0c\x01\x01" +
	"\x0a\x27\x03" +
	"\x0b\x00\x20\x00\x20\x01\x20\x02\xfc\x0b\x00\x0b" +
	"\x0c\x00\x20\x00\x20\x01\x20\x02\xfc\x0a\x00\x00\x0b" +
	"\x0c\x00\x20\x00\x20\x01\x20\x02\xfc\x08\x00\x00\x0b" +
	"\x0b\x07\x01\x01\x04abcd"

// TestBulk: bulk instructions on memory do the same in pieces as at once, also
// where they overlap or leave the memory, and are paid by their size.
func TestBulk(t *testing.T) {
	t.Parallel()
	const size = 64 << 16
	m := &meter{slice: 20000}
	plain, metered := bulkInstance(t, nil), bulkInstance(t, m)
	for _, tt := range []struct {
		name        string
		to, from, n uint64
	}{
		{"fill", 0, 7, size},
		{"fill", 5, 8, size - 5},
		{"fill", 5, 9, size - 4},
		{"fill", 1 << 31, 9, 1 << 31},
		{"fill", 4, 9, 1<<32 - 1},
		{"fill", size, 9, 0},
		{"fill", size + 1, 9, 0},
		{"fill", 300000, 3, 1000},
		{"init", 70000, 0, 4},
		{"init", 0, 1, 4},
		{"init", 0, 0, 1 << 20},
		{"init", size, 4, 0},
		{"copy", 70001, 70000, 2 << 20},
		{"copy", 70000, 70003, 2 << 20},
		{"copy", 3 << 20, 0, 1 << 20},
		{"copy", 3 << 20, 0, 1<<20 + 1},
		{"copy", 0, 3 << 20, 1<<20 + 1},
		{"copy", 262144, 0, 262145},
		{"copy", 0, 1<<32 - 1, 1 << 20},
		{"copy", 100000, 100000, 1 << 20},
	} {
		before := m.used()
		want, got := bulkCall(plain, tt.name, tt.to, tt.from, tt.n), bulkCall(metered, tt.name, tt.to, tt.from, tt.n)
		if got != want {
			t.Errorf("%s %d %d %d: got %q, want %q", tt.name, tt.to, tt.from, tt.n, got, want)
		}
		a, _ := plain.Memory().Read(0, size)
		b, _ := metered.Memory().Read(0, size)
		if string(a) != string(b) {
			t.Errorf("%s %d %d %d: the memories differ", tt.name, tt.to, tt.from, tt.n)
		}
		if paid := m.used() - before; got == "" && paid < int64(tt.n/8) {
			t.Errorf("%s of %d bytes cost %d", tt.name, tt.n, paid)
		}
	}
}

func bulkCall(mod api.Module, name string, operands ...uint64) string {
	_, err := mod.ExportedFunction(name).Call(context.Background(), operands...)
	return class(err)
}

// bulkInstance is one of the module as it is, or of the rewritten one.
func bulkInstance(t *testing.T, m *meter) api.Module {
	r := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	wasm := []byte(bulkModule)
	if m != nil {
		m.link(t, r)
		result, err := wasmbin.Rewrite(wasm, options)
		if err != nil {
			t.Fatal(err)
		}
		wasm = result.Wasm
	}
	mod, err := r.Instantiate(context.Background(), wasm)
	if err != nil {
		t.Fatal(err)
	}
	if m != nil {
		m.adopt(mod)
	}
	return mod
}
