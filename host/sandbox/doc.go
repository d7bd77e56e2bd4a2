// Package sandbox runs one WebAssembly tool module at a time, where it can do
// nothing but compute.
//
// A module imports only the 32 functions of the Extism guest ABI
// ("extism:host/env"), served by this package's own kernel, and an empty,
// deterministic WASI preview 1: no files, no arguments, no environment, no
// network, a clock that stands still but for what the guest sleeps, seeded
// randomness, output discarded. Any other import is refused at load, by name.
//
// [Runtime.Load] checks, rewrites and compiles a module once. [Module.Call]
// runs one export. Whatever goes wrong in a guest (trap, exit, time-out,
// non-zero return, error_set, missing, oversized or non-UTF-8 output) is an
// [*Error]; there is no success with empty output.
//
// A guest cannot stall the process: the rewritten module pays fuel for each piece of
// code and of bulk work before it is done, and comes back to Go every few ten
// microseconds to hear whether it may go on.
//
// Each call starts from the same state, so the same input gives the same
// answer. Instances are copies of one snapshot, taken after initialisation and
// [Module.WarmUp], and are put back to it after each call, however it ended: the
// pages that were written (on Linux; elsewhere all of the memory is compared), all
// mutable globals, tables, dropped segments, and a memory that grew. What cannot
// be put back is not used again: an instance one of whose tables grew.
//
// Instances are made when calls need them, up to Limits.Instances, and given back
// when nothing does: first what memory they have of their own, then themselves.
// All of a Runtime's modules together have Config.Memory.
//
// From bytes to a ready module: load.go checks, wasmbin rewrites, compile.go or
// another process (apart.go) compiles, cache.go keeps the code, begin.go the state
// that instances begin in. One call: module.go takes an instance from its pool.go,
// call.go runs it, snapshot.go puts it back. What a guest can reach, and what stops
// it, is internal/kernel; the memory it runs in, internal/memory.
package sandbox
