// Package host opens a whole gate: the store, the sandbox and its tool modules,
// the ask broker and the [gate.Gate] that wires them. The daemon is this and an
// API in front; another program may embed it the same way.
//
// Each concern has a package of its own below: sandbox runs one module, catalog
// knows the modules, target resolves what a call touches, config and project
// read what operators and projects wrote, store keeps rules, sessions, asks and
// the audit, ask waits for people, card is what they see, api is the way in,
// eval the machine interface without any of that.
package host
