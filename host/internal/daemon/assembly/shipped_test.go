package assembly_test

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// carrying are embedded modules with their digests and code.
type carrying struct {
	fstest.MapFS
	code map[string][]byte
}

func (c carrying) Digest(name string) string { return sandbox.Digest(c.MapFS[name].Data) }

func (c carrying) Shipped(name string) func() ([]byte, error) {
	if c.code[name] == nil {
		return nil
	}
	return func() ([]byte, error) { return c.code[name], nil }
}

// TestShippedCode: Precompile makes the code that a configuration without limits wants, and a
// first start compiles nothing. With another limit of the memory it does.
func TestShippedCode(t *testing.T) {
	t.Parallel()
	wasm, err := os.ReadFile(repo.File("testdata", "modules", deployFile))
	if err != nil {
		t.Fatal(err)
	}
	name, code, err := sandbox.Precompile(t.Context(), sandbox.Limits{}, wasm)
	if err != nil {
		t.Fatal(err)
	}
	embedded := carrying{fstest.MapFS{deployFile: {Data: wasm}}, map[string][]byte{name: code}}
	for _, c := range []struct {
		limits config.Limits
		want   int
	}{{config.Limits{}, 0}, {config.Limits{MemoryMiB: 8}, 1}} {
		compiled := 0
		runtime, catalog, err := assembly.OpenCatalog(t.Context(), assembly.Tools{
			Embedded: embedded, CacheDir: t.TempDir(), Compiling: func(string) { compiled++ },
			Report: func(err error) { t.Error(err) },
		}, config.Modules{Limits: c.limits})
		if err != nil {
			t.Fatal(err)
		}
		if e := catalog.Lookup("Deploy"); e.Err != nil || compiled != c.want {
			t.Errorf("%+v: compiled %d modules, want %d (%v)", c.limits, compiled, c.want, e.Err)
		}
		catalog.Close()
		if err := runtime.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
