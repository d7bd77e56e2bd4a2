package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/private"
	"github.com/callgate/callgate/host/sandbox/internal/codecache"
	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
)

// kept is the compiled code of other processes. A nil kept has none.
type kept struct {
	dirs   []*private.Dir
	store  *codecache.Store // of code
	states *codecache.Store // that modules begin in
	report func(error)
}

// The directories below the cache's own.
const (
	codeDir  = "compiled"
	stateDir = "states"
)

// openKept opens the cache; none when dir is empty. A place that others could have
// filled is an error, as is one that cannot be a directory; one that cannot be written
// holds nothing, which costs time only.
func openKept(dir string, report func(error)) (*kept, error) {
	if dir == "" {
		return nil, nil // no cache is no error
	}
	k := &kept{report: report}
	if err := k.open(dir); err != nil {
		err = fmt.Errorf("cache of compiled modules: %w", errors.Join(err, k.close()))
		if !private.Unwritable(err) {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		report(err)
		return nil, nil
	}
	return k, nil
}

func (k *kept) open(dir string) error {
	top, err := private.Open(dir)
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

func (k *kept) sub(top *private.Dir, name string, key *private.Key) (*codecache.Store, error) {
	dir, err := top.Sub(name)
	if err != nil {
		return nil, err
	}
	k.dirs = append(k.dirs, dir)
	return codecache.New(dir, key, k.report), nil
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

// codeID is a digest of all that the compiled code of a module depends on.
func (r *Runtime) codeID(digest string) codecache.ID {
	o := r.options()
	return sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%+v", wasmbin.Version, r.carrier.engine, digest, o))
}

// Compiled reports whether the code of the module of this digest, as
// Module.Digest gives it, is kept, so that loading it takes milliseconds.
func (r *Runtime) Compiled(digest string) bool {
	return r.kept != nil && r.kept.store.Has(r.codeID(digest))
}

// Forget removes the code that is kept of the module of this digest.
func (r *Runtime) Forget(digest string) error {
	if r.kept == nil {
		return nil
	}
	return r.kept.store.Remove(r.codeID(digest))
}

// recall returns the kept code of a module. Whatever is wrong with it, it is as if
// there were none.
func (r *Runtime) recall(ctx context.Context, digest string) (wazero.CompiledModule, *wasmbin.Result, bool) {
	if r.kept == nil {
		return nil, nil, false
	}
	id := r.codeID(digest)
	e, ok := r.kept.store.Get(id)
	if !ok {
		return nil, nil, false
	}
	compiled, binary, err := r.take(ctx, e)
	if err != nil {
		r.kept.store.Refuse(id, err)
		return nil, nil, false
	}
	return compiled, binary, true
}

// take gives an entry that can be trusted to the engine.
func (r *Runtime) take(ctx context.Context, e *codecache.Entry) (compiled wazero.CompiledModule, binary *wasmbin.Result, err error) {
	decoder := json.NewDecoder(bytes.NewReader(e.Facts))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&binary); err != nil {
		return nil, nil, err
	}
	compile := func() (err error) {
		compiled, err = r.engine.CompileModule(ctx, e.Stub)
		return err
	}
	if len(e.Code) == 0 { // it has no functions
		err = compile()
	} else {
		err = r.carrier.Load(e.Code, compile)
	}
	return compiled, binary, err
}

// keep stores what was compiled.
func (r *Runtime) keep(digest string, binary *wasmbin.Result, code []byte) {
	if r.kept == nil || code == nil {
		return
	}
	id := r.codeID(digest)
	e, err := entry(id, binary, code)
	if err != nil {
		r.kept.report(err)
		return
	}
	r.kept.store.Put(id, e)
}

// entry is what is kept of a module, or sent by the process that compiled it.
func entry(id codecache.ID, binary *wasmbin.Result, code []byte) (*codecache.Entry, error) {
	facts := *binary
	facts.Wasm = nil
	encoded, err := json.Marshal(facts)
	if err != nil {
		return nil, err
	}
	stub, err := wasmbin.Stub(binary.Wasm, append(id[:], rand.Text()...))
	if err != nil {
		return nil, err
	}
	return &codecache.Entry{Facts: encoded, Stub: stub, Code: code}, nil
}
