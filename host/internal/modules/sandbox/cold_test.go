package sandbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// coldEnvelope is a call from a world of its own: with and without a configuration,
// below other directories, by other agents.
func coldEnvelope(n int) []byte {
	worlds := []string{
		`"config":{"max":10},"context":{"agent":"a","session":"s","user":"u","cwd":"/p","home":"/h","working_directories":["/p"]}`,
		`"context":{"agent":"b","session":"t","user":"v","cwd":"/q","home":"/i","working_directories":["/q"]}`,
		`"config":{"max":1000,"x":"y"},"context":{"agent":"","session":"","user":"","cwd":"/","home":"/","working_directories":[]}`,
	}
	tools := []string{"Lazy", "Deploy", "x"}
	inputs := []string{`{"n":50}`, `{"target":"staging/web"}`, `{"target":"production/web","n":1}`}
	return fmt.Appendf(nil, `{"tool":"%s","input":%s,%s,"behavior":"allow","rules":[{"content":"staging/*"}]}`, tools[n%3], inputs[n/3%3], worlds[n/9%3])
}

const coldEnvelopes = 27

// cold is a verb's answer on an instance after nothing but the module's initialisers.
func cold(t *testing.T, m *Module, verb, n int) string {
	t.Helper()
	inst, failure := m.initialised(t.Context())
	if failure != nil {
		t.Fatal(failure)
	}
	defer inst.close(context.Background())
	return said(inst.call(t.Context(), nil, verb, Request{Input: coldEnvelope(n)}))
}

func said(output []byte, err *Error) string {
	if err != nil {
		return fmt.Sprintf("%s %s: %s", err.Kind, err.Limit, err.Message)
	}
	return string(output)
}

// TestT16_everyCallIsTheFirst: calls began after calls of the module's own examples, without a
// configuration, so a module keeping its first input did not see the operator's restriction.
// After any calls, a call's result is that of an instance without an earlier verb.
func TestT16_everyCallIsTheFirst(t *testing.T) {
	t.Parallel()
	r, err := New(t.Context(), Config{Limits: Limits{Fuel: 1_000_000, Timeout: time.Minute, MemoryPages: 64}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	for i, file := range guestFiles(t) {
		if raceflag.Enabled && i%6 != 0 {
			continue // compiling takes long
		}
		everyCallIsTheFirst(t, r, file)
	}
}

func everyCallIsTheFirst(t *testing.T, r *Runtime, file string) {
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := r.Load(t.Context(), filepath.Base(file), wasm)
	if err != nil {
		return // the hostile suite names those that must not load
	}
	defer m.Close(context.Background())
	inst, failure := m.initialised(t.Context())
	if failure != nil {
		return // nor begin
	}
	inst.close(context.Background())
	random, envelopes := rand.New(rand.NewPCG(16, uint64(len(wasm)))), coldEnvelopes
	if filepath.Base(filepath.Dir(file)) == "hostile" {
		envelopes = 4 // such a call may use up all its fuel
	}
	for _, n := range random.Perm(coldEnvelopes)[:envelopes] {
		for verb := range m.verbs {
			want := cold(t, m, verb, n)
			output, err := m.call(t.Context(), nil, Request{Export: m.verbs[verb], Input: coldEnvelope(n)})
			if got := said(output, err); got != want {
				t.Errorf("%s: %s %s: got %.200s; on a cold instance %.200s", m.name, m.verbs[verb], coldEnvelope(n), got, want)
			}
		}
	}
}

// TestFirstPartyKeepsNothing: the first-party modules set up their tables while they
// start. Called again and again without being put back, they answer as at first: nothing
// of a call stays in a variable of theirs.
func TestFirstPartyKeepsNothing(t *testing.T) {
	t.Parallel()
	if raceflag.Enabled {
		t.Skip("compiling a Go guest under -race takes a minute")
	}
	for _, guest := range []struct {
		file  string
		calls []string
	}{
		{"bash", []string{
			`{"tool":"Bash","input":{"command":"cat notes/a && npm test"},%s}`, `{"tool":"Bash","input":{"command":"echo \"$HOME\" > out; cd ..; rm -rf x"},%s}`,
			`{"tool":"Bash","input":{"command":"git -C /p push origin main"},%s}`,
		}},
		{"standard", []string{
			`{"tool":"Read","input":{"file_path":"notes/a"},%s}`, `{"tool":"Write","input":{"file_path":"/p/a","content":"x"},%s}`,
			`{"tool":"WebFetch","input":{"url":"https://example.com/a"},%s}`, `{"tool":"Deploy","input":{"a":1},%s}`,
		}},
	} {
		t.Run(guest.file, func(t *testing.T) {
			t.Parallel()
			keepsNothing(t, repo.File("plugins/dist")+"/"+guest.file+".wasm", guest.calls)
		})
	}
}

func keepsNothing(t *testing.T, file string, calls []string) {
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("no guest: %v: run make wasm", err)
	}
	r, err := New(t.Context(), Config{CacheDir: Compiled, Limits: Limits{Fuel: 5_000_000_000, Timeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	m, err := r.Load(t.Context(), filepath.Base(file), wasm)
	if err != nil {
		t.Fatal(err)
	}
	worlds := []string{
		`"config":{"protected":["**/notes/**"],"dialect":"zsh"},"context":{"agent":"a","session":"s","user":"u","mode":"default","cwd":"/p","home":"/h","kind":"main","working_directories":["/p"]},"behavior":"allow","rules":[{"content":"npm test"},{"content":"notes/**"}]`,
		`"context":{"agent":"b","session":"t","user":"v","mode":"explore","cwd":"/q/r","home":"/i","kind":"main","dialect":"fish","working_directories":["/q"]},"behavior":"deny","rules":[{"content":"rm:*"},{"content":"/p/**"}]`,
	}
	held, failure := m.take(t.Context())
	if failure != nil {
		t.Fatal(failure)
	}
	random := rand.New(rand.NewPCG(7, 7))
	for range 60 {
		verb, env := random.IntN(len(m.verbs)), fmt.Appendf(nil, calls[random.IntN(len(calls))], worlds[random.IntN(len(worlds))])
		output, err := m.call(t.Context(), nil, Request{Export: m.verbs[verb], Input: env})
		want := said(output, err)
		held.kernel.Reset()
		if got := said(held.call(t.Context(), nil, verb, Request{Input: env})); got != want {
			t.Errorf("%s %s: got %.300s; at first %.300s", m.verbs[verb], env, got, want)
		}
	}
	m.pool.put(t.Context(), held)
}
