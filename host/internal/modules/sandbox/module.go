package sandbox

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// Module is a loaded tool module. It is safe for concurrent use: each call
// runs in an instance of its own.
type Module struct {
	rt     *Runtime
	name   string
	digest string
	size   int
	verbs  []string
	limits Limits
	binary *wasmbin.Result
	pool   *pool
	// shipped is Source.Shipped.
	shipped func(name string) *io.SectionReader
}

func newModule(r *Runtime, name string, got *made, verbs []string, from Source) *Module {
	m := &Module{
		rt: r, name: name, digest: from.Digest, size: from.Size, shipped: from.Shipped,
		verbs: verbs, limits: r.limits, binary: got.binary, pool: newPool(got, r.limits.Instances, r.pools),
	}
	// The last resort for a module never closed.
	runtime.AddCleanup(m, func(p *pool) { p.close(context.Background()) }, m.pool)
	return m
}

// Name returns the name the module was loaded by.
func (m *Module) Name() string { return m.name }

// Digest returns the sha256 of the module's bytes, in hex.
func (m *Module) Digest() string { return m.digest }

// Size returns the number of the module's bytes.
func (m *Module) Size() int { return m.size }

// Has reports whether the module exports the verb.
func (m *Module) Has(export string) bool { return slices.Contains(m.verbs, export) }

// Close frees the module. Running calls are finished; later ones fail.
func (m *Module) Close(ctx context.Context) { m.pool.close(ctx) }

// Request is one call of a verb.
type Request struct {
	// Export is the verb.
	Export string
	// Input is its input.
	Input []byte
	// Config answers config_get; nil has no keys.
	Config func(key string) (value string, ok bool)
	// Used receives the call's usage, if it is not nil.
	Used *Usage
}

// Usage is a call's usage.
type Usage struct {
	// Fuel is in the unit of Limits.Fuel. The same call uses the same on every machine; one
	// stopped for want of fuel reports all of it.
	Fuel int64
	// LogLines and LogBytes are its log, with and without a logger: each line cut to 512 bytes,
	// dropped ones counted up to the first beyond Limits.LogLines.
	LogLines, LogBytes int
}

// Call runs one export on input and returns its output, which is never empty
// and always valid UTF-8. Any failure is an *Error. The call ends with ctx, and
// at the latest after Limits.Timeout; it may wait for an instance before that.
func (m *Module) Call(ctx context.Context, export string, input []byte) ([]byte, error) {
	return m.Append(ctx, nil, Request{Export: export, Input: input})
}

// Append is Call with its output appended to dst, whose capacity it uses: on
// the ready path nothing is allocated. On an error it returns nil.
func (m *Module) Append(ctx context.Context, dst []byte, q Request) ([]byte, error) {
	output, err := m.call(ctx, dst, q)
	runtime.KeepAlive(m) // or its cleanup closes the pool under the call
	if err != nil {
		err.Module, err.Export = m.name, q.Export
		return nil, err
	}
	return output, nil
}

func (m *Module) call(ctx context.Context, dst []byte, q Request) ([]byte, *Error) {
	verb := slices.Index(m.verbs, q.Export)
	if verb < 0 {
		return nil, &Error{Kind: KindTrap, Message: "the module has no such export"}
	}
	if len(q.Input) > m.limits.InputBytes {
		return nil, &Error{Kind: KindInput, Limit: "input_kib", Message: fmt.Sprintf("%d bytes: at most %d", len(q.Input), m.limits.InputBytes)}
	}
	inst, err := m.take(ctx)
	if err != nil {
		return nil, err
	}
	inst.watch()
	output, err := inst.call(ctx, dst, verb, q)
	inst.rein(verb, err != nil)
	m.pool.put(ctx, inst)
	return output, err
}

// Forget removes what the cache keeps of the module, which runs on.
func (m *Module) Forget() error {
	m.pool.first <- struct{}{}
	defer func() { <-m.pool.first }()
	return m.rt.Forget(m.digest)
}
