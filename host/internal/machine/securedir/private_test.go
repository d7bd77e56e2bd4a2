package securedir_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/machine/securedir"
)

// place is a directory for one test, and how to do things to it.
type place struct {
	t    *testing.T
	base string
}

func newPlace(t *testing.T) place {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("modes and links mean something else there")
	}
	return place{t, t.TempDir()}
}

func (p place) at(name string) string { return filepath.Join(p.base, name) }

func (p place) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// dir makes a directory with exactly this mode.
func (p place) dir(name string, mode fs.FileMode) string {
	p.t.Helper()
	p.must(os.MkdirAll(p.at(name), 0o700))
	p.must(os.Chmod(p.at(name), mode))
	return p.at(name)
}

func (p place) open(name string) *securedir.Dir {
	p.t.Helper()
	d, err := securedir.Open(p.at(name))
	p.must(err)
	p.t.Cleanup(func() { p.must(d.Close()) })
	return d
}

// TestT18_Open: a directory writable by others is not used.
func TestT18_Open(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for range 2 { // made, and taken again
		p.open("new/deep")
	}
	if info, err := os.Stat(p.at("new/deep")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("got %v, %v; want mode 0700", info, err)
	}
	p.must(os.Symlink(p.at("new"), p.at("link")))
	p.must(os.WriteFile(p.at("file"), nil, 0o600))
	p.dir("group", 0o770)
	p.dir("everybody/below", 0o700)
	p.dir("everybody", 0o777)
	for name, want := range map[string]string{
		"link": "is a link", "file": "not a directory", "group": "others can write",
		"everybody": "others can write", "everybody/below": "everybody can write", "everybody/below/deeper": "everybody can write",
	} {
		d, err := securedir.Open(p.at(name))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, %v; want %q", name, d, err, want)
		}
		if name != "file" && !errors.Is(err, securedir.ErrUnsafe) {
			t.Errorf("%s: got %v; want ErrUnsafe", name, err)
		}
	}
	p.must(os.Chmod(p.at("everybody"), 0o777|fs.ModeSticky))
	p.open("everybody/below")
	p.open("link/deep") // a link of ours on the way is as good as its destination
}

// TestT18_OpenBelowAnother: a directory of another account may be renamed by it.
func TestT18_OpenBelowAnother(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if os.Geteuid() != 0 {
		t.Skip("only root can give a directory to another account")
	}
	const nobody = 65534
	p.dir("theirs/ours", 0o700)
	p.must(os.Chown(p.at("theirs"), nobody, nobody))
	for _, name := range []string{"theirs", "theirs/ours"} {
		if d, err := securedir.Open(p.at(name)); !errors.Is(err, securedir.ErrUnsafe) || !strings.Contains(err.Error(), "another account") {
			t.Errorf("%s: got %v, %v; want ErrUnsafe", name, d, err)
		}
	}
	d := p.open("ours")
	p.must(d.Write("file", false, []byte("x")))
	p.must(os.Chown(p.at("ours/file"), nobody, nobody))
	if got, err := d.Read("file", 10); !errors.Is(err, securedir.ErrUnsafe) {
		t.Errorf("another's file: got %q, %v; want ErrUnsafe", got, err)
	}
}

func TestReadAndWrite(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	d := p.open("dir")
	for _, parts := range [][][]byte{{[]byte("one")}, {[]byte("two"), nil, []byte("three")}} {
		p.must(d.Write("file", true, parts...))
		if got, err := d.Read("file", 8); err != nil || !bytes.Equal(got, bytes.Join(parts, nil)) {
			t.Errorf("got %q, %v; want %q", got, err, parts)
		}
	}
	if info, err := os.Stat(p.at("dir/file")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v; want mode 0600", info, err)
	}
	if files, err := d.Files(); err != nil || len(files) != 1 || files[0].Name() != "file" {
		t.Errorf("got %v, %v; want the file alone", files, err)
	}
	if got, err := d.Read("file", 7); err == nil || !strings.Contains(err.Error(), "at most 7") {
		t.Errorf("too large: got %q, %v", got, err)
	}
	p.must(d.Remove("file"))
	if got, err := d.Read("file", 7); d.Exists("file") || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: got %q, %v", got, err)
	}
}

// TestT18_ReadRefuses: a link in the directory, and a file writable by others.
func TestT18_ReadRefuses(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	d := p.open("dir")
	p.must(os.WriteFile(p.at("outside"), []byte("theirs"), 0o600))
	p.must(os.Symlink(p.at("outside"), p.at("dir/out")))
	p.must(d.Write("real", false, []byte("ours")))
	p.must(os.Symlink("real", p.at("dir/in")))
	p.must(d.Write("open", false, []byte("ours")))
	p.must(os.Chmod(p.at("dir/open"), 0o620))
	for _, name := range []string{"out", "in", "open"} {
		if got, err := d.Read(name, 100); !errors.Is(err, securedir.ErrUnsafe) {
			t.Errorf("%s: got %q, %v; want ErrUnsafe", name, got, err)
		}
	}
	if got, err := d.Read("../outside", 100); err == nil {
		t.Errorf("above the directory: got %q", got)
	}
	p.must(d.Write("out", false, []byte("new"))) // takes the link's place
	if got, err := os.ReadFile(p.at("outside")); string(got) != "theirs" {
		t.Errorf("through a link: got %q, %v; want it unchanged", got, err)
	}
	if sub, err := d.Sub("in"); err == nil {
		t.Errorf("a link as directory: got %v", sub)
	}
}

