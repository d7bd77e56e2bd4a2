package sandbox

import (
	"context"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// made is a module held by the engine: its code and declarations, with their memory counted.
type made struct {
	compiled wazero.CompiledModule
	binary   *wasmbin.Result
	budget   *memory.Budget
	bytes    int64 // counted
}

// hold counts the engine's memory for a module, before it reads one: declarations are the bytes
// of a module as Rewrite made it or of its stub, code is the size of the machine code.
func (r *Runtime) hold(declarations []byte, code int) (*made, error) {
	reading, err := wasmbin.Reading(declarations)
	if err != nil {
		return nil, err
	}
	if reading > r.limits.CompileBytes {
		return nil, exceed("compile_mib", "reading what it declares takes %d MiB of memory, at most %d", reading>>20, r.limits.CompileBytes>>20)
	}
	m := &made{budget: r.memory}
	return m, m.more(reading + int64(code))
}

// more counts so many bytes more.
func (m *made) more(bytes int64) error {
	if short := m.budget.Take(bytes); short != nil {
		return exceed(memorySetting, "its code and declarations take %d KiB: %s", bytes>>10, short)
	}
	m.bytes += bytes
	return nil
}

// close frees the module. Nothing of it may run then.
func (m *made) close(ctx context.Context) {
	if m.compiled != nil {
		_ = m.compiled.Close(ctx) // frees memory only
	}
	m.budget.Give(m.bytes)
	m.bytes = 0
}
