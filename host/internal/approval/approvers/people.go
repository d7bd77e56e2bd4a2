// Package approvers answers who may give what: the roles for granting a profile, a mode or a
// rule for everybody, and the approvers of an ask. It is pure: the caller identifies people.
// Sources: docs/seeds.md, "Role-Permission Mapping" and "ASK Behavior Details".
package approvers

import "slices"

// Person is the trigger of a call, or an approver. The zero Person may grant nothing and answer
// only asks open to everyone.
type Person struct {
	// Name is how the configuration, the audit and tokens call them.
	Name string `json:"name"`
	// Roles are names of roles, compared exactly.
	Roles []string `json:"roles,omitempty"`
	// Administrator means: they administer the place they speak from.
	Administrator bool `json:"administrator,omitempty"`
	// Signed means: their device has signed the approval in question. It is of one answer and is
	// never stored with the person.
	Signed bool `json:"-"`
}

// has reports whether p holds one of the roles.
func (p Person) has(roles []string) bool {
	return slices.ContainsFunc(roles, func(role string) bool { return slices.Contains(p.Roles, role) })
}

func (p Person) who() string {
	if p.Name == "" {
		return "an unknown person"
	}
	return p.Name
}
