// Command pack writes files into a zip archive, compressed with zstd: the same bytes for
// the same files and version of Go, which is the archive's comment. Each entry's comment is its
// SHA-256. The Makefile packs the first-party modules with it.
//
//	go run ./plugins/internal/pack modules.zip bash.wasm standard.wasm
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/klauspost/compress/zstd"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: pack ARCHIVE FILE...")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

// pack writes no time, mode or system of a file: they differ where the bytes do not.
func pack(archive string, files []string) error {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	w.RegisterCompressor(zstd.ZipMethodWinZip, zstd.ZipCompressor(zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(zstd.MaxWindowSize>>6)))
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		entry, err := w.CreateHeader(&zip.FileHeader{Name: filepath.Base(file), Method: zstd.ZipMethodWinZip, Comment: fmt.Sprintf("%x", sha256.Sum256(data))})
		if err != nil {
			return err
		}
		if _, err := entry.Write(data); err != nil {
			return err
		}
	}
	if err := w.SetComment(runtime.Version()); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	temporary := archive + ".new"
	if err := os.WriteFile(temporary, out.Bytes(), 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, archive)
}
