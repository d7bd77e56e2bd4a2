package sandbox_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// replayed is a module and its repeatable calls.
type replayed struct {
	name, file string
	calls      [][2]string // verb and input
	repeats    int
}

// manyRepeats is how often the benchmark repeats each call of each module, and
// the test those of small ones. A guest written in Go takes ten times as long.
const manyRepeats = 10000

func replays() []replayed {
	check := [][2]string{
		{sandbox.CheckPermissions, checkCall},
		{sandbox.CheckPermissions, strings.Replace(checkCall, "npm run build", "rm -rf /", 1)},
	}
	all := []replayed{
		{"C", guests[0].file, check, manyRepeats / len(check)},
		{"AssemblyScript", guests[1].file, check, manyRepeats / len(check)},
		{"mirror", repo.File("testdata/modules/mirror.wasm"), [][2]string{{sandbox.CheckReadOnly, "{}"}}, manyRepeats},
	}
	if !raceflag.Enabled { // compiling a Go guest takes a minute then
		command := strings.Split(bashCall, `,"behavior"`)[0] + "}"
		all = append(all, replayed{"Go", goGuest, [][2]string{{sandbox.CheckPermissions, command}, {sandbox.MatchRule, bashCall}}, 100})
	}
	return all
}

// The environment of a child of this test: the module it is to tell of, and
// where its parent keeps compiled code.
const (
	childReplay = "CALLGATE_TEST_REPLAY"
	childCache  = "CALLGATE_TEST_REPLAY_CACHE"
)

// TestReplay: the same call comes to the same output, fuel and memory on each
// repeat, on each instance, and in another process. `make bench` repeats calls
// of guests written in Go 10,000 times too.
func TestReplay(t *testing.T) {
	t.Parallel()
	for _, re := range replays() {
		t.Run(re.name, func(t *testing.T) {
			t.Parallel()
			if child := os.Getenv(childReplay); child != "" && child != re.name {
				return
			}
			wasm, err := os.ReadFile(re.file)
			if err != nil {
				t.Skipf("no guest: %v: run make wasm", err)
			}
			cache := os.Getenv(childCache)
			if cache == "" {
				cache = filepath.Join(t.TempDir(), "cache")
			}
			m := replayModule(t, re, wasm, cache)
			if os.Getenv(childReplay) != "" {
				tell(t, trace(t, re, hold(t, m)))
				return
			}
			want := trace(t, re, hold(t, m))
			if changed := repeat(t, re, m, want); changed > 0 {
				t.Errorf("%d of %d repeats came to something else", changed, re.repeats*len(re.calls))
			}
			if got := inAnotherProcess(t, re.name, cache); !slices.Equal(got, want) {
				t.Errorf("in another process: got %+v; want %+v", got, want)
			}
		})
	}
}

func replayModule(t *testing.T, re replayed, wasm []byte, cache string) *sandbox.Module {
	t.Helper()
	r, err := sandbox.New(context.Background(), sandbox.Config{CacheDir: cache, Limits: sandbox.Limits{Timeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	m, err := r.Load(context.Background(), re.name, wasm)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// trace makes each call once.
func trace(tb testing.TB, re replayed, h *sandbox.Held) []sandbox.Traced {
	tb.Helper()
	var all []sandbox.Traced
	for _, c := range re.calls {
		got, err := h.Trace(context.Background(), c[0], []byte(c[1]))
		if err != nil {
			tb.Fatalf("%s %.60s: %v", c[0], c[1], err)
		}
		all = append(all, got)
	}
	return all
}

// repeat makes the calls on two instances in turn and returns how many came to
// something else than wanted.
func repeat(tb testing.TB, re replayed, m *sandbox.Module, want []sandbox.Traced) (changed int) {
	tb.Helper()
	instances := []*sandbox.Held{hold(tb, m), hold(tb, m)}
	for i := range re.repeats {
		for k, got := range trace(tb, re, instances[i%len(instances)]) {
			if got == want[k] {
				continue
			}
			if changed++; changed == 1 {
				tb.Logf("repeat %d, %s: got %+v; want %+v", i, re.calls[k][0], got, want[k])
			}
		}
	}
	return changed
}

// traced begins the line with a child's traces.
const traced = "traced "

func tell(t *testing.T, traces []sandbox.Traced) {
	data, err := json.Marshal(traces)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stdout.WriteString("\n" + traced + string(data) + "\n"); err != nil {
		t.Fatal(err)
	}
}

// inAnotherProcess runs this test again for the named module.
func inAnotherProcess(t *testing.T, name, cache string) (traces []sandbox.Traced) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestReplay$")
	cmd.Env = append(os.Environ(), childReplay+"="+name, childCache+"="+cache)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the other process: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if text, ok := strings.CutPrefix(line, traced); ok {
			if err := json.Unmarshal([]byte(text), &traces); err != nil {
				t.Fatal(err)
			}
			return traces
		}
	}
	t.Fatalf("the other process told nothing:\n%s", out)
	return nil
}

// BenchmarkReplay counts, of 10,000 repeats of each guest's call, those with other output, fuel
// or memory than the first.
func BenchmarkReplay(b *testing.B) {
	r := newRuntime(b, sandbox.Limits{})
	changed := 0
	for _, g := range guests {
		re := replayed{g.name, g.file, [][2]string{{sandbox.CheckPermissions, checkCall}}, manyRepeats}
		m := warm(b, r.Load, g.name, guestBytes(b, g.name))
		changed += repeat(b, re, m, trace(b, re, hold(b, m)))
	}
	b.ReportMetric(float64(changed), "changed/calls")
}
