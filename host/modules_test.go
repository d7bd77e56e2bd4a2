package host_test

import (
	"crypto/ed25519"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/pin"
	"github.com/callgate/callgate/host/sandbox"
	"github.com/callgate/callgate/host/store"
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
	wasm, err := os.ReadFile(filepath.Join("..", "testdata", "modules", deployFile))
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

func (s shipped) add(wasm []byte, g pin.Grant) (modules.Done, error) {
	return s.Modules().Add(s.t.Context(), modules.Request{File: deployFile, Wasm: wasm, Grant: &g, By: "ana"})
}

func (s shipped) mustAdd(wasm []byte, g pin.Grant) modules.Done {
	s.t.Helper()
	done, err := s.add(wasm, g)
	if err != nil {
		s.t.Fatal(err)
	}
	return done
}

// decides wants what a deployment to staging comes to, and by which bytes; nil for a
// module of Callgate's own.
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
	if _, err := s.Modules().Reload(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// restart opens the host again on what is there.
func (s shipped) restart() {
	s.t.Helper()
	if err := s.Host.Close(); err != nil {
		s.t.Fatal(err)
	}
	s.open()
}

// TestT16_GrantsAreTheOperators: a module gets what a person gives it, shown before,
// and nothing that it says of itself.
func TestT16_GrantsAreTheOperators(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "modules: {grants: {deploy: {may_allow: true, names: [Deploy, Bash], config: {a: 1}}}}")
	s.decides(engine.Ask, nil)
	p, err := s.Modules().ProposeAdd(t.Context(), modules.Request{File: deployFile, Wasm: s.deploy})
	if err != nil || p.Grant.MayAllow || strings.Join(p.Grant.Names, " ") != "Deploy deploy" || p.Replaces != nil {
		t.Fatalf("proposed: %+v, %v", p.Grant, err)
	}
	s.decides(engine.Ask, nil) // a proposal changes nothing

	s.mustAdd(s.deploy, pin.Grant{}) // the configuration's may_allow does not count
	s.decides(engine.Ask, s.deploy)
	if advice := host.GrantAdvice(s.Config()); len(advice) != 1 || !strings.Contains(advice[0], "modules.grants.deploy: names, may_allow and may_read_only do not hold") {
		t.Errorf("advice: got %q", advice)
	}
	s.mustAdd(s.deploy, pin.Grant{MayAllow: true})
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

// TestT16_ChangedDescription: a module that says something else of itself needs a new
// grant, and what changed is told member by member.
func TestT16_ChangedDescription(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "")
	s.mustAdd(s.deploy, pin.Grant{MayAllow: true})
	same := s.version(`"version":"1.2.0"`, `"version":"1.3.0"`)
	grown := s.version(`"aliases":["deploy"]`, `"aliases":["nope_x"]`)
	for name, wasm := range map[string][]byte{"the same": same, "grown": grown} {
		s.put(deployFile, wasm)
		s.reload()
		s.decides(engine.Allow, s.deploy) // the old one stays, whatever the new one says
		p, err := s.Modules().ProposePin(t.Context(), modules.Request{File: deployFile})
		if err != nil || p.NeedsGrant != (name == "grown") || !p.Grant.MayAllow {
			t.Errorf("%s: proposed %+v, %v", name, p, err)
		}
		if name == "grown" && (len(p.Changes) != 1 || p.Changes[0] != pin.Change{Where: "tools.Deploy.aliases", Was: `["deploy"]`, Will: `["nope_x"]`}) {
			t.Errorf("changes: got %+v", p.Changes)
		}
	}
	s.put(deployFile, grown)
	if _, err := s.Modules().Pin(t.Context(), modules.Request{File: deployFile, By: "ana"}); !errors.Is(err, modules.ErrNeedsGrant) {
		t.Errorf("pinned without a new grant: %v", err)
	}
	s.restart() // its names fail, rather than that others answer for them
	s.decides(engine.Ask, nil)
	if _, err := s.Modules().Pin(t.Context(), modules.Request{File: deployFile, By: "ana", Grant: &pin.Grant{}}); err != nil {
		t.Fatal(err)
	}
	s.decides(engine.Ask, grown)
	s.put(deployFile, s.version(`"version":"1.2.0"`, `"version":"9.9.9"`)) // an older description: not that of the pin either
	s.reload()
	s.decides(engine.Ask, grown)
}

// TestT16_NamesOfOthers: a name has one owner, whatever comes later claims.
func TestT16_NamesOfOthers(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "")
	s.mustAdd(s.deploy, pin.Grant{})
	for name, tc := range map[string]struct {
		wasm  []byte
		grant pin.Grant
		want  error
		text  string
	}{
		"a first-party tool's": {s.version(`"name":"deploy","v`, `"name":"thiefs","v`, `"name":"Deploy"`, `"name":"Thieve"`, `"aliases":["deploy"]`, `"aliases":["Bash"]  `), pin.Grant{}, catalog.ErrNameTaken, `"Bash" belongs to module bash`},
		"another module's":     {s.version(`"name":"deploy","v`, `"name":"thiefs","v`), pin.Grant{}, catalog.ErrNameTaken, "belongs to module deploy"},
		"another module":       {s.deploy, pin.Grant{}, catalog.ErrNameTaken, "is taken by deploy.wasm"},
		"below a glob":         {s.version(`"name":"deploy","v`, `"name":"thiefs","v`, `"name":"Deploy"`, `"name":"mcp__x"`, `["deploy"]`, `["mcp__y"]`), pin.Grant{}, catalog.ErrNameTaken, "belongs to module"},
		"not declared":         {s.deploy, pin.Grant{Names: []string{"Bash"}}, nil, ""},
		"no module":            {[]byte("#!/bin/sh"), pin.Grant{}, catalog.ErrRefused, ""},
	} {
		_, err := s.Modules().Add(t.Context(), modules.Request{File: "thief.wasm", Wasm: tc.wasm, Grant: &tc.grant, By: "eve"})
		if err == nil || tc.want != nil && !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) {
			t.Errorf("%s: got %v, want %v with %q", name, err, tc.want, tc.text)
		}
	}
	if _, err := os.Stat(s.path("thief.wasm")); err == nil {
		t.Error("a refused module was left in the directory")
	}
	s.decides(engine.Ask, s.deploy)
}

