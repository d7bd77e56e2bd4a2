package protect_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/protect"
)

// BenchmarkProtect judges a usual command: one program, two paths.
func BenchmarkProtect(b *testing.B) {
	wd, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	f := protect.Own()
	f.Home, f.Config, f.State, f.Cache, f.Store = "/root", "/root/.config/callgate", "/root/.local/state/callgate", "/root/.cache/callgate", "/root/.local/state/callgate/callgate.db"
	g := protect.New(f)
	g.Answers("unix", "/root/.local/state/callgate/callgate.sock")
	c := &engine.Call{Tool: "Bash", Input: json.RawMessage(`{"command":"cp doc.go /tmp/x"}`), Context: engine.Context{CWD: wd, Home: "/root", WorkingDirectories: []string{wd}}}
	c.Context.Targets = []engine.Target{
		{Kind: "path", Value: "doc.go", Access: "read", Resolved: wd + "/doc.go", Lexical: wd + "/doc.go", Exists: true},
		{Kind: "path", Value: "/tmp/x", Access: "write", Resolved: "/tmp/x", Lexical: "/tmp/x"},
		{Kind: "program", Value: "cp doc.go /tmp/x", Access: "run"}, {Kind: "tree", Value: "doc.go", Access: "read"},
	}
	if why := g.Protect(c); why != "" {
		b.Fatal(why)
	}
	b.ReportAllocs()
	for b.Loop() {
		g.Protect(c)
	}
}
