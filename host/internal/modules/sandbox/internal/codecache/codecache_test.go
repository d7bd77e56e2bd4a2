package codecache_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/codecache"
)

// world is a store and its reports.
type world struct {
	*codecache.Store
	path string

	mu       sync.Mutex
	reported []string
}

func newWorld(t *testing.T, path string, key *securedir.Key) *world {
	t.Helper()
	dir, err := securedir.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	w := &world{path: path}
	w.Store = codecache.New(dir, key, most, func(err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.reported = append(w.reported, err.Error())
	})
	return w
}

// most is how many bytes the stores of these tests hold.
const most = 100 * 1024

func newKey(t *testing.T) *securedir.Key {
	t.Helper()
	dir, err := securedir.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	key, err := dir.Key()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

var (
	one   = codecache.ID{1}
	two   = codecache.ID{2}
	entry = codecache.Entry{Facts: []byte(`{"a":1}`), Stub: []byte("stub"), Code: []byte("code, longer")}
)

func (w *world) file(t *testing.T) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.path, "*.code"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v; want one entry", files, err)
	}
	return files[0]
}

// wantNone requires an entry to be refused, reported, and gone.
func (w *world) wantNone(t *testing.T, id codecache.ID, why string) {
	t.Helper()
	w.reported = nil
	if got, ok := w.Get(id); ok {
		t.Errorf("got %q; want none", got)
	}
	if len(w.reported) != 1 || !strings.Contains(w.reported[0], why) {
		t.Errorf("reported %q; want one line with %q", w.reported, why)
	}
	if w.Has(id) {
		t.Error("the entry is still there")
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), newKey(t))
	if got, ok := w.Get(one); ok || w.Has(one) {
		t.Errorf("an empty store: got %v", got)
	}
	for _, e := range []codecache.Entry{entry, {Facts: []byte{}, Stub: []byte{}, Code: []byte{}}, entry} {
		w.Put(one, &e)
		if got, ok := w.Get(one); !ok || !reflect.DeepEqual(got, &e) {
			t.Errorf("got %q, %v; want %q", got, ok, e)
		}
	}
	if len(w.reported) != 0 {
		t.Errorf("reported %q; want nothing", w.reported)
	}
}

// TestT18_EveryByte: no byte of an entry can be changed, and none be missing or
// too many.
func TestT18_EveryByte(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), newKey(t))
	w.Put(one, &entry)
	path := w.file(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	try := func(data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		w.wantNone(t, one, path)
	}
	for i := range good {
		for _, flip := range []byte{1, 0x80} {
			bad := bytes.Clone(good)
			bad[i] ^= flip
			try(bad)
		}
		try(good[:i])
	}
	try(append(bytes.Clone(good), 0))
}

// TestT18_Swapped: an authentic entry is worth nothing for another module, and
// one of another key nothing at all.
func TestT18_Swapped(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	w, foreign := newWorld(t, t.TempDir(), key), newWorld(t, t.TempDir(), newKey(t))
	w.Put(one, &entry)
	path := w.file(t)
	if err := os.Rename(path, filepath.Join(w.path, "02"+filepath.Base(path)[2:])); err != nil {
		t.Fatal(err)
	}
	w.wantNone(t, two, "another module")
	foreign.Put(one, &entry)
	if err := os.Rename(foreign.file(t), path); err != nil {
		t.Fatal(err)
	}
	w.wantNone(t, one, "not authentic")
}

// TestT18_Link: an entry is a file of ours, not a link to one.
func TestT18_Link(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), newKey(t))
	w.Put(one, &entry)
	path, elsewhere := w.file(t), filepath.Join(t.TempDir(), "entry")
	if err := os.Rename(path, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, path); err != nil {
		t.Skip("no links here:", err)
	}
	if got, ok := w.Get(one); ok {
		t.Errorf("got %q; want none", got)
	}
	if _, err := os.Stat(elsewhere); err != nil {
		t.Errorf("what the link pointed to: %v", err)
	}
}

