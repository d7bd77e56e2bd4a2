package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/host/sandbox"
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

// refusal is why the bytes of a file are no module that can be used. They are not
// compiled and tried again.
type refusal struct {
	digest string
	limits sandbox.Limits
	err    error
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
	if err := b.pins.admits(f); err != nil {
		return nil, err
	}
	grant, key, byFile := b.grantFor(f, "")
	m, old := b.newModule(f, grant, key), b.old(f)
	if old != nil && old.digest == m.digest {
		m = b.with(old, f, grant, key) // admitted before
	} else if err := b.tryOnce(b.compilable(m, f)); err != nil {
		return nil, err
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
	if err := m.prepare(b.ctx, b.c.opts.Compiling); err != nil {
		return nil, err // under other limits it is other code
	}
	if old != nil && old.same(m) {
		return old, nil
	}
	if b.prev != nil && (old == nil || old.code != m.code) {
		if err := m.ready(b.ctx); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// tryOnce admits a module unless the same bytes were refused before.
func (b *builder) tryOnce(m *module) error {
	key := lastKey(m.file, m.embedded)
	r, ok := b.c.refused[key]
	if !ok || r.digest != m.digest || r.limits != m.runtime.Limits() {
		r = refusal{m.digest, m.runtime.Limits(), m.admit(b.ctx, b.c.verdicts, b.c.opts.Compiling)}
	}
	if r.err != nil && b.ctx.Err() == nil {
		b.refused[key] = r
	}
	return r.err
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

// keyFor is the key of a file or module among Options.Grants.
func (b *builder) keyFor(file, module string) (key string, ok bool) {
	for _, key := range []string{file, strings.TrimSuffix(file, ".wasm"), module} {
		if _, ok := b.c.grants[key]; ok && key != "" {
			return key, true
		}
	}
	return "", false
}

// use notes that Options.Grants speak of a file that there is.
func (b *builder) use(file, module string) {
	if key, ok := b.keyFor(file, module); ok {
		b.used[key] = true
	}
}

// accept puts a candidate's tools into the index, or says why not.
func (b *builder) accept(c *candidate) {
	key, standing, found := lastKey(c.file.name, c.file.embedded), InUse, c.file.digest
	if c.file.data == nil {
		found = ""
	}
	if c.err != nil {
		if !errors.Is(c.err, errUnread) {
			b.problem(c.file.name, c.err)
		}
		if c.module = b.kept(c.file); c.module == nil {
			b.broken(c.file.name, c.file.embedded, c.err)
			b.infos[len(b.infos)-1].Found = found
			return
		}
		b.problem(c.file.name, errors.New("the module that was loaded before stays in use"))
		standing = StandsKept
	}
	m := c.module
	b.seen[key] = seen{m.digest, m.desc}
	b.use(c.file.name, m.desc.Name)
	if err := b.claim(m); err != nil {
		b.problem(c.file.name, err)
		b.claimBroken(m, m.grant.Names, err)
		b.inform(m, StandsRefused, found)
		return
	}
	if m.note != nil {
		b.problem(m.file, m.note)
	}
	b.modules = append(b.modules, m)
	b.inform(m, standing, found)
}

// kept is the module that stays in use although its file cannot be used; nil for
// none. It may do no more than before, and no more than its file may now.
func (b *builder) kept(f file) *module {
	old := b.old(f)
	pin, pinned := b.pins.of(f)
	switch {
	case old == nil || !pinned:
		return old
	case pin.Digest == "" && !pin.Dev, old.dev && !pin.Dev && old.digest != pin.Digest:
		return nil // nobody lets it
	}
	g := narrowed(old.grant, pin.Grant, old.desc)
	if reflect.DeepEqual(g, old.grant) {
		return old
	}
	m := *old
	m.grant = g
	return &m
}

// claim gives a module all its names or none.
func (b *builder) claim(m *module) error {
	for _, other := range b.modules {
		if other.desc.Name == m.desc.Name {
			return mark(ErrNameTaken, fmt.Errorf("module name %q is taken by %s", m.desc.Name, other.file))
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
func (b *builder) broken(name string, embedded bool, err error) {
	m := &module{file: name, embedded: embedded}
	key := lastKey(name, embedded)
	if s, ok := b.before()[key]; ok {
		m.desc, m.digest = s.desc, s.digest
		b.seen[key] = s
	}
	b.use(name, m.name())
	g, grant, ok := b.grantFor(file{name: name, embedded: embedded}, m.name())
	if ok {
		m.grant, m.granted = g, grant
	}
	m.runtime = b.limitedTo(embedded, g)
	b.inform(m, StandsRefused, "")
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
			present[key] = true
			b.gone(name, embedded)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.pins.byFile)) {
		if !present[name] {
			b.gone(name, false)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b.c.grants)) {
		if !b.used[key] {
			err := errors.New("there is no such module, but the configuration grants it names or rights")
			b.problem(key, err)
			b.claimBroken(&module{file: key}, b.c.grants[key].Names, err)
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
	module := ""
	if s, ok := b.before()[name]; ok {
		module = s.desc.Name
	}
	_, _, wanted := b.grantFor(file{name: name}, module)
	if !wanted && b.unreadable == nil {
		return
	}
	err := cmp.Or(b.unreadable, errors.New("the file is gone"))
	b.problem(name, err)
	b.broken(name, false, err)
	b.infos[len(b.infos)-1].State = Missing
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
