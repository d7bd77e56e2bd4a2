package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/codecache"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/compileproc"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// shippedParts is how many parts shipped code has: those of an entry.
const shippedParts = 3

// Precompile returns a module's code for Source.Shipped, and its name: a digest of the module, the
// limits in its code, the engine, and the processor's features that it uses. The same arguments
// give the same bytes. It compiles in this process, so the module must be trusted. RATIONALE.md,
// "Why does the program carry compiled code?".
func Precompile(ctx context.Context, l Limits, wasm []byte) (name string, code []byte, err error) {
	id, e, err := compileHere(ctx, l.or(defaults), wasm, "")
	if err != nil {
		return "", nil, fmt.Errorf("precompile: %w", err)
	}
	var out bytes.Buffer
	err = compileproc.Pack(&out, e.Facts, e.Stub, e.Code)
	return hex.EncodeToString(id[:]), out.Bytes(), err
}

// shipped finds the code of a module that came with the program; nil for none.
func (r *Runtime) shipped(from Source) func() ([]byte, error) {
	if from.Shipped == nil || r.carrier == nil {
		return nil
	}
	id := r.codeID(from.Digest)
	return from.Shipped(hex.EncodeToString(id[:]))
}

// unpack gives a module's shipped code to the engine; nil when there is none. Defective code is
// reported, and counts as none; the error is a limit's.
func (r *Runtime) unpack(ctx context.Context, from Source) (*made, error) {
	read := r.shipped(from)
	if read == nil {
		return nil, nil
	}
	id := r.codeID(from.Digest)
	e, err := readShipped(read, id)
	if err != nil {
		r.report(fmt.Errorf("shipped code is not used: %w", err))
		return nil, nil
	}
	m, err := r.take(ctx, e)
	switch {
	case LimitOf(err) != "":
		return nil, err
	case err != nil:
		r.report(fmt.Errorf("shipped code is not used: %w", err))
		return nil, nil
	}
	return m, nil
}

// readShipped checks everything the engine trusts in its own files. The stub gets a tag of this
// process, so that no module written beforehand equals it.
func readShipped(read func() ([]byte, error), id codecache.ID) (*codecache.Entry, error) {
	data, err := read()
	if err != nil {
		return nil, err
	}
	got, err := compileproc.Unpack(data, shippedParts)
	if err != nil {
		return nil, err
	}
	e := &codecache.Entry{Facts: got[0], Code: got[2]}
	if e.Stub, err = wasmbin.Stub(got[1], append(id[:], rand.Text()...)); err != nil {
		return nil, err
	}
	return e, checkEntry(e)
}
