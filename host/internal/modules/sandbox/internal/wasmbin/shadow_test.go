package wasmbin_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// binarySection writes one of less than 128 bytes; none for no content.
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

// TestShadowsAreHidden: no module can name a shadow, or drop a missing segment.
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

// TestDirty: each table-changing instruction reports it, and no other.
func TestDirty(t *testing.T) {
	t.Parallel()
	const (
		set      = "\x41\x00\xd2\x00\x26\x00"                  // i32.const 0, ref.func 0, table.set 0
		growOne  = "\xd0\x70\x41\x01\xfc\x0f\x00\x1a"          // ref.null func, i32.const 1, table.grow 0, drop
		growNone = "\xd0\x70\x41\x00\xfc\x0f\x00\x1a"          // by 0
		growMuch = "\xd0\x70\x41\x7f\xfc\x0f\x00\x1a"          // by 2^32-1: it fails
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

// segments is a module with a memory of one page and a table of 5 entries, a passive segment of
// 3 bytes and one of 3 functions, and the exports data and elem (to, from, n) for reading them,
// dropdata and dropelem.
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

// BenchmarkState saves and restores 16 tables of 65,536 entries, a module's default maximum.
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
