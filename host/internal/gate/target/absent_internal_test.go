//go:build linux || darwin

package target

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
)

// countingFS counts what is asked of the machine's file system.
type countingFS struct {
	*osFS
	asked  *atomic.Int64
	mounts map[string]string
}

func (c countingFS) Mounts() (map[string]string, error) { return c.mounts, nil }

func (c countingFS) Stamp(path string) (mode os.FileMode, stamp Stamp, err error) {
	c.asked.Add(1)
	return c.osFS.Stamp(path)
}

// later is a clock for which every directory is at rest.
func later() time.Time { return time.Now().Add(time.Hour) }

// atRest waits until a change of a directory has another stamp than the present one.
func atRest(t interface{ Fatal(args ...any) }, dir string) {
	probe := filepath.Join(dir, "probe")
	stamp := func() Stamp {
		_, now, err := (&osFS{}).Stamp(dir)
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	for before := stamp(); stamp() == before; {
		if err := errors.Join(os.Mkdir(probe, 0o700), os.Remove(probe)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAbsences_followTheDisk: a resolver with a memory of missing files finds the same facts as
// one without, whatever comes and goes.
func TestAbsences_followTheDisk(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		root := filepath.Join(top, string(rune('a'+round%26)), time.Now().Format("150405.000000000"))
		dirs := []string{root, filepath.Join(root, "p"), filepath.Join(root, "p", "q")}
		if err := os.MkdirAll(dirs[2], 0o700); err != nil {
			t.Fatal(err)
		}
		remembers := &Resolver{FS: OS(), now: later}
		for range rapid.IntRange(1, 8).Draw(t, "changes") {
			dir := rapid.SampledFrom(dirs).Draw(t, "dir")
			name := filepath.Join(dir, rapid.SampledFrom(watched).Draw(t, "name"))
			factsOf(t, remembers, dirs[2])
			atRest(t, dir)
			if os.RemoveAll(name) == nil && rapid.Bool().Draw(t, "made") {
				if err := os.WriteFile(name, []byte("gitdir: nowhere\nprefix yarn-path plugins"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if got, want := factsOf(t, remembers, dirs[2]), factsOf(t, &Resolver{FS: OS()}, dirs[2]); !reflect.DeepEqual(got, want) {
				t.Fatalf("after a change of %s: got %+v, want %+v", name, got, want)
			}
		}
	})
}

func factsOf(t interface{ Fatal(args ...any) }, r *Resolver, dir string) *engine.Repo {
	got, err := r.Resolve(context.Background(), Place{CWD: dir}, nil, []engine.Target{{Kind: "path", Value: "x", Access: "read"}})
	if err != nil {
		t.Fatal(err)
	}
	return got[0].Repo
}

// TestAbsences_saveLooks: in a directory at rest missing files are not looked for again.
func TestAbsences_saveLooks(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	count := func(r *Resolver, dir string) int64 {
		before := asked.Load()
		factsOf(t, r, dir)
		return asked.Load() - before
	}
	dir := t.TempDir()
	fs := countingFS{&osFS{}, &asked, map[string]string{"/": "ext4"}}
	r := &Resolver{FS: fs, now: later}
	first, second := count(r, dir), count(r, dir)
	if second > first-int64(len(watched)) {
		t.Errorf("the second look asked for %d paths, the first one for %d", second, first)
	}
	young := &Resolver{FS: fs, now: func() time.Time { return time.Unix(0, 0) }}
	if first, second := count(young, dir), count(young, dir); second < first {
		t.Errorf("in a directory just changed: %d paths, then %d; want all of them again", first, second)
	}
	fs.mounts = map[string]string{"/": "fuse.mine"} // its times are the word of a program
	foreign := &Resolver{FS: fs, now: later}
	if first, second := count(foreign, dir), count(foreign, dir); second < first {
		t.Errorf("in a file system of a program: %d paths, then %d; want all of them again", first, second)
	}
}

// TestOnePicture: the look-ups of one call ask for each path once, and see the same.
func TestOnePicture(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	dir := t.TempDir()
	r := &Resolver{FS: countingFS{&osFS{}, &asked, nil}}
	ctx := OnePicture(t.Context())
	look := func(ctx context.Context) int64 {
		before := asked.Load()
		if _, err := r.Project(ctx, dir, []string{dir}); err != nil {
			t.Fatal(err)
		}
		return asked.Load() - before
	}
	if first, second := look(ctx), look(ctx); first == 0 || second != 0 {
		t.Errorf("asked for %d paths, then for %d; want none again", first, second)
	}
	if again := look(t.Context()); again == 0 {
		t.Error("another call asked for nothing")
	}
	other := &Resolver{FS: Links(map[string]string{})}
	if got := factsOf(t, other, dir); got != nil {
		t.Errorf("got %+v", got)
	}
	got, err := other.Project(ctx, dir, []string{dir})
	if err != nil || len(got.Roots) != 1 {
		t.Errorf("another file system: got %v, %v", got, err)
	}
}

// TestOnePicture_borders: what one look-up saw behind a border stays behind it for the next one.
func TestOnePicture_borders(t *testing.T) {
	t.Parallel()
	r := &Resolver{FS: remoteFS{Links(map[string]string{"/p/link": "/mnt/far/file"})}}
	ctx := OnePicture(t.Context())
	if _, err := r.Directories(ctx, []string{"/mnt/far/file"}); err != nil {
		t.Fatal(err)
	}
	got, err := r.Resolve(ctx, Place{CWD: "/p"}, nil, []engine.Target{{Kind: "path", Value: "link", Access: "read"}})
	if err != nil || got[0].Error == "" {
		t.Errorf("got %+v, %v; want an error about /mnt/far", got, err)
	}
}

// remoteFS has a file system of another machine at /mnt/far.
type remoteFS struct{ FS }

func (remoteFS) Mounts() (map[string]string, error) { return map[string]string{"/mnt/far": "nfs"}, nil }
