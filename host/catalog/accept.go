package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// accept puts a candidate's tools into the index, or says why not.
func (b *builder) accept(c *candidate) {
	key, found := lastKey(c.file.name, c.file.embedded), c.file.digest
	standing := StandsInUse(c.file.embedded, found, b.pins.byFile[c.file.name].Digest)
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
		if strings.EqualFold(other.desc.Name, m.desc.Name) {
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
