package modules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// isGlob reports whether a name covers others.
func isGlob(name string) bool { return strings.ContainsAny(name, "*?") }

// literal counts a name's literal characters.
func literal(name string) int {
	return len(name) - strings.Count(name, "*") - strings.Count(name, "?")
}

// overlap reports whether two names or globs can mean the same tool. It fills a table from the
// ends, because a module could write globs for an endless search.
func overlap(a, b string) bool {
	next := make([]bool, len(b)+1)
	for i := len(a); i >= 0; i-- {
		row := make([]bool, len(b)+1)
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				row[j] = true
			case i < len(a) && a[i] == '*':
				row[j] = next[j] || j < len(b) && row[j+1]
			case j < len(b) && b[j] == '*':
				row[j] = row[j+1] || i < len(a) && next[j]
			case i < len(a) && j < len(b):
				row[j] = next[j+1] && (a[i] == b[j] || a[i] == '?' || b[j] == '?')
			}
		}
		next = row
	}
	return next[0]
}

// granted are the tools of a module with the names granted by the operator. Without Names in
// the grant an operator's module has its exact names and no glob; an embedded one has all. A
// tool without its own name gets none. The complaints list the removed names.
func granted(d *Described, g Rights, embedded bool) (tools []ToolDescription, complaints []error) {
	for _, t := range d.Tools {
		if !approved(t.Name, g.Names, embedded) {
			complaints = append(complaints, notGranted(t.Name, t.Name))
			continue
		}
		aliases := t.Aliases
		t.Aliases = nil
		for _, name := range aliases {
			if approved(name, g.Names, embedded) {
				t.Aliases = append(t.Aliases, name)
				continue
			}
			complaints = append(complaints, notGranted(t.Name, name))
		}
		tools = append(tools, t)
	}
	return tools, complaints
}

func notGranted(tool, name string) error {
	return fmt.Errorf("tool %s: the name %q is not granted; add it to the module's names", tool, name)
}

func approved(name string, grants []string, embedded bool) bool {
	switch {
	case grants == nil:
		return embedded || !isGlob(name)
	}
	return covers(grants, name)
}

// covers reports whether one of the granted names and globs is a declared name, or
// covers it; a declared glob is covered by itself alone.
func covers(grants []string, name string) bool {
	if isGlob(name) {
		return slices.Contains(grants, name)
	}
	return slices.ContainsFunc(grants, func(g string) bool { return engine.MatchName(g, name) })
}

// index finds tools by name.
type index struct {
	exact   map[string]*tool
	globs   []glob           // most literal first
	guessed map[string]*tool // by guess: failing tools, of files with unknown names
}

type glob struct {
	pattern string
	tool    *tool
}

// conflict returns the name of t owned by another module, in any case: people and clients take BASH
// for Bash. A name below another's glob is free only for a module with the name in its grant.
func (x *index) conflict(m *module, t *tool) error {
	for _, name := range t.Names() {
		taken, by := "", (*tool)(nil)
		for other, owner := range x.all() {
			told := by != nil && (taken == name || other != name && taken < other)
			if owner.module != m && !told && x.taken(m, name, other) {
				taken, by = other, owner
			}
		}
		if by != nil {
			return mark(ErrNameTaken, fmt.Errorf("name %q belongs to module %s (%q)", name, by.module.label(), taken))
		}
	}
	return nil
}

// taken reports whether another module's name keeps m from having one.
func (x *index) taken(m *module, name, other string) bool {
	collide, below := Collide(name, other)
	return collide && (!below || !slices.Contains(m.grant.Names, name))
}

// Collide reports whether a name or glob of one module and one of another can mean the same tool,
// in any case of letters; and whether the first lies below the second, a glob: then a module may
// have it by its grant.
func Collide(name, other string) (collide, below bool) {
	switch {
	case strings.EqualFold(name, other):
	case !isGlob(name) && !isGlob(other), !overlap(strings.ToLower(name), strings.ToLower(other)):
		return false, false
	}
	return true, name != other && isGlob(other) && literal(name) > literal(other)
}

// all yields every claimed name with its owner.
func (x *index) all() func(yield func(string, *tool) bool) {
	return func(yield func(string, *tool) bool) {
		for name, t := range x.exact {
			if !yield(name, t) {
				return
			}
		}
		for _, g := range x.globs {
			if !yield(g.pattern, g.tool) {
				return
			}
		}
	}
}

// add claims the free names of t.
func (x *index) add(t *tool) {
	for _, name := range t.Names() {
		if isGlob(name) {
			x.globs = append(x.globs, glob{name, t})
			continue
		}
		if x.exact[name] == nil {
			x.exact[name] = t
		}
	}
	slices.SortStableFunc(x.globs, func(a, b glob) int { return literal(b.pattern) - literal(a.pattern) })
}

// guess is the part of a name comparable with a file's: its letters and digits, in any case, so
// my-tool.wasm may be MyTool.
func guess(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		}
		return -1
	}, name)
}

// find returns the tool for a name, and whether the name is its own or only covered by a glob; nil
// for an unclaimed name.
func (x *index) find(name string) (t *tool, own bool) {
	if t := x.exact[name]; t != nil {
		return t, true
	}
	for _, g := range x.globs {
		if engine.MatchName(g.pattern, name) {
			return g.tool, false
		}
	}
	return x.guessed[guess(name)], false
}
