package sandbox

import (
	"context"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// LoadUnmetered loads a module without fuel: the cost of fuel is measured against it. Nothing
// can stop it, so it only ever runs the benchmarks' own guests.
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
	return newModule(r, name, &made{compiled: compiled, binary: rewritten, budget: r.memory}, verbs, Source{Size: len(wasm)}), nil
}
