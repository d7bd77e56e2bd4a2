package modules_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

const file = "deploy.wasm"

// places is a lock of its own, and how to do things to it.
type places struct {
	modules.Place
	t *testing.T
}

func newPlaces(t *testing.T) places {
	t.Helper()
	dir := t.TempDir()
	return places{modules.Place{Modules: filepath.Join(dir, "modules"), State: filepath.Join(dir, "state")}, t}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// granted is a version with text as its bytes.
func granted(text string) wire.GrantedModule {
	return wire.GrantedModule{
		Name: "deploy", Version: "1.0.0", Digest: sandbox.Digest([]byte(text)), Description: strings.Repeat("d", 64),
		Grant:     wire.Grant{Names: []string{"Deploy", "deploy_*"}, MayReadOnly: true, Limits: map[string]string{"fuel": "2000000", "timeout": "2s"}},
		GrantedBy: "ana", GrantedAt: time.Date(2026, 11, 22, 1, 2, 3, 4, time.UTC),
	}
}

func (p places) put(text string) modules.Undo {
	p.t.Helper()
	undo, err := p.Put(file, granted(text), []byte(text), []byte(`{"name":"deploy"}`))
	must(p.t, err)
	return undo
}

func (p places) load() modules.Grants {
	p.t.Helper()
	l, err := p.Load()
	must(p.t, err)
	return l
}

// rollback puts the version before back, as Catalog.Rollback does.
func (p places) rollback(by string) modules.Undo {
	p.t.Helper()
	back := *p.load().Find(file).Previous
	wasm, err := p.ReadBackup(back.Digest)
	must(p.t, err)
	description, err := p.Description(back.Digest)
	must(p.t, err)
	back.GrantedBy = by
	undo, err := p.Put(file, back, wasm, description)
	must(p.t, err)
	return undo
}

// stands checks the pinned and the present versions: the digests of these texts, none for "".
func (p places) stands(text, previous string) {
	p.t.Helper()
	e := p.load().Find(file)
	if text == "" {
		if e != nil {
			p.t.Errorf("got %+v pinned, want nothing", e)
		}
		return
	}
	if e == nil || e.Digest != sandbox.Digest([]byte(text)) {
		p.t.Fatalf("got %+v pinned, want %q", e, text)
	}
	if got := e.Previous; (got == nil) != (previous == "") || got != nil && got.Digest != sandbox.Digest([]byte(previous)) {
		p.t.Errorf("got %+v before it, want %q", got, previous)
	}
	if data, err := p.Module(file); err != nil || string(data) != text {
		p.t.Errorf("the file: got %q, %v, want %q", data, err, text)
	}
}

func (p places) lock() string { return filepath.Join(p.Modules, modules.LockFile) }

func (p places) edit(old, with string) {
	p.t.Helper()
	data, err := os.ReadFile(p.lock())
	must(p.t, err)
	changed := strings.Replace(string(data), old, with, 1)
	if changed == string(data) {
		p.t.Fatalf("%q is not in the lock:\n%s", old, data)
	}
	must(p.t, os.WriteFile(p.lock(), []byte(changed), 0o600))
}

// refused wants the file's entry to grant nothing, for this reason.
func (p places) refused(why string) {
	p.t.Helper()
	l := p.load()
	if e := l.Find(file); e != nil {
		p.t.Errorf("got %+v in force, want nothing", e)
	}
	if len(l.Refused) != 1 || l.Refused[0].File != file || !strings.Contains(l.Refused[0].Why.Error(), why) {
		p.t.Errorf("got %+v refused, want %s because %q", l.Refused, file, why)
	}
}

func TestPlace_lifeOfAModule(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	p.stands("", "")
	p.put("one")
	p.stands("one", "")
	if e := p.load().Find(file); !e.MayReadOnly || e.MayAllow || e.GrantedBy != "ana" || modules.SandboxLimits(e.Grant).Fuel != 2000000 || modules.SandboxLimits(e.Grant).Timeout != 2*time.Second {
		t.Errorf("got %+v", e)
	}
	p.put("two")
	p.stands("two", "one")
	p.put("three")
	p.stands("three", "two")
	p.put("three") // granted anew: the version before stays
	p.stands("three", "two")
	for _, want := range [][2]string{{"two", "three"}, {"three", "two"}} {
		p.rollback("bob")
		p.stands(want[0], want[1])
		if by := p.load().Find(file).GrantedBy; by != "bob" {
			t.Errorf("rolled back by %q, want bob", by)
		}
	}
	_, err := p.Remove(file)
	must(t, err)
	p.stands("", "")
	if _, err := p.Module(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file after it was removed: %v", err)
	}
	if _, err := p.Remove(file); !errors.Is(err, modules.ErrNotPinned) {
		t.Errorf("removed twice: %v", err)
	}
}

func TestPlace_undo(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	undo := p.put("one")
	must(t, undo())
	p.stands("", "")
	p.put("one")
	p.put("two")
	undo = p.put("three")
	must(t, undo())
	p.stands("two", "one")
	undo, err := p.Remove(file)
	must(t, err)
	must(t, undo())
	p.stands("two", "one")
	undo = p.rollback("ana")
	p.stands("one", "two")
	must(t, undo())
	p.stands("two", "one")
	p.rollback("ana") // the version before did not go with the undone one
}

func TestPlace_refusesChanges(t *testing.T) {
	t.Parallel()
	good := granted("one")
	with := func(change func(*wire.GrantedModule)) wire.GrantedModule { g := good; change(&g); return g }
	for name, tc := range map[string]struct {
		file string
		g    wire.GrantedModule
		want string
	}{
		"another directory": {"../deploy.wasm", good, "want letters"},
		"hidden":            {".deploy.wasm", good, "want letters"},
		"no module":         {"deploy.so", good, "ending in .wasm"},
		"other bytes":       {file, granted("two"), "do not match the digest"},
		"no description":    {file, with(func(g *wire.GrantedModule) { g.Description = "" }), "description: want"},
		"nobody":            {file, with(func(g *wire.GrantedModule) { g.GrantedBy = "" }), "granted_by: want"},
		"bidi name":         {file, with(func(g *wire.GrantedModule) { g.Name = "a\u202e" }), "name: want"},
		"every name":        {file, with(func(g *wire.GrantedModule) { g.Names = []string{"*"} }), "names[0]"},
		"unknown limit":     {file, with(func(g *wire.GrantedModule) { g.Limits = map[string]string{"fules": "1"} }), "unknown name"},
		"no limit at all":   {file, with(func(g *wire.GrantedModule) { g.Limits = map[string]string{"fuel": "0"} }), "limits.fuel"},
		"too much":          {file, with(func(g *wire.GrantedModule) { g.Limits = map[string]string{"memory_mib": "4096"} }), "limits.memory_mib"},
		"half a signature":  {file, with(func(g *wire.GrantedModule) { g.Signature = &wire.ModuleSignature{Key: "acme", Value: "AAAA"} }), "signature.value"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlaces(t)
			if _, err := p.Put(tc.file, tc.g, []byte("one"), []byte("{}")); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
			p.stands("", "")
			if _, err := p.Module(file); err == nil {
				t.Error("the file was written")
			}
		})
	}
	p := newPlaces(t)
	p.put("one")
	p.put("two")
	must(t, os.WriteFile(filepath.Join(p.Modules, "kept", sandbox.Digest([]byte("one"))+".wasm"), []byte("evil"), 0o600))
	if _, err := p.ReadBackup(sandbox.Digest([]byte("one"))); err == nil || !strings.Contains(err.Error(), "changed outside") {
		t.Errorf("bytes to go back to, changed: %v", err)
	}
	p.stands("two", "one")
}

