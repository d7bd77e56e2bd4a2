package paths

import (
	"path"
	"strings"
)

// table is a list of groups, indexed.
type table struct {
	names, directories map[string]*group
	// short are names and directories as Windows shortens them.
	short map[string]*group
	wild  []wildName
	parts partList
	// known are all plain names, in the tables' order, for globs.
	known []knownName
}

type knownName struct {
	name      string
	directory bool
	group     *group
}

type wildName struct {
	pattern string
	group   *group
}

func index(groups []group) *table {
	t := &table{names: map[string]*group{}, directories: map[string]*group{}, short: map[string]*group{}}
	for i := range groups {
		g := &groups[i]
		for _, name := range g.names {
			if strings.Contains(name, "*") {
				t.wild = append(t.wild, wildName{name, g})
				continue
			}
			t.names[name] = g
			t.short[shortName(name)] = g
			t.known = append(t.known, knownName{name, false, g})
		}
		for _, name := range g.directories {
			t.directories[name] = g
			t.short[shortName(name)] = g
			t.known = append(t.known, knownName{name, true, g})
		}
		for _, list := range []struct {
			texts []string
			where anchorage
		}{{g.anywhere, anywhere}, {g.atRoot, atRoot}, {g.atHome, atHome}} {
			for _, text := range list.texts {
				t.parts.add(part{strings.Split(text, "/"), list.where, g})
			}
		}
	}
	return t
}

// split is a path as the tables see it.
type split struct {
	// segments are the names as written, aliases the possible names of each.
	segments []string
	aliases  [][]string
	absolute bool
	// home are the names of the home directory's own path, folded; none when it is
	// unknown.
	home []string
}

// take cuts a path, possibly relative, with globs, or in Windows' form.
func take(p, home string) split {
	p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
	s := split{absolute: strings.HasPrefix(p, "/")}
	if home = Fold(strings.Trim(home, "/")); home != "" {
		s.home = strings.Split(home, "/")
	}
	s.segments = strings.Split(strings.Trim(p, "/"), "/")
	for _, segment := range s.segments {
		s.aliases = append(s.aliases, aliases(segment))
	}
	if len(s.segments[0]) >= 2 && s.segments[0][1] == ':' {
		s.absolute = true // C:\, and a path in a drive's own directory
	}
	return s
}

// find returns the first group naming the path, or a directory above it; nil for none. only selects
// the groups.
func (t *table) find(s split, only func(*group) bool) *group {
	for i, names := range s.aliases {
		last := i == len(s.aliases)-1
		for _, name := range names {
			if g := t.named(name, last); g != nil && only(g) {
				return g
			}
		}
	}
	if p := t.parts.holds(s, only); p != nil {
		return p.group
	}
	return nil
}

// named returns the group of one name. last marks the path's last: only then files count.
func (t *table) named(name string, last bool) *group {
	if g := t.directories[name]; g != nil {
		return g
	}
	if last {
		if g := t.names[name]; g != nil {
			return g
		}
		for _, w := range t.wild {
			if wildcard(w.pattern, name) {
				return w.group
			}
		}
	}
	if short := shortened(name); short != "" {
		if g := t.short[short]; g != nil {
			return g
		}
	}
	if !hasMeta(name) || t == secretTable && anyOfAKind(name) {
		return nil
	}
	glob := expansionOf(name)
	if glob.all && !glob.dotted {
		return nil // a glob for every file is judged as its directory
	}
	for i := range t.known {
		if k := &t.known[i]; (last || k.directory) && glob.gives(k.name) {
			return k.group
		}
	}
	return nil
}

// wildcard matches a name against a pattern with "*" for any text.
func wildcard(pattern, name string) bool {
	piece, pattern, more := strings.Cut(pattern, "*")
	name, ok := strings.CutPrefix(name, piece)
	if !ok || !more {
		return ok && name == ""
	}
	for {
		if piece, pattern, more = strings.Cut(pattern, "*"); !more {
			return strings.HasSuffix(name, piece)
		}
		i := strings.Index(name, piece)
		if i < 0 {
			return false
		}
		name = name[i+len(piece):]
	}
}

func hasMeta(s string) bool { return strings.ContainsAny(s, "*?[") }

// expansion is a glob of one folded name, cut for a fast rejection of most names.
type expansion struct {
	atoms []atom
	// head and tail are its letters before the first sign and behind the last one.
	head, tail string
	// dotted means it begins with a dot, its whole value for every file.
	dotted, all bool
}

func expansionOf(glob string) expansion {
	e := expansion{atoms: atoms(glob), dotted: strings.HasPrefix(glob, "."), all: strings.Trim(glob, "*?.") == ""}
	e.head = glob[:strings.IndexAny(glob, `*?[\`)]
	if !strings.ContainsAny(glob, `[\`) {
		e.tail = glob[strings.LastIndexAny(glob, "*?")+1:]
	}
	return e
}

// gives reports whether a shell could replace the glob by the plain name known. A glob with a star
// in front leaves out names with a leading dot.
func (e *expansion) gives(known string) bool {
	if !e.dotted && strings.HasPrefix(known, ".") || !strings.HasPrefix(known, e.head) || !strings.HasSuffix(known, e.tail) {
		return false
	}
	return fits(e.atoms, known)
}

// names makes a set.
func names(list ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range list {
		set[name] = true
	}
	return set
}
