package engine

import (
	"path"
	"slices"
	"strings"
)

// Permissions are a child agent's possible permissions from its parent.
type Permissions struct {
	Mode       Mode
	Disallowed []string
	// Allowed nil means no restriction.
	Allowed []string
	// Directories are absolute; nil means no restriction.
	Directories []string
	Approver    string
}

// Inherit returns the child's permissions: the stricter mode, united denies, intersected allows and
// directories, and the parent's approver.
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

// intersect keeps the names in both; nil names everything.
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

// within keeps directories inside both: of two nested ones the inner. Paths are compared and
// returned clean: one climbing out with ".." counts as its destination.
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

// cleaned is nil for nil: it names everything.
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
