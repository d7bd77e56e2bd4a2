package wasmbin_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// dataModule has a page of memory and the given data section.
func dataModule(section ...byte) []byte {
	module := append([]byte("\x00asm\x01\x00\x00\x00"), 5, 3, 1, 0, 1) // memory 1
	module = append(module, 7, 5, 1, 1, 'm', 2, 0)                     // export "m"
	return append(append(module, 11, byte(len(section))), section...)
}

func at(offset byte, data string) []byte {
	return append([]byte{0, 0x41, offset, 0x0b, byte(len(data))}, data...)
}

// TestDataIsMerged: neighbors become one segment, and the memory is the same.
func TestDataIsMerged(t *testing.T) {
	for _, tc := range []struct {
		name     string
		segments [][]byte
		want     byte // how many are left
	}{
		{"neighbors", [][]byte{at(1, "ab"), at(3, "cd")}, 1},
		{"a gap", [][]byte{at(1, "ab"), at(9, "cd"), at(20, "e")}, 1},
		{"overlapping", [][]byte{at(1, "abc"), at(2, "x"), at(9, "cd")}, 3},
		{"the gap was written before", [][]byte{at(5, "zz"), at(1, "ab"), at(9, "cd")}, 3},
		{"within what was written before", [][]byte{at(1, "0123456789"), at(2, "ab"), at(9, "cd")}, 3},
		{"below others", [][]byte{at(40, "zz"), at(1, "ab"), at(9, "cd")}, 2},
		{"empty", [][]byte{at(1, ""), at(3, "cd")}, 1},
		{"passive", [][]byte{at(1, "ab"), {1, 1, 'p'}, at(9, "cd")}, 3},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			module := dataModule(append([]byte{byte(len(tc.segments))}, bytes.Join(tc.segments, nil)...)...)
			rewritten, err := wasmbin.Rewrite(module, options)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := firstPage(t, rewritten.Wasm), firstPage(t, module); !bytes.Equal(got, want) {
				t.Errorf("the memory begins with %q; want %q", got[:32], want[:32])
			}
			if got := dataSegments(t, rewritten.Wasm); got != tc.want {
				t.Errorf("got %d segments, want %d", got, tc.want)
			}
		})
	}
}

func firstPage(t *testing.T, wasm []byte) []byte {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = r.Close(ctx) }) // frees memory only
	if _, err := r.NewHostModuleBuilder(wasmbin.FuelModule).NewFunctionBuilder().WithFunc(func(int64) int64 { return 0 }).Export(wasmbin.RefillName).
		NewFunctionBuilder().WithFunc(func() {}).Export(wasmbin.OverflowName).Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	m, err := r.Instantiate(ctx, wasm)
	if err != nil {
		t.Fatal(err)
	}
	page, ok := m.Memory().Read(0, 65536)
	if !ok {
		t.Fatal("the module has no page of memory")
	}
	return page
}

// dataSegments reads the number at the begin of the data section, the last one.
func dataSegments(t *testing.T, wasm []byte) byte {
	t.Helper()
	for at := len("\x00asm\x01\x00\x00\x00"); at < len(wasm); {
		id, size, shift := wasm[at], 0, 0
		for at++; ; at++ {
			size |= int(wasm[at]&0x7f) << shift
			if shift += 7; wasm[at] < 0x80 {
				break
			}
		}
		if at++; id == 11 {
			return wasm[at]
		}
		at += size
	}
	t.Fatal("no data section")
	return 0
}
