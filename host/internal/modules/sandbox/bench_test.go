package sandbox_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// goGuest is a first-party module, built by `make wasm`.
var goGuest = repo.File("plugins/dist/bash.wasm")

const bashCall = `{"tool":"Bash","input":{"command":"npm run build"},"context":{"agent":"builder","session":"s-1","user":"ann",` +
	`"cwd":"/my/project","working_directories":["/my/project"],"home":"/home/dev","kind":"main","resumed":false,"approver":"","active_skills":[],"targets":[]},` +
	`"behavior":"allow","rules":[{"content":"npm run:*"}]}`

// guests are the permission check of testdata/bench/guests. The Go ones are
// built by the benchmarks' Makefile.
var guests = []struct{ name, file string }{
	{"C", repo.File("testdata/bench/guests/check_c.wasm")},
	{"AssemblyScript", repo.File("testdata/bench/guests/check_as.wasm")},
	{"Go", repo.File("bin/bench/check_go.wasm")},
	{"Go+sh", repo.File("bin/bench/check_gosh.wasm")},
}

// checkCall is their input, 346 bytes.
const checkCall = `{"tool":"Bash","input":{"command":"npm run build -- --mode production && npm run check 2>&1"},` +
	`"context":{"agent":"builder","session":"s-1","user":"ann","mode":"default","cwd":"/my/project",` +
	`"working_directories":["/my/project"],"project_root":"/my/project","home":"/home/dev","kind":"main",` +
	`"resumed":false,"approver":"ann","active_skills":[]}}`

// guestBytes reads a guest of the benchmarks; a missing one skips.
func guestBytes(tb testing.TB, name string) []byte {
	tb.Helper()
	for _, g := range guests {
		if g.name == name {
			wasm, err := os.ReadFile(g.file)
			if err != nil {
				tb.Skipf("no guest %s: %v: run make bench", name, err)
			}
			return wasm
		}
	}
	tb.Fatalf("no guest is called %s", name)
	return nil
}

type loader func(context.Context, string, []byte) (*sandbox.Module, error)

// warm loads a guest.
func warm(tb testing.TB, load loader, name string, wasm []byte) *sandbox.Module {
	tb.Helper()
	m, err := load(context.Background(), name, wasm)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func hold(tb testing.TB, m *sandbox.Module) *sandbox.Held {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	h, err := m.Hold(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { h.Release(context.Background()) })
	return h
}
