// Package tool is the Go SDK for Callgate tool modules: an author writes plain
// functions on typed values, and the SDK does the WebAssembly exports, strict
// JSON, safe defaults and describe.
//
// The rules of the wire are in docs/abi.md.
package tool
