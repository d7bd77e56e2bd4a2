package authority

import (
	"cmp"
	"context"
	"fmt"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/store"
)

// Person is the person behind a caller. A Checker speaks for its agent's user from the
// operator, an Approver for the person in its token, against any claim. Integrators and admins
// name their person; their statement of roles is believed and, without one, the configuration's
// counts. An Admin without a name speaks for the operator, an administrator.
func (au *Authority) Person(caller Caller, name string, roles []string, administrator bool) approvers.Person {
	settings := au.c.Settings()
	switch {
	case caller.Kind == Approver:
		return settings.Person(caller.Token)
	case !caller.Believed():
		return settings.Person(settings.Agent(caller.Agent).User)
	case name == "" && caller.Kind == Admin:
		return approvers.Person{Name: caller.Token, Administrator: true}
	case name == "":
		return approvers.Person{} // roles without a holder
	case roles == nil && !administrator:
		return settings.Person(name)
	}
	return approvers.Person{Name: settings.Person(name).Name, Roles: roles, Administrator: administrator}
}

// MayGrant reports whether a person may grant what: a profile's name, "mode:NAME" or
// approvers.GlobalRules. A refusal is an *approvers.Refusal with the sufficient roles, and has
// a row in the audit; it stands even if the row fails, which the error then reports.
func (au *Authority) MayGrant(ctx context.Context, p approvers.Person, what string) error {
	refusal := au.c.Settings().MayGrant(p, what)
	if refusal == nil {
		return nil
	}
	if err := au.Refused(ctx, p, refusal.Error()); err != nil {
		return fmt.Errorf("%w (not audited: %w)", refusal, err)
	}
	return refusal
}

// Refused writes the row of a person without any right to an action, such as a command for
// people; why is a sentence for people.
func (au *Authority) Refused(ctx context.Context, p approvers.Person, why string) error {
	ctx, cancel := store.Lasting(ctx)
	defer cancel()
	_, err := au.c.Store.Append(ctx, store.Row{
		Time: au.c.Now(), Event: store.EventGrantRefused, User: p.Name, DecidedBy: cmp.Or(p.Name, "nobody"), Detail: why, Code: CodeNotGranted,
	})
	return err
}
