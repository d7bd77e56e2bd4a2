// Package kernel is the host's side of one instance: everything a guest can reach.
//
// A guest imports two modules. "extism:host/env" is WebAssembly of our own, kernel.wat, one
// instance for each guest: the most frequent calls, for the bytes of the input, never leave
// compiled code. For the rest it calls Go: variables, configuration, the log.
// "wasi_snapshot_preview1" is Go: an empty and deterministic world.
//
// The kernel also enforces a call's limits: it hands out fuel in slices, and at each slice
// checks the clock and the caller's context. A guest beyond its limits ends by a [Trap].
//
// A [Host] is made once for an engine, a [Kernel] for each instance.
package kernel
