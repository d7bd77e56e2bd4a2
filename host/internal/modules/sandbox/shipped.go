package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/callgate/callgate/host/internal/machine/ready"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/codecache"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/compileproc"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
)

// The parts of shipped code are those of an entry, and a shipped state has its globals and its memory.
const (
	codeParts  = 3
	stateParts = 2
)

// Precompile makes what a program may carry of a module, for Source.Shipped: files by their names.
// One is its code, and its name is a digest of the module, the limits in its code, the engine, and
// the processor's features that it uses. The other one is the initial state of its instances with that
// code; a module whose tables change has none. The same arguments give the same bytes. It compiles in
// this process, so the module must be trusted. RATIONALE.md, "Why does the program carry compiled
// code?".
func Precompile(ctx context.Context, l Limits, wasm []byte) (map[string][]byte, error) {
	id, e, err := compileHere(ctx, l.or(defaults), wasm, "")
	if err != nil {
		return nil, fmt.Errorf("precompile: %w", err)
	}
	files := map[string][]byte{}
	if err := ship(files, id, e.Facts, e.Stub, e.Code); err != nil {
		return nil, fmt.Errorf("precompile: %w", err)
	}
	if err := precompileState(ctx, l, wasm, files); err != nil {
		return nil, fmt.Errorf("precompile: the state after its start: %w", err)
	}
	return files, nil
}

// ship adds a file of parts to the files.
func ship(files map[string][]byte, id codecache.ID, parts ...[]byte) error {
	var plain bytes.Buffer
	if err := compileproc.Pack(&plain, parts...); err != nil {
		return err
	}
	// One worker: several may cut the same data differently.
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err == nil {
		files[hex.EncodeToString(id[:])] = w.EncodeAll(plain.Bytes(), nil)
	}
	return err
}

// precompileState adds the initial state to the files with the module's code.
func precompileState(ctx context.Context, l Limits, wasm []byte, files map[string][]byte) (err error) {
	r, err := newRuntime(ctx, Config{Limits: l}, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close(ctx)) }()
	m, err := r.LoadKnown(ctx, "precompiled", Source{
		Digest: Digest(wasm), Size: len(wasm), Read: func() ([]byte, error) { return wasm, nil },
		Shipped: func(name string) *io.SectionReader {
			return io.NewSectionReader(bytes.NewReader(files[name]), 0, int64(len(files[name])))
		},
	})
	if err != nil || m.binary.Kept {
		return err
	}
	s, failure := m.find(ctx)
	if failure != nil {
		return failure
	}
	facts, err := json.Marshal(s.globals)
	if err != nil {
		return err
	}
	return ship(files, r.shippedStateID(m.digest), facts, s.memory)
}

// openShipped opens a file that came with the program; nil without it.
func (r *Runtime) openShipped(from func(name string) *io.SectionReader, id func(digest string) codecache.ID, digest string) *io.SectionReader {
	if from == nil || r.carrier == nil {
		return nil
	}
	named := id(digest)
	return from(hex.EncodeToString(named[:]))
}

// hasShipped reports whether the code of a module came with the program.
func (r *Runtime) hasShipped(from Source) bool {
	return r.openShipped(from.Shipped, r.codeID, from.Digest) != nil
}

// unpack gives a module's shipped code to the engine; nil when there is none. Defective code is
// reported, and counts as none; the error is a limit's.
func (r *Runtime) unpack(ctx context.Context, from Source) (*made, error) {
	f := r.openShipped(from.Shipped, r.codeID, from.Digest)
	if f == nil {
		return nil, nil
	}
	parts, free, err := readShipped(f, codeParts)
	if err != nil {
		r.report(fmt.Errorf("shipped code is not used: %w", err))
		return nil, nil
	}
	defer free()
	m, err := r.takeShipped(ctx, parts, r.codeID(from.Digest))
	switch {
	case LimitOf(err) != "":
		return nil, err
	case err != nil:
		r.report(fmt.Errorf("shipped code is not used: %w", err))
		return nil, nil
	}
	return m, nil
}

// takeShipped checks everything the engine trusts in its own files. The stub gets a tag of this
// process, so that no module written beforehand equals it.
func (r *Runtime) takeShipped(ctx context.Context, parts [][]byte, id codecache.ID) (*made, error) {
	e := &codecache.Entry{Facts: parts[0], Stub: wasmbin.Tagged(parts[1], append(id[:], rand.Text()...)), Code: parts[2]}
	if err := checkEntry(e); err != nil {
		return nil, err
	}
	return r.take(ctx, e)
}

// shippedStateID names the state that a module's code begins with. Limits of a call are not in it: they
// can only end a start.
func (r *Runtime) shippedStateID(digest string) codecache.ID {
	return sha256.Sum256(fmt.Appendf(nil, "shipped state %d\n%x", stateVersion, r.codeID(digest)))
}

// shippedState is the module's initial state that came with the program; nil for none.
func (m *Module) shippedState() *state {
	f := m.rt.openShipped(m.shipped, m.rt.shippedStateID, m.digest)
	if f == nil {
		return nil
	}
	parts, free, err := readShipped(f, stateParts)
	if err == nil {
		var s *state
		if s, err = m.stateOf(&codecache.Entry{Facts: parts[0], Code: parts[1]}); err == nil {
			s.free = free
			return s
		}
		free()
	}
	m.rt.report(fmt.Errorf("shipped state is not used: %w", err))
	return nil
}

// room is what the decoder wants behind its result for its fastest way.
const room = 64

// readShipped reads a file made by Precompile. The parts are in memory of their own until free is
// called. RATIONALE.md, "Why are pages asked for before they are used?".
func readShipped(f *io.SectionReader, n int) (parts [][]byte, free func(), err error) {
	packed, freePacked := ready.Scratch(int(f.Size()))
	defer freePacked()
	if _, err := io.ReadFull(f, packed); err != nil {
		return nil, nil, err
	}
	var head zstd.Header
	if err := head.Decode(packed); err != nil {
		return nil, nil, err
	}
	if !head.HasFCS || head.FrameContentSize > mostShipped {
		return nil, nil, errors.New("not a file that was made to be shipped")
	}
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	plain, free := ready.Scratch(int(head.FrameContentSize) + room)
	got, err := d.DecodeAll(packed, plain[:0])
	if err == nil {
		parts, err = compileproc.Unpack(got, n)
	}
	if err != nil {
		free()
		return nil, nil, err
	}
	return parts, free, nil
}

// mostShipped bounds what a damaged file can ask for.
const mostShipped = 256 << 20
