// Package wasmbin reads a WebAssembly binary and writes it again so that a host
// can stop it, bound it and restore it.
//
// [Rewrite] adds to a module:
//
//   - fuel: a global that each piece of code pays from before it runs, and an
//     import that is called when it is used up;
//   - a count of the stack that calls take, and an import for when it is used up;
//   - maxima for memory and tables;
//   - what putting an instance back to an earlier state needs: an export for each
//     mutable global of numbers, flags instead of dropped segments, and shadows of
//     tables and other globals with exports that copy them there and back. What
//     then still needs a new instance is a memory or a table that grew.
//
// It reads what wazero reads with its default features (WebAssembly 2.0) and
// refuses the rest; the engine validates the result as it would any module. That
// a rewritten module does what it did before, with the same traps, is held
// against the specification's core tests and modules of package wasmgen.
package wasmbin
