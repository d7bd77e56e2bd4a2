package wasmbin_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/wasmgen"
)

var options = wasmbin.Options{
	MemoryPages: 64, TableEntries: 1000, Functions: 1000, Globals: 100, StackBytes: 1 << 20, Bytes: 1 << 20,
}

var testdata = repo.File("testdata")

// refused are hostile modules refused by this package; others that never load are left out,
// since some of them are modules all the same.
var refused = map[string]bool{"fuel_thief": true, "fuel_call": true, "fuel_import": true, "reserved_export": true, "import_global": true}

// golden reads all golden modules, and the loadable hostile ones.
func golden(tb testing.TB) map[string][]byte {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(testdata, "[mh]o*", "*.wasm"))
	if err != nil || len(paths) == 0 {
		tb.Fatalf("no golden modules: %v", err)
	}
	all := map[string][]byte{}
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".wasm")
		source, err := os.ReadFile(strings.TrimSuffix(p, "wasm") + "wat")
		if err != nil {
			tb.Fatal(err)
		}
		if bytes.Contains(source, []byte(";; expect: load")) && !refused[name] {
			continue
		}
		data, err := os.ReadFile(p)
		if err != nil {
			tb.Fatal(err)
		}
		all[name] = data
	}
	return all
}

// compiles reports whether the engine accepts a binary.
func compiles(r wazero.Runtime, wasm []byte) error {
	m, err := r.CompileModule(context.Background(), wasm)
	if err == nil {
		err = m.Close(context.Background())
	}
	return err
}

func interpreter(tb testing.TB) wazero.Runtime {
	tb.Helper()
	r := wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter().WithMemoryLimitPages(64))
	tb.Cleanup(func() { _ = r.Close(context.Background()) })
	return r
}

// TestRewriteKeepsModulesValid: a module valid for the engine before is valid after.
func TestRewriteKeepsModulesValid(t *testing.T) {
	t.Parallel()
	r := interpreter(t)
	for name, wasm := range golden(t) {
		result, err := wasmbin.Rewrite(wasm, options)
		if refused[name] {
			if err == nil {
				t.Errorf("%s: rewritten; want it refused", name)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := compiles(r, result.Wasm); err != nil {
			t.Errorf("%s: rewritten, the engine says %v", name, err)
		}
		if again, err := wasmbin.Rewrite(result.Wasm, options); err == nil {
			t.Errorf("%s: rewritten twice: %v; want the reserved names refused", name, again.Globals)
		}
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	all := golden(t)
	for name, want := range map[string]string{
		"count_global": "callgate:g0 callgate:g1 callgate:g2", "count_segment": "callgate:g2", "count_table": "", "deploy": "",
	} {
		result, err := wasmbin.Rewrite(all[name], options)
		if err != nil || strings.Join(result.Globals, " ") != want || !result.Memory || result.Kept != (name == "count_table") {
			t.Errorf("%s: got %v, %v; want globals %s", name, result, err, want)
		}
	}
}

const empty = "\x00asm\x01\x00\x00\x00"

func TestRewriteRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, wasm, want string }{
		{"nothing", "", "not a WebAssembly module of version 1"},
		{"a component", "\x00asm\x0d\x00\x01\x00", "not a WebAssembly module of version 1"},
		{"a section cut off", empty + "\x01\x05\x00", "cut off"},
		{"sections out of order", empty + "\x03\x01\x00\x01\x01\x00", "section 1 is unknown, out of order or there twice"},
		{"a section twice", empty + "\x01\x01\x00\x01\x01\x00", "section 1 is unknown, out of order or there twice"},
		{"an unknown section", empty + "\x0d\x01\x00", "section 13 is unknown"},
		{"more elements than bytes", empty + "\x04\x05\xff\xff\xff\xff\x0f", "table section: "},
		{"bytes left over", empty + "\x05\x04\x01\x00\x01\x00", "memory section: bytes after the last element"},
		{"a number too long", empty + "\x05\x07\x81\x80\x80\x80\x80\x80\x00", "memory section: "},
		{"two memories", empty + "\x05\x05\x02\x00\x01\x00\x01", "memory section: limit memories: 2, at most 1"},
		{"too much memory", empty + "\x05\x03\x01\x00\x41", "memory section: limit memory_mib in pages of 64 KiB: 65, at most 64"},
		{"a memory of more than 4 GiB", empty + "\x05\x06\x01\x01\x01\x81\x80\x04", "memory section: 65537 pages"},
		{"a custom section without a name", empty + "\x00\x01\x05", "a custom section's name is cut off"},
		{"a custom section's name", empty + "\x00\x02\x01\xff", "not UTF-8"},
		{"shared memory", empty + "\x05\x04\x01\x03\x01\x01", "memory section: limits of kind 3"},
		{"memory of 64 bits", empty + "\x05\x03\x01\x04\x01", "memory section: limits of kind 4"},
		{"a large table", empty + "\x04\x05\x01\x70\x00\xe9\x07", "table section: limit table_entries: 1001, at most 1000"},
		{"many tables", empty + "\x04\x34\x11" + strings.Repeat("\x70\x00\x00", 17), "table section: limit tables: 17, at most 16"},
		{"a table of something else", empty + "\x04\x04\x01\x63\x00\x00", "table section: table of kind 0x63"},
		{"an unknown instruction", function("\xfe\x00\x0b"), "at 0x17: code section, function 0: instruction 0xfe is not supported"},
		{"a tail call", function("\x12\x00\x0b"), "instruction 0x12 is not supported"},
		{"a relaxed vector instruction", function("\xfd\x80\x02\x0b"), "instruction 0xfd 256 is not supported"},
		{"an unknown 0xfc", function("\xfc\x12\x0b"), "instruction 0xfc 18 is not supported"},
		{"no end", function("\x01"), "a block is not closed"},
		{"code after the end", function("\x0b\x01"), "instructions after the last end"},
		{"two ends", function("\x0b\x0b"), "instructions after the last end"},
		{"a global that is not there", function("\x23\x00\x1a\x0b"), "there is no global 0"},
		{"a block's type that is not there", function("\x02\x01\x0b\x0b"), "there is no type 1"},
		{"a call's type that is not there", function("\x41\x00\x11\x01\x00\x0b"), "there is no type 1"},
		{"a local of a newer type", strings.Replace(function("\x0b"), "\x0a\x04\x01\x02\x00\x0b", "\x0a\x07\x01\x05\x01\x01\x63\x00\x0b", 1), "type 0x63 is not supported"},
		{"a block of a newer type", function("\x02\x63\x00\x0b\x1a\x0b"), "type 0x63 is not supported"},
		{"a select of a newer type", function("\x00\x1c\x01\x63\x00\x1a\x0b"), "type 0x63 is not supported"},
		{"a parameter of a newer type", empty + "\x01\x06\x01\x60\x01\x63\x00\x00", "type 0x63 is not supported"},
		{"a label that is not there", function("\x0c\x01\x0b"), "there is no label 1"},
		{"another label that is not there", function("\x02\x40\x41\x00\x0d\x02\x0b\x0b"), "there is no label 2"},
		{"a table's label that is not there", function("\x41\x00\x0e\x02\x00\x01\x00\x0b"), "there is no label 1"},
		{"a function that is not there", function("\x10\x01\x0b"), "there is no function 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := wasmbin.Rewrite([]byte(tt.wasm), options)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want error %q", got, err, tt.want)
			}
		})
	}
}

