package compiledtest_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// TestMain_shared: the second package with tests gets the code compiled by the first one, in a
// cache accepted by the host and removed with the tests. Code compiled of other modules goes.
func TestMain_shared(t *testing.T) {
	shared := t.TempDir()
	t.Setenv(compiledtest.Shared, shared)
	module, err := os.ReadFile(repo.File("testdata/modules/echo.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	modules := fstest.MapFS{"echo.wasm": {Data: module}}
	if err := os.MkdirAll(filepath.Join(shared, "code", "of other modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	var caches []string
	var kept []fs.FileInfo
	for range 2 {
		code := compiledtest.Main(modules, func(cache string) int {
			caches = append(caches, cache)
			_ = compiled(t, cache)
			runtime, _, err := compiledtest.Open(modules, cache)
			if err != nil {
				t.Fatal(err)
			}
			if err := runtime.Close(context.Background()); err != nil {
				t.Error(err)
			}
			return 3
		})
		if code != 3 {
			t.Errorf("got exit code %d, want the tests' own", code)
		}
		kept = append(kept, compiled(t, keptIn(t, shared)))
	}
	if !os.SameFile(kept[0], kept[1]) {
		t.Error("the module was compiled twice")
	}
	if caches[0] == caches[1] {
		t.Errorf("got %s twice, want a cache for each", caches[0])
	}
	for _, c := range caches {
		if _, err := os.Lstat(c); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s after the tests: got %v, want it gone", c, err)
		}
	}
}

// keptIn is the one cache of a shared directory.
func keptIn(t *testing.T, shared string) string {
	t.Helper()
	caches, err := filepath.Glob(filepath.Join(shared, "code", "*"))
	if err != nil || len(caches) != 1 {
		t.Fatalf("got %v, %v, want one cache", caches, err)
	}
	return caches[0]
}

// compiled is the one file with code in a cache.
func compiled(t *testing.T, cache string) fs.FileInfo {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(cache, "compiled"))
	if err != nil || len(entries) != 1 {
		t.Fatalf("got %v, %v, want the code of one module", entries, err)
	}
	info, err := entries[0].Info()
	if err != nil {
		t.Fatal(err)
	}
	return info
}
