// Package wasmgen makes valid WebAssembly modules of any bytes, for tests: a fuzzer or a
// property draws the bytes, and each of them is one choice.
//
// The modules have all kinds of sections and, except tail calls, all kinds of instructions of
// WebAssembly 2.0. Unless [Options.Endless] is set each call of theirs ends, by a trap at the
// latest: functions and turns of loops count down a global. They import functions of the module
// [Host] only, provided by the caller.
package wasmgen
