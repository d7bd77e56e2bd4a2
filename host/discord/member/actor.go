// Package member tells who somebody in Discord is: which person of the configuration,
// which roles of the one server that counts, whether an administrator. Who cannot be
// told for sure is nobody.
package member

import (
	"errors"

	"github.com/callgate/callgate/host/people"
)

// Actor is somebody in Discord. The zero Actor is nobody.
type Actor struct {
	// Person is whom rules and asks know: for a listed account by the name that the
	// configuration gives it, for any other by the account's id; never by a name that they
	// chose themselves. Roles are the roles of the configuration and those of the server,
	// each by its name and its id.
	people.Person
	// Account is the user id.
	Account string
	// Display is the account's name, chosen by its owner: show it, never compare it.
	Display string
	// Listed tells that the configuration gives the account a person.
	Listed bool
}

// Errors of Directory.Who; each means that it is nobody.
var (
	// ErrNoPerson is a bot, a webhook, or Discord itself.
	ErrNoPerson = errors.New("only people may do this")
	// ErrUnknown is somebody who could not be looked up, or of whom something is missing.
	ErrUnknown = errors.New("Discord did not say who this is")
)
