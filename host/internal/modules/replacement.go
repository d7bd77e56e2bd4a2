package modules

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// findReplaced notes the built-in modules replaced by a file of the directory: those with a file in
// the lock. For an unreadable lock, every existing file may be in it, and every file in use in the
// run before.
func (b *builder) findReplaced(files []file) {
	if !b.pins.required {
		return
	}
	for _, f := range b.c.embedded {
		_, pinned := b.pins.byFile[f.file]
		_, before := b.before()[id{file: f.file}]
		there := slices.ContainsFunc(files, func(o file) bool { return !o.embedded && o.file == f.file })
		b.replacing[f.file] = pinned || b.unreadable != nil && (before || there)
	}
}

// replaces reports whether a file takes the place of a built-in module.
func (b *builder) replaces(f id) bool { return !f.embedded && b.replacing[f.file] }

// spare keeps a replaced built-in module: it is ready when the replacement is removed, and its
// names are known.
func (b *builder) spare(f file) {
	m, err := b.admit(f)
	if err != nil {
		m = b.old(f)
	}
	if m == nil {
		return
	}
	b.seen[f.id] = seen{m.digest, m.desc}
	b.use(f.file, m.desc.Name)
	b.spares = append(b.spares, m)
}

// reserve gives the names of replaced built-in modules missing in their replacements to failing
// tools: no other module may have them, and calls of them must not go to the fallback.
func (b *builder) reserve() {
	for _, s := range b.spares {
		err := fmt.Errorf("the module that replaces the built-in module %s cannot be used (see callgate tool list). To replace it: callgate tool add %s; to restore the built-in module: callgate tool remove %[2]s", s.desc.Name, s.file)
		m := &module{id: id{file: s.file}, desc: s.desc, replaces: true}
		for _, d := range s.desc.Tools {
			b.claimTool(&tool{ToolDescription: d, module: m, err: err})
		}
		b.claimBroken(m, s.desc.names(), err)
	}
}

// builtIn is the built-in module of a file, in use or replaced; nil for none, and in a
// nil state.
func (s *state) builtIn(file string) *module {
	if m := s.inUse(id{file, true}); m != nil || s == nil {
		return m
	}
	i := slices.IndexFunc(s.spares, func(m *module) bool { return m.file == file })
	if i < 0 {
		return nil
	}
	return s.spares[i]
}

// replaceable reports whether a file of this name would replace a built-in module.
func (c *Catalog) replaceable(name string) bool {
	return c.locked() && slices.ContainsFunc(c.embedded, func(f file) bool { return f.file == name })
}

// stepsIn refuses a module unfit to replace a built-in one: it must have the same name, declare the
// same tool names, and be granted all of them.
func (m *module) stepsIn(builtin *module) error {
	switch {
	case builtin == nil:
		return errors.New("the built-in module of this file cannot be used, so it cannot be compared with its replacement")
	case m.desc.Name != builtin.desc.Name:
		return fmt.Errorf("it would replace the built-in module %s but is named %q; give its file another name", builtin.desc.Name, m.desc.Name)
	}
	var wrong []string
	tell := func(what string, names []string) {
		if len(names) > 0 {
			wrong = append(wrong, what+" "+strings.Join(names, ", "))
		}
	}
	has, wants := m.desc.names(), builtin.desc.names()
	tell("it does not declare", without(wants, func(name string) bool { return slices.Contains(has, name) }))
	tell("it also declares", without(has, func(name string) bool { return slices.Contains(wants, name) }))
	tell("it is not granted", without(has, func(name string) bool { return approved(name, m.grant.Names, false) }))
	if len(wrong) > 0 {
		return fmt.Errorf("it would replace the built-in module %s, so it needs exactly the same names: %s", builtin.desc.Name, strings.Join(wrong, "; "))
	}
	return nil
}

func without(names []string, drop func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(names), drop)
}
