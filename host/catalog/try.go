package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Tried is what Try found.
type Tried struct {
	Described
	// Raw is the answer of describe, Declared its DescriptionDigest.
	Raw      []byte `json:"-"`
	Declared string `json:"-"`
	// Digest is that of the bytes.
	Digest string `json:"-"`
	// Suspends are the texts of the stored allow rules that would not be used, because
	// the module reads them otherwise.
	Suspends []string `json:"-"`
	// Notes tell what the grant leaves out, one sentence each.
	Notes []string `json:"-"`
}

// What Try refuses is one of these: a module that cannot be used, and one whose
// names are another's.
var (
	ErrRefused   = errors.New("the module is refused")
	ErrNameTaken = errors.New("the name is taken")
)

// marked is an error of a kind; its text stays what it is.
type marked struct{ kind, err error }

func mark(kind, err error) error { return &marked{kind, err} }

// Error implements error.
func (m *marked) Error() string { return m.err.Error() }

// Unwrap returns the kind and the error.
func (m *marked) Unwrap() []error { return []error{m.kind, m.err} }

// Try does with a module what is done before it is swapped in for a file, and
// changes nothing: it is compiled, described and run on its own examples, its names
// are put beside those of the modules in use, and the stored rules of its tools are
// tried. The errors are ErrRefused, ErrNameTaken, and those of ctx.
func (c *Catalog) Try(ctx context.Context, file string, wasm []byte, g Grant) (t Tried, err error) {
	if strings.ContainsAny(file, `/\`) || !strings.HasSuffix(file, ".wasm") || file == ".wasm" {
		return t, mark(ErrRefused, fmt.Errorf("%q is no name of a module's file: want NAME.wasm", file))
	}
	if c.comesWith(file) {
		return t, mark(ErrNameTaken, fmt.Errorf("%s: %w", file, errComesWith))
	}
	c.reload.Lock()
	defer c.reload.Unlock()
	prev := c.current.Load()
	b := c.builder(ctx, prev, pins{})
	b.trial = true
	f := newFile(file, false, wasm)
	m := b.compilable(b.newModule(f, g, ""), f)
	defer func() {
		c.tried = append(c.tried, m.code) // what is kept of it goes with the next change that does not need it
		m.code.hold()
		m.code.letGo()
	}()
	if err := m.admit(ctx, c.verdicts, c.opts.Compiling); err != nil {
		return t, mark(ErrRefused, err)
	}
	if t.Raw, err = m.ready(ctx); err != nil {
		return t, mark(ErrRefused, err)
	}
	t.Described, t.Declared, t.Digest = *m.desc, m.declared, m.digest
	for _, other := range prev.modules {
		if other.file == file && !other.embedded {
			continue
		}
		if err := b.claim(other); err != nil {
			return t, err
		}
		b.modules = append(b.modules, other)
	}
	told := len(b.problems)
	if err := b.claim(m); err != nil {
		return t, err
	}
	for _, p := range b.problems[told:] {
		t.Notes = append(t.Notes, p.Err.Error())
	}
	b.modules = append(b.modules, m)
	b.fallback = b.index.exact[c.opts.Fallback]
	if c.opts.Swapping != nil {
		t.Suspends = c.opts.Swapping(ctx, &Snapshot{state: b.state}, []string{file})
	}
	return t, ctx.Err()
}

var errComesWith = errors.New("a module that comes with Callgate has a file of this name: give yours another name")

// comesWith reports whether a module of the binary has such a file, in whatever case:
// people could not tell the two apart, and the settings of one would be the other's.
func (c *Catalog) comesWith(name string) bool {
	return slices.ContainsFunc(c.embedded, func(f file) bool { return strings.EqualFold(f.name, name) })
}
