package modules_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/testkit/swaptest"
	"github.com/callgate/callgate/host/wire"
)

// pinned is a catalogue with files pinned in a lock.
type pinned struct {
	*modules.Catalog
	t       *testing.T
	dir     string
	modules *swaptest.Modules
	opts    modules.Options
	place   modules.Place
}

// full are all possible grants of a module.
func full() modules.Rights {
	return modules.Rights{Names: []string{"Deploy", "deploy"}, MayAllow: true, MayReadOnly: true}
}

// fully is full in the lock.
func fully(dev bool) wire.Grant {
	return wire.Grant{Names: full().Names, MayAllow: true, MayReadOnly: true, Dev: dev}
}

func newPinned(t *testing.T) *pinned {
	t.Helper()
	p := &pinned{t: t, dir: t.TempDir(), modules: swaptest.Open(t, repo.File("testdata"))}
	p.opts = modules.Options{
		Embedded: embedded(t, "echo"), Dir: p.dir, Fallback: "echo", CacheDir: filepath.Join(t.TempDir(), "cache"), State: t.TempDir(),
	}
	p.place = modules.Place{Modules: p.dir, State: p.opts.State}
	return p
}

func (p *pinned) open() { p.Catalog = open(p.t, p.opts) }

// pin grants a file something for some bytes with this description. The file itself stays as it
// is.
func (p *pinned) pin(file string, wasm []byte, description string, g wire.Grant) {
	p.t.Helper()
	p.apart(file, func() error {
		_, err := p.place.Put(file, wire.GrantedModule{
			Name: "deploy", Version: "1", Digest: sandbox.Digest(wasm), Description: description, Grant: g, GrantedBy: "ana", GrantedAt: time.Unix(1, 0),
		}, wasm, []byte("{}"))
		return err
	})
}

func (p *pinned) unpin(file string) {
	p.t.Helper()
	p.apart(file, func() error {
		_, err := p.place.Remove(file)
		return err
	})
}

// apart changes the lock, and puts the file back as it was.
func (p *pinned) apart(file string, change func() error) {
	p.t.Helper()
	path := filepath.Join(p.dir, file)
	was, readErr := os.ReadFile(path)
	if err := change(); err != nil {
		p.t.Fatal(err)
	}
	if readErr == nil {
		write(p.t, p.dir, file, was)
	} else if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.t.Fatal(err)
	}
}

// forge changes the lock behind Callgate's back, until restore is called.
func (p *pinned) forge(old, now string) (restore func()) {
	p.t.Helper()
	was, err := os.ReadFile(p.place.Path())
	if err != nil || !bytes.Contains(was, []byte(old)) {
		p.t.Fatalf("%v: no %q in %s", err, old, was)
	}
	write(p.t, p.dir, modules.LockFile, bytes.Replace(was, []byte(old), []byte(now), 1))
	return func() { p.t.Helper(); write(p.t, p.dir, modules.LockFile, was) }
}

// declared is the description of the module deploy.
func (p *pinned) declared(wasm []byte) string {
	p.t.Helper()
	c := open(p.t, modules.Options{Fallback: "x"})
	tried, err := c.Test(p.t.Context(), "d.wasm", wasm, full())
	if err != nil {
		p.t.Fatal(err)
	}
	return tried.Declared
}

func (p *pinned) put(wasm []byte) { p.t.Helper(); write(p.t, p.dir, "d.wasm", wasm) }

// changed is the module with other words about itself, and the same answers.
func (p *pinned) changed(n int) []byte {
	return bytes.Replace(p.modules.Version(n), []byte(`"summary":"Deploys things."`), []byte(`"summary":"Deploys nothing"`), 1)
}

