package host_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/pin"
	"github.com/callgate/callgate/host/sandbox"
)

// TestT16_devBringsNoUnsignedBytes: a module may change its file (dev), and then the
// configuration wants signatures of it: bytes that nobody signed are not loaded,
// though they say the same of themselves.
func TestT16_devBringsNoUnsignedBytes(t *testing.T) {
	t.Parallel()
	key, public := signer(t)
	s := newShipped(t, "modules: {keys: {acme: \""+public+"\"}, require_signature: true}")
	signature := pin.Sign(key, "acme", sandbox.Digest(s.deploy))
	done, err := s.Modules().Add(t.Context(), modules.Request{
		File: deployFile, Wasm: s.deploy, Signature: &signature, Grant: &pin.Grant{MayAllow: true, Dev: true}, By: "ana",
	})
	if err != nil || len(done.Notes) != 1 || !strings.Contains(done.Notes[0], "dev does not hold") {
		t.Fatalf("notes: got %q, %v; want it told that dev does not hold", done.Notes, err)
	}
	s.decides(engine.Allow, s.deploy)
	s.put(deployFile, s.version(`"version":"1.2.0"`, `"version":"1.3.0"`))
	s.reload()
	s.decides(engine.Allow, s.deploy)
	s.restart()
	s.decides(engine.Ask, nil)
}

// TestT18_devInADirectoryOfOthers: with modules.dev files load that nobody pinned, but
// not from a directory that everybody can write, also without a lock in it.
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
	if _, err := s.Modules().Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "others can write") {
		t.Errorf("reload: got %v; want it refused", err)
	}
	s.decides(engine.Allow, s.deploy)
	s.restart()
	s.decides(engine.Ask, nil)
}

// TestT16_keptDescriptionForged: somebody exchanges the description that is kept of the
// version in force, so that the next one seems to say the same as ever. What changed
// is not told from a false one; that a new grant is needed is.
func TestT16_keptDescriptionForged(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "")
	s.mustAdd(s.deploy, pin.Grant{MayAllow: true})
	grown := s.version(`"aliases":["deploy"]`, `"aliases":["nope_x"]`)
	kept := filepath.Join("kept", sandbox.Digest(s.deploy)+".json")
	raw, err := os.ReadFile(s.path(kept))
	if err != nil {
		t.Fatal(err)
	}
	s.put(kept, []byte(strings.ReplaceAll(string(raw), `"aliases":["deploy"]`, `"aliases":["nope_x"]`)))
	s.put(deployFile, grown)
	p, err := s.Modules().ProposePin(t.Context(), modules.Request{File: deployFile})
	if err != nil || !p.NeedsGrant || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "changed outside Callgate") {
		t.Errorf("got needs_grant %v, notes %q, %v; want it told that nothing can be compared", p.NeedsGrant, p.Notes, err)
	}
}