// TestT18_ModulesAndTheirLock: what is done to files and lock behind the gate's back
// grants nothing.
func TestT18_ModulesAndTheirLock(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "")
	s.mustAdd(s.deploy, pin.Grant{MayAllow: true})
	first, err := os.ReadFile(s.path(pin.LockFile))
	if err != nil {
		t.Fatal(err)
	}
	next := s.version(`"version":"1.2.0"`, `"version":"1.3.0"`)
	s.mustAdd(next, pin.Grant{})
	s.decides(engine.Ask, next)

	s.put(deployFile, s.deploy) // an older version put back
	s.reload()
	s.decides(engine.Ask, next)
	s.put(pin.LockFile, first) // and its lock with it
	s.reload()
	s.decides(engine.Ask, next)
	s.restart()
	s.decides(engine.Ask, nil)
	if p := s.Catalog.Problems(); len(p) != 1 || !strings.Contains(p[0].String(), "an old one that was put back") {
		t.Errorf("problems: got %v", p)
	}
	s.put(pin.LockFile, []byte("{"))
	s.restart()
	s.decides(engine.Ask, nil)
	if list := s.Modules().List(); !strings.Contains(list.Problem, "not strict JSON") {
		t.Errorf("a lock that is none: got %q", list.Problem)
	}
	if _, err := s.add(next, pin.Grant{}); err == nil {
		t.Error("something was granted on top of a lock that is none")
	}
	if err := os.Remove(s.path(pin.LockFile)); err != nil {
		t.Fatal(err)
	}
	s.mustAdd(next, pin.Grant{MayAllow: true})
	s.decides(engine.Allow, next)
}

