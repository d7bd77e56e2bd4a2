// Package gate wires the host's rooms into one decision: it builds a call's context from the
// operator's configuration and the caller's claims, lets the tool's module describe the call,
// resolves its targets, gathers the rules, decides with package engine, asks a human where it
// must, and audits before it answers.
//
// Nothing here widens: every failure ends in deny or ask, and a decision without an audit row
// is a denial.
//
// It may import engine, wire, the store, the modules, the configuration, the asks and the
// authority of approval. Package admin makes people's changes beside calls: the gate uses the
// few changes made by an approved call (Changes). The surfaces (api, discord,
// approval/webhook), host and toolkit call it, and it knows none of them.
package gate
