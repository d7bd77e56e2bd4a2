package assembly_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// TestT16_devBringsNoUnsignedBytes: a module may change its file (dev), and then the
// configuration requires signatures of it: unsigned bytes are not loaded, even with the same
// description.
func TestT16_devBringsNoUnsignedBytes(t *testing.T) {
	t.Parallel()
	key, public := signer(t)
	s := newShipped(t, "modules: {keys: {acme: \""+public+"\"}, require_signature: true}")
	signature := modules.Sign(key, "acme", sandbox.Digest(s.deploy))
	done, err := s.Catalog.Add(t.Context(), modules.Request{
		File: deployFile, Wasm: s.deploy, Signature: &signature, Grant: &wire.Grant{MayAllow: true, Dev: true}, By: "ana",
	})
	if err != nil || len(done.Notes) != 1 || !strings.Contains(done.Notes[0], "dev is ignored") {
		t.Fatalf("notes: got %q, %v; want it told that dev is ignored", done.Notes, err)
	}
	s.decides(engine.Allow, s.deploy)
	s.put(deployFile, s.version(`"version":"1.2.0"`, `"version":"1.3.0"`))
	s.reload()
	s.decides(engine.Allow, s.deploy)
	s.restart()
	s.decides(engine.Ask, nil)
}

// TestT18_devInADirectoryOfOthers: with modules.dev unpinned files load, but not from a
// directory writable by all, also without a lock in it.
func TestT18_devInADirectoryOfOthers(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "modules: {dev: true, grants: {deploy: {may_allow: true}}}")
	dir := filepath.Join(s.dirs.Config, "modules")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	s.put(deployFile, s.deploy)
	s.reload()
	s.decides(engine.Allow, s.deploy)
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // the attack
		t.Fatal(err)
	}
	s.put(deployFile, s.version(`"version":"1.2.0"`, `"version":"1.3.0"`))
	if _, err := s.Catalog.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "others can write") {
		t.Errorf("reload: got %v; want it refused", err)
	}
	s.decides(engine.Allow, s.deploy)
	s.restart()
	s.decides(engine.Ask, nil)
}

// TestT16_keptDescriptionForged: an attacker replaces the stored description of the version in
// force, to make the next one look unchanged. The changes are not shown by a false one; the
// need of a new grant is.
func TestT16_keptDescriptionForged(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "")
	s.mustAdd(s.deploy, wire.Grant{MayAllow: true})
	grown := s.version(`"aliases":["deploy"]`, `"aliases":["nope_x"]`)
	kept := filepath.Join("kept", sandbox.Digest(s.deploy)+".json")
	raw, err := os.ReadFile(s.path(kept))
	if err != nil {
		t.Fatal(err)
	}
	s.put(kept, []byte(strings.ReplaceAll(string(raw), `"aliases":["deploy"]`, `"aliases":["nope_x"]`)))
	s.put(deployFile, grown)
	p, err := s.Catalog.ProposePin(t.Context(), modules.Request{File: deployFile})
	if err != nil || !p.NeedsGrant || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "changed outside Callgate") {
		t.Errorf("got needs_grant %v, notes %q, %v; want it told that nothing can be compared", p.NeedsGrant, p.Notes, err)
	}
}
