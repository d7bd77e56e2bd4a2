package approvers

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// The entries of Grants besides a profile's name.
const (
	// ModePrefix begins "mode:NAME": permission to give a session this mode, or a stricter one.
	// Trusted is given by "mode:trusted" alone.
	ModePrefix = "mode:"
	// GlobalRules is storing a rule that allows something: for everybody, with an answer; for
	// any scope, by a command of a person who may not answer those calls.
	GlobalRules = "rules:global"
)

// Grants maps a role to its holders' permissions: names of profiles, "mode:NAME", GlobalRules.
// Nil means no mapping: then only administrators may grant anything. With a mapping the roles
// alone count.
type Grants map[string][]string

// ErrNotGranted marks the errors of Check; test for it with errors.Is.
var ErrNotGranted = errors.New("not granted")

// Refusal means: a person may not grant something. It is an ErrNotGranted.
type Refusal struct {
	Person Person
	What   string
	// Roles are the sufficient roles, sorted; none when no role has it.
	Roles []string
	// Unmapped means: there is no mapping, so only administrators may.
	Unmapped bool
}

// Error implements error: a sentence for the person, without its full stop.
func (r *Refusal) Error() string {
	switch {
	case r.Person.Name == "":
		return fmt.Sprintf("the person behind this call is unknown, and only people may grant %s: set user in the agent's configuration, or name the person in the call", describe(r.What))
	case r.Unmapped:
		return fmt.Sprintf("%s may not grant %s: without permission_grants in the configuration only an administrator may", r.Person.who(), describe(r.What))
	case len(r.Roles) == 0:
		return fmt.Sprintf("no one may grant %s: no role in permission_grants has %q", describe(r.What), r.What)
	}
	return fmt.Sprintf("%s may not grant %s: it takes the role %s", r.Person.who(), describe(r.What), strings.Join(r.Roles, " or "))
}

// Is makes errors.Is(err, ErrNotGranted) true.
func (r *Refusal) Is(target error) bool { return target == ErrNotGranted }

// describe names the grant, for a sentence.
func describe(what string) string {
	if mode, ok := strings.CutPrefix(what, ModePrefix); ok {
		return "the mode " + mode
	}
	if what == GlobalRules {
		return "a stored rule"
	}
	return "the profile " + what
}

// Check reports whether p may grant what: a profile's name, "mode:NAME" or GlobalRules. Any
// error is a *Refusal. A person without a name may grant nothing.
func (g Grants) Check(p Person, what string) error {
	refusal := &Refusal{Person: p, What: what, Unmapped: g == nil}
	if p.Name == "" {
		return refusal
	}
	if g == nil {
		if p.Administrator {
			return nil
		}
		return refusal
	}
	for role, may := range g {
		if slices.ContainsFunc(may, func(entry string) bool { return Covers(entry, what) }) {
			refusal.Roles = append(refusal.Roles, role)
		}
	}
	if p.has(refusal.Roles) {
		return nil
	}
	slices.Sort(refusal.Roles)
	return refusal
}

// Covers reports whether an entry of Grants lets its holder grant what: the same thing or, of
// modes, a stricter one. An unknown mode equals only itself.
func Covers(entry, what string) bool {
	if entry == what {
		return true
	}
	given, ok1 := mode(entry)
	wanted, ok2 := mode(what)
	if !ok1 || !ok2 || wanted == engine.Trusted {
		return ok1 && ok2 && given == wanted
	}
	return engine.Stricter(given, wanted) == wanted && engine.Stricter(wanted, given) == wanted
}

func mode(entry string) (engine.Mode, bool) {
	name, ok := strings.CutPrefix(entry, ModePrefix)
	if !ok {
		return engine.DefaultMode, false
	}
	m, err := engine.ParseMode(name)
	return m, err == nil
}
