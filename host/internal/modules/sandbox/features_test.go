package sandbox_test

import (
	"runtime"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// TestFeatures: kept parts and the memory follow the configuration; pages are tracked on linux
// alone, and not on every one.
func TestFeatures(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", t.TempDir()} {
		r, err := sandbox.New(t.Context(), sandbox.Config{CacheDir: dir, Memory: 5 << 20})
		if err != nil {
			t.Fatal(err)
		}
		f := r.Features()
		if err := r.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if f.Kept != (dir != "") || f.MemoryMiB != 5 || f.UsedMiB != 0 || f.Apart || f.Tracking && runtime.GOOS != "linux" {
			t.Errorf("cache %q: got %+v", dir, f)
		}
	}
}
