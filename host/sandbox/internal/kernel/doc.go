// Package kernel is the host's side of one instance: all that a guest can reach.
//
// A guest imports two modules. "extism:host/env" is WebAssembly of our own,
// kernel.wat, one instance for each guest: what guests call thousands of times in a
// call, the bytes of their input, never leaves compiled code. What it cannot do it
// asks of Go: variables, configuration, the log. "wasi_snapshot_preview1" is Go: an
// empty and deterministic world.
//
// The kernel also watches over what a call may use: it hands out fuel in slices, and
// whenever a guest comes for more it looks at the clock and at the caller's context.
// A guest that may not go on ends by a [Trap].
//
// A [Host] is made once for an engine, a [Kernel] for each instance.
package kernel
