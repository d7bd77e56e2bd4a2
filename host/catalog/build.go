package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// state is one consistent set of modules. It does not change once made.
type state struct {
	index    index
	modules  []*module // those in use
	tools    []*tool
	fallback *tool
	problems []Problem
	seen     map[string]seen // by lastKey: what each file was last admitted as
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
	used       map[string]bool // keys of grants that found their module
	unreadable error           // why the directory could not be read
}

func (c *Catalog) builder(ctx context.Context, prev *state) *builder {
	return &builder{
		state: &state{index: index{exact: map[string]*tool{}}, seen: map[string]seen{}},
		ctx:   ctx, c: c, prev: prev, used: map[string]bool{},
	}
}

// candidate is a file on its way to become a module.
type candidate struct {
	file   file
	module *module
	err    error
}

// build admits the files, which come in order of precedence: embedded first.
func (b *builder) build(files []file) *state {
	for _, f := range files {
		c := candidate{file: f}
		// One at a time: compiling takes all processors, and a module that is tried
		// beside it could run out of time.
		c.module, c.err = b.admit(f)
		b.accept(&c)
	}
	b.missing(files)
	b.fallback = b.index.exact[b.c.opts.Fallback]
	return b.state
}

// admit returns the module of a file, the one in use when nothing changed.
func (b *builder) admit(f file) (*module, error) {
	if f.data == nil {
		return nil, errUnread
	}
	grant, key, byFile := b.grantFor(f.name, "")
	m, old := b.newModule(f, grant, key), b.old(f)
	if old != nil && old.digest == m.digest {
		m = b.with(old, f, grant, key) // admitted before
	} else if err := m.admit(b.ctx, b.c.verdicts, b.c.opts.Compiling); err != nil {
		return nil, err
	}
	if g, key, byName := b.grantFor(f.name, m.desc.Name); byName && !byFile {
		m = b.with(m, f, g, key)
	}
	if err := m.prepare(b.ctx, b.c.opts.Compiling); err != nil {
		return nil, err // under other limits it is other code
	}
	if old != nil && old.same(m) {
		return old, nil
	}
	return m, nil
}

// errUnread marks a file whose problem is already reported.
var errUnread = errors.New("the file could not be read")

func (b *builder) old(f file) *module {
	if b.prev == nil {
		return nil
	}
	i := slices.IndexFunc(b.prev.modules, func(m *module) bool { return m.file == f.name && m.embedded == f.embedded })
	if i < 0 {
		return nil
	}
	return b.prev.modules[i]
}

// grantFor finds a grant by the file's name or, given one, the module's.
func (b *builder) grantFor(file, module string) (g Grant, key string, ok bool) {
	for _, key := range []string{file, strings.TrimSuffix(file, ".wasm"), module} {
		if g, ok := b.c.grants[key]; ok && key != "" {
			return g, key, true
		}
	}
	return Grant{}, "", false
}

// accept puts a candidate's tools into the index, or says why not.
func (b *builder) accept(c *candidate) {
	key := lastKey(c.file.name, c.file.embedded)
	if c.err != nil {
		if !errors.Is(c.err, errUnread) {
			b.problem(c.file.name, c.err)
		}
		if c.module = b.old(c.file); c.module == nil {
			b.broken(c.file.name, c.file.embedded, c.err)
			return
		}
		b.problem(c.file.name, errors.New("the module that was loaded before stays in use"))
	}
	b.seen[key] = seen{c.module.digest, c.module.desc}
	if _, grant, ok := b.grantFor(c.file.name, c.module.desc.Name); ok {
		b.used[grant] = true
	}
	if err := b.claim(c.module); err != nil {
		b.problem(c.file.name, err)
		b.claimBroken(c.module, c.module.grant.Names, err)
		return
	}
	b.modules = append(b.modules, c.module)
}

