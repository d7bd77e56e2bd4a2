package script_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/sandbox"
	"github.com/callgate/callgate/host/script"
)

// engineFile is the engine that is committed; the cmd embeds the same.
const engineFile = "../../sdk/typescript/engine.wasm"

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
	r, err := sandbox.New(context.Background(), sandbox.Config{CacheDir: codeCache(t), Limits: limits})
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

var codeCache = func() func(*testing.T) string {
	return func(t *testing.T) string { return t.TempDir() }
}()

func TestScratch(t *testing.T) {
	t.Parallel()
	start := time.Now()
	m := load(t, `globalThis.callgate = (verb, input) => { if (input === "throw") throw new Error("boom"); if(input==="lone") return "\ud800"; if (input==="deep") { const f=(n)=>n===0?0:1+f(n-1); let n=100; try { for(;;n+=50) f(n) } catch(e) { return n+" "+e } } return verb + ":" + input + (1.5) + /^a+\p{L}/u.test("aaé") + new Date(0).toISOString() + Math.random() }`)
	t.Log(time.Since(start))
	for _, in := range []string{"", "hé", "throw", "lone", "deep", "\xff", "\xed\xa0\x80", "a\x00b", strings.Repeat("x", 1000)} {
		start := time.Now()
		out, err := m.Call(t.Context(), sandbox.Describe, []byte(in))
		t.Logf("%.20q: %.200q %v %v", in, out, err, time.Since(start))
	}
}
