package paths

import (
	"slices"
	"strings"
)

// part is one of a group's parts of paths: names of directories, the last perhaps
// of a file. In all but the first, "*" stands
// for any text.
type part struct {
	names []string
	where anchorage
	group *group
}

// anchorage is where a part of a path must stand.
type anchorage int

const (
	anywhere anchorage = iota
	atRoot
	atHome
)

// partList is a list of parts, indexed.
type partList struct {
	// byName are the parts by their first name, a plain one.
	byName map[string][]part
	all    []part
}

func (l *partList) add(p part) {
	if l.byName == nil {
		l.byName = map[string][]part{}
	}
	l.all = append(l.all, p)
	l.byName[p.names[0]] = append(l.byName[p.names[0]], p)
}

// holds returns the first part equal to the path or containing it, also after a shell's replacement
// of its globs; nil for none.
func (l *partList) holds(s split, only func(*group) bool) *part {
	for at, names := range s.aliases {
		for _, name := range names {
			list := l.byName[name]
			if hasMeta(name) {
				list = l.all
			}
			for i := range list {
				if p := &list[i]; only(p.group) && p.mayStand(s, at) && s.leads(at, p.names) == len(p.names) {
					return p
				}
			}
		}
	}
	return nil
}

// below returns the first part below the path, with a known place: at the root, or in the home
// directory; nil for none. Without hidden, no name with a leading dot is entered.
func (l *partList) below(s split, hidden bool) *part {
	for i := range l.all {
		p, at := &l.all[i], len(s.home)
		if p.where == atRoot {
			at = 0
		}
		if at >= len(s.aliases) || !p.mayStand(s, at) || p.where != atRoot && !s.inHome(at) {
			continue
		}
		if known := s.leads(at, p.names); known > 0 && known < len(p.names) && (hidden || !slices.ContainsFunc(p.names[known:], dotted)) {
			return p
		}
	}
	return nil
}

// mayStand reports whether the part may begin at a place of the path. Where it may
// be anywhere, a glob for every name does not stand for its first one, unless the
// place is known: "*/bin" is not everybody's venv/bin.
func (p *part) mayStand(s split, at int) bool {
	switch p.where {
	case atRoot: // on macOS /etc and /var are links into /private
		return s.absolute && (at == 0 || at == 1 && s.meets(0, "private"))
	case atHome:
		return s.inHome(at)
	}
	return s.inHome(at) || slices.ContainsFunc(s.aliases[at], func(name string) bool {
		return dotted(name) || strings.Trim(name, "*?") != ""
	})
}

func dotted(name string) bool { return strings.HasPrefix(name, ".") }

// inHome reports whether the names before a place are those of the home directory.
func (s split) inHome(at int) bool {
	if !s.absolute || len(s.home) == 0 || at != len(s.home) {
		return false
	}
	for i, name := range s.home {
		if !s.meets(i, name) {
			return false
		}
	}
	return true
}

// leads returns how many of the names, at most, begin the path from a place on: all of them for the
// named file and everything below, fewer for a directory above, 0 when it leads elsewhere. "**"
// stands for any directories.
func (s split) leads(at int, names []string) int {
	reach := make([]bool, len(names)+1) // by how many names are behind us
	reach[0] = true
	for ; at < len(s.aliases) && !reach[len(names)]; at++ {
		next := make([]bool, len(names)+1)
		for k, here := range reach {
			switch {
			case !here:
			case s.aliases[at][0] == "**":
				for i := k; i < len(next); i++ {
					next[i] = true
				}
			case s.meets(at, names[k]):
				next[k+1] = true
			}
		}
		reach = next
	}
	for k := len(names); k > 0; k-- {
		if reach[k] {
			return k
		}
	}
	return 0
}

// meets reports whether a name of the path may be one of the tables', with "*" for any text.
func (s split) meets(at int, known string) bool {
	return slices.ContainsFunc(s.aliases[at], func(name string) bool {
		switch {
		case name == known:
			return true
		case !hasMeta(name):
			return strings.Contains(known, "*") && name != "" && wildcard(known, name)
		}
		return meeting{}.name(known, name)
	})
}
