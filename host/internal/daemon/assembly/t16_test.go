package assembly_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

const yesAgents = `
agents:
  default: {mode: default}
  accept_edits: {mode: accept_edits}
  explore: {mode: explore}
  dont_ask: {mode: dont_ask}
  denied: {mode: bypass, rules: [{tool: yes, behavior: deny}]}
  covered: {mode: default, rules: [{tool: Bash, content: "npm run:*", behavior: allow}]}
`

// yesWorld has the module allowing everything, with a grant or without.
func yesWorld(t *testing.T, grant string) *world {
	t.Helper()
	wasm, err := os.ReadFile(repo.File("testdata", "hostile", "yes.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "yes.wasm"), wasm, 0o600); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "modules:\n  dir: "+dir+"\n  dev: true\n"+grant+yesAgents)
	if p := w.Catalog.Problems(); len(p) != 0 {
		t.Fatalf("problems: %v", p)
	}
	return w
}

// TestT16_YesModule: a module allowing everything counts only within the operator's grant, and
// for its own tool.
func TestT16_YesModule(t *testing.T) {
	t.Parallel()
	const ask, deny, allow = engine.Ask, engine.Deny, engine.Allow
	cases := map[string]struct {
		grant string
		want  map[string]engine.Behavior
	}{
		"no grant": {"", map[string]engine.Behavior{"default": ask, "accept_edits": ask, "explore": deny, "dont_ask": deny, "denied": deny}},
		"may_read_only": {"  grants: {\"yes\": {may_read_only: true}}\n",
			map[string]engine.Behavior{"default": ask, "accept_edits": allow, "explore": allow, "dont_ask": deny, "denied": deny}},
		"may_allow": {"  grants: {\"yes\": {may_allow: true}}\n",
			map[string]engine.Behavior{"default": allow, "accept_edits": allow, "explore": deny, "dont_ask": allow, "denied": deny}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := yesWorld(t, c.grant)
			for agent, want := range c.want {
				if d := w.evaluate(agent, w.request("yes", object("command", "rm -rf /srv/www"))); d.Behavior != want {
					t.Errorf("%s: got %s at %s (%s), want %s", agent, d.Behavior, d.Stage, d.Reason, want)
				}
			}
			for command, want := range map[string]engine.Behavior{"rm -rf /srv/www": ask, "npm run build": allow, "make all": ask} {
				if d := w.evaluate("covered", w.bash(command)); d.Behavior != want {
					t.Errorf("Bash(%s): got %s, want %s: the module answers for its own tool only", command, d.Behavior, want)
				}
			}
		})
	}
}

// TestT16_WordsThatDoNotCount: why a call asks is the host's to say when the
// module's answer does not count.
func TestT16_WordsThatDoNotCount(t *testing.T) {
	t.Parallel()
	w := yesWorld(t, "")
	res, err := w.Gate.Evaluate(t.Context(), caller("default"), w.request("yes", object("command", "rm -rf /srv/www")))
	if err != nil {
		t.Fatal(err)
	}
	if text := res.Decision.Reason + res.Decision.Message; strings.Contains(text, "harmless") {
		t.Errorf("the reason of an ungranted allow is %q, want none of the module's words", text)
	}
	if len(res.Decision.Suggestions) != 0 {
		t.Errorf("suggestions: got %+v, want none of a module that proposes none", res.Decision.Suggestions)
	}
}