// TestPrune: foreign files go, and of the entries unused by this process the least recently
// used, beyond the bytes that there are.
func TestPrune(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	before := newWorld(t, t.TempDir(), key)
	if err := os.MkdirAll(filepath.Join(before.path, "wazero-v1.11.0-amd64-linux", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	tenth := codecache.Entry{Facts: []byte("{}"), Stub: []byte("stub"), Code: make([]byte, most/10-200)}
	long := time.Now().Add(-time.Hour)
	for i := range 8 {
		before.Put(codecache.ID{byte(i)}, &tenth)
		name := filepath.Join(before.path, fmt.Sprintf("%02x", i)+strings.Repeat("00", 31)+".code")
		if err := os.Chtimes(name, long, long.Add(time.Duration(i)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(before.path, "wazero-v1.11.0-amd64-linux")); err == nil {
		t.Error("what is no entry is still there")
	}
	w := newWorld(t, before.path, key)
	if _, ok := w.Get(codecache.ID{0}); !ok { // the oldest is used again
		t.Fatal("no entry")
	}
	for i := range 6 {
		w.Put(codecache.ID{100 + byte(i)}, &tenth)
	}
	for i, want := range []bool{true, false, false, false, false, true, true, true} {
		if got := w.Has(codecache.ID{byte(i)}); got != want {
			t.Errorf("entry %d: kept is %v", i, got)
		}
	}
}

// TestPrune_use: entries in use by this process stay, in any number and size; a removed one is
// no longer in use.
func TestPrune_use(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), newKey(t))
	large := codecache.Entry{Facts: []byte("{}"), Stub: []byte("stub"), Code: make([]byte, most/100)}
	for i := range 255 {
		w.Put(codecache.ID{byte(i)}, &large)
	}
	for i := range 255 {
		if !w.Has(codecache.ID{byte(i)}) {
			t.Errorf("entry %d is gone", i)
		}
	}
	used, all := w.Used()
	if err := w.Remove(codecache.ID{7}); err != nil {
		t.Error(err)
	}
	if now, _ := w.Used(); used < 2*most || all != most || now >= used {
		t.Errorf("%d bytes are used of %d, and %d without one entry", used, all, now)
	}
}

// TestReadOnly: an unwritable store says so and works.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root writes everywhere")
	}
	w := newWorld(t, t.TempDir(), newKey(t))
	w.Put(one, &entry)
	if err := os.Chmod(w.path, 0o500); err != nil {
		t.Fatal(err)
	}
	w.Put(two, &entry)
	if _, ok := w.Get(one); !ok || len(w.reported) != 1 || !strings.Contains(w.reported[0], "not kept") {
		t.Errorf("got %v, reported %q; want the entry, and one line", ok, w.reported)
	}
	_ = os.Chmod(w.path, 0o700) // for its removal
}

func TestStore_hammer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, t.TempDir(), newKey(t))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 50 {
				id := codecache.ID{byte(i % 3)}
				e := entry
				e.Code = bytes.Repeat([]byte{byte(i % 3)}, 1000)
				w.Put(id, &e)
				if got, ok := w.Get(id); !ok || !bytes.Equal(got.Code, e.Code) {
					t.Errorf("got %v", ok)
				}
			}
		})
	}
	wg.Wait()
	if len(w.reported) != 0 {
		t.Errorf("reported %q; want nothing", w.reported)
	}
}

// FuzzEntry: for any bytes in an entry's file, the entry is the stored one, or none.
func FuzzEntry(f *testing.F) {
	f.Add([]byte("callgate code 1\n"))
	dir, err := securedir.Open(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	key, err := dir.Key()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := newWorld(t, t.TempDir(), key)
		w.Put(one, &entry)
		path := w.file(t)
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := w.Get(one); ok != bytes.Equal(data, good) {
			t.Errorf("got %q, %v", got, ok)
		}
	})
}
