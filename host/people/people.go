// Package people answers who may give what: which roles may grant a profile, a mode
// or a rule for everybody, and who may answer an ask. It is pure: who somebody is,
// the caller says. Sources: the Chorus seed, "Role-Based Gating for Self-Edit
// Permissions" and "ASK Confirmation Flow"; design sections 5 and 8.
package people

import "slices"

// Person is somebody who triggered a call, or answers an ask. The zero Person is
// nobody: they may grant nothing and answer nothing that is not for everyone.
type Person struct {
	// Name is how the configuration, the audit and tokens call them.
	Name string `json:"name"`
	// Roles are names of roles, compared exactly.
	Roles []string `json:"roles,omitempty"`
	// Administrator tells that they administer the place they speak from.
	Administrator bool `json:"administrator,omitempty"`
}

// has reports whether p holds one of the roles.
func (p Person) has(roles []string) bool {
	return slices.ContainsFunc(roles, func(role string) bool { return slices.Contains(p.Roles, role) })
}

// Both is p as two who know the same person say together: the roles that both
// give, an administrator only when both say so.
func Both(a, b Person) Person {
	out := Person{Name: a.Name, Administrator: a.Administrator && b.Administrator}
	for _, role := range a.Roles {
		if slices.Contains(b.Roles, role) {
			out.Roles = append(out.Roles, role)
		}
	}
	return out
}

func (p Person) who() string {
	if p.Name == "" {
		return "an unknown person"
	}
	return p.Name
}
