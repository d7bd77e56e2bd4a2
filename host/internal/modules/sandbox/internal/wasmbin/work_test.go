package wasmbin_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

func leb(dst []byte, v int) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

func section(id byte, content ...[]byte) []byte {
	all := slices.Concat(content...)
	return append(leb([]byte{id}, len(all)), all...)
}

func repeat(n int, code ...byte) []byte { return slices.Repeat(code, n) }

// each is the code for 0 to n-1.
func each(n int, code func(i int) []byte) (out []byte) {
	for i := range n {
		out = append(out, code(i)...)
	}
	return out
}

// large is a module of two functions with that body and i64 locals. Type 0 takes and leaves
// nothing, type 1 takes and leaves 1,000 values.
func large(locals, globals int, body ...[]byte) []byte {
	values := append(leb(nil, 1000), repeat(1000, 0x7e)...)
	body = append(append([][]byte{leb([]byte{1}, locals), {0x7e}}, body...), []byte{0x0b})
	code := slices.Concat(body...)
	code = append(leb(nil, len(code)), code...)
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, []byte{2, 0x60, 0, 0, 0x60}, values, values), section(3, []byte{2, 0, 0}), section(5, []byte{1, 0, 1}),
		section(6, leb(nil, globals), repeat(globals, 0x7e, 1, 0x42, 0, 0x0b)), section(10, []byte{2}, code, code))
}

var (
	load  = []byte{0x41, 0, 0x29, 3, 0}                                 // i64.load of 0
	when  = []byte{0x41, 0, 0x28, 2, 0}                                 // i32.load of 0
	ifEnd = slices.Concat(when, []byte{0x04, 0x40, 0x0b})               // if end
	turn  = slices.Concat([]byte{3, 0x40}, when, []byte{0x0d, 0, 0x0b}) // loop br_if 0 end
)

func get(i int) []byte { return leb([]byte{0x20}, i) }
func set(i int) []byte { return leb([]byte{0x21}, i) }

// bombs take wazero v1.12.0 more than two seconds, or half a GiB, for one function; some many
// times more.
var bombs = map[string]func() []byte{
	"blocks that nest": func() []byte { return large(0, 0, repeat(100_000, 2, 0x40), repeat(100_000, 0x0b)) },
	"loops that nest":  func() []byte { return large(0, 0, repeat(10_000, 3, 0x40), repeat(10_000, 0x0b)) },
	"ifs that nest":    func() []byte { return large(0, 0, repeat(10_000, append(when, 4, 0x40)...), repeat(10_000, 0x0b)) },
	"ifs":              func() []byte { return large(0, 0, repeat(16_000, ifEnd...)) },
	"loops":            func() []byte { return large(0, 0, repeat(8_000, turn...)) },
	"exits": func() []byte {
		return large(0, 0, []byte{2, 0x40}, repeat(10_000, append(when, 0x0d, 0)...), []byte{0x0b})
	},
	"a table of 2^20":  func() []byte { return large(0, 0, when, leb([]byte{0x0e}, 1<<20), repeat(1<<20+1, 0)) },
	"loads":            func() []byte { return large(1, 0, repeat(120_000, append(load, 0x21, 0)...)) },
	"8 MB straight on": func() []byte { return large(1, 0, repeat(1_200_000, 0x20, 0, 0x42, 1, 0x7c, 0x21, 0)) },
	"operands across blocks": func() []byte {
		return large(0, 0, repeat(8_000, load...), repeat(4_000, ifEnd...), repeat(8_000, 0x1a))
	},
	"locals across blocks": func() []byte {
		return large(5000, 0, each(5000, func(i int) []byte { return slices.Concat(load, set(i)) }), repeat(3000, ifEnd...),
			each(5000, func(i int) []byte { return append(get(i), 0x1a) }))
	},
	"parameters across blocks": func() []byte {
		return large(5000, 0, repeat(3000, ifEnd...), each(5000, func(i int) []byte { return append(get(i), 0x1a) }))
	},
	"locals in loops": func() []byte {
		return large(1000, 0, repeat(1000, 3, 0x40), each(1000, func(i int) []byte { return slices.Concat(get(i), load, []byte{0x7c}, set(i)) }),
			repeat(1000, append(when, 0x0d, 0, 0x0b)...))
	},
	"globals after calls": func() []byte { return large(0, 5000, repeat(5000, 0x10, 0)) },
	"values through a table": func() []byte {
		return large(0, 0, []byte{2, 1}, repeat(1000, load...), when, leb([]byte{0x0e}, 1000), repeat(1001, 0), []byte{0x0b}, repeat(1000, 0x1a))
	},
	"values through blocks": func() []byte {
		return large(0, 0, repeat(1000, load...), repeat(1000, 2, 1, 0x0b), repeat(1000, 0x1a))
	},
}

