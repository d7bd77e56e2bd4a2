package script_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/script"
)

// engineFile is the committed engine; the cmd embeds the same.
var engineFile = repo.File("sdk/typescript/engine.wasm")

var readEngine = sync.OnceValue(func() []byte {
	wasm, err := os.ReadFile(engineFile)
	if err != nil {
		panic(err)
	}
	return wasm
})

// load links a script and loads the module; it must be closed by no one but t.
func load(t *testing.T, js string) *sandbox.Module {
	t.Helper()
	wasm, err := script.Link(readEngine(), []byte(js))
	if err != nil {
		t.Fatal(err)
	}
	return open(t, wasm)
}

func open(t *testing.T, wasm []byte) *sandbox.Module {
	t.Helper()
	limits := sandbox.Limits{Timeout: time.Minute, CompileTime: 10 * time.Minute}
	r, err := sandbox.New(context.Background(), sandbox.Config{Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Load(context.Background(), "tool.wasm", wasm)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		m.Close(context.Background())
		_ = r.Close(context.Background())
	})
	return m
}
