package modules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"
)

func TestVerify(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		do                func(p places)
		policy            modules.Policy
		state             wire.ModuleState
		signature, wanted string
	}{
		"good":        {func(places) {}, modules.Policy{}, wire.ModulePinned, modules.Unsigned, ""},
		"unsigned":    {func(places) {}, modules.Policy{All: true}, wire.ModulePinned, modules.Unsigned, "require_signature"},
		"other bytes": {func(p places) { must(p.t, os.WriteFile(filepath.Join(p.Modules, file), []byte("evil"), 0o600)) }, modules.Policy{}, modules.Changed, modules.Unsigned, "callgate tool pin"},
		"gone":        {func(p places) { must(p.t, os.Remove(filepath.Join(p.Modules, file))) }, modules.Policy{}, wire.ModuleMissing, modules.Unsigned, "callgate tool remove"},
		"a link": {func(p places) {
			must(p.t, os.Remove(filepath.Join(p.Modules, file)))
			must(p.t, os.Symlink("/etc/passwd", filepath.Join(p.Modules, file)))
		}, modules.Policy{}, modules.Unread, modules.Unsigned, "not a regular file"},
		"tampered": {func(p places) { p.edit(`"may_allow": false`, `"may_allow": true`) }, modules.Policy{}, wire.ModuleRefused, modules.Unsigned, "changed outside"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlaces(t)
			p.put("one")
			tc.do(p)
			verdicts, problems := p.Verify(tc.policy)
			if len(verdicts) != 1 || len(problems) != 0 {
				t.Fatalf("got %+v, %q", verdicts, problems)
			}
			if v := verdicts[0]; v.State != tc.state || v.Signature != tc.signature || !strings.Contains(v.Problem, tc.wanted) || (v.Problem == "") != (tc.wanted == "") {
				t.Errorf("got %+v, want %s, %s, %q", v, tc.state, tc.signature, tc.wanted)
			}
		})
	}
}

func TestVerify_signatures(t *testing.T) {
	t.Parallel()
	private, public := newKey(t)
	_, other := newKey(t)
	p := newPlaces(t)
	g := granted("one")
	s := modules.Sign(private, "acme", g.Digest)
	g.Signature = &s
	_, err := p.Put(file, g, []byte("one"), []byte("{}"))
	must(t, err)
	for want, keys := range map[string]modules.Keys{modules.SignatureGood: {"acme": public}, modules.SignatureBad: {"acme": other}, modules.SignatureKey: {"zeta": other}} {
		verdicts, _ := p.Verify(modules.Policy{Keys: keys})
		if v := verdicts[0]; v.Signature != want || !strings.HasPrefix(v.Key, "acme SHA256:") || (v.Problem == "") != (want == modules.SignatureGood) {
			t.Errorf("got %+v, want %s", v, want)
		}
	}
}

func TestVerify_strangersAndProblems(t *testing.T) {
	t.Parallel()
	p := newPlaces(t)
	if verdicts, problems := p.Verify(modules.Policy{}); len(verdicts)+len(problems) != 0 {
		t.Errorf("nothing there: got %+v, %q", verdicts, problems)
	}
	p.put("one")
	must(t, os.WriteFile(filepath.Join(p.Modules, "stranger.wasm"), []byte("x"), 0o600))
	verdicts, problems := p.Verify(modules.Policy{})
	if len(verdicts) != 2 || verdicts[1].State != modules.Unpinned || !strings.Contains(verdicts[1].Problem, "callgate tool add stranger.wasm") || len(problems) != 0 {
		t.Errorf("got %+v, %q", verdicts, problems)
	}
	must(t, os.WriteFile(p.lock(), []byte("{"), 0o600))
	if _, problems = p.Verify(modules.Policy{}); len(problems) != 1 || !strings.Contains(problems[0], "move it away") {
		t.Errorf("a broken lock: got %q", problems)
	}
}
