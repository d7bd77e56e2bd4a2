package wasmbin_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/wasmgen"
)

// made is the Version of Rewrite's output for golden and generated modules, and a digest of it.
const made = "13 082ea6d171181ccd29787e6e62fc4e19"

// TestVersion: other output needs another version, or processes would run an older program's
// code. The golden modules are named, so a new one beside them is no change of Rewrite's.
func TestVersion(t *testing.T) {
	t.Parallel()
	h := sha256.New()
	add := func(name string, data []byte) {
		r, err := wasmbin.Rewrite(data, wasmbin.Options{
			MemoryPages: 1024, TableEntries: 65536, Functions: 65536, Globals: 10000, StackBytes: 8 << 20, Bytes: 1 << 20,
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, _ = fmt.Fprintf(h, "%d:", len(r.Wasm)) // a hash takes everything
		_, _ = h.Write(r.Wasm)
	}
	for _, name := range []string{"abi", "bytes", "deploy", "describe_turns", "echo", "everything", "match_turns", "sleep"} {
		data, err := os.ReadFile(repo.File("testdata/modules") + "/" + name + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		add(name, data)
	}
	for seed := range uint64(50) {
		add(fmt.Sprint("seed ", seed), wasmgen.Generate(choices(seed), wasmgen.Options{}).Wasm)
	}
	if got := fmt.Sprintf("%d %x", wasmbin.Version, h.Sum(nil)[:16]); got != made {
		t.Errorf("Rewrite makes %q, which was %q: raise Version with each change, and put the first here", got, made)
	}
}
