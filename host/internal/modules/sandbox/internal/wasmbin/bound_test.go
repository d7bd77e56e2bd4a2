package wasmbin_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// wide are the options of this file: those of a host with default limits.
var wide = wasmbin.Options{
	MemoryPages: 64, TableEntries: 65_536, Functions: 65_536, Globals: 10_000, StackBytes: 1 << 20, Bytes: 256 << 20,
}

// declaring makes, for each limit on declarations, a module with n of its kind and little else.
var declaring = map[string]func(n int) []byte{
	"types": func(n int) []byte { return binary(vector(1, n, 0x60, 0, 0)) },
	"parameters and results of all types": func(n int) []byte {
		whole, rest := n/1000, n%1000
		wide := slices.Concat([]byte{0x60}, leb(nil, 1000), repeat(1000, 0x7f), []byte{0})
		last := slices.Concat([]byte{0x60}, leb(nil, rest), repeat(rest, 0x7f), []byte{0})
		return binary(section(1, leb(nil, whole+1), repeat(whole, wide...), last))
	},
	"imports": func(n int) []byte { return binary(oneType, vector(2, n, 1, 'a', 1, 'b', 0, 0)) },
	"functions": func(n int) []byte {
		return binary(oneType, vector(3, n, 0), vector(10, n, 2, 0, 0x0b))
	},
	"tables":   func(n int) []byte { return binary(vector(4, n, 0x70, 0, 0)) },
	"memories": func(n int) []byte { return binary(vector(5, n, 0, 0)) },
	"globals":  func(n int) []byte { return binary(vector(6, n, 0x7f, 0, 0x41, 0, 0x0b)) },
	"exports": func(n int) []byte {
		return binary(vector(5, 1, 0, 0), section(7, leb(nil, n), each(n, func(i int) []byte { return export(fmt.Sprint(i)) })))
	},
	"bytes of names": func(n int) []byte {
		return binary(vector(5, 1, 0, 0), section(7, leb(nil, 1), export(string(repeat(n, 'a')))))
	},
	"element segments": func(n int) []byte { return withTable(vector(9, n, 1, 0, 0)) },
	"table_entries of all element segments": func(n int) []byte {
		half := func(n int) []byte { return slices.Concat([]byte{1, 0}, leb(nil, n), make([]byte, n)) }
		return withTable(section(9, leb(nil, 2), half(n/2), half(n-n/2)))
	},
	"data segments": func(n int) []byte {
		return binary(vector(5, 1, 0, 1), vector(11, n, 0, 0x41, 0, 0x0b, 0))
	},
	"instructions of one constant expression": func(n int) []byte {
		return binary(section(6, []byte{1, 0x7f, 0}, repeat(n, 0x41, 0), []byte{0x0b}))
	},
}

var oneType = section(1, []byte{1, 0x60, 0, 0})

func binary(sections ...[]byte) []byte {
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), slices.Concat(sections...))
}

// vector is a section of n equal entries.
func vector(id byte, n int, entry ...byte) []byte {
	return section(id, leb(nil, n), repeat(n, entry...))
}

// withTable is a module with a function, a table and element segments.
func withTable(elements []byte) []byte {
	return binary(oneType, vector(3, 1, 0), vector(4, 1, 0x70, 0, 1), elements, vector(10, 1, 2, 0, 0x0b))
}

func export(name string) []byte {
	return slices.Concat(leb(nil, len(name)), []byte(name), []byte{2, 0})
}

// TestDeclared: a module with one declaration too many is refused by the name of the limit,
// before the engine reads it; one at the limit is accepted, and takes the engine no more memory
// than Reading says (outside the race detector, whose own allocations are counted too). There
// is a case for each limit.
func TestDeclared(t *testing.T) {
	limits := wasmbin.Declared(wide)
	if !slices.Equal(slices.Sorted(maps.Keys(limits)), slices.Sorted(maps.Keys(declaring))) {
		t.Fatalf("limits %v have no case, or a case has no limit", limits)
	}
	for limit, most := range limits {
		var over *wasmbin.LimitError
		_, err := wasmbin.Rewrite(declaring[limit](most+1), wide)
		if !errors.As(err, &over) || over.Limit != limit || over.Got != int64(most+1) || over.Most != int64(most) {
			t.Errorf("%s: %d: got %v; want it refused by that limit", limit, most+1, err)
		}
		result, err := wasmbin.Rewrite(declaring[limit](most), wide)
		if err != nil {
			t.Errorf("%s: %d: %v", limit, most, err)
			continue
		}
		said, err := wasmbin.Reading(result.Wasm)
		if err != nil {
			t.Errorf("%s: %d: %v", limit, most, err)
		}
		if said > 64<<20 {
			t.Errorf("%s: %d: the estimate is %d KiB; want at most 64 MiB", limit, most, said>>10)
		}
		if raceflag.Enabled {
			continue
		}
		if took := engineTakes(t, result.Wasm); took > said+1<<20 {
			t.Errorf("%s: %d: the engine takes %d KiB to read it, the estimate is %d KiB; want at most that", limit, most, took>>10, said>>10)
		}
	}
}

// engineTakes is how many bytes the engine allocates for the declarations of a module.
func engineTakes(t *testing.T, wasm []byte) int64 {
	t.Helper()
	stub, err := wasmbin.Stub(wasm, []byte("tag"))
	if err != nil {
		t.Fatal(err)
	}
	r := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter())
	defer func() { _ = r.Close(context.Background()) }()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	compiled, err := r.CompileModule(context.Background(), stub)
	if err != nil {
		t.Fatal(err)
	}
	compiled.ExportedFunctions()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestDeclared_joined: declarations visible only in the rewritten module have bounds as well.
func TestDeclared_joined(t *testing.T) {
	t.Parallel()
	names := each(4000, func(i int) []byte { return slices.Concat(leb(nil, 4), fmt.Appendf(nil, "%04d", i), []byte{0, 0}) })
	for limit, module := range map[string][]byte{
		"data segments after neighbors are joined": binary(vector(5, 1, 0, 1), vector(11, 100_001, 1, 0)),
		"functions times exports":                  binary(oneType, vector(3, 65_536, 0), section(7, leb(nil, 4000), names), vector(10, 65_536, 2, 0, 0x0b)),
	} {
		var over *wasmbin.LimitError
		if _, err := wasmbin.Rewrite(module, wide); !errors.As(err, &over) || over.Limit != limit {
			t.Errorf("got %v; want it refused by %s", err, limit)
		}
	}
}
