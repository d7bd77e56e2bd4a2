// Package plugins holds the first-party tool modules, built to WebAssembly from
// the packages below it and embedded, so that one binary is the whole product.
package plugins

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Modules returns the built modules, "bash.wasm" and "standard.wasm". A program
// compiled before `make build` built them finds none: only a placeholder is
// committed.
func Modules() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("plugins: dist is embedded: " + err.Error())
	}
	return sub
}

// Names returns the file names of the embedded modules in order; none when they
// have not been built.
func Names() []string {
	names, err := fs.Glob(Modules(), "*.wasm")
	if err != nil {
		panic("plugins: the pattern is sound: " + err.Error())
	}
	return names
}