// function is a module with one function () -> () of the given code.
func function(code string) string {
	body := "\x00" + code
	return empty + "\x01\x04\x01\x60\x00\x00" + "\x03\x02\x01\x00" +
		"\x0a" + string([]byte{byte(len(body) + 2)}) + "\x01" + string([]byte{byte(len(body))}) + body
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	small := options
	small.Bytes = 100
	if got, err := wasmbin.Rewrite([]byte(function(strings.Repeat("\x03\x40\x0b", 20)+"\x0b")), small); err == nil {
		t.Errorf("got %d bytes; want an error", len(got.Wasm))
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	wasm := empty + "\x02\x1d\x04" + "\x01a\x01f\x00\x00" + "\x01a\x01t\x01\x70\x00\x00" + "\x01a\x01m\x02\x00\x00" + "\x01a\x01g\x03\x7f\x00"
	got, err := wasmbin.Imports([]byte(wasm))
	var list []string
	for _, i := range got {
		list = append(list, i.Module+"."+i.Name+" "+i.Kind)
	}
	if want := "a.f function, a.t table, a.m memory, a.g global"; err != nil || strings.Join(list, ", ") != want {
		t.Errorf("got %v, %v; want %s", list, err, want)
	}
	if _, err := wasmbin.Imports([]byte(empty + "\x02\x06\x01\x01a\x01f\x07")); err == nil {
		t.Error("an import of an unknown kind: got no error")
	}
}

// FuzzRewrite: any bytes are refused or rewritten, without a panic; and a rewritten module is
// as valid for the engine as before.
func FuzzRewrite(f *testing.F) {
	for _, wasm := range golden(f) {
		f.Add(wasm)
	}
	f.Add([]byte(function("\x03\x40\x0b\x0b")))
	f.Add([]byte(function("\xfd\x0c" + strings.Repeat("\x00", 16) + "\x1a\x0b")))
	for seed := range uint64(50) {
		f.Add(wasmgen.Generate(choices(seed), wasmgen.Options{}).Wasm)
	}
	r := interpreter(f)
	f.Fuzz(func(t *testing.T, wasm []byte) {
		before := bytes.Clone(wasm)
		result, err := wasmbin.Rewrite(wasm, options)
		if !bytes.Equal(before, wasm) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			return
		}
		was, is := compiles(r, wasm), compiles(r, result.Wasm)
		if (was == nil) != (is == nil) {
			t.Errorf("before: %v; rewritten: %v", was, is)
		}
	})
}
