package paths

import (
	"slices"
	"strings"
)

// secret reports whether a path is, or lies in, what holds secrets.
func secret(s split) bool {
	last := s.aliases[len(s.aliases)-1]
	switch {
	case deviceSecret(s):
		return true
	case slices.ContainsFunc(last, example):
		return secretTable.find(split{segments: s.segments, aliases: append(slices.Clone(s.aliases[:len(s.aliases)-1]), []string{""}), absolute: s.absolute, home: s.home}, anyGroup) != nil
	case secretTable.find(s, anyGroup) != nil, slices.ContainsFunc(last, secretName):
		return true
	}
	base := s.segments[len(s.segments)-1]
	return strings.HasPrefix(base, ".") && hasMeta(base) && strings.Trim(base[:strings.IndexAny(base, "*?[")], ".") == ""
}

func anyGroup(*group) bool { return true }

// secretName reports whether a folded name is that of a secret by its form, or
// of a copy of one.
func secretName(name string) bool {
	for _, copied := range []string{".bak", ".old", ".orig", ".save", ".backup", ".swp", "~"} {
		if rest, ok := strings.CutSuffix(name, copied); ok && rest != "" && rest != "." {
			return secretTable.named(rest, true) != nil || secretName(rest)
		}
	}
	return environmentFile(name) || privateKey(name)
}

// privateKey reports whether a name is one that a person gives an SSH key by
// adding to it: id_ed25519_work.
func privateKey(name string) bool {
	if strings.HasSuffix(name, ".pub") {
		return false
	}
	rest, ok := strings.CutPrefix(name, "id_")
	kind, more, found := strings.Cut(rest, "_")
	if !found {
		kind, more, found = strings.Cut(rest, "-")
	}
	return ok && found && more != "" && secretTable.names["id_"+kind] != nil
}

// deviceSecret reports whether the path is a device, or shows a process or the
// kernel's memory.
func deviceSecret(s split) bool {
	if !s.absolute || len(s.aliases) < 2 {
		return false
	}
	second := s.aliases[1][0]
	switch s.aliases[0][0] {
	case "dev":
		return true
	case "proc":
		process := second == "self" || second == "thread-self" || hasMeta(second) || strings.Trim(second, "0123456789") == ""
		return process && len(s.aliases) > 2 || second == "kcore" || second == "kmsg" || second == "keys"
	}
	return false
}
