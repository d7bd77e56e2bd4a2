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
	// parts are by their first name.
	parts map[string][]part
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

// part is one of a group's parts of paths, with a slash at its end.
type part struct {
	text  string
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

func index(groups []group) *table {
	t := &table{names: map[string]*group{}, directories: map[string]*group{}, short: map[string]*group{}, parts: map[string][]part{}}
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
				first, _, _ := strings.Cut(text, "/")
				t.parts[first] = append(t.parts[first], part{text + "/", list.where, g})
			}
		}
	}
	return t
}

// split is a path as the tables see it.
type split struct {
	// segments are the names as written, aliases what each may stand for.
	segments []string
	aliases  [][]string
	absolute bool
	// home is the home directory's own path, folded, without its first slash.
	home string
}

// take cuts a path, which may be relative, may hold globs, and may be Windows'.
func take(p, home string) split {
	p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
	s := split{absolute: strings.HasPrefix(p, "/"), home: Fold(strings.Trim(home, "/"))}
	s.segments = strings.Split(strings.Trim(p, "/"), "/")
	for _, segment := range s.segments {
		s.aliases = append(s.aliases, aliases(segment))
	}
	if len(s.segments[0]) >= 2 && s.segments[0][1] == ':' {
		s.absolute = true // C:\, and what begins in a drive's own directory
	}
	return s
}

// find returns the first group that names the path, or a directory above it;
// nil for none. only tells which groups are asked.
func (t *table) find(s split, only func(*group) bool) *group {
	for i, names := range s.aliases {
		last := i == len(s.aliases)-1
		for _, name := range names {
			if g := t.named(name, last); g != nil && only(g) {
				return g
			}
		}
	}
	for _, joined := range s.joined() {
		for at := 1; at < len(joined); {
			name, _, _ := strings.Cut(joined[at:], "/")
			for _, p := range t.parts[name] {
				if only(p.group) && p.at(joined, at, s) {
					return p.group
				}
			}
			at += len(name) + 1
		}
	}
	return nil
}

// named returns the group of one name. last tells that it is the path's last:
// only then files count.
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
	if !hasMeta(name) {
		return nil
	}
	glob := expansionOf(name)
	for i := range t.known {
		if k := &t.known[i]; (last || k.directory) && glob.gives(k.name) {
			return k.group
		}
	}
	return nil
}

// joined are the readings of the whole path, folded, with a slash at either end.
func (s split) joined() []string {
	first, second, differ := make([]string, len(s.aliases)), make([]string, len(s.aliases)), false
	for i, names := range s.aliases {
		first[i], second[i] = names[0], names[0]
		if len(names) > 1 {
			first[i], second[i], differ = names[1], names[len(names)-1], true
		}
	}
	list := []string{"/" + strings.Join(first, "/") + "/"}
	if differ {
		list = append(list, "/"+strings.Join(second, "/")+"/")
	}
	return list
}

// at reports whether the part stands at a place of a joined path where it may.
func (p part) at(joined string, at int, s split) bool {
	switch p.where {
	case atRoot: // on macOS /etc and /var are links into /private
		if !s.absolute || at != 1 && joined[:at] != "/private/" {
			return false
		}
	case atHome:
		if !s.absolute || s.home == "" || joined[:at] != "/"+s.home+"/" {
			return false
		}
	}
	return startsWith(joined[at:], p.text)
}

// startsWith is strings.HasPrefix, with at most one "*" in prefix, for the rest
// of a name or its beginning.
func startsWith(p, prefix string) bool {
	before, after, wild := strings.Cut(prefix, "*")
	rest, ok := strings.CutPrefix(p, before)
	if !ok || !wild {
		return ok
	}
	name, _, _ := strings.Cut(rest, "/")
	ending, below, _ := strings.Cut(after, "/")
	return name != "" && strings.HasSuffix(name, ending) && strings.HasPrefix(rest[len(name):], "/"+below)
}

// wildcard matches a name against a pattern with one "*" for any text.
func wildcard(pattern, name string) bool {
	before, after, _ := strings.Cut(pattern, "*")
	return len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) && strings.HasSuffix(name, after)
}

func hasMeta(s string) bool { return strings.ContainsAny(s, "*?[") }

// expansion is a glob of one folded name, cut so that most names need no
// comparing letter by letter.
type expansion struct {
	glob string
	// head and tail are its letters before the first sign and behind the last one;
	// empty when signs are more than stars and question marks.
	head, tail string
	// dotted tells that it begins with a dot, all that it is for every file.
	dotted, all bool
}

func expansionOf(glob string) expansion {
	e := expansion{glob: glob, dotted: strings.HasPrefix(glob, "."), all: strings.Trim(glob, "*?.") == ""}
	if !strings.ContainsAny(glob, `[\`) {
		e.head, e.tail = glob[:strings.IndexAny(glob, "*?")], glob[strings.LastIndexAny(glob, "*?")+1:]
	}
	return e
}

// gives reports whether a shell could replace the glob by the plain name known. A
// glob that begins with a star leaves out names with a leading dot, and one for
// every file is judged as its directory.
func (e *expansion) gives(known string) bool {
	if !e.dotted && (e.all || strings.HasPrefix(known, ".")) || !strings.HasPrefix(known, e.head) || !strings.HasSuffix(known, e.tail) {
		return false
	}
	ok, err := path.Match(e.glob, known)
	return ok || err != nil
}

// names makes a set.
func names(list ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range list {
		set[name] = true
	}
	return set
}
