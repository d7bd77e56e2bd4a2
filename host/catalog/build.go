package catalog

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// state is one consistent set of modules. It does not change once made.
type state struct {
	index        index
	modules      []*module // those in use
	tools        []*tool
	fallback     *tool
	fallbackName string
	problems     []Problem
	infos        []ModuleInfo
	seen         map[string]seen // by lastKey: what each file was last admitted as
	trial        bool            // never in force

	held  []*code      // what its modules run
	users atomic.Int64 // the catalogue while the state is current, and snapshots
}

// seen is what a file was last admitted as.
type seen struct {
	digest string
	desc   *Described
}

// builder makes the next state.
type builder struct {
	*state
	ctx        context.Context
	c          *Catalog
	prev       *state
	pins       pins
	used       map[string]bool // keys of grants that found their module
	unreadable error           // why the directory could not be read
	made       []*code
	refused    map[string]refusal
	tried      map[string]time.Duration // by lastKey
}

func (c *Catalog) builder(ctx context.Context, prev *state, p pins) *builder {
	return &builder{
		state: &state{index: index{exact: map[string]*tool{}}, seen: map[string]seen{}, fallbackName: c.opts.Fallback},
		ctx:   ctx, c: c, prev: prev, pins: p, used: map[string]bool{}, refused: map[string]refusal{}, tried: map[string]time.Duration{},
	}
}

// candidate is a file on its way to become a module.
type candidate struct {
	file   file
	module *module
	err    error
}

// build admits the files, which come in order of precedence: embedded first. The
// state has one user.
func (b *builder) build(files []file) *state {
	for _, f := range files {
		c := candidate{file: f}
		began := time.Now()
		// One at a time: compiling takes all processors, and a module that is tried
		// beside it could run out of time.
		c.module, c.err = b.admit(f)
		b.tried[lastKey(f.name, f.embedded)] = time.Since(began)
		b.accept(&c)
	}
	b.missing(files)
	b.fallback = b.index.exact[b.c.opts.Fallback]
	b.tellProblems()
	b.users.Store(1)
	for _, m := range b.modules {
		m.code.hold()
		b.held = append(b.held, m.code)
	}
	for _, c := range b.made {
		if !slices.Contains(b.held, c) {
			c.hold()
			c.letGo()
		}
	}
	return b.state
}

// admit returns the module of a file, the one in use when nothing changed.
func (b *builder) admit(f file) (*module, error) {
	if f.data == nil {
		return nil, errUnread
	}
	if _, pinned := b.pins.of(f); !pinned && !f.embedded && b.c.comesWith(f.name) {
		return nil, errComesWith // what Options.Grants say of that one would be its own
	}
	if err := b.pins.admits(f); err != nil {
		return nil, err
	}
	grant, key, byFile := b.grantFor(f, "")
	m, old := b.newModule(f, grant, key), b.old(f)
	first := m
	if err := b.rests(first); err != nil {
		return nil, err
	}
	if old != nil && old.digest == m.digest {
		m = b.with(old, f, grant, key) // admitted before
	} else if err := b.compilable(m, f).admit(b.ctx, b.c.verdicts, b.c.opts.Compiling); err != nil {
		return nil, b.refuse(first, err)
	}
	pin, pinned := b.pins.of(f)
	if pinned {
		grant, note, err := pin.under(f, m.declared)
		if err != nil {
			return nil, err
		}
		m = b.with(m, f, grant, "")
		m.note, m.dev = note, f.digest != pin.Digest
	} else if g, key, byName := b.grantFor(f, m.desc.Name); byName && !byFile {
		m = b.with(m, f, g, key)
	}
	if old != nil && old.same(m) {
		return old, b.restIfLate(first, m.prepare(b.ctx, b.c.opts.Compiling))
	}
	if err := b.begin(m, old); err != nil {
		return nil, b.restIfLate(first, err)
	}
	return m, nil
}

// begin makes a module ready for its first call, whatever limits it has now.
func (b *builder) begin(m, old *module) error {
	if err := m.prepare(b.ctx, b.c.opts.Compiling); err != nil {
		return err // under other limits it is other code
	}
	if b.prev == nil || old != nil && old.code == m.code {
		return nil
	}
	_, err := m.ready(b.ctx)
	return err
}

// errUnread marks a file whose problem is already reported.
var errUnread = errors.New("the file could not be read")

// old is the module of a file in the state before.
func (b *builder) old(f file) *module { return b.prev.inUse(f.name, f.embedded) }

// grantFor finds the grant of a file: its pin's, or by its name or, given one, the
// module's. key is that among Options.Grants.
func (b *builder) grantFor(f file, module string) (g Grant, key string, ok bool) {
	if pin, pinned := b.pins.of(f); pinned {
		return pin.Grant, "", pin.Digest != ""
	}
	if key, ok := b.keyFor(f.name, module); ok {
		return b.c.grants[key], key, true
	}
	return Grant{}, "", false
}

// GrantOf finds what an operator says of a module: by its file, by that without its
// ending, or by the name that the module gives itself, empty where that is not known.
func GrantOf[G any](grants map[string]G, file, module string) (key string, g G, ok bool) {
	for _, key := range []string{file, strings.TrimSuffix(file, ".wasm"), module} {
		if g, ok := grants[key]; ok && key != "" {
			return key, g, true
		}
	}
	return "", g, false
}

// keyFor is the key of a file or module among Options.Grants.
func (b *builder) keyFor(file, module string) (key string, ok bool) {
	key, _, ok = GrantOf(b.c.grants, file, module)
	return key, ok
}

// use notes that Options.Grants speak of a file that there is.
func (b *builder) use(file, module string) {
	if key, ok := b.keyFor(file, module); ok {
		b.used[key] = true
	}
}

// before is what this or an earlier process saw each file as.
func (b *builder) before() map[string]seen {
	if b.prev != nil {
		return b.prev.seen
	}
	return b.c.verdicts.seen()
}

// name is the module's own name, empty when it is not known.
func (m *module) name() string {
	if m.desc == nil {
		return ""
	}
	return m.desc.Name
}

func (b *builder) problem(file string, err error) {
	b.problems = append(b.problems, Problem{file, err})
}

const embeddedPrefix = "embedded/"

func lastKey(file string, embedded bool) string {
	if embedded {
		return embeddedPrefix + file
	}
	return file
}

func splitKey(key string) (file string, embedded bool) {
	return strings.CutPrefix(key, embeddedPrefix)
}
