// Command precompile compiles the first-party modules for the processor it runs on, for the program
// to carry. RATIONALE.md, "Why does the program carry compiled code?".
//
//	go run ./host/internal/modules/precompile DIR ARCHIVE    replace the code in DIR by that of the archive's modules
package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "precompile:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("want a directory and an archive of modules")
	}
	archive, err := zip.OpenReader(args[1])
	if err != nil {
		return err
	}
	defer func() { _ = archive.Close() }() // only read
	archive.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	if err := clear(args[0]); err != nil {
		return err
	}
	for _, f := range archive.File {
		wasm, err := fs.ReadFile(archive, f.Name)
		if err == nil {
			err = compile(args[0], wasm)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.Name, err)
		}
	}
	return nil
}

// note is the file that keeps a directory without code in the tree.
const note = "README.md"

// clear removes the code of other modules.
func clear(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != note {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// compile writes what is made of one module, under the limits of a configuration that sets none.
func compile(dir string, wasm []byte) error {
	files, err := sandbox.Precompile(context.Background(), sandbox.Limits{}, wasm)
	if err != nil {
		return err
	}
	for name, data := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	return err
}
