package atomicfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/machine/atomicfile"
)

func has(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
	}
}

// alone fails when anything but the file is in its directory.
func alone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 || entries[0].Name() != filepath.Base(path) {
		t.Errorf("beside %s: got %v, %v, want nothing", path, entries, err)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"first", "second, and longer", ""} {
		if err := atomicfile.Write(path, []byte(text), nil); err != nil {
			t.Fatal(err)
		}
		has(t, path, text)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("got %v, %v, want a file of one's own", info, err)
	}
	alone(t, path)
}

// TestWrite_failing: an unfinished write leaves no trace.
func TestWrite_failing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := atomicfile.Write(path, []byte("old"), nil); err != nil {
		t.Fatal(err)
	}
	full := errors.New("no owner")
	if err := atomicfile.Write(path, []byte("new"), func(*os.File) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
	has(t, path, "old")
	alone(t, path)
}

func TestWrite_placeIsADirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("new"), nil); err == nil {
		t.Error("got nil, want an error")
	}
	alone(t, path)
}

func TestWrite_replacesALink(t *testing.T) {
	t.Parallel()
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	path := filepath.Join(t.TempDir(), "file")
	if err := errors.Join(os.WriteFile(elsewhere, []byte("theirs"), 0o600), os.Symlink(elsewhere, path)); err != nil {
		t.Skip(err) // Windows lets few accounts make links
	}
	if err := atomicfile.Write(path, []byte("ours"), nil); err != nil {
		t.Fatal(err)
	}
	has(t, elsewhere, "theirs")
	has(t, path, "ours")
}

func TestPart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	p, err := atomicfile.Begin(path, []byte("new"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("before Place: got %v, want none", err)
	}
	if err := p.Place(); err != nil {
		t.Fatal(err)
	}
	p.Discard()
	has(t, path, "new")
	alone(t, path)
	if err := atomicfile.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Remove: got %v, want none", err)
	}
}
