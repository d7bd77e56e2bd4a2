package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/private"
	"github.com/callgate/callgate/host/sandbox/internal/codecache"
	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
)

// kept is the compiled code of other processes. A nil kept has none.
type kept struct {
	dirs   []*private.Dir
	bridge *codecache.Bridge
	store  *codecache.Store // of code
	states *codecache.Store // that modules begin in
	engine string           // what makes code of one engine and machine useless to another
	report func(error)
}

// The directories below the cache's own.
const (
	codeDir  = "compiled"
	stateDir = "states"
)

// openKept opens the cache. A place that others could have filled is an error, as is
// one that cannot be a directory; one that cannot be written holds nothing, which
// costs time only.
func openKept(dir string, report func(error)) (*kept, wazero.CompilationCache, error) {
	k := &kept{report: report}
	bridge, cache, err := codecache.NewBridge()
	if err != nil {
		report(fmt.Errorf("compiled code is not kept: %w", err))
		return nil, nil, nil
	}
	k.bridge = bridge
	if err := k.open(dir); err != nil {
		err = fmt.Errorf("cache of compiled modules: %w", errors.Join(err, k.close()))
		if !private.Unwritable(err) {
			return nil, nil, fmt.Errorf("sandbox: %w", err)
		}
		report(err)
		return nil, nil, nil
	}
	return k, cache, nil
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

// emptyModule is the smallest module there is.
var emptyModule = []byte("\x00asm\x01\x00\x00\x00")

// identify asks the engine what it is; false when it does not take kept code.
func (k *kept) identify(ctx context.Context, engine wazero.Runtime) bool {
	id, ok := k.bridge.Identify(func() error {
		m, err := engine.CompileModule(ctx, emptyModule)
		if err != nil {
			return err
		}
		return m.Close(ctx)
	})
	k.engine = fmt.Sprintf("%s %s/%s %x", engineVersion(), runtime.GOOS, runtime.GOARCH, id)
	return ok
}

// engineVersion is the version of wazero this binary was built with.
func engineVersion() string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, d := range info.Deps {
		if d.Path != "github.com/tetratelabs/wazero" {
			continue
		}
		for d.Replace != nil {
			d = d.Replace
		}
		return d.Version + " " + d.Sum
	}
	return ""
}

// codeID is a digest of all that the compiled code of a module depends on.
func (r *Runtime) codeID(digest string) codecache.ID {
	o := r.options()
	return sha256.Sum256(fmt.Appendf(nil, "%d\n%s\n%s\n%+v", wasmbin.Version, r.kept.engine, digest, o))
}

// Compiled reports whether the code of the module of this digest, as
// Module.Digest gives it, is kept, so that loading it takes milliseconds.
func (r *Runtime) Compiled(digest string) bool {
	return r.kept != nil && r.kept.store.Has(r.codeID(digest))
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

// take gives an authentic entry to the engine.
func (r *Runtime) take(ctx context.Context, e *codecache.Entry) (compiled wazero.CompiledModule, binary *wasmbin.Result, err error) {
	decoder := json.NewDecoder(bytes.NewReader(e.Facts))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&binary); err != nil {
		return nil, nil, err
	}
	err = r.kept.bridge.Load(e.Code, func() (err error) {
		compiled, err = r.engine.CompileModule(ctx, e.Stub)
		return err
	})
	return compiled, binary, err
}

// keep stores what was compiled.
func (r *Runtime) keep(digest string, binary *wasmbin.Result, code []byte) {
	if r.kept == nil || code == nil {
		return
	}
	facts := *binary
	facts.Wasm = nil
	encoded, err := json.Marshal(facts)
	if err != nil {
		r.kept.report(err)
		return
	}
	id := r.codeID(digest)
	stub, err := wasmbin.Stub(binary.Wasm, append(id[:], rand.Text()...))
	if err != nil {
		r.kept.report(err)
		return
	}
	r.kept.store.Put(id, &codecache.Entry{Facts: encoded, Stub: stub, Code: code})
}