// TestT18_lock: any change of the lock outside Callgate grants nothing, is reported, and is
// fixed by granting again.
func TestT18_lock(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(p places)
		why   string
	}{
		"may_allow":       {func(p places) { p.edit(`"may_allow": false`, `"may_allow": true`) }, "changed outside"},
		"a name":          {func(p places) { p.edit(`"deploy_*"`, `"Bash"`) }, "changed outside"},
		"digest":          {func(p places) { p.edit(sandbox.Digest([]byte("two")), sandbox.Digest([]byte("evil"))) }, "changed outside"},
		"dev":             {func(p places) { p.edit(`"granted_by"`, `"dev": true, "granted_by"`) }, "changed outside"},
		"a limit":         {func(p places) { p.edit(`"2000000"`, `"9000000"`) }, "changed outside"},
		"previous":        {func(p places) { p.edit(`"previous": {`, `"previous": {"dev": true,`) }, "changed outside"},
		"removed outside": {func(p places) { must(p.t, os.WriteFile(p.lock(), []byte(`{"format":1,"modules":[]}`), 0o600)) }, "removed outside"},
		"lock gone":       {func(p places) { must(p.t, os.Remove(p.lock())) }, "removed outside"},
		"state gone":      {func(p places) { must(p.t, os.RemoveAll(p.State)) }, "not written by this daemon"},
		"another daemon's": {func(p places) {
			must(p.t, os.WriteFile(filepath.Join(p.State, "pins", "key"), make([]byte, 32), 0o600))
			must(p.t, os.Remove(filepath.Join(p.State, "pins", "seals")))
		}, "changed outside"},
		"an old lock put back": {func(p places) {
			old, err := os.ReadFile(p.lock())
			must(p.t, err)
			p.put("three")
			must(p.t, os.WriteFile(p.lock(), old, 0o600))
		}, "an old one"},
		"a removed entry put back": {func(p places) {
			old, err := os.ReadFile(p.lock())
			must(p.t, err)
			_, err = p.Remove(file)
			must(p.t, err)
			must(p.t, os.WriteFile(p.lock(), old, 0o600))
		}, "was removed since"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlaces(t)
			p.put("one")
			p.put("two")
			tc.spoil(p)
			p.refused(tc.why)
			p.put("four")
			p.stands("four", "")
		})
	}
}

