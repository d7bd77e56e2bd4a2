//go:build unix

package target

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Identify implements Identifier.
func (*osFS) Identify(path string) (Stat, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Stat{}, err
	}
	file, err := fileNumber(info)
	state := fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
	return Stat{File: file, State: state, Size: info.Size(), Regular: info.Mode().IsRegular()}, err
}

// fileNumber identifies the file of info for its lifetime.
func fileNumber(info fs.FileInfo) (string, error) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errNoIdentity
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino), nil
}

// Sum implements Identifier. It looks at the opened file, as ReadSmall does.
func (*osFS) Sum(ctx context.Context, path string, limit int64) (sum, file string, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", "", err
	case !info.Mode().IsRegular():
		return "", "", &fs.PathError{Op: "read", Path: path, Err: errNotRegular}
	}
	if file, err = fileNumber(info); err != nil {
		return "", "", err
	}
	h := sha256.New()
	n, err := io.Copy(h, &patientReader{ctx, io.LimitReader(f, limit+1)})
	if err == nil && n > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: errTooLarge}
	}
	return hex.EncodeToString(h.Sum(nil)), file, err
}

// patientReader reads until its context ends.
type patientReader struct {
	ctx context.Context
	in  io.Reader
}

// Read implements io.Reader.
func (r *patientReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
}
