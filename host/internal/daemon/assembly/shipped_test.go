package assembly_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// carrying are embedded modules with their digests and what Precompile made of them.
type carrying struct {
	fstest.MapFS
	files map[string][]byte
}

func (c carrying) Digest(name string) string { return sandbox.Digest(c.MapFS[name].Data) }

func (c carrying) Shipped(name string) *io.SectionReader {
	if c.files[name] == nil {
		return nil
	}
	return io.NewSectionReader(bytes.NewReader(c.files[name]), 0, int64(len(c.files[name])))
}

// TestShippedCode: Precompile makes the code and the state that a configuration without limits wants,
// and a first start compiles nothing and leaves the cache empty. With another limit of the memory it
// does compile.
func TestShippedCode(t *testing.T) {
	t.Parallel()
	wasm, err := os.ReadFile(repo.File("testdata", "modules", deployFile))
	if err != nil {
		t.Fatal(err)
	}
	files, err := sandbox.Precompile(t.Context(), sandbox.Limits{}, wasm)
	if err != nil {
		t.Fatal(err)
	}
	embedded := carrying{fstest.MapFS{deployFile: {Data: wasm}}, files}
	for _, c := range []struct {
		limits config.Limits
		want   int
	}{{config.Limits{}, 0}, {config.Limits{MemoryMiB: 8}, 1}} {
		compiled := 0
		cache := t.TempDir()
		runtime, catalog, err := assembly.OpenCatalog(t.Context(), assembly.Tools{
			Embedded: embedded, CacheDir: cache, Compiling: func(string) { compiled++ },
			Report: func(err error) { t.Error(err) },
		}, config.Modules{Limits: c.limits})
		if err != nil {
			t.Fatal(err)
		}
		if e := catalog.Lookup("Deploy"); e.Err != nil || compiled != c.want {
			t.Errorf("%+v: compiled %d modules, want %d (%v)", c.limits, compiled, c.want, e.Err)
		}
		if kept, err := filepath.Glob(filepath.Join(cache, "*", "*.code")); err != nil || len(kept) != 2*c.want {
			t.Errorf("%+v: keeps %q, %v; want its code and state where it was compiled", c.limits, kept, err)
		}
		catalog.Close()
		if err := runtime.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
