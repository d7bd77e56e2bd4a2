// Package sandbox runs one WebAssembly tool module at a time, able to compute and nothing else.
//
// A module imports only the 32 functions of the Extism guest ABI ("extism:host/env"), served by
// this package's own kernel, and an empty, deterministic WASI preview 1: no files, no
// arguments, no environment, no network, a clock moved only by the guest's sleeps, seeded
// randomness, output discarded. Any other import is refused at load, by name.
//
// [Runtime.Load] checks, rewrites and compiles a module once. [Module.Call] runs one export.
// Each failure of a guest (trap, exit, time-out, non-zero return, error_set, missing, oversized
// or non-UTF-8 output) is an [*Error]; there is no success with empty output.
//
// A guest cannot stall the process: the rewritten module pays fuel for each piece of code and
// of bulk work before it is done, and comes back to Go every few ten microseconds to hear
// whether it may go on.
//
// Each call starts from the same state, so the same input gives the same answer. Instances are
// copies of one snapshot, taken after the module's initialisers and before any verb, and are
// restored to it after each call, even a failed one: the written pages (on Linux; elsewhere all
// of the memory is compared), all mutable globals, tables, dropped segments, and a grown
// memory. An instance with a grown table cannot be restored and is not used again.
//
// Instances are made when calls need them, up to Limits.Instances, and given back when idle:
// first their own memory, then themselves. All of a Runtime's modules together have
// Config.Memory.
//
// From bytes to a ready module: load.go checks, wasmbin rewrites, compile.go or another process
// (apart.go) compiles, cache.go keeps the code, begin.go their initial state. One call:
// module.go takes an instance from its pool.go, call.go runs it, snapshot.go restores it.
// internal/kernel holds everything a guest can reach, and its limits; internal/memory its
// memory.
package sandbox
