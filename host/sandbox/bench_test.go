package sandbox_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/sandbox"
)

// goGuest is a first-party module, built by `make wasm`.
const goGuest = "../../plugins/dist/bash.wasm"

const bashCall = `{"tool":"Bash","input":{"command":"npm run build"},"context":{"agent":"builder","session":"s-1","user":"ann",` +
	`"cwd":"/my/project","working_directories":["/my/project"],"home":"/home/dev","kind":"main","resumed":false,"approver":"","active_skills":[],"targets":[]},` +
	`"behavior":"allow","rules":[{"content":"npm run:*"}]}`

func BenchmarkCall(b *testing.B) {
	for _, bm := range []struct{ name, module, verb, input string }{
		{"empty", "code", "check_read_only", ""},
		{"wat", "deploy", "check_permissions", `{"target":"staging/web"}`},
		{"fresh", "count_table", "match_rule", ""}, // cannot be restored
	} {
		b.Run(bm.name, func(b *testing.B) { measure(b, wasm(b, bm.module), bm.verb, bm.input) })
	}
	b.Run("go", func(b *testing.B) {
		module, err := os.ReadFile(goGuest)
		if err != nil {
			b.Skipf("no Go guest: %v: run make wasm", err)
		}
		measure(b, module, "match_rule", bashCall)
	})
}

func measure(b *testing.B, wasm []byte, verb, input string) {
	m, err := newRuntime(b, sandbox.Limits{}).Load(context.Background(), "x.wasm", wasm)
	if err != nil {
		b.Fatal(err)
	}
	example := sandbox.Example{verb: []byte(strings.ReplaceAll(input, "npm run build", "git status"))}
	m.WarmUp(context.Background(), []sandbox.Example{example, example})
	call := func() {
		if _, err := m.Call(context.Background(), verb, []byte(input)); err != nil {
			b.Fatal(err)
		}
	}
	call()
	b.ReportAllocs()
	for b.Loop() {
		call()
	}
}
