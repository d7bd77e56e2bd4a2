// Package compiledtest gives the tests of a package their tool modules compiled.
// Tests only use it.
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
	"time"

	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/internal/filelock"
	"github.com/callgate/callgate/host/sandbox"
)

// Shared is the environment variable with the directory in which compiled code
// stays for the tests of other packages and of other builds. The code is the same
// under the race detector, where compiling our two modules takes 90 s and not 12.
const Shared = "CALLGATE_TEST_CACHE"

// patience is what compiling may take on a busy machine.
const patience = 10 * time.Minute

// Main runs the tests of a package with a cache of their own that holds the code
// of modules; it is empty where there are none. It returns the exit code.
func Main(modules fs.FS, run func(cache string) int) int {
	top, err := os.MkdirTemp("", "callgate-test-")
	if err != nil {
		return failed(err)
	}
	defer func() { _ = os.RemoveAll(top) }() // the temporary directory is swept anyhow
	cache := filepath.Join(top, "callgate")  // so that top can be a test's XDG_CACHE_HOME
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
func Open(modules fs.FS, dir string) (*sandbox.Runtime, *catalog.Catalog, error) {
	limits := config.Limits{CompileTime: config.Duration(patience)}
	return host.OpenCatalog(context.Background(), host.Tools{Embedded: modules, CacheDir: dir}, config.Modules{Limits: limits})
}

// fill compiles modules into dir, or copies what the shared directory has.
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
	// One process compiles; those that come meanwhile find its code.
	lock, err := filelock.Take(context.Background(), filepath.Join(shared, "lock"), patience)
	if err != nil {
		return err
	}
	return errors.Join(share(shared, dir, modules, names), lock.Release())
}

// share compiles modules into the shared directory, unless it has them, and copies
// their code to dir. What it has of other versions of them is of no use any more.
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
