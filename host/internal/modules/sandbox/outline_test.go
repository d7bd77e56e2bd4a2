package sandbox_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

func TestLook(t *testing.T) {
	wasm, err := os.ReadFile(repo.File("testdata/modules/deploy.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	o, err := sandbox.Look(wasm)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(o.Exports, sandbox.Symbol{Name: "describe_call", Kind: "function"}) ||
		!slices.Contains(o.Imports, sandbox.Symbol{Name: "extism:host/env.input_length", Kind: "function"}) {
		t.Errorf("imports %v, exports %v", o.Imports, o.Exports)
	}
	if o.Functions < 6 || o.MemoryBytes == 0 || o.MemoryBytes%sandbox.PageSize != 0 {
		t.Errorf("outline is %+v", o)
	}
	if o, err := sandbox.Look(wasm[:200]); err == nil || len(o.Exports) > 0 {
		t.Errorf("cut off: %+v, %v", o, err)
	}
	hostile, err := filepath.Glob(repo.File("testdata/hostile/*.wasm"))
	if err != nil || len(hostile) == 0 {
		t.Fatal(err)
	}
	for _, file := range hostile {
		wasm, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = sandbox.Look(wasm) // for any result
	}
}

func TestFootprint(t *testing.T) {
	r, err := sandbox.New(t.Context(), sandbox.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close(t.Context()) }()
	wasm, err := os.ReadFile(repo.File("testdata/modules/deploy.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Load(t.Context(), "deploy.wasm", wasm)
	if err != nil {
		t.Fatal(err)
	}
	f, err := m.Footprint(t.Context())
	if err != nil || f.Snapshot == 0 || f.Snapshot%sandbox.PageSize != 0 {
		t.Errorf("footprint is %+v, %v", f, err)
	}
}

func FuzzLook(f *testing.F) {
	for _, name := range []string{"modules/deploy", "hostile/export_twice", "hostile/import_memory"} {
		wasm, err := os.ReadFile(repo.File("testdata") + "/" + name + ".wasm")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wasm)
	}
	f.Fuzz(func(t *testing.T, wasm []byte) {
		o, err := sandbox.Look(wasm)
		if err == nil && (o.MemoryBytes < 0 || o.Functions < 0) {
			t.Errorf("outline is %+v", o)
		}
	})
}
