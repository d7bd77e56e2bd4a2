package assembly_test

import (
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"

	"github.com/callgate/callgate/host/internal/modules/sandbox"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

const (
	deployFile = "deploy.wasm"
	staging    = `{"target":"staging/x"}`
)

// shipped is a world without modules, and versions of the module deploy.
type shipped struct {
	*world
	deploy []byte
}

func newShipped(t *testing.T, yaml string) shipped {
	t.Helper()
	wasm, err := os.ReadFile(repo.File("testdata", "modules", deployFile))
	if err != nil {
		t.Fatal(err)
	}
	return shipped{newWorld(t, yaml+"\nagents: {default: {mode: default}}\n"), wasm}
}

// version is deploy with texts replaced by others of the same length.
func (s shipped) version(pairs ...string) []byte {
	s.t.Helper()
	out := string(s.deploy)
	for i := 0; i+1 < len(pairs); i += 2 {
		if len(pairs[i]) != len(pairs[i+1]) || !strings.Contains(out, pairs[i]) {
			s.t.Fatalf("%q does not fit", pairs[i])
		}
		out = strings.ReplaceAll(out, pairs[i], pairs[i+1])
	}
	return []byte(out)
}

func (s shipped) add(wasm []byte, g wire.Grant) (wire.ModuleChange, error) {
	return s.Catalog.Add(s.t.Context(), modules.Request{File: deployFile, Wasm: wasm, Grant: &g, By: "ana"})
}

func (s shipped) mustAdd(wasm []byte, g wire.Grant) wire.ModuleChange {
	s.t.Helper()
	done, err := s.add(wasm, g)
	if err != nil {
		s.t.Fatal(err)
	}
	return done
}

// decides checks the decision about a deployment to staging, and its bytes; nil for a module of
// Callgate's own.
func (s shipped) decides(want engine.Behavior, by []byte) {
	s.t.Helper()
	d := s.evaluate("default", s.request("Deploy", []byte(staging)))
	e := s.Catalog.Lookup("Deploy")
	if d.Behavior != want || by != nil && e.Digest != sandbox.Digest(by) || by == nil && !e.Embedded && e.Err == nil {
		s.t.Errorf("got %s at %s (%s) by %s %s (%v), want %s", d.Behavior, d.Stage, d.Reason, e.File, e.Version, e.Err, want)
	}
}

func (s shipped) path(name string) string { return filepath.Join(s.dirs.Config, "modules", name) }

func (s shipped) put(name string, data []byte) {
	s.t.Helper()
	if err := os.WriteFile(s.path(name), data, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s shipped) reload() {
	s.t.Helper()
	if _, err := s.Catalog.Reload(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// restart opens the host again on the existing files.
func (s shipped) restart() {
	s.t.Helper()
	if err := s.Host.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.open()
}

// TestT16_GrantsAreTheOperators: a module gets a person's grants, shown before, and nothing by
// its own description.
func TestT16_GrantsAreTheOperators(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "modules: {grants: {deploy: {may_allow: true, names: [Deploy, Bash], config: {a: 1}}}}")
	s.decides(engine.Ask, nil)
	less := &wire.Grant{Names: []string{"Deploy"}}
	if p, err := s.Catalog.ProposeAdd(t.Context(), modules.Request{File: deployFile, Wasm: s.deploy, Grant: less}); err != nil || len(p.NotGranted) != 1 || p.NotGranted[0] != "deploy" {
		t.Errorf("without a name: got %q, %v; want it told", p.NotGranted, err)
	}
	p, err := s.Catalog.ProposeAdd(t.Context(), modules.Request{File: deployFile, Wasm: s.deploy})
	if err != nil || p.Grant.MayAllow || strings.Join(p.Grant.Names, " ") != "Deploy deploy" || p.Replaces != nil {
		t.Fatalf("proposed: %+v, %v", p.Grant, err)
	}
	s.decides(engine.Ask, nil) // a proposal changes nothing

	s.mustAdd(s.deploy, wire.Grant{}) // the configuration's may_allow does not count
	s.decides(engine.Ask, s.deploy)
	if advice := assembly.GrantAdvice(s.Config()); len(advice) != 1 || !strings.Contains(advice[0], "modules.grants.deploy: names, may_allow and may_read_only are ignored") {
		t.Errorf("advice: got %q", advice)
	}
	s.mustAdd(s.deploy, wire.Grant{MayAllow: true})
	s.decides(engine.Allow, s.deploy)
	s.restart()
	s.decides(engine.Allow, s.deploy)

	rows := 0
	for row, err := range s.Store.Audit(t.Context(), store.Filter{Event: store.EventModuleGranted}) {
		if err != nil || row.DecidedBy != "ana" || row.ModuleDigest != sandbox.Digest(s.deploy) || !strings.Contains(row.Detail, "names Deploy deploy") {
			t.Errorf("audit: %+v, %v", row, err)
		}
		rows++
	}
	if rows != 2 {
		t.Errorf("audit: got %d rows, want 2", rows)
	}
}

// TestT16_ChangedDescription: a module with a changed description needs a new grant, and the
// change is shown member by member.
func TestT16_ChangedDescription(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "")
	s.mustAdd(s.deploy, wire.Grant{MayAllow: true})
	same := s.version(`"version":"1.2.0"`, `"version":"1.3.0"`)
	grown := s.version(`"aliases":["deploy"]`, `"aliases":["nope_x"]`)
	for name, wasm := range map[string][]byte{"the same": same, "grown": grown} {
		s.put(deployFile, wasm)
		s.reload()
		s.decides(engine.Allow, s.deploy) // the old one stays, for any new description
		p, err := s.Catalog.ProposePin(t.Context(), modules.Request{File: deployFile})
		if err != nil || p.NeedsGrant != (name == "grown") || !p.Grant.MayAllow {
			t.Errorf("%s: proposed %+v, %v", name, p, err)
		}
		if name == "grown" && (len(p.Changes) != 1 || p.Changes[0] != wire.MemberChange{Where: "tools.Deploy.aliases", Was: `["deploy"]`, Will: `["nope_x"]`}) {
			t.Errorf("changes: got %+v", p.Changes)
		}
	}
	s.put(deployFile, grown)
	if _, err := s.Catalog.Pin(t.Context(), modules.Request{File: deployFile, By: "ana"}); !errors.Is(err, modules.ErrNeedsGrant) {
		t.Errorf("pinned without a new grant: %v", err)
	}
	s.restart() // its names fail, rather than others answering for them
	s.decides(engine.Ask, nil)
	if _, err := s.Catalog.Pin(t.Context(), modules.Request{File: deployFile, By: "ana", Grant: &wire.Grant{}}); err != nil {
		t.Fatal(err)
	}
	s.decides(engine.Ask, grown)
	s.put(deployFile, s.version(`"version":"1.2.0"`, `"version":"9.9.9"`)) // an older description: not the pin's either
	s.reload()
	s.decides(engine.Ask, grown)
}

// TestT16_NamesOfOthers: a name has one owner, against any later claim.
func TestT16_NamesOfOthers(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "")
	s.mustAdd(s.deploy, wire.Grant{})
	for name, tc := range map[string]struct {
		wasm  []byte
		grant wire.Grant
		want  error
		text  string
	}{
		"a first-party tool's": {s.version(`"name":"deploy","v`, `"name":"thiefs","v`, `"name":"Deploy"`, `"name":"Thieve"`, `"aliases":["deploy"]`, `"aliases":["Bash"]  `), wire.Grant{}, modules.ErrNameTaken, `"Bash" belongs to module bash`},
		"another module's":     {s.version(`"name":"deploy","v`, `"name":"thiefs","v`), wire.Grant{}, modules.ErrNameTaken, "belongs to module deploy"},
		"another module":       {s.deploy, wire.Grant{}, modules.ErrNameTaken, "is already used by deploy.wasm"},
		"below a glob":         {s.version(`"name":"deploy","v`, `"name":"thiefs","v`, `"name":"Deploy"`, `"name":"mcp__x"`, `["deploy"]`, `["mcp__y"]`), wire.Grant{}, modules.ErrNameTaken, "belongs to module"},
		"not declared":         {s.deploy, wire.Grant{Names: []string{"Bash"}}, nil, ""},
		"no module":            {[]byte("#!/bin/sh"), wire.Grant{}, modules.ErrRefused, ""},
	} {
		_, err := s.Catalog.Add(t.Context(), modules.Request{File: "thief.wasm", Wasm: tc.wasm, Grant: &tc.grant, By: "eve"})
		if err == nil || tc.want != nil && !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%s: got %v, want %v with %q", name, err, tc.want, tc.text)
		}
	}
	if _, err := os.Stat(s.path("thief.wasm")); err == nil {
		t.Error("a refused module was left in the directory")
	}
	s.decides(engine.Ask, s.deploy)
}

