package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// guestFiles are the golden and hostile modules.
func guestFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, dir := range []string{"modules", "hostile"} {
		some, err := filepath.Glob(repo.File("testdata") + "/" + dir + "/*.wasm")
		if err != nil || len(some) == 0 {
			t.Fatalf("no modules in %s: %v", dir, err)
		}
		files = append(files, some...)
	}
	return files
}

// recoveryInput is each verb's input.
const recoveryInput = `{"target":"staging/web","rules":[{"content":"x"}]}`

// outcome is a call's result and its traces.
type outcome struct{ answer, left string }

// ask calls a verb on an instance, as Append does, without restoring it.
func ask(inst *instance, verb int) outcome {
	inst.watch()
	output, err := inst.call(context.Background(), nil, verb, Request{Input: []byte(recoveryInput)})
	o := outcome{answer: fmt.Sprintf("%.200s fuel %d", output, inst.kernel.Used())}
	if err != nil {
		o.answer = fmt.Sprintf("%s %s: %s fuel %d", err.Kind, err.Limit, err.Message, inst.kernel.Used())
	}
	inst.rein(verb, err != nil)
	return o
}

// digest is the sha256 of the state, in hex.
func (s *state) digest() string {
	sum := sha256.New()
	sum.Write(s.memory)
	for _, g := range s.globals {
		sum.Write(binary.LittleEndian.AppendUint64(nil, g))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func (inst *instance) digest() string {
	var s state
	s.read(inst)
	return s.digest()
}

// TestRecovery: after a call of any verb of any module, even a failed one, a kept instance has
// the memory and the globals of a new one, and gives the same answers for the same fuel. In
// each mode of restoring here.
func TestRecovery(t *testing.T) {
	t.Parallel()
	for mode := memory.Untracked; mode <= memory.Best(); mode++ {
		r, err := New(t.Context(), Config{Limits: Limits{Fuel: 200_000, Timeout: time.Minute, MemoryPages: 64}})
		if err != nil {
			t.Fatal(err)
		}
		r.tracking = mode
		t.Run(fmt.Sprintf("mode %d", mode), func(t *testing.T) {
			t.Cleanup(func() { _ = r.Close(context.Background()) })
			for i, file := range guestFiles(t) {
				if raceflag.Enabled && i%6 != int(mode) || mode != memory.Best() && i%3 != 0 {
					continue // compiling takes long; each module is tried in the relevant mode
				}
				recovers(t, r, file)
			}
		})
	}
}

func recovers(t *testing.T, r *Runtime, file string) {
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(file)
	m, err := r.Load(t.Context(), name, wasm)
	if err != nil {
		return // the hostile suite names those that must not load
	}
	defer m.Close(t.Context())
	inst, failure := m.start(t.Context())
	if failure != nil {
		return // nor begin
	}
	want := map[int]outcome{}
	for verb := range m.verbs {
		fresh, failure := m.start(t.Context())
		if failure != nil {
			t.Fatalf("%s: %v", name, failure)
		}
		left := fresh.digest()
		want[verb] = ask(fresh, verb)
		want[verb] = outcome{want[verb].answer, left}
		fresh.close(t.Context())
	}
	calm := max(slices.Index(m.verbs, CheckReadOnly), 0)
	for verb := range m.verbs {
		for _, next := range []int{verb, calm, verb} {
			if got := ask(inst, next); got.answer != want[next].answer {
				t.Errorf("%s: %s after %s: got %s; want %s", name, m.verbs[next], m.verbs[verb], got.answer, want[next].answer)
			}
			if !inst.restore() {
				inst.close(t.Context())
				if inst, failure = m.start(t.Context()); failure != nil {
					t.Fatalf("%s: %v", name, failure)
				}
			}
			if got := inst.digest(); got != want[next].left {
				t.Errorf("%s: after %s: the state differs from a new instance's", name, m.verbs[next])
			}
		}
	}
	inst.close(t.Context())
}

// TestRecoveryIsKept: failures caused by hostile modules do not cost an instance, or a sender
// of many of them would make the host slow.
func TestRecoveryIsKept(t *testing.T) {
	t.Parallel()
	r, err := New(t.Context(), Config{Limits: Limits{Fuel: 200_000, Timeout: time.Minute, MemoryPages: 64}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) })
	for _, name := range []string{"trap", "code", "wild_load", "memory_bomb", "loop", "fill", "count_grown", "recursion", "empty", "network"} {
		wasm, err := os.ReadFile(repo.File("testdata/hostile") + "/" + name + ".wasm")
		if err != nil {
			t.Fatal(err)
		}
		m, err := r.Load(t.Context(), name, wasm)
		if err != nil {
			t.Fatal(err)
		}
		var first *instance
		for range 5 {
			inst, failure := m.take(t.Context())
			if failure != nil {
				t.Fatal(failure)
			}
			if first == nil {
				first = inst
			}
			if inst != first {
				t.Errorf("%s: its failure cost an instance", name)
			}
			for verb, export := range m.verbs {
				if strings.HasPrefix(export, "check_") {
					inst.watch()
					_, failure := inst.call(t.Context(), nil, verb, Request{Input: []byte(recoveryInput)})
					inst.rein(verb, failure != nil)
					inst.faults.Unpin()
				}
			}
			m.pool.put(t.Context(), inst)
		}
		m.Close(t.Context())
	}
}
