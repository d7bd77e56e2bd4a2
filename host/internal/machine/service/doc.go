// Package service installs the daemon for good: at level A as a service of the
// agent's own account, at level B as an account of its own with everything it
// relies on out of the agent's reach.
//
// An installation is a list of steps. Each step can be described before it is done, recognises its
// earlier result, and is undone when a later one fails. A record lists every result; [Uninstall]
// removes those and nothing else.
package service