// TestModules_rollback: bytes and grant of the version before come back, and forth.
func TestModules_rollback(t *testing.T) {
	t.Parallel()
	s := newShipped(t, "")
	s.mustAdd(s.deploy, pin.Grant{MayAllow: true})
	r := modules.Request{File: deployFile, By: "bob"}
	if _, err := s.Modules().Rollback(t.Context(), r); !errors.Is(err, pin.ErrNoPrevious) {
		t.Errorf("rollback of the first: %v", err)
	}
	next := s.version(`"version":"1.2.0"`, `"version":"1.3.0"`)
	s.mustAdd(next, pin.Grant{})
	for _, want := range []struct {
		by       []byte
		behavior engine.Behavior
	}{{s.deploy, engine.Allow}, {next, engine.Ask}, {s.deploy, engine.Allow}} {
		if _, err := s.Modules().Rollback(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		s.decides(want.behavior, want.by)
	}
	s.restart()
	s.decides(engine.Allow, s.deploy)
	shown := modules.Request{File: deployFile, Wasm: next, By: "ana", Digest: sandbox.Digest(s.deploy)}
	if _, err := s.Modules().Add(t.Context(), shown); !errors.Is(err, modules.ErrChangedSince) {
		t.Errorf("other bytes than were shown: %v", err)
	}
	shown.Digest, shown.Replaces = "", modules.ReplacesNothing
	if _, err := s.Modules().Add(t.Context(), shown); !errors.Is(err, modules.ErrChangedSince) {
		t.Errorf("another lock than was shown: %v", err)
	}
	if _, err := s.Modules().Remove(t.Context(), deployFile, "ana"); err != nil {
		t.Fatal(err)
	}
	s.decides(engine.Ask, nil)
	if _, err := s.Modules().Remove(t.Context(), deployFile, "ana"); !errors.Is(err, pin.ErrNotPinned) {
		t.Errorf("removed twice: %v", err)
	}
}

// signer returns a pair of keys, the public one as the configuration has it.
func signer(t *testing.T) (key ed25519.PrivateKey, public string) {
	t.Helper()
	text, public, err := pin.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if key, err = pin.ParsePrivateKey(text); err != nil {
		t.Fatal(err)
	}
	return key, public
}

// TestModules_signatures: where the configuration wants them, what is not signed is not
// granted, and no longer loaded once it wants them.
func TestModules_signatures(t *testing.T) {
	t.Parallel()
	key, public := signer(t)
	s := newShipped(t, "modules: {keys: {acme: \""+public+"\"}, require_signature: [deploy]}")
	if _, err := s.add(s.deploy, pin.Grant{}); !errors.Is(err, pin.ErrUnsigned) {
		t.Errorf("unsigned: %v", err)
	}
	signature := pin.Sign(key, "", sandbox.Digest(s.deploy))
	done, err := s.Modules().Add(t.Context(), modules.Request{File: deployFile, Wasm: s.deploy, Signature: &signature, By: "ana"})
	if err != nil || done.Signature.Key != "acme" {
		t.Fatalf("signed: %+v, %v", done.Signature, err)
	}
	s.decides(engine.Ask, s.deploy)
	next := s.version(`"version":"1.2.0"`, `"version":"1.3.0"`)
	if _, err := s.Modules().Add(t.Context(), modules.Request{File: deployFile, Wasm: next, Signature: &signature, By: "ana"}); !errors.Is(err, pin.ErrBadSignature) {
		t.Errorf("signed for other bytes: %v", err)
	}
	cfg, err := config.Parse("test.yaml", []byte("modules: {require_signature: true}\nagents: {default: {mode: default}}\n"), s.dirs)
	if err != nil {
		t.Fatal(err)
	}
	notes, err := s.Apply(t.Context(), cfg) // the key is gone: that only tightens
	if err != nil || !strings.Contains(strings.Join(notes, "\n"), "modules.keys") {
		t.Errorf("notes: got %q, %v", notes, err)
	}
	s.restart()
}
