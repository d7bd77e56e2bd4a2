// Package deploy holds the golden modules of the example tool, and the cases that all
// of them answer alike.
package deploy

import _ "embed"

// WAT is the module in WebAssembly text, the smallest: what sdk/wat/deploy gives.
//
//go:embed wat.wasm
var WAT []byte
