package gate

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/host/people"
)

// Person is who a caller speaks for. A Checker speaks for the user that the
// operator gave its agent, an Approver for the person whom its token names, whatever
// else they say. Integrators and admins name whom they speak for; what they say of
// that person's roles is believed and, where they say nothing of it, is what the
// configuration says (people). An Admin that names nobody speaks for the operator,
// who is an administrator.
func (g *Gate) Person(caller Caller, name string, roles []string, administrator bool) people.Person {
	settings := g.c.Settings()
	switch {
	case caller.Standing == Approver:
		return settings.Person(caller.Token)
	case !caller.believed():
		return settings.Person(settings.Agent(caller.Agent).User)
	case name == "" && caller.Standing == Admin:
		return people.Person{Name: caller.Token, Administrator: true}
	case name == "":
		return people.Person{} // roles without somebody who holds them
	case roles == nil && !administrator:
		return settings.Person(name)
	}
	return people.Person{Name: settings.Person(name).Name, Roles: roles, Administrator: administrator}
}

// MayGrant reports whether somebody may grant what: a profile's name, "mode:NAME"
// or people.GlobalRules. A refusal is a *people.Refusal, which names the roles that
// would do, and has a row in the audit; it stands also when that cannot be written,
// which the error then tells.
func (g *Gate) MayGrant(ctx context.Context, p people.Person, what string) error {
	refusal := g.c.Settings().MayGrant(p, what)
	if refusal == nil {
		return nil
	}
	if err := g.Refused(ctx, p, refusal.Error()); err != nil {
		return fmt.Errorf("%w (and that could not be audited: %w)", refusal, err)
	}
	return refusal
}
