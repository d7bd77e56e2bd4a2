package modules_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// replacing is a catalogue with the built-in module deploy and a replaceable file.
func replacing(t *testing.T) *pinned {
	p := newPinned(t)
	p.opts.Embedded = embedded(t, "echo", "deploy")
	return p
}

func (p *pinned) replaceBy(wasm []byte, g wire.Grant) {
	p.t.Helper()
	p.pin("deploy.wasm", wasm, p.declared(wasm), g)
}

func (p *pinned) reload() modules.Outcome {
	p.t.Helper()
	out, err := p.Reload(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return out
}

// wants checks the bytes answering for both names of the module, or the failure of calls.
func (p *pinned) wants(step string, wasm []byte, embedded bool) {
	p.t.Helper()
	for _, name := range []string{"Deploy", "deploy"} {
		e := p.Lookup(name)
		switch {
		case wasm == nil && e.Err == nil:
			p.t.Errorf("%s: %s: got module %s; want an error", step, name, e.Module)
		case wasm != nil && (e.Err != nil || e.Digest != sandbox.Digest(wasm) || e.Embedded != embedded || e.Replaces == embedded):
			p.t.Errorf("%s: %s: got %.12s embedded %t replaces %t, %v", step, name, e.Digest, e.Embedded, e.Replaces, e.Err)
		}
	}
}

func TestReplacement(t *testing.T) {
	t.Parallel()
	p := replacing(t)
	own, v1, v2 := wasm(t, "deploy"), p.modules.Version(1), p.modules.Version(2)
	put := func(wasm []byte) { write(t, p.dir, "deploy.wasm", wasm) }
	put(v1)
	p.open()
	p.wants("it has no grant", own, true)
	wantProblem(t, p.Catalog, "deploy.wasm", "it has no grant; grant it: callgate tool add deploy.wasm")

	p.replaceBy(v1, fully(false))
	out := p.reload()
	p.wants("pinned", v1, false)
	if len(out.Swaps) != 1 || out.Swaps[0].Is != sandbox.Digest(v1) {
		t.Errorf("got swaps %+v; want one, to the replacement", out.Swaps)
	}
	if e := p.Lookup("Deploy"); !e.NamesActions() {
		t.Error("may_allow was granted, and its actions are not believed")
	}
	less := fully(false)
	less.MayAllow = false
	p.replaceBy(v1, less)
	p.reload()
	if e := p.Lookup("Deploy"); e.NamesActions() || e.MayAllow {
		t.Error("may_allow was not granted, and its actions are believed")
	}
	put(v2)
	p.reload()
	p.wants("other bytes while it runs", v1, false)
	p.open()
	p.wants("other bytes at a start", nil, false)

	restore := p.forge(`"may_allow": false`, `"may_allow": true`)
	p.open()
	p.wants("an entry that grants nothing", nil, false)
	p.forge("{", "no lock")
	p.open()
	p.wants("a lock that cannot be read", nil, false)
	restore()

	p.unpin("deploy.wasm")
	p.reload()
	p.wants("no entry", own, true)
}

// TestReplacement_back: the built-in module answers again without being compiled.
func TestReplacement_back(t *testing.T) {
	t.Parallel()
	p := replacing(t)
	own, v1 := wasm(t, "deploy"), p.modules.Version(1)
	write(t, p.dir, "deploy.wasm", v1)
	p.replaceBy(v1, fully(false))
	p.open()
	p.wants("pinned", v1, false)
	p.unpin("deploy.wasm")
	out := p.reload()
	p.wants("removed", own, true)
	if len(out.Swaps) == 0 || out.Swaps[0].What != wire.SwapSwapped || out.Trying != 0 {
		t.Errorf("got %+v; want a swap to the built-in module at once", out)
	}
}

// TestReplacement_unchosen: bytes without a grant replace no built-in module, whether files
// load without a pin or the pin lets others load.
func TestReplacement_unchosen(t *testing.T) {
	t.Parallel()
	p := replacing(t)
	own, v1, v2 := wasm(t, "deploy"), p.modules.Version(1), p.modules.Version(2)
	write(t, p.dir, "deploy.wasm", v1)
	p.opts.Settings.Unpinned = true
	p.open()
	p.wants("modules.dev", own, true)
	p.replaceBy(v2, fully(true))
	p.open()
	p.wants("a dev pin of other bytes", nil, false)
}

// TestReplacement_names: a replacement has the built-in module's name and all of its
// tool names, and no others; no other module takes one of them while it is broken.
func TestReplacement_names(t *testing.T) {
	t.Parallel()
	p := replacing(t)
	v1 := p.modules.Version(1)
	p.open()
	patch := func(old, now string) []byte { return bytes.ReplaceAll(v1, []byte(old), []byte(now)) }
	for name, tt := range map[string]struct {
		wasm  []byte
		names []string
		want  string
	}{
		"the same":       {v1, nil, ""},
		"another module": {patch(`"name":"deploy","v`, `"name":"depl0y","v`), nil, `is named "depl0y"`},
		"another alias":  {patch(`"aliases":["deploy"]`, `"aliases":["depl0y"]`), nil, "it does not declare deploy; it also declares depl0y"},
		"fewer granted":  {v1, []string{"Deploy"}, "it is not granted deploy"},
	} {
		tried, err := p.Test(t.Context(), "deploy.wasm", tt.wasm, modules.Rights{Names: tt.names})
		switch {
		case tt.want == "" && (err != nil || tried.Replaces != "deploy"):
			t.Errorf("%s: got %q, %v", name, tried.Replaces, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: got %v; want %q", name, err, tt.want)
		}
	}
	thief := bytes.ReplaceAll(v1, []byte(`"name":"deploy","v`), []byte(`"name":"thiefs","v`))
	write(t, p.dir, "a.wasm", thief)
	p.pin("a.wasm", thief, p.declared(thief), fully(false))
	p.replaceBy(v1, wire.Grant{Names: full().Names})
	p.forge(`"may_allow": false`, `"may_allow": true`)
	p.reload()
	p.wants("a thief of the names", nil, false)
}
