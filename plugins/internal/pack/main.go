// Command pack keeps the archives of the first-party modules: a zip, compressed with zstd, with the
// same bytes for the same files. Each entry's comment is its SHA-256; the archive's names the compiler
// and the sources, one line each.
//
//	go run ./plugins/internal/pack -by COMPILER ARCHIVE FILE...   write an archive
//	go run ./plugins/internal/pack -sources                       print the sum of the guests' sources
//	go run ./plugins/internal/pack -note ARCHIVE                  print the archive's comment
//	go run ./plugins/internal/pack -extract DIR ARCHIVE           write its files into a directory
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

func main() {
	by := flag.String("by", "", "the compiler of the files")
	sources := flag.Bool("sources", false, "print the sum of the guests' sources")
	note := flag.Bool("note", false, "print an archive's comment")
	extract := flag.String("extract", "", "write an archive's files into this directory")
	flag.Parse()
	if err := run(*by, *sources, *note, *extract, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(by string, sources, note bool, extract string, args []string) error {
	switch {
	case sources:
		sum, err := sourceSum()
		fmt.Println(sum)
		return err
	case note && len(args) == 1:
		return read(args[0], func(files *zip.ReadCloser) error {
			fmt.Println(files.Comment)
			return nil
		})
	case extract != "" && len(args) == 1:
		return read(args[0], func(files *zip.ReadCloser) error {
			for _, f := range files.File {
				if err := write(filepath.Join(extract, filepath.Base(f.Name)), f); err != nil {
					return err
				}
			}
			return nil
		})
	case by != "" && len(args) >= 2:
		sum, err := sourceSum()
		if err != nil {
			return err
		}
		return pack(args[0], args[1:], by+"\nsources "+sum)
	default:
		return errors.New("want -by COMPILER ARCHIVE FILE..., -sources, -note ARCHIVE or -extract DIR ARCHIVE")
	}
}

func read(archive string, do func(*zip.ReadCloser) error) error {
	files, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	files.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	return errors.Join(do(files), files.Close())
}

func write(path string, f *zip.File) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(in)
	if err := errors.Join(err, in.Close()); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// pack writes no time, mode or system of a file: they differ where the bytes do not.
func pack(archive string, files []string, comment string) error {
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
	if err := w.SetComment(comment); err != nil {
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
