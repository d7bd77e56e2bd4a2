// Package service installs the daemon for good: at level A as a service of the
// agent's own account, at level B as an account of its own with everything it
// relies on out of the agent's reach (design section 8).
//
// An installation is a list of steps, each of which can be told before it is
// done, recognises what is there already, and is undone when a later one fails.
// What was made is noted in a record; [Uninstall] removes that and nothing else.
package service
