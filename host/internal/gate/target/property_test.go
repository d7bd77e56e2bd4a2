//go:build unix

package target_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// TestResolve_asTheKernel checks on random trees of directories, files and links that
// resolution leads to the result of filepath.EvalSymlinks, that existence is the kernel's, and
// that nothing Inside has its real place outside.
func TestResolve_asTheKernel(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	r := &target.Resolver{FS: target.OS(), Limits: target.Limits{Time: 1 << 40}}
	rapid.Check(t, func(t *rapid.T) {
		top, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(top) }() // the test's own directory goes anyway
		plant(t, top)
		wd := filepath.Join(top, "w")
		value := relative(t, "value")
		if rapid.Bool().Draw(t, "absolute") {
			value = top + "/" + value
		}
		p := target.Place{CWD: wd, WorkingDirectories: []string{wd}}
		got, err := r.Resolve(context.Background(), p, nil, []engine.Target{{Kind: "path", Value: value}})
		if err != nil {
			t.Fatal(err)
		}
		compare(t, wd, value, got[0])
	})
}

// compare holds a resolved target against the kernel.
func compare(t *rapid.T, wd, value string, got engine.Target) {
	written := value
	if !filepath.IsAbs(value) {
		written = wd + "/" + value
	}
	real, err := evalLikeKernel(written)
	if err == nil {
		if got.Error != "" || got.Resolved != real || !got.Exists {
			t.Fatalf("%s: got %+v, want resolved %s, which exists", value, got, real)
		}
		root, err := filepath.EvalSymlinks(wd)
		if err != nil {
			t.Fatal(err)
		}
		if got.Inside != "" && real != root && !strings.HasPrefix(real, root+"/") {
			t.Fatalf("%s: inside %s, but it is really %s", value, got.Inside, real)
		}
		return
	}
	if got.Exists {
		t.Fatalf("%s: got %+v, want nothing there: %v", value, got, err)
	}
}

// evalLikeKernel is EvalSymlinks behind a check by the kernel: EvalSymlinks is kind to
// "file/..".
func evalLikeKernel(path string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// plant makes a random tree below top: w is the working directory.
func plant(t *rapid.T, top string) {
	must(t, os.MkdirAll(filepath.Join(top, "w", "a"), 0o700))
	must(t, os.MkdirAll(filepath.Join(top, "b", "a"), 0o700))
	for range rapid.IntRange(1, 8).Draw(t, "entries") {
		at := filepath.Join(top, relative(t, "at"))
		if !strings.HasPrefix(at, top+"/") {
			continue
		}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			_ = os.MkdirAll(at, 0o700) // may stand in its own way
		case 1:
			_ = os.WriteFile(at, nil, 0o600) // so may this
		default:
			to := relative(t, "to")
			if rapid.Bool().Draw(t, "absolute link") {
				to = top + "/" + to
			}
			_ = os.Symlink(to, at) // and this
		}
	}
}

// relative draws a path of a few names, with dots and doubled slashes.
func relative(t *rapid.T, label string) string {
	parts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "w", "c", "..", ".", "", "w"}), 1, 6).Draw(t, label)
	path := strings.Trim(strings.Join(parts, "/"), "/")
	if path == "" {
		return "."
	}
	return path
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Fatal(err)
	}
}

// FuzzResolve checks that no value and no link makes resolution panic, that a resolved path is
// absolute and clean, and that Inside holds both forms.
func FuzzResolve(f *testing.F) {
	f.Add("a/../b", "a", "/etc", "a/../b")
	f.Add("~/x", "l", "..", "l/../..")
	f.Add("//x", "x/y", "", ".")
	f.Fuzz(func(t *testing.T, value, at, to, input string) {
		if !filepath.IsLocal(at) || filepath.Clean(at) == "." {
			return // a link in the working directory's own place gives it two names
		}
		r := &target.Resolver{FS: target.Links(map[string]string{"/my/project/" + at: to}), Limits: target.Limits{Time: 1 << 40}}
		got, err := r.Resolve(context.Background(), place, []byte(input), []engine.Target{{Kind: "path", Value: value}})
		if err != nil {
			t.Fatal(err)
		}
		g := got[0]
		if (g.Error == "") == (g.Resolved == "") {
			t.Fatalf("got %+v, want a path or an error", g)
		}
		if g.Error == "" && (filepath.Clean(g.Resolved) != g.Resolved || !filepath.IsAbs(g.Resolved)) {
			t.Errorf("got %+v, which is not clean", g)
		}
		for _, form := range []string{g.Resolved, g.Lexical} {
			if g.Inside != "" && form != g.Inside && !strings.HasPrefix(form, g.Inside+"/") {
				t.Errorf("got %+v, which is not inside", g)
			}
		}
	})
}
