package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/codecache"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// kept is the compiled code of other processes. A nil kept has none.
type kept struct {
	dirs   []*securedir.Dir
	store  *codecache.Store // of code
	states *codecache.Store // initial states of modules
	report func(error)
}

// The directories below the cache's own.
const (
	codeDir  = "compiled"
	stateDir = "states"
)

// openKept opens the cache; none when dir is empty. A place writable by others is an error, as
// is one that cannot be a directory; an unwritable one holds nothing, at the cost of time only.
func openKept(dir string, report func(error)) (*kept, error) {
	if dir == "" {
		return nil, nil // no cache is no error
	}
	k := &kept{report: report}
	if err := k.open(dir); err != nil {
		err = fmt.Errorf("cache of compiled modules: %w", errors.Join(err, k.close()))
		if !securedir.Unwritable(err) {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		report(err)
		return nil, nil
	}
	return k, nil
}

func (k *kept) open(dir string) error {
	top, err := securedir.Open(dir)
	if err != nil {
		return err
	}
	k.dirs = append(k.dirs, top)
	key, err := top.Key()
	if err != nil {
		return err
	}
	if k.store, err = k.sub(top, codeDir, key); err != nil {
		return err
	}
	k.states, err = k.sub(top, stateDir, key)
	return err
}

func (k *kept) sub(top *securedir.Dir, name string, key *securedir.Key) (*codecache.Store, error) {
	dir, err := top.Sub(name)
	if err != nil {
		return nil, err
	}
	k.dirs = append(k.dirs, dir)
	return codecache.New(dir, key, codecache.DefaultBytes, k.report), nil
}

func (k *kept) close() error {
	if k == nil {
		return nil
	}
	var errs []error
	for _, d := range k.dirs {
		errs = append(errs, d.Close())
	}
	return errors.Join(errs...)
}

// codeID is a digest of everything a module's compiled code depends on.
func (r *Runtime) codeID(digest string) codecache.ID {
	o := r.options()
	return sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%+v", wasmbin.Version, r.carrier.engine, digest, o))
}

// Compiled reports whether the code of the module with this digest, from Module.Digest, is
// kept, so that loading takes milliseconds.
func (r *Runtime) Compiled(digest string) bool {
	return r.kept != nil && r.kept.store.Has(r.codeID(digest))
}

// Ready reports whether there is code of a module, kept or shipped.
func (r *Runtime) Ready(from Source) bool { return r.Compiled(from.Digest) || r.hasShipped(from) }

// Forget removes the kept code of the module with this digest, and its initial state.
func (r *Runtime) Forget(digest string) error {
	if r.kept == nil {
		return nil
	}
	return errors.Join(r.kept.store.Remove(r.codeID(digest)), r.kept.states.Remove(r.stateID(digest)))
}

// recall returns the kept code of a module, nil when there is none. A defective entry counts as
// none; the error reports a limit.
func (r *Runtime) recall(ctx context.Context, digest string) (*made, error) {
	if r.kept == nil {
		return nil, nil
	}
	id := r.codeID(digest)
	e, ok := r.kept.store.Get(id)
	if !ok {
		return nil, nil
	}
	m, err := r.take(ctx, e)
	if err != nil && LimitOf(err) == "" {
		r.kept.store.Refuse(id, err)
		return nil, nil
	}
	return m, err
}

// take gives a trusted entry to the engine.
func (r *Runtime) take(ctx context.Context, e *codecache.Entry) (*made, error) {
	m, err := r.hold(e.Stub, len(e.Code))
	if err != nil {
		return nil, err
	}
	if err := r.give(ctx, m, e); err != nil {
		m.close(ctx)
		return nil, err
	}
	return m, nil
}

func (r *Runtime) give(ctx context.Context, m *made, e *codecache.Entry) error {
	decoder := json.NewDecoder(bytes.NewReader(e.Facts))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&m.binary); err != nil {
		return err
	}
	compile := func() (err error) {
		m.compiled, err = r.engine.CompileModule(ctx, e.Stub)
		return err
	}
	if len(e.Code) == 0 { // it has no functions
		return compile()
	}
	return r.carrier.Load(e.Code, compile)
}

// keep stores compiled code.
func (r *Runtime) keep(digest string, binary *wasmbin.Result, code []byte) {
	if r.kept == nil || code == nil {
		return
	}
	id := r.codeID(digest)
	e, err := entry(id, binary, code, rand.Text())
	if err != nil {
		r.kept.report(err)
		return
	}
	r.kept.store.Put(id, e)
}

// entry is the kept form of a module, also sent by the compiling process. tag makes its stub
// different from any other.
func entry(id codecache.ID, binary *wasmbin.Result, code []byte, tag string) (*codecache.Entry, error) {
	facts := *binary
	facts.Wasm = nil
	encoded, err := json.Marshal(facts)
	if err != nil {
		return nil, err
	}
	stub, err := wasmbin.Stub(binary.Wasm, append(id[:], tag...))
	if err != nil {
		return nil, err
	}
	return &codecache.Entry{Facts: encoded, Stub: stub, Code: code}, nil
}
