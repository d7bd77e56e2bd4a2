package wasmbin_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/callgate/callgate/host/sandbox/internal/wasmbin"
)

// made is the Version of what Rewrite makes of the golden modules, and a digest of
// it.
const made = "12 211b02c0f7fca76dcb1a8e4df39d77d2"

// TestVersion: other output is another version, or processes would run code that
// an older program kept.
func TestVersion(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../../../testdata/modules/*.wasm")
	if err != nil || len(files) < 5 {
		t.Fatalf("got %v, %v; want the golden modules", files, err)
	}
	slices.Sort(files)
	h := sha256.New()
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := wasmbin.Rewrite(data, wasmbin.Options{
			MemoryPages: 1024, TableEntries: 65536, Functions: 65536, Globals: 10000, StackBytes: 8 << 20, Bytes: 1 << 20,
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, _ = fmt.Fprintf(h, "%d:", len(r.Wasm)) // a hash takes everything
		_, _ = h.Write(r.Wasm)
	}
	if got := fmt.Sprintf("%d %x", wasmbin.Version, h.Sum(nil)[:16]); got != made {
		t.Errorf("Rewrite makes %q, which was %q: raise Version with each change, and put the first here", got, made)
	}
}
