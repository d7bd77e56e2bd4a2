// Package sandbox runs one WebAssembly tool module at a time, where it can do
// nothing but compute.
//
// A module imports only the 32 functions of the Extism guest ABI
// ("extism:host/env"), served by this package's own kernel, and an empty,
// deterministic WASI preview 1: no files, no arguments, no environment, no
// network, a clock that stands still, seeded randomness, output discarded.
// Any other import is refused at load, by name.
//
// [Runtime.Load] checks and compiles a module once. [Module.Call] runs one
// export. Each call starts from the same state, whatever earlier calls did, so
// the same input gives the same answer. Whatever goes wrong in a guest (trap,
// exit, time-out, non-zero return, error_set, missing, oversized or non-UTF-8
// output) is an [*Error]; there is no success with empty output.
package sandbox