// claim gives a module all its names or none.
func (b *builder) claim(m *module) error {
	for _, other := range b.modules {
		if other.desc.Name == m.desc.Name {
			return fmt.Errorf("module name %q is taken by %s", m.desc.Name, other.file)
		}
	}
	descs, complaints := granted(m.desc, m.grant, m.embedded)
	tools := make([]*tool, len(descs))
	for i, d := range descs {
		tools[i] = &tool{ToolDescription: d, module: m}
		if err := b.index.conflict(m, tools[i]); err != nil {
			return err
		}
	}
	for _, err := range complaints {
		b.problem(m.file, err)
	}
	for _, t := range tools {
		b.index.add(t)
	}
	b.tools = append(b.tools, tools...)
	b.claimBroken(m, m.grant.Names, fmt.Errorf("module %s has no tool of this name", m.desc.Name))
	return nil
}

// broken gives the names that are known to be a file's to tools that fail:
// those it was granted, and those it was last admitted with.
func (b *builder) broken(file string, embedded bool, err error) {
	m := &module{file: file, embedded: embedded, failed: err}
	key := lastKey(file, embedded)
	if s, ok := b.before()[key]; ok {
		m.desc, m.digest = s.desc, s.digest
		b.seen[key] = s
	}
	g, grant, ok := b.grantFor(file, m.name())
	if ok {
		b.used[grant], m.grant, m.granted = true, g, grant
	}
	m.runtime = b.limitedTo(embedded, g)
	if m.desc != nil {
		descs, _ := granted(m.desc, g, embedded)
		for _, d := range descs {
			b.claimTool(&tool{ToolDescription: d, module: m, err: err})
		}
	}
	b.claimBroken(m, g.Names, err)
}

// claimBroken gives names nobody has to a tool that fails.
func (b *builder) claimBroken(m *module, names []string, err error) {
	for _, name := range names {
		if toolName.MatchString(name) && literal(name) > 0 {
			b.claimTool(&tool{ToolDescription: ToolDescription{Name: name}, module: m, err: err})
		}
	}
}

// claimTool adds a failing tool unless its name is answered for.
func (b *builder) claimTool(t *tool) {
	if _, ok := b.index.exact[t.Name]; ok {
		return
	}
	if slices.ContainsFunc(b.index.globs, func(g glob) bool { return g.pattern == t.Name }) {
		return
	}
	b.index.add(t)
	b.tools = append(b.tools, t)
}

// missing looks for modules that should be there and are not: those a grant
// speaks of, those of the run before, and all when nothing could be read.
func (b *builder) missing(files []file) {
	present := map[string]bool{}
	for _, f := range files {
		present[lastKey(f.name, f.embedded)] = true
	}
	for _, key := range slices.Sorted(maps.Keys(b.before())) {
		if name, embedded := splitKey(key); !present[key] {
			b.gone(name, embedded)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b.c.grants)) {
		if !b.used[key] {
			err := errors.New("there is no such module, but the configuration grants it names or rights")
			b.problem(key, err)
			b.claimBroken(&module{file: key, failed: err}, b.c.grants[key].Names, err)
		}
	}
}

// before is what this or an earlier process saw each file as.
func (b *builder) before() map[string]seen {
	if b.prev != nil {
		return b.prev.seen
	}
	return b.c.verdicts.seen()
}

// gone handles a file that was there before. Taking an operator's file away is
// lawful unless a grant still speaks of it.
func (b *builder) gone(name string, embedded bool) {
	if embedded {
		if len(b.c.embedded) == 0 {
			b.broken(name, true, errors.New("this binary was built without its tool modules: run `make build`"))
		}
		return
	}
	_, _, wanted := b.grantFor(name, b.before()[lastKey(name, embedded)].desc.Name)
	if !wanted && b.unreadable == nil {
		return
	}
	err := cmp.Or(b.unreadable, errors.New("the file is gone"))
	b.problem(name, err)
	b.broken(name, false, err)
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