// TestT18_unreadable: an invalid lock, or one open to others, is not believed.
func TestT18_unreadable(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		spoil func(p places)
		want  string
	}{
		"rubbish": {func(p places) { must(p.t, os.WriteFile(p.lock(), []byte("modules: []"), 0o600)) }, "not strict JSON"},
		"cut off": {func(p places) { must(p.t, os.Truncate(p.lock(), 100)) }, "not strict JSON"},
		"a link": {func(p places) {
			must(p.t, os.Rename(p.lock(), p.lock()+"2"))
			must(p.t, os.Symlink(p.lock()+"2", p.lock()))
		}, "not a regular file"},
		"writable":  {func(p places) { must(p.t, os.Chmod(p.lock(), 0o666)) }, "mode 0666"},
		"directory": {func(p places) { must(p.t, os.Chmod(p.Modules, 0o777)) }, "others can write"},
		"linked directory": {func(p places) {
			must(p.t, os.Rename(p.Modules, p.Modules+"2"))
			must(p.t, os.Symlink(p.Modules+"2", p.Modules))
		}, "is a link"},
		"key others read": {func(p places) { must(p.t, os.Chmod(filepath.Join(p.State, "pins", "key"), 0o644)) }, "mode 0644"},
		"seals": {func(p places) {
			must(p.t, os.WriteFile(filepath.Join(p.State, "pins", "seals"), []byte("{}"), 0o600))
		}, "not authentic"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlaces(t)
			p.put("one")
			tc.spoil(p)
			if l, err := p.Load(); err == nil || !strings.Contains(err.Error(), tc.want) || len(l.Entries) > 0 {
				t.Errorf("got %+v, %v, want nothing and %q", l, err, tc.want)
			}
		})
	}
	p := newPlaces(t)
	p.put("one")
	must(t, os.Remove(filepath.Join(p.Modules, file)))
	must(t, os.Symlink("/etc/passwd", filepath.Join(p.Modules, file)))
	if data, err := p.Module(file); !errors.Is(err, securedir.ErrUnsafe) {
		t.Errorf("a link instead of a module: got %d bytes, %v", len(data), err)
	}
	p.put("two") // replaces the link, and not its destination
	p.stands("two", "one")
}

// TestPlace_oneModuleDoesNotSpoilAnother: a change of one entry concerns no other.
func TestPlace_oneModuleDoesNotSpoilAnother(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	p.put("one")
	_, err := p.Put("other.wasm", granted("x"), []byte("x"), []byte("{}"))
	must(t, err)
	p.edit(`"may_allow": false`, `"may_allow": true`) // deploy comes first
	p.refused("changed outside")
	if p.load().Find("other.wasm") == nil {
		t.Error("the other module lost its entry")
	}
	_, err = p.Put("other.wasm", granted("y"), []byte("y"), []byte("{}"))
	must(t, err)
	p.refused("changed outside") // and is not sealed along the way
}

func TestPlace_failedWriteChangesNothing(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	p.put("one")
	must(t, os.Remove(filepath.Join(p.Modules, file)))
	must(t, os.MkdirAll(filepath.Join(p.Modules, file, "in the way"), 0o700))
	if _, err := p.Put(file, granted("two"), []byte("two"), []byte("{}")); err == nil {
		t.Fatal("a directory was replaced by a file")
	}
	if e := p.load().Find(file); e == nil || e.Digest != sandbox.Digest([]byte("one")) {
		t.Errorf("got %+v, want the entry of before", e)
	}
}

func TestPlace_keepsTwoVersions(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	for _, text := range []string{"one", "two", "three", "four"} {
		p.put(text)
	}
	p.put("four")
	entries, err := os.ReadDir(filepath.Join(p.Modules, "kept"))
	must(t, err)
	if len(entries) != 4 {
		t.Errorf("got %v, want bytes and descriptions of two versions", entries)
	}
	if d, err := p.Description(sandbox.Digest([]byte("four"))); err != nil || string(d) != `{"name":"deploy"}` {
		t.Errorf("the description: got %q, %v", d, err)
	}
	if d, err := p.ReadBackup(sandbox.Digest([]byte("three"))); err != nil || string(d) != "three" {
		t.Errorf("the version before: got %q, %v", d, err)
	}
}
