package wasmbin_test

import (
	"os"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/wasmbin"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// BenchmarkRewrite rewrites a first-party Go guest.
func BenchmarkRewrite(b *testing.B) {
	wasm, err := os.ReadFile(repo.File("plugins/dist/bash.wasm"))
	if err != nil {
		b.Skipf("no Go guest: %v: run make wasm", err)
	}
	large := options
	large.MemoryPages, large.TableEntries, large.Bytes = 1024, 65536, 64<<20
	large.Functions, large.Globals = 65536, 10000
	b.SetBytes(int64(len(wasm)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wasmbin.Rewrite(wasm, large); err != nil {
			b.Fatal(err)
		}
	}
}