// TestT18_ModulesAndTheirLock: changes of files and lock behind the gate's back grant nothing.
func TestT18_ModulesAndTheirLock(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "")
	s.mustAdd(s.deploy, wire.Grant{MayAllow: true})
	first, err := os.ReadFile(s.path(modules.LockFile))
	if err != nil {
		t.Fatal(err)
	}
	next := s.version(`"version":"1.2.0"`, `"version":"1.3.0"`)
	s.mustAdd(next, wire.Grant{})
	s.decides(engine.Ask, next)

	s.put(deployFile, s.deploy) // an older version put back
	s.reload()
	s.decides(engine.Ask, next)
	s.put(modules.LockFile, first) // and its lock with it
	s.reload()
	s.decides(engine.Ask, next)
	s.restart()
	s.decides(engine.Ask, nil)
	if p := s.Catalog.Problems(); len(p) != 1 || !strings.Contains(p[0].String(), "an old one that was put back") {
		t.Errorf("problems: got %v", p)
	}
	s.put(modules.LockFile, []byte("{"))
	s.restart()
	s.decides(engine.Ask, nil)
	if list := s.Catalog.List(); !strings.Contains(list.Problem, "not strict JSON") {
		t.Errorf("a lock that is none: got %q", list.Problem)
	}
	if _, err := s.add(next, wire.Grant{}); err == nil {
		t.Error("something was granted on top of a lock that is none")
	}
	if err := os.Remove(s.path(modules.LockFile)); err != nil {
		t.Fatal(err)
	}
	s.mustAdd(next, wire.Grant{MayAllow: true})
	s.decides(engine.Allow, next)
}

