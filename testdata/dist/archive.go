package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// archive makes callgate_VERSION_OS_ARCH.tar.gz, or a .zip for Windows: one folder with the
// binaries, and the documents below share/.
func (r *release) archive(t target) error {
	name := "callgate_" + r.version + "_" + t.os + "_" + t.arch
	var files []file
	for _, program := range []string{t.binary, t.hook} {
		data, err := os.ReadFile(program)
		if err != nil {
			return err
		}
		files = append(files, file{path: path.Join(name, filepath.Base(program)), data: data, mode: 0o755})
	}
	for _, f := range r.extras {
		files = append(files, file{path: path.Join(name, strings.TrimPrefix(f.path, "usr/")), data: f.data, mode: f.mode})
	}
	if t.os == "windows" {
		data, err := zipped(files, r.made)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(r.out, name+".zip"), data, 0o644)
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := tarred(z, files, r.made); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, name+".tar.gz"), out.Bytes(), 0o644)
}

// tarred writes files as root's, all with one time.
func tarred(to io.Writer, files []file, made time.Time) error {
	w := tar.NewWriter(to)
	for _, f := range files {
		header := &tar.Header{Name: f.path, Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: made, Format: tar.FormatPAX, Typeflag: tar.TypeReg}
		if f.mode.IsDir() {
			header.Typeflag, header.Name = tar.TypeDir, f.path+"/"
		}
		if f.owner != 0 {
			header.Uid, header.Gid = f.owner, f.owner
		}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return w.Close()
}

func zipped(files []file, made time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.path, Method: zip.Deflate, Modified: made}
		header.SetMode(f.mode)
		entry, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := entry.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}
