// Command pack keeps the archives of the first-party modules: a zip, compressed with zstd, with the
// same bytes for the same files. Each entry's comment is its SHA-256; the archive's names the compiler
// and the sum of the sources ("sources SUM"), one line each.
//
//	go run ./plugins/internal/pack -by COMPILER ARCHIVE FILE...   write an archive
//	go run ./plugins/internal/pack -current ARCHIVE               print whether it is of the tree's sources: yes or no
//	go run ./plugins/internal/pack -compiler ARCHIVE              print the compiler
//	go run ./plugins/internal/pack -extract DIR ARCHIVE           write its files into a directory
package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

func main() {
	by := flag.String("by", "", "the compiler of the files")
	current := flag.Bool("current", false, "print whether an archive is of the tree's sources: yes or no")
	compiler := flag.Bool("compiler", false, "print an archive's compiler")
	extract := flag.String("extract", "", "write an archive's files into this directory")
	flag.Parse()
	err := errors.New("want -by COMPILER ARCHIVE FILE..., or -current, -compiler or -extract DIR with an ARCHIVE")
	switch args := flag.Args(); {
	case *by != "" && len(args) >= 2:
		err = pack(args[0], args[1:], *by)
	case len(args) != 1:
	case *current:
		err = printCurrent(args[0])
	case *compiler:
		err = read(args[0], func(files *zip.ReadCloser) error {
			by, _, _ := strings.Cut(files.Comment, "\n")
			_, err := fmt.Println(by)
			return err
		})
	case *extract != "":
		err = read(args[0], func(files *zip.ReadCloser) error { return write(*extract, files) })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func printCurrent(archive string) error {
	note, err := sourceNote()
	if err != nil {
		return err
	}
	return read(archive, func(files *zip.ReadCloser) error {
		answer := "no"
		if _, of, _ := strings.Cut(files.Comment, "\n"); of == note {
			answer = "yes"
		}
		_, err := fmt.Println(answer)
		return err
	})
}

// write replaces files that are there.
func write(dir string, files *zip.ReadCloser) error {
	for _, f := range files.File {
		data, err := fs.ReadFile(files, f.Name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, filepath.Base(f.Name)), data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func read(archive string, do func(*zip.ReadCloser) error) error {
	files, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	files.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	return errors.Join(do(files), files.Close())
}

// pack writes no time, mode or system of a file: they differ where the bytes do not.
func pack(archive string, files []string, by string) error {
	note, err := sourceNote()
	if err != nil {
		return err
	}
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
	if err := w.SetComment(by + "\n" + note); err != nil {
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
