package engine

import (
	"path"
	"slices"
	"strings"
)

// Permissions is what a child agent may be given by its parent.
type Permissions struct {
	Mode       Mode
	Disallowed []string
	// Allowed nil means no restriction.
	Allowed []string
	// Directories are absolute; nil means no restriction.
	Directories []string
	Approver    string
}

// Inherit returns what the child gets: the stricter mode, united denies,
// intersected allows and directories, and the parent's approver. Source:
// design section 3, "Children".
func Inherit(parent, child Permissions) Permissions {
	return Permissions{
		Mode:        Stricter(parent.Mode, child.Mode),
		Disallowed:  union(parent.Disallowed, child.Disallowed),
		Allowed:     intersect(parent.Allowed, child.Allowed),
		Directories: within(parent.Directories, child.Directories),
		Approver:    parent.Approver,
	}
}

func union(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// intersect keeps what both name; nil names everything.
func intersect(a, b []string) []string {
	if a == nil {
		return slices.Clone(b)
	}
	if b == nil {
		return slices.Clone(a)
	}
	out := []string{}
	for _, s := range a {
		if slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// within keeps what lies in a directory of both: of two nested ones the inner.
// Paths are compared and returned clean: one that climbs out with ".." is where
// it leads, not where it begins.
func within(a, b []string) []string {
	a, b = cleaned(a), cleaned(b)
	if a == nil || b == nil {
		return intersect(a, b)
	}
	out := []string{}
	for _, x := range a {
		for _, y := range b {
			switch {
			case below(x, y):
				out = union(out, []string{x})
			case below(y, x):
				out = union(out, []string{y})
			}
		}
	}
	return out
}

// cleaned is nil for nil, which names everything.
func cleaned(dirs []string) []string {
	out := slices.Clone(dirs)
	for i, d := range out {
		out[i] = path.Clean(d)
	}
	return out
}

// below reports whether the directory inner is outer or lies in it.
func below(inner, outer string) bool {
	return inner == outer || strings.HasPrefix(inner, strings.TrimSuffix(outer, "/")+"/")
}
