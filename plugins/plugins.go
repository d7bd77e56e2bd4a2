// Package plugins holds the first-party tool modules, built to WebAssembly from the packages below
// it and embedded, so one binary is the whole product. RATIONALE.md, "Why two wasm files for all
// first-party tools?" and RATIONALE.md, "Why are the embedded modules compressed?". See also
// RATIONALE.md, "Why are the release's modules in the tree?".
package plugins

import (
	"archive/zip"
	"bytes"
	"embed"
	"errors"
	"io/fs"
	"sync"

	"github.com/klauspost/compress/zstd"
)

//go:embed dist/embedded
var embedded embed.FS

var modules = sync.OnceValue(func() fs.FS {
	packed, err := embedded.ReadFile("dist/embedded/modules.zip")
	if errors.Is(err, fs.ErrNotExist) {
		packed, err = embedded.ReadFile("dist/embedded/release.zip")
	}
	if err != nil {
		return embed.FS{}
	}
	files, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		panic("plugins: the embedded modules.zip: " + err.Error())
	}
	files.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	return files
})

// Modules returns the built modules, "bash.wasm" and "standard.wasm". Each reading of a
// file decompresses it and checks its sum. They are those that make built last, or, in a
// tree without them, those of the last release. Safe for concurrent use.
func Modules() fs.FS { return modules() }

// Names returns the file names of the embedded modules in order; none when they
// have not been built.
func Names() []string {
	names, err := fs.Glob(Modules(), "*.wasm")
	if err != nil {
		panic("plugins: the pattern is sound: " + err.Error())
	}
	return names
}
