package private_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/private"
)

// TestT18_Directory: what others could have filled is not used.
func TestT18_Directory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes and links mean something else there")
	}
	base := t.TempDir()
	at := func(name string) string { return filepath.Join(base, name) }
	if err := private.Directory(at("new/deep")); err != nil {
		t.Errorf("a new one: %v", err)
	}
	if info, err := os.Stat(at("new/deep")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v; want mode 0700", info, err)
	}
	if err := private.Directory(at("new/deep")); err != nil {
		t.Errorf("again: %v", err)
	}
	if err := os.Symlink(at("new"), at("link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(at("open"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(at("open"), 0o770); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"link": "is a link", "file": "not a directory", "open": "others can write"} {
		if err := private.Directory(at(name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want %q", name, err, want)
		}
	}
}
