package modules

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// Version is one version of a module, to be asked outside of a decision.
type Version struct {
	// Digest is the sha256 of its bytes, in hex.
	Digest string
	// Description is its description of itself.
	Description Described
	// Loaded is its code.
	Loaded *sandbox.Module
}

// Versions gives use two versions of a file: the pinned one, and the one that a Pin, or with back a
// Rollback, would put in its place. Both answer until use returns, and nothing is changed.
// ErrNotPinned, ErrNoPrevious, ErrChangedSince, ErrRefused for a version that cannot be loaded, and
// those of use.
func (c *Catalog) Versions(ctx context.Context, r Request, back bool, use func(was, is Version) error) error {
	both, err := c.versions(r, back)
	if err != nil {
		return err
	}
	var out [2]Version
	for i, m := range both {
		m.code.hold()
		defer m.code.letGo()
		loaded, err := m.running(ctx)
		if err == nil {
			var raw []byte
			if raw, err = m.describe(ctx, loaded); err == nil {
				err = m.describes(raw)
			}
		}
		if err != nil {
			return mark(ErrRefused, err)
		}
		out[i] = Version{m.digest, *m.desc, loaded}
	}
	return use(out[0], out[1])
}

// versions are the pinned module and the one to come, with code of their own.
func (c *Catalog) versions(r Request, back bool) (both [2]*module, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, err := c.entry(r)
	if err != nil {
		return both, err
	}
	if e == nil {
		return both, fmt.Errorf("%s: %w", r.File, ErrNotPinned)
	}
	was, err := c.place.ReadBackup(e.Digest)
	if err != nil {
		return both, fmt.Errorf("%s: %w: %w", r.File, ErrRefused, err)
	}
	grant := e.Grant
	switch {
	case !back:
		r.Wasm, err = c.place.Module(r.File)
	case e.Previous == nil:
		return both, fmt.Errorf("%s: %w", r.File, ErrNoPrevious)
	default:
		grant = e.Previous.Grant
		r.Wasm, err = c.place.ReadBackup(e.Previous.Digest)
	}
	if err != nil {
		return both, fmt.Errorf("%s: %w: %w", r.File, ErrRefused, err)
	}
	if r.Digest != "" && r.Digest != sandbox.Digest(r.Wasm) {
		return both, fmt.Errorf("%s: %w: its bytes changed; show it again", r.File, ErrChangedSince)
	}
	b := c.builder(context.Background(), c.current.Load(), pins{}) // makes modules, and no state
	for i, v := range []struct {
		wasm  []byte
		grant wire.Grant
	}{{was, e.Grant}, {r.Wasm, grant}} {
		f := newFile(id{file: r.File}, v.wasm)
		both[i] = b.compilable(b.newModule(f, c.settings.rights(r.File, e.Name, v.grant), ""), f)
	}
	return both, nil
}
