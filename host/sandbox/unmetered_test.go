package sandbox

import (
	"context"

	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
)

// LoadUnmetered loads a module that pays no fuel: what fuel costs is measured
// against it. Nothing can stop it, so it never runs anything but the benchmarks' own guests.
func (r *Runtime) LoadUnmetered(ctx context.Context, name string, wasm []byte) (*Module, error) {
	options := r.options()
	options.Unmetered = true
	rewritten, err := wasmbin.Rewrite(wasm, options)
	if err != nil {
		return nil, err
	}
	compiled, _, err := r.compile(ctx, rewritten.Wasm)
	if err != nil {
		return nil, err
	}
	verbs, err := r.check(compiled)
	if err != nil {
		return nil, err
	}
	return newModule(r, name, compiled, rewritten, verbs, "", len(wasm)), nil
}
