// Package setup finds out whether a Discord bot can be what Callgate asks people
// through: it looks at the token, the application, the server, each channel, the roles
// and the people that a configuration names, one by one, and says of each how it is
// mended. It changes nothing but for the test card, which it takes away again.
//
// Sources: facts of Discord's API, section 4; Discord's documentation, "Permissions"
// and "Application object".
package setup
