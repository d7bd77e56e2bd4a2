package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/internal/swaptest"
	"github.com/callgate/callgate/host/sandbox"
)

// pinned is a catalogue whose files are pinned.
type pinned struct {
	*catalog.Catalog
	t       *testing.T
	dir     string
	modules *swaptest.Modules
	opts    catalog.Options
	pins    map[string]catalog.Pin
	fail    error
	free    bool // files without a pin load
}

// full is all that a module may be granted.
func full() catalog.Grant {
	return catalog.Grant{Names: []string{"Deploy", "deploy"}, MayAllow: true, MayReadOnly: true}
}

func newPinned(t *testing.T) *pinned {
	t.Helper()
	p := &pinned{t: t, dir: t.TempDir(), modules: swaptest.Open(t, "../../testdata"), pins: map[string]catalog.Pin{}}
	p.opts = catalog.Options{
		Embedded: modules(t, "echo"), Dir: p.dir, Fallback: "echo", CacheDir: filepath.Join(t.TempDir(), "cache"),
		Pins:     func() (map[string]catalog.Pin, error) { return p.pins, p.fail },
		Unpinned: func() bool { return p.free },
	}
	return p
}

func (p *pinned) open() { p.Catalog = open(p.t, p.opts) }

// declared is what the module deploy says of itself.
func (p *pinned) declared(wasm []byte) string {
	p.t.Helper()
	c := open(p.t, catalog.Options{Fallback: "x"})
	tried, err := c.Try(p.t.Context(), "d.wasm", wasm, full())
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
	pin := func(wasm []byte, dev bool) {
		p.pins["d.wasm"] = catalog.Pin{Digest: sandbox.Digest(wasm), Description: declared, Dev: dev, Grant: full()}
	}
	// want tells what is in use, whether its allow and read-only count, how the file
	// stands and what is said of it.
	want := func(step string, digest []byte, counts bool, state catalog.Standing, problem string) {
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
	want("pinned", v1, true, catalog.Pinned, "")
	p.put(v2)
	reload(t, p.Catalog)
	want("other bytes", v1, true, catalog.StandsKept, "callgate tool pin d.wasm")
	p.open()
	want("other bytes at a start", nil, false, catalog.StandsRefused, "callgate tool pin d.wasm")
	pin(v1, true)
	reload(t, p.Catalog)
	want("dev, the same words", v2, true, catalog.Dev, "")
	p.put(other)
	reload(t, p.Catalog)
	want("dev, other words", other, false, catalog.Dev, "what it allows and calls read-only does not count")
	pin(v1, false)
	reload(t, p.Catalog)
	want("dev no longer", nil, false, catalog.StandsRefused, "callgate tool pin d.wasm")
	pin(other, false)
	reload(t, p.Catalog)
	want("pinned, but granted for other words", nil, false, catalog.StandsRefused, "describes itself otherwise")
	p.put(v1)
	pin(v1, false)
	reload(t, p.Catalog)
	want("again", v1, true, catalog.Pinned, "")
	p.fail = errors.New("the lock file is damaged")
	if _, err := p.Reload(t.Context()); !errors.Is(err, p.fail) {
		t.Errorf("got %v; want that of the pins", err)
	}
	want("pins that cannot be read", v1, true, catalog.Pinned, "")
	p.open()
	want("pins that cannot be read at a start", nil, false, catalog.Missing, "damaged")
	p.fail = nil
	delete(p.pins, "d.wasm")
	p.open()
	want("no longer pinned", nil, false, catalog.StandsRefused, "callgate tool add d.wasm")
	p.free = true
	p.open()
	want("without a pin", v1, false, catalog.Dev, "")
	p.free = false
	pin(v1, false)
	p.open()
	if err := os.Remove(filepath.Join(p.dir, "d.wasm")); err != nil {
		t.Fatal(err)
	}
	reload(t, p.Catalog)
	want("gone, but pinned", nil, false, catalog.Missing, "the file is gone")
}

// TestPins_nothingGrows: a module that stays in use although its file was granted
// something else may do what both grants say, and no more.
func TestPins_nothingGrows(t *testing.T) {
	t.Parallel()
	p := newPinned(t)
	v1, v2 := p.modules.Version(1), p.modules.Version(2)
	declared := p.declared(v1)
	p.put(v1)
	p.pins["d.wasm"] = catalog.Pin{Digest: sandbox.Digest(v1), Description: declared, Grant: catalog.Grant{Names: []string{"Deploy"}, MayReadOnly: true}}
	p.open()
	for _, tt := range []struct {
		grant           catalog.Grant
		names, readOnly bool
	}{
		{full(), true, true},
		{catalog.Grant{Names: []string{"Deploy", "deploy"}, MayAllow: true}, true, false},
		{catalog.Grant{Names: []string{"deploy"}, MayAllow: true, MayReadOnly: true}, false, false},
	} {
		p.pins["d.wasm"] = catalog.Pin{Digest: sandbox.Digest(v2), Description: declared, Grant: tt.grant} // the file is still v1
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

func TestTry(t *testing.T) {
	t.Parallel()
	p := newPinned(t)
	v1, v2 := p.modules.Version(1), p.modules.Version(2)
	p.put(v1)
	p.pins["d.wasm"] = catalog.Pin{Digest: sandbox.Digest(v1), Description: p.declared(v1), Grant: full()}
	p.opts.Swapping = func(_ context.Context, next *catalog.Snapshot, files []string) []string {
		return []string{next.Lookup("Deploy").Version + " " + strings.Join(files, ",")}
	}
	p.open()
	before := p.Modules()
	tried, err := p.Try(t.Context(), "d.wasm", v2, full())
	if err != nil || tried.Name != "deploy" || tried.Version != "00002" || tried.Digest != sandbox.Digest(v2) || tried.Suspends[0] != "00002 d.wasm" || !bytes.Contains(tried.Raw, []byte(`"00002"`)) {
		t.Errorf("got %+v, %v", tried, err)
	}
	if tried, err := p.Try(t.Context(), "d.wasm", v2, catalog.Grant{Names: []string{"Deploy"}}); err != nil || len(tried.Notes) != 1 {
		t.Errorf("without a name: got %+v, %v; want it noted", tried, err)
	}
	for way := range swaptest.Ways {
		bad, want := p.modules.Broken(way, 9)
		if way == 3 {
			continue // TestWatch_badBytesOnce
		}
		if _, err := p.Try(t.Context(), "d.wasm", bad, full()); !errors.Is(err, catalog.ErrRefused) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "d.wasm") {
			t.Errorf("way %d: got %v; want it refused: %s", way, err, want)
		}
	}
	if _, err := p.Try(t.Context(), "a.wasm", v2, full()); !errors.Is(err, catalog.ErrNameTaken) {
		t.Errorf("beside the one that has its names: got %v; want the name taken", err)
	}
	for _, name := range []string{"", ".wasm", "../d.wasm", "d.txt", `a\b.wasm`} {
		if _, err := p.Try(t.Context(), name, v2, full()); !errors.Is(err, catalog.ErrRefused) {
			t.Errorf("%q: got %v; want it refused", name, err)
		}
	}
	if after := p.Modules(); len(after) != len(before) || after[1].Digest != before[1].Digest || after[1].Since != before[1].Since {
		t.Errorf("got %+v; want nothing changed", after)
	}
	// A file that sorts before the one that has the names does not get them either.
	write(t, p.dir, "a.wasm", v2)
	p.pins["a.wasm"] = catalog.Pin{Digest: sandbox.Digest(v2), Description: p.declared(v2), Grant: full()}
	reload(t, p.Catalog)
	if e := p.Lookup("Deploy"); e.File != "d.wasm" || e.Err != nil {
		t.Errorf("got %+v; want the one that had the name", e)
	}
}

// TestChange: an error of the change comes back as it is, and nothing is read.
func TestChange(t *testing.T) {
	t.Parallel()
	dir := directory(t, "deploy")
	c := open(t, catalog.Options{Embedded: modules(t, "echo"), Dir: dir, Fallback: "echo"})
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

// TestSnapshot: what began with one goes on with it; its module is freed with the
// last, and then fails rather than answers.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	m, dir := swaptest.Open(t, "../../testdata"), t.TempDir()
	write(t, dir, "d.wasm", m.Version(1))
	c := open(t, catalog.Options{Dir: dir, Fallback: "Deploy", Grants: map[string]catalog.Grant{"d": {MayAllow: true}}})
	one, two := c.Snapshot(), c.Snapshot()
	write(t, dir, "d.wasm", m.Version(2))
	reload(t, c)
	reason := func(s *catalog.Snapshot) (string, error) {
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
