// Package canary tries the installed hook of a client with calls that nothing runs: it starts the
// command of the client's own configuration as the client would, and reads the outcome by the
// client's measured rules. A hook that fails is then a fact, not an assertion.
//
// It may import the hooks' rooms; doctor and the CLI call it.
package canary