// TestModules_rollback: bytes and grant of the version before come back, and forth.
func TestModules_rollback(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "")
	s.mustAdd(s.deploy, wire.Grant{MayAllow: true})
	r := modules.Request{File: deployFile, By: "bob"}
	if _, err := s.Catalog.Rollback(t.Context(), r); !errors.Is(err, modules.ErrNoPrevious) {
		t.Errorf("rollback of the first: %v", err)
	}
	next := s.version(`"version":"1.2.0"`, `"version":"1.3.0"`)
	s.mustAdd(next, wire.Grant{})
	for _, want := range []struct {
		by       []byte
		behavior engine.Behavior
	}{{s.deploy, engine.Allow}, {next, engine.Ask}, {s.deploy, engine.Allow}} {
		if _, err := s.Catalog.Rollback(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		s.decides(want.behavior, want.by)
	}
	s.restart()
	s.decides(engine.Allow, s.deploy)
	shown := modules.Request{File: deployFile, Wasm: next, By: "ana", Digest: sandbox.Digest(s.deploy)}
	if _, err := s.Catalog.Add(t.Context(), shown); !errors.Is(err, modules.ErrChangedSince) {
		t.Errorf("other bytes than were shown: %v", err)
	}
	shown.Digest, shown.Replaces = "", modules.ReplacesNothing
	if _, err := s.Catalog.Add(t.Context(), shown); !errors.Is(err, modules.ErrChangedSince) {
		t.Errorf("another lock than was shown: %v", err)
	}
	if _, err := s.Catalog.Remove(t.Context(), deployFile, "ana"); err != nil {
		t.Fatal(err)
	}
	s.decides(engine.Ask, nil)
	if _, err := s.Catalog.Remove(t.Context(), deployFile, "ana"); !errors.Is(err, modules.ErrNotPinned) {
		t.Errorf("removed twice: %v", err)
	}
}

// signer returns a pair of keys, the public one as the configuration has it.
func signer(t *testing.T) (key ed25519.PrivateKey, public string) {
	t.Helper()
	text, public, err := modules.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if key, err = modules.ParsePrivateKey(text); err != nil {
		t.Fatal(err)
	}
	return key, public
}

// TestModules_signatures: where the configuration requires them, unsigned modules get no grant,
// and no longer load once it does.
func TestModules_signatures(t *testing.T) {
	t.Parallel()
	key, public := signer(t)
	s := newShipped(t, "modules: {keys: {acme: \""+public+"\"}, require_signature: [deploy]}")
	if _, err := s.add(s.deploy, wire.Grant{}); !errors.Is(err, modules.ErrUnsigned) {
		t.Errorf("unsigned: %v", err)
	}
	signature := modules.Sign(key, "", sandbox.Digest(s.deploy))
	done, err := s.Catalog.Add(t.Context(), modules.Request{File: deployFile, Wasm: s.deploy, Signature: &signature, By: "ana"})
	if err != nil || done.Signature.Key != "acme" {
		t.Fatalf("signed: %+v, %v", done.Signature, err)
	}
	s.decides(engine.Ask, s.deploy)
	next := s.version(`"version":"1.2.0"`, `"version":"1.3.0"`)
	if _, err := s.Catalog.Add(t.Context(), modules.Request{File: deployFile, Wasm: next, Signature: &signature, By: "ana"}); !errors.Is(err, modules.ErrBadSignature) {
		t.Errorf("signed for other bytes: %v", err)
	}
	cfg, err := config.Parse("test.yaml", []byte("modules: {require_signature: true}\nagents: {default: {mode: default}}\n"), s.dirs)
	if err != nil {
		t.Fatal(err)
	}
	notes, err := s.Apply(t.Context(), cfg) // the key is gone: a pure tightening
	if err != nil || !strings.Contains(strings.Join(notes, "\n"), "modules.keys") {
		t.Errorf("notes: got %q, %v", notes, err)
	}
	s.restart()
}
