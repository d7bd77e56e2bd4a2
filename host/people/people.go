// Package people answers who may give what: which roles may grant a profile, a mode
// or a rule for everybody, and who may answer an ask. It is pure: who somebody is,
// the caller says. Sources: the Chorus seed, "Role-Based Gating for Self-Edit
// Permissions" and "ASK Confirmation Flow"; design sections 5 and 8.
package people

import (
	"fmt"
	"slices"
	"strings"
)

// Person is somebody who triggered a call, or answers an ask.
type Person struct {
	// Name is how the configuration, the audit and tokens call them.
	Name string
	// Roles are names of roles, compared exactly.
	Roles []string
	// Administrator tells that they administer the place they speak from.
	Administrator bool
}

// What beside a profile's name may stand in Grants.
const (
	// ModePrefix begins "mode:NAME": a session may be given this mode, or one that
	// asks more.
	ModePrefix = "mode:"
	// GlobalRules is adding a rule that allows something for everybody.
	GlobalRules = "rules:global"
)

// Grants maps a role to what its holders may grant: names of profiles, "mode:NAME",
// GlobalRules. Nil means that nobody wrote such a mapping: then only administrators
// may grant anything.
type Grants map[string][]string

// Check reports whether p may grant what, one of the forms above. The error is for
// the person: it names the roles that would do.
func (g Grants) Check(p Person, what string) error {
	if g == nil {
		if p.Administrator {
			return nil
		}
		return fmt.Errorf("%s may not grant %s: without permission_grants in the configuration only an administrator may", p.who(), what)
	}
	var enough []string
	for role, may := range g {
		if slices.Contains(may, what) {
			enough = append(enough, role)
		}
	}
	if slices.ContainsFunc(enough, func(role string) bool { return slices.Contains(p.Roles, role) }) {
		return nil
	}
	if len(enough) == 0 {
		return fmt.Errorf("nobody may grant %s: no role in permission_grants has it", what)
	}
	slices.Sort(enough)
	return fmt.Errorf("%s may not grant %s: it takes the role %s", p.who(), what, strings.Join(enough, " or "))
}

func (p Person) who() string {
	if p.Name == "" {
		return "an unknown person"
	}
	return p.Name
}
