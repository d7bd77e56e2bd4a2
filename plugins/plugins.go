// Package plugins holds the first-party tool modules, built to WebAssembly from the packages below
// it and embedded, so one binary is the whole product. RATIONALE.md, "Why two wasm files for all
// first-party tools?" and RATIONALE.md, "Why are the embedded modules compressed?". See also
// RATIONALE.md, "Why are the release's modules in the tree?".
package plugins

import (
	"archive/zip"
	"embed"
	"errors"
	"io"
	"io/fs"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

//go:embed dist/embedded
var embedded embed.FS

// archive is the modules' zip, read where the binary has it.
type archive struct{ *zip.Reader }

var modules = sync.OnceValue(func() fs.FS {
	packed, err := embedded.Open("dist/embedded/modules.zip")
	if errors.Is(err, fs.ErrNotExist) {
		packed, err = embedded.Open("dist/embedded/release.zip")
	}
	if err != nil {
		return embed.FS{}
	}
	info, err := packed.Stat()
	if err != nil {
		panic("plugins: the embedded modules.zip: " + err.Error())
	}
	files, err := zip.NewReader(packed.(io.ReaderAt), info.Size()) // as embed says
	if err != nil {
		panic("plugins: the embedded modules.zip: " + err.Error())
	}
	files.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	return archive{files}
})

// Digest returns a module's SHA-256 in hex, as noted when it was packed; empty for an archive
// without such notes.
func (a archive) Digest(name string) string {
	for _, f := range a.File {
		if f.Name == name {
			return f.Comment
		}
	}
	return ""
}

// Shipped opens a file with this name among those that were made for this system; nil without it.
// RATIONALE.md, "Why does the program carry compiled code?".
func (archive) Shipped(name string) *io.SectionReader {
	f, err := code.Open("dist/code/" + runtime.GOOS + "_" + runtime.GOARCH + "/" + name)
	if err != nil {
		return nil
	}
	at, ok := f.(io.ReaderAt) // as embed says; it has nothing to close
	info, err := f.Stat()
	if !ok || err != nil {
		return nil
	}
	return io.NewSectionReader(at, 0, info.Size())
}

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
