package paths

import (
	"slices"
	"strings"
)

// meets reports whether the glob may name one of p's files: p is a folded absolute path with
// possible globs as names, and with tree everything below it. With whole only a glob for a whole
// directory counts: plain names with "**" or "*" at the end.
func (g Glob) meets(p string, tree, whole bool) bool {
	names := strings.Split(strings.Trim(p, "/"), "/")
	if names[0] == "" {
		names = nil
	}
	selects := slices.Contains(names, "**")
	if tree && !selects {
		names = append(names, "**")
	}
	return slices.ContainsFunc(g.alternatives, func(segments []string) bool {
		return (!whole || isDirectory(segments)) && meeting{segments, names, tree, map[[2]int]bool{}}.at(0, 0)
	})
}

// isDirectory reports whether a pattern names everything in one directory.
func isDirectory(segments []string) bool {
	last := len(segments) - 1
	if last < 1 || segments[last] != "**" && segments[last] != "*" {
		return false
	}
	return !slices.ContainsFunc(segments[:last], func(s string) bool { return strings.ContainsAny(s, `*?[\{`) })
}

// meeting looks for a path named by two patterns.
type meeting struct {
	rule, call []string
	// tree means the call's wildcards name files with a leading dot, too.
	tree bool
	// apart are the positions without one.
	apart map[[2]int]bool
}

func (m meeting) at(i, j int) bool {
	if i == len(m.rule) && j == len(m.call) {
		return true
	}
	if m.apart[[2]int{i, j}] {
		return false
	}
	met := false
	switch {
	case i < len(m.rule) && m.rule[i] == "**":
		met = m.at(i+1, j) || j < len(m.call) && m.at(i, j+1)
	case j < len(m.call) && m.call[j] == "**":
		met = m.at(i, j+1) || i < len(m.rule) && m.at(i+1, j)
	case i < len(m.rule) && j < len(m.call):
		met = m.name(m.rule[i], m.call[j]) && m.at(i+1, j+1)
	}
	if !met {
		m.apart[[2]int{i, j}] = true
	}
	return met
}

// name reports whether two patterns for one name may name the same. A shell's
// wildcards leave out names with a leading dot.
func (m meeting) name(rule, call string) bool {
	if !m.tree && strings.HasPrefix(rule, ".") && !strings.HasPrefix(call, ".") && hasMeta(call) {
		return false
	}
	a, b := atoms(rule), atoms(call)
	reach := make([]bool, len(b)+1)
	for i := range len(a) + 1 {
		next := make([]bool, len(b)+1)
		for j := range len(b) + 1 {
			switch {
			case i == 0 && j == 0:
				next[j] = true
			default:
				next[j] = i > 0 && reach[j] && a[i-1].any || j > 0 && next[j-1] && b[j-1].any ||
					i > 0 && j > 0 && a[i-1].any && next[j-1] || i > 0 && j > 0 && b[j-1].any && reach[j] ||
					i > 0 && j > 0 && !a[i-1].any && !b[j-1].any && reach[j-1] && a[i-1].shares(b[j-1])
			}
		}
		reach = next
	}
	return reach[len(b)]
}

// atom is one place of a pattern for a name: any text, or one of some characters.
type atom struct {
	any bool
	// one are the characters; every one when it is empty. not turns it round.
	one string
	not bool
}

func (a atom) shares(b atom) bool {
	switch {
	case a.one == "" || b.one == "" || a.not && b.not:
		return true
	case a.not:
		return strings.Trim(b.one, a.one) != ""
	case b.not:
		return strings.Trim(a.one, b.one) != ""
	}
	return strings.ContainsAny(a.one, b.one)
}

// atoms cuts a pattern for one name. A class with a range stands for every character, and so does
// an unreadable one.
func atoms(pattern string) []atom {
	var list []atom
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; r {
		case '*':
			list = append(list, atom{any: true})
		case '?':
			list = append(list, atom{})
		case '\\':
			if i+1 < len(runes) {
				i++
			}
			list = append(list, atom{one: string(runes[i])})
		case '[':
			end := classEnd(runes, i)
			if end < 0 {
				list = append(list, atom{any: true})
				continue
			}
			class := string(runes[i+1 : end])
			one, not := class, false
			if rest, ok := strings.CutPrefix(class, "!"); ok {
				one, not = rest, true
			} else if rest, ok := strings.CutPrefix(class, "^"); ok {
				one, not = rest, true
			}
			if strings.ContainsAny(one, `-\[`) {
				one, not = "", false
			}
			list = append(list, atom{one: one, not: not})
			i = end
		default:
			list = append(list, atom{one: string(r)})
		}
	}
	return list
}

// classEnd returns the end of the class at a place, -1 without one. A bracket in first place, or in
// "[:alpha:]", does not end it.
func classEnd(runes []rune, at int) int {
	i := at + 1
	if i < len(runes) && (runes[i] == '!' || runes[i] == '^') {
		i++
	}
	for first := i; i < len(runes); i++ {
		switch {
		case runes[i] == ']' && i > first:
			return i
		case runes[i] == '[' && i+1 < len(runes) && strings.ContainsRune(":.=", runes[i+1]):
			named := strings.Index(string(runes[i+2:]), string(runes[i+1])+"]")
			if named >= 0 {
				i += 3 + len([]rune(string(runes[i+2:])[:named]))
			}
		}
	}
	return -1
}

// fits reports whether a pattern's atoms name a plain name.
func fits(pattern []atom, name string) bool {
	runes := []rune(name)
	i, star, from := 0, -1, 0
	for j := 0; j < len(runes); {
		switch {
		case i < len(pattern) && pattern[i].any:
			star, from, i = i, j, i+1
		case i < len(pattern) && pattern[i].shares(atom{one: string(runes[j])}):
			i, j = i+1, j+1
		case star >= 0:
			from++
			i, j = star+1, from
		default:
			return false
		}
	}
	for i < len(pattern) && pattern[i].any {
		i++
	}
	return i == len(pattern)
}
