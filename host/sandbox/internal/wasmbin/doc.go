// Package wasmbin reads a WebAssembly binary and writes it again so that a host
// can stop it, bound it and restore it.
//
// [Rewrite] adds three things to a module: fuel (a global that every function
// entry and every turn of a loop charges, and an import that is called when it
// is used up), an export for each mutable global, and maxima for memory and
// tables. It reads what wazero reads with its default features (WebAssembly 2.0)
// and refuses the rest; the engine validates the result as it would any module.
package wasmbin
