//go:build unix

package target_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// TestT11_identify takes identities before and after a change of a call's program.
func TestT11_identify(t *testing.T) {
	t.Parallel()
	write := func(t *testing.T, path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		happens func(t *testing.T, path string)
		same    bool
	}{
		"nothing":           {func(*testing.T, string) {}, true},
		"touched":           {func(t *testing.T, p string) { write(t, p, "one") }, true},
		"edited":            {func(t *testing.T, p string) { write(t, p, "two") }, false},
		"replaced":          {func(t *testing.T, p string) { write(t, p+"2", "one"); ok(t, os.Rename(p+"2", p)) }, false},
		"removed":           {func(t *testing.T, p string) { ok(t, os.Remove(p)) }, false},
		"a link instead":    {func(t *testing.T, p string) { ok(t, os.Rename(p, p+"2")); ok(t, os.Symlink(p+"2", p)) }, false},
		"a pipe instead":    {func(t *testing.T, p string) { ok(t, os.Remove(p)); ok(t, syscall.Mkfifo(p, 0o600)) }, false},
		"grown beyond 16 M": {func(t *testing.T, p string) { ok(t, os.Truncate(p, 16<<20+1)) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "script")
			write(t, path, "one")
			before := identified(t, dir, path)
			sum := sha256.Sum256([]byte("one"))
			if want := "sha256:" + hex.EncodeToString(sum[:]); before[1].Content != want || before[0].File == "" || before[0].Content != "" {
				t.Fatalf("got %+v, want the directory and %s", before, want)
			}
			c.happens(t, path)
			if after := identified(t, dir, path); (after[1] == before[1] && after[1].Error == "") != c.same {
				t.Errorf("before %+v, after %+v: want the same: %t", before[1], after[1], c.same)
			}
		})
	}
}

// A file too large for a digest says so, and is identified by its size and time.
func TestT11_identifyLargeFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "large")
	ok(t, os.WriteFile(path, nil, 0o700))
	ok(t, os.Truncate(path, 16<<20+1))
	if got := identified(t, "", path); !strings.Contains(got[1].Content, "16777217 bytes") || !strings.Contains(got[1].Content, "no digest") || got[0] != (target.Identity{}) {
		t.Errorf("got %+v, want its size, and why there is no digest", got)
	}
}

// A file system without file identities gives no identity.
func TestT11_identifyWithoutADisk(t *testing.T) {
	t.Parallel()
	r := &target.Resolver{FS: target.Links(nil)}
	if got, err := r.Identify(t.Context(), "/", nil); err == nil {
		t.Errorf("got %+v, want an error", got)
	}
}

// identified are the identities of a directory and of a program there.
func identified(t *testing.T, dir, path string) []target.Identity {
	t.Helper()
	_, err := os.Lstat(path)
	got, err := (&target.Resolver{FS: target.OS()}).Identify(t.Context(), dir, []engine.Target{
		{Kind: "path", Value: path, Access: "run", Resolved: path, Lexical: path, Exists: err == nil},
	})
	if err != nil || len(got) != 2 {
		t.Fatalf("got %+v, %v, want two", got, err)
	}
	return got
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
