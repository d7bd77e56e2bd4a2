package sandbox

import (
	"os"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// TestMadeIsCounted: the code and the declarations of a module count for the memory of all
// modules while it is loaded; without room it does not load, by the name of that setting.
func TestMadeIsCounted(t *testing.T) {
	t.Parallel()
	for name, cache := range map[string]string{"compiled": "", "kept": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := testModule(t, "modules/deploy", Config{CacheDir: cache})
			r, used := m.rt, m.rt.memory.Used()
			wasm, err := os.ReadFile(repo.File("testdata/modules/deploy.wasm"))
			if err != nil {
				t.Fatal(err)
			}
			if used < int64(len(wasm)) {
				t.Errorf("%d bytes are counted for a module of %d", used, len(wasm))
			}
			rest := r.memory.Most() - used
			if r.memory.Take(rest) != nil {
				t.Fatal("no memory")
			}
			if got, err := r.Load(t.Context(), "again", wasm); LimitOf(err) != memorySetting {
				t.Errorf("got %v, %v; want the limit %s", got, err, memorySetting)
			}
			r.memory.Give(rest)
			m.Close(t.Context())
			if got := r.memory.Used(); got != 0 {
				t.Errorf("%d bytes are counted after close; want none", got)
			}
		})
	}
}
