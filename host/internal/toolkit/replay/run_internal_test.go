package replay

import (
	"os"
	"path/filepath"
	"testing"
)

func TestMakeDir(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for cache, parent := range map[string]string{
		filepath.Join(home, "callgate"):        home,
		"":                                     os.TempDir(),
		filepath.Join(home, "no", "such", "x"): os.TempDir(),
	} {
		dir, err := makeDir(cache)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		if got := filepath.Dir(dir); got != filepath.Clean(parent) {
			t.Errorf("cache %q: made in %s, want %s", cache, got, parent)
		}
	}
}
