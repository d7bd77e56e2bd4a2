// Package host opens a whole gate: the store, the sandbox and its tool modules,
// the ask broker and the [gate.Gate] that wires them. The daemon is this and an
// API in front; another program may embed it the same way.
//
// Each concern has a package of its own below: sandbox runs one module, catalog
// knows the modules, target resolves what a call touches, config and project
// read what operators and projects wrote, store keeps rules, sessions, asks and
// the audit, ask waits for people, card is what they see, api is the way in,
// eval the machine interface without any of that. hook speaks for the clients of
// agents. What keeps the gate standing: protect keeps tool calls away from it,
// presence knows whether a person is there, boundary judges what stands between
// two accounts, service installs the daemon behind it, doctor tries whether all of
// it holds.
package host
