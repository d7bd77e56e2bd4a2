// Package view has the bodies of the daemon's interface for data of the store and the PIN: pages of
// the audit, sessions, tokens, presence. They are apart from package protocol so a hook's process
// starts without a database.
//
// It may import protocol, the store and the PIN; package api and the client call it.
package view
