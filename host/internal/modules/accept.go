package modules

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/wire"
)

// accept puts the tools of a file's module into the index, or says why not.
func (b *builder) accept(f file, m *module, err error) {
	found, state := f.digest, stateInUse(f.embedded, f.digest, b.pins.byFile[f.file].digest)
	if f.read == nil {
		found = ""
	}
	if err != nil {
		if !errors.Is(err, errUnread) {
			b.problem(f.file, err)
		}
		trying := errors.Is(err, ErrTrying)
		if m = b.kept(f); m == nil {
			state = wire.ModuleRefused
			if trying {
				state = wire.ModuleTrying
			}
			b.broken(f.id, err, state)
			b.infos[len(b.infos)-1].Found = found
			return
		}
		b.problem(f.file, errors.New("the previous module stays in use"))
		if state = wire.ModuleKept; trying {
			state = wire.ModuleTrying
		}
	}
	b.seen[f.id] = seen{m.digest, m.desc}
	b.use(f.file, m.desc.Name)
	if err := b.claim(m); err != nil {
		b.problem(f.file, err)
		b.claimBroken(m, m.grant.Names, err)
		b.inform(m, wire.ModuleRefused, found)
		return
	}
	if m.note != nil {
		b.problem(m.file, m.note)
	}
	b.modules = append(b.modules, m)
	b.inform(m, state, found)
}

// kept is the module still in use although its file is unusable; nil for none. It may do no more
// than before, and no more than its file may now.
func (b *builder) kept(f file) *module {
	old := b.old(f)
	pin, pinned := b.pins.of(f.id)
	switch {
	case old == nil || !pinned:
		return old
	case pin.digest == "" && !pin.dev, old.dev && !pin.dev && old.digest != pin.digest:
		return nil // without permission to
	case b.c.outdated(f, pin, old):
		return nil
	}
	g := narrowed(old.grant, pin.rights, old.desc)
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
			return mark(ErrNameTaken, fmt.Errorf("module name %q is already used by %s", m.desc.Name, other.file))
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

// broken gives a file's known names to failing tools: those it was granted, and those of its last
// admission. Without known ones, its file's name replaces them: calls of its tools must not go to
// the fallback, because the fallback would offer a rule to store.
func (b *builder) broken(i id, err error, state wire.ModuleState) {
	m := &module{id: i, replaces: b.replaces(i)}
	if s, ok := b.before()[i]; ok {
		m.desc, m.digest = s.desc, s.digest
		b.seen[i] = s
	}
	b.use(i.file, m.name())
	g, grant, ok := b.grantFor(i, m.name())
	if ok {
		m.grant, m.granted = g, grant
	}
	m.runtime = b.limitedTo(i.embedded, g)
	b.inform(m, state, "")
	if m.desc != nil {
		descs, _ := granted(m.desc, g, i.embedded)
		for _, d := range descs {
			b.claimTool(&tool{ToolDescription: d, module: m, err: err})
		}
	}
	b.claimBroken(m, g.Names, err)
	names := b.pins.byFile[i.file].claims
	if m.desc == nil && len(g.Names) == 0 && len(names) == 0 {
		names = []string{strings.TrimSuffix(i.file, ".wasm")}
	}
	b.guessNames(m, names, err)
}

// guessNames notes possible names of an unusable file, for claimGuessed.
func (b *builder) guessNames(m *module, names []string, err error) {
	for _, name := range names {
		if toolName.MatchString(name) && guess(name) != "" {
			b.nameless = append(b.nameless, &tool{ToolDescription: ToolDescription{Name: name}, module: m, err: err})
		}
	}
}

// claimGuessed gives unanswered guessed names to failing tools. It comes last: a guess takes no
// name from a module. RATIONALE.md, "Which names has a module that could not be read?".
func (b *builder) claimGuessed() {
	for _, t := range b.nameless {
		if found, _ := b.index.find(t.Name); found != nil {
			continue
		}
		b.tools = append(b.tools, t)
		if isGlob(t.Name) {
			b.index.add(t)
		} else if b.index.guessed[guess(t.Name)] == nil {
			b.index.guessed[guess(t.Name)] = t
		}
	}
}

// claimBroken gives unclaimed names to a failing tool.
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

// missing looks for absent modules: those in a grant, those of the run before, and all when nothing
// could be read.
func (b *builder) missing(files []file) {
	present := map[id]bool{}
	for _, f := range files {
		present[f.id] = true
	}
	byKey := func(x, y id) int { return strings.Compare(x.key(), y.key()) }
	for _, i := range slices.SortedFunc(maps.Keys(b.before()), byKey) {
		if !present[i] {
			present[i] = true
			b.gone(i)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.pins.byFile)) {
		if i := (id{file: name}); !present[i] {
			b.gone(i)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(b.c.settings.Grants)) {
		if !b.used[key] {
			err := errors.New("no such module, but the configuration grants it names or permissions")
			b.problem(key, err)
			m := &module{id: id{file: key}}
			b.claimBroken(m, b.c.settings.Grants[key].Names, err)
			if b.c.settings.Grants[key].Names == nil {
				b.guessNames(m, []string{strings.TrimSuffix(key, ".wasm")}, err)
			}
		}
	}
}

// gone handles a removed file. Removing an operator's file is lawful unless a grant or an entry of
// the lock still names it.
func (b *builder) gone(i id) {
	if i.embedded {
		if len(b.c.embedded) == 0 {
			b.broken(i, errNotBuilt, wire.ModuleRefused)
		}
		return
	}
	if _, pinned := b.pins.byFile[i.file]; b.c.comesWith(i.file) && !pinned && !b.replacing[i.file] {
		return // the built-in module of this file is in force again
	}
	module := ""
	if s, ok := b.before()[i]; ok {
		module = s.desc.Name
	}
	_, _, wanted := b.grantFor(i, module)
	if _, pinned := b.pins.byFile[i.file]; !wanted && !pinned && b.unreadable == nil {
		return
	}
	err := cmp.Or(b.unreadable, errors.New("the file is gone"))
	b.problem(i.file, err)
	b.broken(i, err, wire.ModuleMissing)
}
