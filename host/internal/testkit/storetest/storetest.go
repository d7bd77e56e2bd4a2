// Package storetest makes empty stores for tests.
package storetest

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/store"
)

// empty is the file of a store opened once. Its migrations take a second under the race
// detector, and hundreds of tests want one.
var empty = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "callgate-store-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	s, err := store.Open(context.Background(), filepath.Join(dir, "empty.db"), store.Options{})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(s.Path())
})

// Open opens the store at path, a file or a URL, and first lays an empty file there when nothing is.
func Open(t testing.TB, path string, o store.Options) *store.Store {
	t.Helper()
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) && !strings.HasPrefix(path, "postgres://") {
		lay(t, path)
	}
	s, err := store.Open(context.Background(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func lay(t testing.TB, path string) {
	t.Helper()
	file, err := empty()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
}
