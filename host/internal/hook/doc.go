// Package hook is the room of the programs agents' clients run before and after a tool call, one
// package for each client. They speak to the daemon through package client and the types of wire,
// and never import the gate; the CLI calls them.
package hook
