package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// isGlob reports whether a name covers others.
func isGlob(name string) bool { return strings.ContainsAny(name, "*?") }

// literal counts the characters of a name that are not wild.
func literal(name string) int {
	return len(name) - strings.Count(name, "*") - strings.Count(name, "?")
}

// overlap reports whether two names or globs can mean the same tool. It fills
// a table from the ends, since a module could write globs that take a search
// for ever.
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

// granted are the tools of a module with the names the operator lets it have.
// Without Names in the grant an operator's module has its exact names and no
// glob; an embedded one has all. A tool that may not have its own name is left
// out. The complaints tell what was taken away.
func granted(d *Described, g Grant, embedded bool) (tools []ToolDescription, complaints []error) {
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
	return fmt.Errorf("tool %s: the name %q is not granted: list it among the module's names", tool, name)
}

func approved(name string, grants []string, embedded bool) bool {
	switch {
	case grants == nil:
		return embedded || !isGlob(name)
	}
	return Covered(grants, name)
}

// Covered reports whether one of the granted names and globs is a declared name, or
// covers it; a declared glob is covered by itself alone.
func Covered(grants []string, name string) bool {
	if isGlob(name) {
		return slices.Contains(grants, name)
	}
	return slices.ContainsFunc(grants, func(g string) bool { return engine.MatchName(g, name) })
}

// index finds tools by name.
type index struct {
	exact map[string]*tool
	globs []glob // most literal first
}

type glob struct {
	pattern string
	tool    *tool
}

// conflict tells which name of t already belongs to another module, in whatever
// case: people and clients take BASH for Bash. A name below another's glob is free
// only for a module whose grant lists it.
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
	meet, below := Meet(name, other)
	return meet && (!below || !slices.Contains(m.grant.Names, name))
}

// Meet reports whether a name or glob of one module and one of another can mean the
// same tool, in whatever case of letters; and whether the first stands below the
// second, a glob, so that a module may have it whose grant lists it.
func Meet(name, other string) (meet, below bool) {
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

// add claims the names of t that are still free.
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

// find returns the tool for a name, and whether the name is its own or only
// covered by a glob; nil when nobody claims it.
func (x *index) find(name string) (t *tool, own bool) {
	if t := x.exact[name]; t != nil {
		return t, true
	}
	for _, g := range x.globs {
		if engine.MatchName(g.pattern, name) {
			return g.tool, false
		}
	}
	return nil, false
}
