// Package member identifies people in Discord: the person of the configuration, the roles on
// the one server that counts, whether an administrator. An uncertain identity is no person.
package member

import (
	"errors"

	"github.com/callgate/callgate/host/internal/approval/approvers"
)

// Actor is a person in Discord. The zero Actor is none.
type Actor struct {
	// Person is the name for rules and asks: for a listed account the name in the
	// configuration, for any other the account's id; never a name chosen by the account itself.
	// Roles are the roles of the configuration and those of the server, each by its name and
	// its id.
	approvers.Person
	// Account is the user id.
	Account string
	// Display is the account's name, chosen by its owner: show it, never compare it.
	Display string
	// Listed means: the configuration gives the account a person.
	Listed bool
}

// Errors of Directory.Who; each means: no person.
var (
	// ErrNoPerson is a bot, a webhook, or Discord itself.
	ErrNoPerson = errors.New("only people may do this")
	// ErrUnknown means: the look-up failed, or its answer was incomplete.
	ErrUnknown = errors.New("Discord did not say who this is")
)
