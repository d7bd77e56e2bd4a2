package modules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

const crashed = "deploy.wasm"

func crashGrant(text string) wire.GrantedModule {
	return wire.GrantedModule{
		Name: "deploy", Version: "1.0.0", Digest: sandbox.Digest([]byte(text)), Description: strings.Repeat("d", 64),
		Grant: wire.Grant{Names: []string{"Deploy"}}, GrantedBy: "ana", GrantedAt: time.Date(2026, 11, 22, 1, 2, 3, 4, time.UTC),
	}
}

// crashAfter begins a change, to the entry from next or to none, and stops after so many of its
// steps. It returns how many there are.
func crashAfter(t *testing.T, p Place, steps int, next *wire.GrantedModule) int {
	t.Helper()
	c, err := p.begin(crashed)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	before, err := c.present()
	if err != nil {
		t.Fatal(err)
	}
	var after fileState
	if next != nil {
		after = fileState{entry: &LockEntry{File: crashed, GrantedModule: *next}, wasm: []byte("two")}
		if after.entry.Seal, err = c.seals.seal(*after.entry); err != nil {
			t.Fatal(err)
		}
	}
	all := c.steps(before, after)
	for _, step := range all[:steps] {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return len(all)
}

// lockNow is the lock as it stands, empty for none; putLock puts it back.
func lockNow(t *testing.T, p Place) string {
	t.Helper()
	data, err := os.ReadFile(p.Path())
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

func putLock(t *testing.T, p Place, text string) {
	t.Helper()
	err := os.WriteFile(p.Path(), []byte(text), 0o600)
	if text == "" {
		err = os.Remove(p.Path())
	}
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

// T18: the daemon dies between writing the lock and noting the seal in force. The old entry and
// the new one were both in force until the next change, so anyone with write access to the
// directory of modules could put the old grant back.
func TestT18_crashInAChange(t *testing.T) {
	t.Parallel()
	one, two := crashGrant("one"), crashGrant("two")
	for name, tt := range map[string]struct{ was, next *wire.GrantedModule }{
		"add": {nil, &two}, "replace": {&one, &two}, "remove": {&one, nil},
	} {
		for steps, all := 0, 1; steps <= all; steps++ {
			dir := t.TempDir()
			p := Place{Modules: filepath.Join(dir, "modules"), State: filepath.Join(dir, "state")}
			if tt.was != nil {
				if _, err := p.Put(crashed, *tt.was, []byte("one"), []byte(`{}`)); err != nil {
					t.Fatal(err)
				}
			}
			before := lockNow(t, p)
			all = crashAfter(t, p, steps, tt.next)
			stands := lockNow(t, p)
			if err := p.Recover(); err != nil {
				t.Fatalf("%s, %d steps: %v", name, steps, err)
			}
			// The state after the crash is in force, and is no alarm.
			l, err := p.Load()
			if err != nil || len(l.Refused) != 0 {
				t.Errorf("%s, %d steps: got %+v, %v; want nothing refused", name, steps, l, err)
			}
			if e, want := l.Find(crashed), strings.Contains(stands, `"seal"`); (e != nil) != want {
				t.Errorf("%s, %d steps: got %+v in force; want one: %t", name, steps, e, want)
			}
			// Another lock of this change grants nothing.
			if before != stands {
				putLock(t, p, before)
				if err := p.Recover(); err != nil {
					t.Fatal(err)
				}
				if l, err := p.Load(); err != nil || l.Find(crashed) != nil {
					t.Errorf("%s, %d steps, the lock of before put back: got %+v, %v; want nothing in force", name, steps, l, err)
				}
			}
			// And the next change ends it.
			putLock(t, p, stands)
			if _, err := p.Put(crashed, two, []byte("two"), []byte(`{}`)); err != nil {
				t.Fatalf("%s, %d steps: %v", name, steps, err)
			}
			if l, err := p.Load(); err != nil || l.Find(crashed) == nil || len(l.Refused) != 0 {
				t.Errorf("%s, %d steps, granted again: got %+v, %v", name, steps, l, err)
			}
		}
	}
}

// TestT18_crashAndATamperedLock: an entry unknown to the change settles nothing for itself; the
// person's last decision counts.
func TestT18_crashAndATamperedLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := Place{Modules: filepath.Join(dir, "modules"), State: filepath.Join(dir, "state")}
	one, two := crashGrant("one"), crashGrant("two")
	if _, err := p.Put(crashed, one, []byte("one"), []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	old := lockNow(t, p)
	crashAfter(t, p, 2, &two)
	agreed := lockNow(t, p)
	for _, lock := range []string{strings.Replace(agreed, `"may_allow": false`, `"may_allow": true`, 1), old} {
		putLock(t, p, lock)
		if err := p.Recover(); err != nil {
			t.Fatal(err)
		}
		if l, err := p.Load(); err != nil || l.Find(crashed) != nil || len(l.Refused) != 1 {
			t.Errorf("got %+v, %v; want it refused", l, err)
		}
	}
	putLock(t, p, agreed)
	if l, err := p.Load(); err != nil || l.Find(crashed) == nil {
		t.Errorf("got %+v, %v; want what was granted last", l, err)
	}
}