func TestPins(t *testing.T) {
	t.Parallel()
	p := newPinned(t)
	v1, v2, other := p.modules.Version(1), p.modules.Version(2), p.changed(3)
	declared := p.declared(v1)
	pin := func(wasm []byte, dev bool) { t.Helper(); p.pin("d.wasm", wasm, declared, fully(dev)) }
	// want checks the module in use, whether its allow and read-only count, the file's state
	// and the message about it.
	want := func(step string, digest []byte, counts bool, state wire.ModuleState, problem string) {
		t.Helper()
		e := p.Lookup("Deploy")
		in := ""
		if digest != nil {
			in = sandbox.Digest(digest)
		}
		if digest == nil && e.Err == nil || digest != nil && (e.Err != nil || e.Digest != in || e.MayAllow != counts || e.MayReadOnly != counts) {
			t.Errorf("%s: got %+v", step, e)
		}
		m := p.Modules()
		if last := m[len(m)-1]; last.State != state || problem == "" != (last.Problem == "") || !strings.Contains(last.Problem, problem) {
			t.Errorf("%s: got %+v; want %s, %q", step, last, state, problem)
		}
	}
	p.put(v1)
	p.open()
	if e := p.Lookup("Deploy"); e.Module != "echo" {
		t.Errorf("never granted: got %+v; want the fallback", e)
	}
	wantProblem(t, p.Catalog, "d.wasm", "callgate tool add d.wasm")
	pin(v1, false)
	reload(t, p.Catalog)
	want("pinned", v1, true, wire.ModulePinned, "")
	p.put(v2)
	reload(t, p.Catalog)
	want("other bytes", v1, true, wire.ModuleKept, "callgate tool pin d.wasm")
	p.open()
	want("other bytes at a start", nil, false, wire.ModuleRefused, "callgate tool pin d.wasm")
	pin(v1, true)
	reload(t, p.Catalog)
	want("dev, the same words", v2, true, wire.ModuleDev, "")
	p.put(other)
	reload(t, p.Catalog)
	want("dev, other words", other, false, wire.ModuleDev, "its own allow and read-only answers are ignored")
	pin(v1, false)
	reload(t, p.Catalog)
	want("dev no longer", nil, false, wire.ModuleRefused, "callgate tool pin d.wasm")
	pin(other, false)
	reload(t, p.Catalog)
	want("pinned, but granted for other words", nil, false, wire.ModuleRefused, "its declarations changed")
	p.put(v1)
	pin(v1, false)
	reload(t, p.Catalog)
	want("again", v1, true, wire.ModulePinned, "")
	restore := p.forge("{", "damaged")
	if _, err := p.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), modules.LockFile) {
		t.Errorf("got %v; want that of the lock", err)
	}
	want("pins that cannot be read", v1, true, wire.ModulePinned, "")
	p.open()
	want("pins that cannot be read at a start", nil, false, wire.ModuleRefused, modules.LockFile)
	restore()
	p.unpin("d.wasm")
	p.open()
	want("no longer pinned", nil, false, wire.ModuleRefused, "callgate tool add d.wasm")
	p.opts.Settings.Unpinned = true
	p.open()
	want("without a pin", v1, false, wire.ModuleDev, "")
	p.opts.Settings.Unpinned = false
	pin(v1, false)
	p.open()
	if err := os.Remove(filepath.Join(p.dir, "d.wasm")); err != nil {
		t.Fatal(err)
	}
	reload(t, p.Catalog)
	want("gone, but pinned", nil, false, wire.ModuleMissing, "the file is gone")
}

// TestPins_nothingGrows: a module still in use despite another grant to its file has the common
// part of both grants, and no more.
func TestPins_nothingGrows(t *testing.T) {
	t.Parallel()
	p := newPinned(t)
	v1, v2 := p.modules.Version(1), p.modules.Version(2)
	declared := p.declared(v1)
	p.put(v1)
	p.pin("d.wasm", v1, declared, wire.Grant{Names: []string{"Deploy"}, MayReadOnly: true})
	p.open()
	for _, tt := range []struct {
		grant           wire.Grant
		names, readOnly bool
	}{
		{fully(false), true, true},
		{wire.Grant{Names: []string{"Deploy", "deploy"}, MayAllow: true}, true, false},
		{wire.Grant{Names: []string{"deploy"}, MayAllow: true, MayReadOnly: true}, false, false},
	} {
		p.pin("d.wasm", v2, declared, tt.grant) // the file is still v1
		reload(t, p.Catalog)
		e := p.Lookup("Deploy")
		if tt.names && (e.MayAllow || e.MayReadOnly != tt.readOnly) || (e.Module == "deploy" && e.Err == nil) != tt.names {
			t.Errorf("%+v: got %+v", tt.grant, e)
		}
		if e := p.Lookup("deploy"); e.Module == "deploy" && e.Err == nil && e.Own {
			t.Errorf("%+v: got %+v; want the name that it did not have left alone", tt.grant, e)
		}
	}
}

