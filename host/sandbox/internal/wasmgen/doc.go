// Package wasmgen makes valid WebAssembly modules of any bytes, for tests: a
// fuzzer or a property draws the bytes, and each of them is one choice.
//
// The modules have all kinds of sections and, but for tail calls and what
// WebAssembly 2.0 does not have, all kinds of instructions. Unless
// [Options.Endless] is set each call of theirs ends, by a trap at the latest:
// functions and turns of loops count down a global. They import functions of
// the module [Host] only, which the caller provides.
package wasmgen
