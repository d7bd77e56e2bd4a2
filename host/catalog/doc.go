// Package catalog knows the tool modules: which there are, which names they
// answer to, and how a call is put to them.
//
// Modules come from an fs.FS that is part of the binary and from one directory
// of the operator's. [Catalog.Lookup] finds the tool for a name: its exact name
// or alias, else the most literal glob that covers it, else the fallback tool.
// An entry's Tool encodes the verbs' envelopes and judges the answers strictly,
// as docs/abi.md says; whatever is not a sound answer is an error.
//
// A module that cannot be used is a [Problem] and never stops the others. The
// names that are known to be its own become entries that carry the error, so
// that every call of them fails closed.
package catalog