func TestTest(t *testing.T) {
	t.Parallel()
	p := newPinned(t)
	v1, v2 := p.modules.Version(1), p.modules.Version(2)
	p.put(v1)
	p.pin("d.wasm", v1, p.declared(v1), fully(false))
	p.opts.Swapping = func(_ context.Context, next *modules.Snapshot, files []string) []string {
		return []string{next.Lookup("Deploy").Version + " " + strings.Join(files, ",")}
	}
	p.open()
	before := p.Modules()
	tried, err := p.Test(t.Context(), "d.wasm", v2, full())
	if err != nil || tried.Name != "deploy" || tried.Version != "00002" || tried.Suspends[0] != "00002 d.wasm" || !bytes.Contains(tried.Raw, []byte(`"00002"`)) {
		t.Errorf("got %+v, %v", tried, err)
	}
	if tried, err := p.Test(t.Context(), "d.wasm", v2, modules.Rights{Names: []string{"Deploy"}}); err != nil || tried.Declared == "" {
		t.Errorf("without a name: got %+v, %v; want it tested", tried, err)
	}
	for way := range swaptest.Ways {
		bad, want := p.modules.Broken(way, 9)
		if way == 3 {
			continue // TestWatch_badBytesOnce
		}
		if _, err := p.Test(t.Context(), "d.wasm", bad, full()); !errors.Is(err, modules.ErrRefused) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "d.wasm") {
			t.Errorf("way %d: got %v; want it refused: %s", way, err, want)
		}
	}
	if _, err := p.Test(t.Context(), "a.wasm", v2, full()); !errors.Is(err, modules.ErrNameTaken) {
		t.Errorf("beside the one that has its names: got %v; want the name taken", err)
	}
	for _, name := range []string{"", ".wasm", "../d.wasm", "d.txt", `a\b.wasm`} {
		if _, err := p.Test(t.Context(), name, v2, full()); !errors.Is(err, modules.ErrRefused) {
			t.Errorf("%q: got %v; want it refused", name, err)
		}
	}
	if after := p.Modules(); len(after) != len(before) || after[1].Digest != before[1].Digest || after[1].Since != before[1].Since {
		t.Errorf("got %+v; want nothing changed", after)
	}
	// A file sorted before the names' owner does not get them either.
	write(t, p.dir, "a.wasm", v2)
	p.pin("a.wasm", v2, p.declared(v2), fully(false))
	reload(t, p.Catalog)
	if e := p.Lookup("Deploy"); e.File != "d.wasm" || e.Err != nil {
		t.Errorf("got %+v; want the one that had the name", e)
	}
}

// TestChange: an error of the change comes back as it is, and nothing is read.
func TestChange(t *testing.T) {
	t.Parallel()
	dir := directory(t, "deploy")
	c := open(t, modules.Options{Embedded: embedded(t, "echo"), Dir: dir, Fallback: "echo"})
	fails := errors.New("no")
	if _, err := c.Change(t.Context(), func() error { return errors.Join(os.Remove(filepath.Join(dir, "deploy.wasm")), fails) }); !errors.Is(err, fails) {
		t.Errorf("got %v", err)
	}
	if e := c.Lookup("Deploy"); e.Module != "deploy" || e.Err != nil {
		t.Errorf("got %+v; want nothing read", e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Reload(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v; want the context's error", err)
	}
	if e := c.Lookup("Deploy"); e.Module != "deploy" || e.Err != nil {
		t.Errorf("got %+v; want nothing changed", e)
	}
}

// TestSnapshot: work begun with one goes on with it; its module is freed with the last, and
// then fails rather than answers.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	m, dir := swaptest.Open(t, repo.File("testdata")), t.TempDir()
	write(t, dir, "d.wasm", m.Version(1))
	c := open(t, modules.Options{Dir: dir, Fallback: "Deploy", Settings: modules.Settings{Grants: map[string]modules.Rights{"d": {MayAllow: true}}}})
	one, two := c.Snapshot(), c.Snapshot()
	write(t, dir, "d.wasm", m.Version(2))
	reload(t, c)
	reason := func(s *modules.Snapshot) (string, error) {
		v, err := s.Lookup("Deploy").Tool.CheckPermissions(t.Context(), call(`{"target":"staging/x"}`))
		return v.Reason, err
	}
	old := one.Lookup("Deploy")
	one.Release()
	one.Release() // again does nothing
	if got, err := reason(two); err != nil || got != swaptest.Reason(1) {
		t.Errorf("got %q, %v; want version 1, which it began with", got, err)
	}
	two.Release()
	if v, err := old.Tool.CheckPermissions(t.Context(), call(`{"target":"staging/x"}`)); err == nil || v.Behavior == engine.Allow || !strings.Contains(err.Error(), "d.wasm") {
		t.Errorf("after the last release: got %+v, %v; want an error", v, err)
	}
	three := c.Snapshot()
	defer three.Release()
	if got, err := reason(three); err != nil || got != swaptest.Reason(2) {
		t.Errorf("got %q, %v; want version 2", got, err)
	}
}
