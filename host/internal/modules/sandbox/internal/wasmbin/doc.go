// Package wasmbin reads a WebAssembly binary and writes it again so that a host can stop it,
// bound it and restore it.
//
// [Rewrite] adds to a module:
//
//   - fuel: a global paid from by each piece of code before it runs, and an
//     import called when it is used up;
//   - a count of the calls' stack, and an import for its end;
//   - maxima for memory and tables;
//   - the means to restore an instance to an earlier state: an export for each
//     mutable global of numbers, flags instead of dropped segments, and shadows of
//     tables and other globals with exports that copy them there and back. A grown memory
//     is restored by the host; a grown table needs a new instance.
//
// Sections are done one by one, in the order of Rewrite's list: facts for later ones are noted
// in the rewriter on the way (moved functions, tables, segments, shadowed state). Each function
// body is walked twice. The first walk (scan in body.go) lists the changes in their order while
// three observers follow along: for the cost of a piece of code (charge.go), the stack of its
// frame (frame.go), and its lasting changes (state.go, shadow.go). Then the asking charges are
// chosen, and the second walk (apply) writes the body. [CheckWork] is apart from that: it walks
// the result once more for the cost of compiling (shape.go, work.go).
//
// Invariants of each rewritten module: everything is paid for before it is done; nothing comes
// round again, by a loop or by calls, without asking for fuel, so a guest comes back to the
// host in bounded time; the counted stack is no less than the real one; indexes out of range
// are refused here, since they could mean an addition. A change of the output needs a new
// [Version], or kept code would be old.
//
// It reads the same as wazero with its default features (WebAssembly 2.0) and refuses the rest;
// the engine validates the result as it would any module. The specification's core tests and
// modules of package wasmgen check that a rewritten module behaves as before, with the same
// traps.
package wasmbin
