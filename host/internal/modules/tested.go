package modules

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Tested is the result of Test.
type Tested struct {
	Described
	// Raw is the answer of describe, Declared its DescriptionDigest.
	Raw      []byte
	Declared string
	// Suspends are the texts of stored allow rules out of use with it, because the module reads
	// them otherwise.
	Suspends []string
	// Replaces is the name of the built-in module it would replace; empty for none.
	Replaces string
}

// Test's refusals are of these kinds: an unusable module, and one with another's names.
var (
	ErrRefused   = errors.New("the module was rejected")
	ErrNameTaken = errors.New("the name is already used")
)

// marked is an error of a kind, with its text unchanged.
type marked struct{ kind, err error }

func mark(kind, err error) error { return &marked{kind, err} }

// Error implements error.
func (m *marked) Error() string { return m.err.Error() }

// Unwrap returns the kind and the error.
func (m *marked) Unwrap() []error { return []error{m.kind, m.err} }

// Test does a swap's checks on a module for a file, and changes nothing: the module is compiled,
// described and run on its own examples, its names are compared with those of the modules in use,
// and the stored rules of its tools are tested. The errors are ErrRefused, ErrNameTaken, and those
// of ctx.
func (c *Catalog) Test(ctx context.Context, file string, wasm []byte, g Rights) (Tested, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.test(ctx, file, wasm, g)
}

// test is Test. The caller holds mu; it is free while the module is compiled and run.
func (c *Catalog) test(ctx context.Context, file string, wasm []byte, g Rights) (t Tested, err error) {
	if err := CheckFile(file); err != nil {
		return t, mark(ErrRefused, err)
	}
	if c.comesWith(file) && !c.replaceable(file) {
		return t, mark(ErrNameTaken, fmt.Errorf("%s: %w", file, errComesWith))
	}
	prev := c.current.Load()
	b := c.builder(ctx, prev, pins{})
	b.testOnly = true
	b.replacing[file] = c.replaceable(file)
	f := newFile(id{file: file}, wasm)
	m, err := b.admitted(b.newModule(f, g, ""), f)
	if errors.Is(err, ErrTrying) {
		err = c.await(ctx, b.waits, func() (err error) {
			b.prev = c.current.Load() // as it is now
			m, err = b.admitted(b.newModule(f, g, ""), f)
			return err
		})
	}
	defer func() {
		c.tested = append(c.tested, b.made...) // its code goes with the next change without need of it
		for _, code := range b.made {
			code.hold()
			code.letGo()
		}
	}()
	if err != nil {
		return t, mark(ErrRefused, err)
	}
	prev = b.prev
	if t.Raw, err = m.ready(ctx); err != nil {
		return t, mark(ErrRefused, err)
	}
	t.Described, t.Declared = *m.desc, m.declared
	if m.replaces {
		if m.grant.Names == nil {
			m.grant.Names = m.desc.names()
		}
		if err := m.stepsIn(prev.builtIn(file)); err != nil {
			return t, mark(ErrRefused, fmt.Errorf("%s: %w", file, err))
		}
		t.Replaces = m.desc.Name
	}
	for _, other := range prev.modules {
		if other.file == file {
			continue
		}
		if err := b.claim(other); err != nil {
			return t, err
		}
		b.modules = append(b.modules, other)
	}
	b.spares = slices.DeleteFunc(slices.Clone(prev.spares), func(s *module) bool { return s.file == file })
	b.reserve()
	if err := b.claim(m); err != nil {
		return t, err
	}
	b.modules = append(b.modules, m)
	b.fallback = b.index.exact[c.opts.Fallback]
	if c.opts.Swapping != nil {
		t.Suspends = c.opts.Swapping(ctx, &Snapshot{state: b.state}, []string{file})
	}
	return t, ctx.Err()
}

var errComesWith = errors.New("a built-in module has this file name. Rename your file; or, to replace the built-in module, add a file with exactly its name: callgate tool add")

// comesWith reports whether a module of the binary has such a file, in any case: people could not
// tell the two apart, and settings of one would be the other's.
func (c *Catalog) comesWith(name string) bool {
	return slices.ContainsFunc(c.embedded, func(f file) bool { return strings.EqualFold(f.file, name) })
}
