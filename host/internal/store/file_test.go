package store_test

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// checkBytes looks for a text in all files of a store.
func checkBytes(t *testing.T, path, text string, want bool) {
	t.Helper()
	if strings.HasPrefix(path, "postgres://") {
		return // the server's vacuum erases old versions of rows, in its own time
	}
	found := false
	for _, suffix := range []string{"", "-wal", "-shm"} {
		b, err := os.ReadFile(path + suffix)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		found = found || bytes.Contains(b, []byte(text))
	}
	if found != want {
		t.Errorf("%q in the store's files: got %v, want %v", text, found, want)
	}
}
