// Package catalog knows the tool modules: which there are, which names they
// answer to, and how a call is put to them.
//
// Modules come from an fs.FS that is part of the binary and from one directory
// of the operator's. [Catalog.Lookup] finds the tool for a name: its exact name
// or alias, else the most literal glob that covers it, else the fallback tool.
// An entry's Tool encodes the verbs' envelopes and judges the answers strictly,
// as docs/abi.md says; whatever is not a sound answer is an error.
//
// The set of modules is a [Snapshot], which a decision uses from its beginning to
// its end. [Catalog.Watch], [Catalog.Reload] and [Catalog.Change] make the next one
// beside it: a changed file is compiled, described, run on its own examples and
// called before it takes effect, and changes nothing when one of these fails. Files
// of the directory are loaded as their [Pin] says. What a module is freed with is the
// last snapshot that has it.
//
// A module that cannot be used is a [Problem] and never stops the others. The
// names that are known to be its own become entries that carry the error, so
// that every call of them fails closed.
package catalog
