//go:build unix

package target_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

// TestT11_PatternsNameTheirLinks: whatever files a shell takes a pattern for, each reached through a
// link behind the first wildcard is among the answers, by the place where the kernel reaches it. On
// random trees; the oracle is filepath.Glob.
func TestT11_PatternsNameTheirLinks(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	if real, err := filepath.EvalSymlinks(base); err == nil {
		base = real
	}
	r := &target.Resolver{FS: target.OS(), Limits: target.Limits{Time: 1 << 40}}
	segments := []string{"*", "?", "a*", "[ab]", "a", "b", "w", "c", "**"}
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		top, err := os.MkdirTemp(base, "")
		must(t, err)
		defer func() { _ = os.RemoveAll(top) }() // the test's own directory goes anyway
		plant(t, top)
		wd := filepath.Join(top, "w")
		must(t, os.Symlink(top, filepath.Join(wd, "link"))) // so that the second pattern names one
		drawn := strings.Join(rapid.SliceOfN(rapid.SampledFrom(segments), 1, 4).Draw(t, "pattern"), "/")
		for _, pattern := range []string{drawn, "*"} {
			got, err := r.Resolve(context.Background(), target.Place{CWD: wd, WorkingDirectories: []string{wd}}, nil, []engine.Target{{Kind: "path", Value: pattern, Access: "read"}})
			must(t, err)
			if slices.ContainsFunc(got, func(a engine.Target) bool { return a.Value != pattern && a.Value != "" }) {
				t.Fatalf("%s: got %+v, want answers of this value alone", pattern, got)
			}
			names, err := filepath.Glob(wd + "/" + pattern)
			must(t, err)
			for _, name := range names {
				real, err := evalLikeKernel(name)
				if err != nil || !linkBehind(t, wd, pattern, name) {
					continue
				}
				seen++
				if !slices.ContainsFunc(got, func(a engine.Target) bool { return a.Resolved == real }) {
					t.Fatalf("%s names %s, which is %s: got %+v", pattern, name, real, got)
				}
			}
		}
	})
	if seen == 0 {
		t.Error("no pattern named a link: the trees are too small")
	}
}

// linkBehind reports whether a name for a pattern leads through a link behind its first wildcard.
func linkBehind(t *rapid.T, wd, pattern, name string) bool {
	parts := strings.Split(pattern, "/")
	first := slices.IndexFunc(parts, func(p string) bool { return strings.ContainsAny(p, "*?[") })
	if first < 0 {
		return false
	}
	at := wd
	for i, part := range strings.Split(strings.TrimPrefix(name, wd+"/"), "/") {
		at += "/" + part
		info, err := os.Lstat(at)
		must(t, err)
		if i >= first && info.Mode()&os.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

func TestResolve_patterns(t *testing.T) {
	t.Parallel()
	links := map[string]string{"/my/project/docs/n": "/home/dev/.ssh/id_rsa", "/my/project/docs/deep/h": "/home/dev", "/my/project/docs/in": "../src/a", "/my/project/docs/loop": "loop"}
	for i := range 40 {
		links[fmt.Sprintf("/my/project/many/%d", i)] = "/etc/hosts"
	}
	for _, test := range []struct {
		pattern string
		want    []string
	}{
		{"docs/*", []string{"/my/project/src/a", "an error", "/home/dev/.ssh/id_rsa"}},
		{"docs/n*", []string{"/home/dev/.ssh/id_rsa"}},
		{"docs/n", nil},
		{"*/n", []string{"/home/dev/.ssh/id_rsa"}},
		{"d*/deep/h/.ssh/id_rsa", []string{"/home/dev/.ssh/id_rsa"}},
		{"docs/d*/../n", []string{"/home/dev/.ssh/id_rsa"}},
		{"docs/x*", nil},
		{"docs/**", []string{"/home/dev", "/my/project/src/a", "an error", "/home/dev/.ssh/id_rsa"}},
		{"~/*", nil},
		{"many/1?", []string{"/etc/hosts", "/etc/hosts", "/etc/hosts", "/etc/hosts", "/etc/hosts", "/etc/hosts", "/etc/hosts", "/etc/hosts", "/etc/hosts", "/etc/hosts"}},
	} {
		r := &target.Resolver{FS: target.Links(links)}
		all, err := r.Resolve(context.Background(), place, nil, []engine.Target{{Kind: "path", Value: test.pattern, Access: "read"}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range all[1:] {
			if a.Error != "" {
				a.Resolved = "an error"
			}
			got = append(got, a.Resolved)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.pattern, got, test.want)
		}
	}
	r := &target.Resolver{FS: target.Links(links)}
	all, err := r.Resolve(context.Background(), place, nil, []engine.Target{{Kind: "path", Value: "many/*", Access: "read"}})
	if err != nil || all[len(all)-1].Error == "" {
		t.Errorf("many/*: got %+v, %v, want an error: more links than are told", all[len(all)-1], err)
	}
}

// closedFS has directories that the daemon's account may not read or look into.
type closedFS struct {
	target.FS
	unlisted, unseen string
}

func (f closedFS) Lstat(p string) (fs.FileMode, error) {
	switch {
	case strings.HasPrefix(p, f.unseen):
		return 0, fs.ErrPermission
	case p == f.unlisted:
		return fs.ModeDir, nil
	}
	return f.FS.Lstat(p)
}

func (f closedFS) Names(dir string, limit int) ([]string, error) {
	if dir == f.unlisted {
		return nil, fs.ErrPermission
	}
	return f.FS.Names(dir, limit)
}

// TestT11_ClosedDirectories: a pattern that leads where the daemon cannot look is answered with an
// error, since its caller may see more: by a link into a directory of others, or in one of its own.
func TestT11_ClosedDirectories(t *testing.T) {
	t.Parallel()
	links := map[string]string{"/my/project/docs/other": "/srv/secret", "/my/project/docs/file": "/etc/hosts", "/my/project/a": "b"}
	r := &target.Resolver{FS: closedFS{target.Links(links), "/my/project/own", "/srv/"}}
	for pattern, want := range map[string]bool{"docs/*/key*": true, "own/*": true, "a*": false, "missing/*": false} {
		all, err := r.Resolve(context.Background(), place, nil, []engine.Target{{Kind: "path", Value: pattern, Access: "read"}})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(all, func(a engine.Target) bool { return a.Error != "" }); got != want {
			t.Errorf("%s: got %+v, want an error: %v", pattern, all, want)
		}
	}
}
