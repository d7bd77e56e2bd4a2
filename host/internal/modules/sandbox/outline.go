package sandbox

import (
	"context"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// Outline is the structure of a module's binary, visible without running it. Names are clean,
// at most 80 bytes each.
type Outline struct {
	Imports []Symbol `json:"imports"`
	Exports []Symbol `json:"exports"`
	// Functions and Globals are its own definitions.
	Functions int `json:"functions"`
	Globals   int `json:"globals"`
	Tables    int `json:"tables"`
	// MemoryBytes is its linear memory at first, zero without one; MemoryMost its own declared
	// maximum, zero for no bound.
	MemoryBytes int64 `json:"memory_bytes"`
	MemoryMost  int64 `json:"memory_most,omitempty"`
}

// Symbol is an import ("extism:host/env.input_length") or an export.
type Symbol struct {
	Name string `json:"name"`
	// Kind is function, table, memory or global.
	Kind string `json:"kind"`
}

// Look reads the outline of a binary. With an error come the parts read before it.
func Look(wasm []byte) (Outline, error) {
	seen, err := wasmbin.Look(wasm)
	o := Outline{Imports: []Symbol{}, Exports: []Symbol{}, Functions: seen.Functions, Globals: seen.Globals, Tables: seen.Tables}
	for _, i := range seen.Imports {
		o.Imports = append(o.Imports, Symbol{shownImport(i.Module, i.Name), i.Kind})
	}
	for _, e := range seen.Exports {
		o.Exports = append(o.Exports, Symbol{Clean(e.Name, 80), e.Kind})
	}
	if seen.Memory {
		o.MemoryBytes = int64(seen.Pages) * PageSize
		if seen.MaxPages != 1<<32-1 {
			o.MemoryMost = int64(seen.MaxPages) * PageSize
		}
	}
	if err != nil {
		err = notRunnable(err)
	}
	return o, err
}

// Footprint is the memory of a ready module.
type Footprint struct {
	// Snapshot is the initial memory of all its instances, shared until they write to it, in
	// bytes.
	Snapshot int64 `json:"snapshot_bytes"`
	// Globals are the mutable globals restored after each call.
	Globals int `json:"globals"`
}

// Footprint starts the module, if it did not run yet, and measures it.
func (m *Module) Footprint(ctx context.Context) (Footprint, error) {
	s, err := m.state(ctx)
	if err != nil {
		err.Module, err.Export = m.name, "start"
		return Footprint{}, err
	}
	defer s.Drop()
	return Footprint{int64(len(s.Bytes())), len(s.globals)}, nil
}
