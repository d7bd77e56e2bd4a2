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
//     tables and other globals with exports that copy them there and back. A memory
//     that grew is the host's to put back; a table that grew needs a new instance.
//
// Sections are done one by one, in the order of Rewrite's list: what later ones need
// to know is noted in the rewriter on the way (functions that move, tables, segments,
// what has a shadow). Each function body is walked twice. The first walk (scan in body.go)
// lists the changes in their order while three observers follow along: what a piece
// of code costs (charge.go), what its frame takes of the stack (frame.go), and what it
// changes that must be put back (state.go, shadow.go). Then it is decided which
// charges ask whether fuel is left, and the second walk (apply) writes the body.
// [CheckWork] is apart from that: it walks the result once more for what compiling
// it would take (shape.go, work.go).
//
// What holds for each rewritten module: everything is paid for before it is done;
// nothing comes round again, by a loop or by calls, without asking for fuel, so a
// guest comes back to the host in bounded time; the stack that is counted is no less
// than what is taken; indexes that the module had out of range are refused here,
// since they could mean what is added. Whoever changes what is written changes
// [Version], or kept code would be old.
//
// It reads what wazero reads with its default features (WebAssembly 2.0) and
// refuses the rest; the engine validates the result as it would any module. That
// a rewritten module does what it did before, with the same traps, is held
// against the specification's core tests and modules of package wasmgen.
package wasmbin