func mac(t *testing.T, d *securedir.Dir) string {
	t.Helper()
	key, err := d.Key()
	if err != nil {
		t.Fatal(err)
	}
	return string(key.MAC("test", []byte("text")))
}

func TestKey(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	d := p.open("dir")
	first := mac(t, d)
	if again := mac(t, d); again != first {
		t.Error("the key did not stay the same")
	}
	if info, err := os.Stat(p.at("dir/key")); err != nil || info.Mode().Perm() != 0o600 || info.Size() != 32 {
		t.Errorf("got %v, %v; want 32 bytes of mode 0600", info, err)
	}
	key, err := d.Key()
	p.must(err)
	for name, other := range map[string][]byte{
		"another purpose": key.MAC("test2", []byte("text")), "another text": key.MAC("test", []byte("texu")),
		"purpose and text divided otherwise": key.MAC("testt", []byte("ext")), "another key": []byte(mac(t, p.open("other"))),
	} {
		if string(other) == first {
			t.Errorf("%s has the same MAC", name)
		}
	}
	if !key.Authentic([]byte(first), "test", []byte("te"), []byte("xt")) || key.Authentic([]byte(first[1:]), "test", []byte("text")) {
		t.Error("a MAC is not told from another")
	}
}

// TestT18_KeyReplaced: a key known to or chosen by others is none.
func TestT18_KeyReplaced(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	known := bytes.Repeat([]byte{1}, 32)
	p.must(os.WriteFile(p.at("known"), known, 0o600))
	for name, spoil := range map[string]func(path string) error{
		"short":           func(path string) error { return os.Truncate(path, 31) },
		"long":            func(path string) error { return os.WriteFile(path, append(known, 1), 0o600) },
		"empty":           func(path string) error { return os.Truncate(path, 0) },
		"read by others":  func(path string) error { return os.Chmod(path, 0o604) },
		"written by some": func(path string) error { return os.Chmod(path, 0o620) },
		"a link": func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink(p.at("known"), path))
		},
		"a directory": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		d := p.open(name)
		before := mac(t, d)
		p.must(spoil(p.at(name + "/key")))
		after := mac(t, d)
		if after == before || after != mac(t, d) {
			t.Errorf("%s: the key was not replaced for good", name)
		}
		if info, err := os.Lstat(p.at(name + "/key")); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: got %v, %v; want a file of mode 0600", name, info, err)
		}
	}
}

// TestKey_hammer: of many concurrent makers of a key, all get the same.
func TestKey_hammer(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	var wg sync.WaitGroup
	macs := make([]string, 16)
	for i := range macs {
		wg.Go(func() {
			d, err := securedir.Open(p.at("dir"))
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = d.Close() }() // read only by now
			key, err := d.Key()
			if err != nil {
				t.Error(err)
				return
			}
			macs[i] = string(key.MAC("test"))
		})
	}
	wg.Wait()
	for _, got := range macs {
		if got != macs[0] {
			t.Fatalf("got keys that differ")
		}
	}
}

// TestT18_ReadSigned: a file with another key, for another purpose, or changed since is
// foreign.
func TestT18_ReadSigned(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	d := p.open("kept")
	key, err := d.Key()
	p.must(err)
	foreign, err := p.open("other").Key()
	p.must(err)
	for _, data := range []string{"", "data"} {
		p.must(d.WriteSigned(key, "file", "test", []byte(data)))
		if got, err := d.ReadSigned(key, "file", "test", 100); err != nil || string(got) != data {
			t.Errorf("got %q, %v; want %q", got, err, data)
		}
		whole, err := d.Read("file", 100)
		p.must(err)
		for name, read := range map[string]func() ([]byte, error){
			"another key":     func() ([]byte, error) { return d.ReadSigned(foreign, "file", "test", 100) },
			"another purpose": func() ([]byte, error) { return d.ReadSigned(key, "file", "tests", 100) },
			"longer": func() ([]byte, error) {
				p.must(d.Write("longer", false, whole, []byte("x")))
				return d.ReadSigned(key, "longer", "test", 100)
			},
			"shorter than a MAC": func() ([]byte, error) {
				p.must(d.Write("shorter", false, whole[:securedir.MACSize-1]))
				return d.ReadSigned(key, "shorter", "test", 100)
			},
		} {
			if got, err := read(); !errors.Is(err, securedir.ErrForeign) || got != nil {
				t.Errorf("%q, %s: got %q, %v; want it foreign", data, name, got, err)
			}
		}
	}
	if _, err := d.ReadSigned(key, "absent", "test", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: got %v; want it to be absent", err)
	}
	if _, err := d.ReadSigned(key, "file", "test", securedir.MACSize); err == nil || errors.Is(err, securedir.ErrForeign) {
		t.Errorf("a file that is too long: got %v; want it refused as that", err)
	}
}
