package target_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// BenchmarkResolve resolves two paths below this package on the real disk,
// repository facts included.
func BenchmarkResolve(b *testing.B) {
	wd, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	r := &target.Resolver{FS: target.OS()}
	p := target.Place{CWD: wd, Home: "/root", WorkingDirectories: []string{wd}}
	targets := []engine.Target{{Kind: "path", Value: "doc.go", Access: "read"}, {Kind: "path", Value: "new/out.txt", Access: "write"}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Resolve(context.Background(), p, json.RawMessage(`{"command":"cp doc.go new/out.txt"}`), targets); err != nil {
			b.Fatal(err)
		}
	}
}