// TestWorkRefuses: a function that would hold a processor for long is never compiled.
func TestWorkRefuses(t *testing.T) {
	t.Parallel()
	for name, module := range bombs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := wasmbin.CheckWork(module(), wasmbin.MostWork)
			var limit *wasmbin.LimitError
			if !errors.As(err, &limit) || !strings.Contains(err.Error(), "function 0") || limit.Got <= limit.Most {
				t.Errorf("got %v; want a limit, and the function that exceeds it", err)
			}
		})
	}
}

// TestWorkAllows: a tenth of each is nothing to refuse.
func TestWorkAllows(t *testing.T) {
	t.Parallel()
	for name, module := range map[string][]byte{
		"ifs":                 large(0, 0, repeat(1600, ifEnd...)),
		"loops":               large(0, 0, repeat(800, turn...)),
		"exits":               large(0, 0, []byte{2, 0x40}, repeat(1000, append(when, 0x0d, 0)...), []byte{0x0b}),
		"loads":               large(1, 0, repeat(12_000, append(load, 0x21, 0)...)),
		"straight":            large(1, 0, repeat(120_000, 0x20, 0, 0x42, 1, 0x7c, 0x21, 0)),
		"locals nobody reads": large(40_000, 0, repeat(1000, ifEnd...)),
		"locals one after the other": large(3000, 0, each(3000, func(i int) []byte {
			return slices.Concat(load, set(i), ifEnd, get(i), []byte{0x1a})
		})),
	} {
		if err := wasmbin.CheckWork(module, wasmbin.MostWork); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWorkOfOurs: the first-party modules stay far below the bounds, including Rewrite's
// additions.
func TestWorkOfOurs(t *testing.T) {
	t.Parallel()
	if raceflag.Enabled {
		t.Skip("SKIPPED: 15 MB of modules take a minute under the race detector, and one goroutine")
	}
	for _, name := range []string{"bash", "standard"} {
		data, err := os.ReadFile(repo.File("plugins/dist") + "/" + name + ".wasm")
		if err != nil {
			t.Skip("the modules are not built: run `make build`:", err)
		}
		r, err := wasmbin.Rewrite(data, wasmbin.Options{MemoryPages: 1024, TableEntries: 65536, Bytes: 128 << 20, StackBytes: 8 << 20})
		if err != nil {
			t.Fatal(err)
		}
		for n := time.Duration(64); n > 0; n-- {
			if wasmbin.CheckWork(r.Wasm, wasmbin.Work{Time: wasmbin.MostWork.Time / n, Bytes: wasmbin.MostWork.Bytes / int64(n)}) == nil {
				t.Logf("%s: its largest function takes 1/%d of the bounds", name, n)
				if n < 4 {
					t.Errorf("%s: too near the bounds", name)
				}
				break
			}
		}
	}
}

// FuzzWork: for any bytes, the estimate ends.
func FuzzWork(f *testing.F) {
	f.Add(large(3, 2, load, set(0), repeat(3, turn...), repeat(3, ifEnd...), get(0), []byte{0x1a}))
	f.Add(bombs["values through a table"]())
	f.Fuzz(func(t *testing.T, wasm []byte) {
		_ = wasmbin.CheckWork(wasm, wasmbin.MostWork)
	})
}
