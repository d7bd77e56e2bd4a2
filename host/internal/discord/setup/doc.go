// Package setup checks whether a Discord bot is ready to ask people for Callgate: the token,
// the application, the server, each channel, the roles and the people in a configuration, one
// by one, with a fix for each problem. It changes nothing except for the test card, which it
// removes again.
//
// Sources: Discord's documentation, "Permissions" and "Application object".
package setup
