// Package compiledtest gives the tests of a package their tool modules compiled.
// Tests only use it. RATIONALE.md, "Why do the tests of several packages share compiled
// modules?".
package compiledtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/machine/filelock"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// Shared is the environment variable with the directory where compiled code stays for the tests
// of other packages and of other builds. The code is the same under the race detector, where
// compiling our two modules takes 90 s and not 12.
const Shared = "CALLGATE_TEST_CACHE"

// patience is the time for compiling on a busy machine.
const patience = 10 * time.Minute

// Tests are those of a package in need of compiled modules; its TestMain runs them, or has
// testscript.Main run them.
type Tests struct {
	M interface{ Run() int }
	// Modules are the embedded ones; none where they are not built.
	Modules fs.FS
}

// These are set by Run for its tests.
var (
	embedded fs.FS
	cached   string
)

// Run runs the tests and returns the exit code of the process.
func (p Tests) Run() int {
	return Main(p.Modules, func(cache string) int {
		embedded, cached = p.Modules, cache
		return p.M.Run()
	})
}

// Cache is the directory with the compiled code, for the tests of [Tests]. Its parent can
// be their XDG_CACHE_HOME.
func Cache() string { return cached }

// Modules are the embedded modules of the tests of [Tests]. A test is skipped where they
// have not been built.
func Modules(t testing.TB) fs.FS {
	t.Helper()
	if names, err := fs.Glob(embedded, "*.wasm"); err != nil || len(names) == 0 {
		t.Skip("SKIPPED: the tool modules are not built: run make build")
	}
	return embedded
}

// Catalog opens the embedded modules of the tests of [Tests] once; they are closed with
// the process.
var Catalog = sync.OnceValues(func() (*modules.Catalog, error) {
	_, c, err := Open(embedded, cached)
	return c, err
})

// Main runs the tests of a package with a cache of their own, filled with the code of modules;
// it is empty where there are none. It returns the exit code.
func Main(modules fs.FS, run func(cache string) int) int {
	top, err := os.MkdirTemp("", "callgate-test-")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.RemoveAll(top) }() // the temporary directory is swept anyhow
	cache := filepath.Join(top, "callgate")  // so top can be a test's XDG_CACHE_HOME
	if err := fill(cache, modules); err != nil {
		return failed(err)
	}
	return run(cache)
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "compile the modules for the tests:", err)
	return 1
}

// Open loads modules with the code of a cache.
func Open(modules fs.FS, dir string) (*sandbox.Runtime, *modules.Catalog, error) {
	limits := config.Limits{CompileTime: config.Duration(patience)}
	return assembly.OpenCatalog(context.Background(), assembly.Tools{Embedded: modules, CacheDir: dir}, config.Modules{Limits: limits})
}

// fill compiles modules into dir, or copies them from the shared directory.
func fill(dir string, modules fs.FS) error {
	names, err := fs.Glob(modules, "*.wasm")
	if err != nil || len(names) == 0 {
		return err
	}
	shared := os.Getenv(Shared)
	if shared == "" {
		return compile(dir, modules)
	}
	if err := os.MkdirAll(shared, 0o700); err != nil {
		return err
	}
	// One process compiles; later ones find its code.
	lock, err := filelock.Take(context.Background(), filepath.Join(shared, "lock"), patience)
	if err != nil {
		return err
	}
	return errors.Join(share(shared, dir, modules, names), lock.Release())
}

// share compiles modules into the shared directory, unless it has them, and copies their code
// to dir. Code of other versions there is of no use any more.
func share(shared, dir string, modules fs.FS, names []string) error {
	sum := sha256.New()
	for _, name := range names {
		data, err := fs.ReadFile(modules, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
	}
	kept := filepath.Join(shared, "code", hex.EncodeToString(sum.Sum(nil)))
	if _, err := os.Lstat(kept); errors.Is(err, fs.ErrNotExist) {
		if err := os.RemoveAll(filepath.Dir(kept)); err != nil {
			return err
		}
	}
	if err := compile(kept, modules); err != nil {
		return err
	}
	return copyTree(dir, kept)
}

func compile(dir string, modules fs.FS) error {
	runtime, _, err := Open(modules, dir)
	if err != nil {
		return err
	}
	return runtime.Close(context.Background())
}

// copyTree copies files with their modes: others must not be able to read a cache.
func copyTree(to, from string) error {
	return fs.WalkDir(os.DirFS(from), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, path)
		if d.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		data, err := os.ReadFile(filepath.Join(from, path))
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o600)
	})
}
