package assembly_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/wire"
)

// misbehaving are modules of testdata/hostile by the effect of their one bad function; each
// fails the verb in its place.
var misbehaving = []string{
	"trap", "trap_message", "code", "empty", "rubbish", "not_utf8", "error_zero", "wild_load", "wild_store", "wild_output",
	"loop", "fork", "fill", "recursion", "memory_bomb", "flood", "wrong_signature",
}

// endless are those of them running until they are stopped: the first by the clock, the others
// by their fuel.
var endless = []string{"loop", "fork", "fill"}

// modesOf are the agents of the T01 world: every mode, with a rule allowing the tools' own
// rules, and once more with one denying it.
const modesOf = `
modules:
  dev: true
  dir: MODULES
  grants:
GRANTS
rules:
  - {tool: Bash, content: "npm run:*", behavior: allow}
agents:
AGENTS
`

var allModes = []string{"default", "accept_edits", "explore", "bypass", "dont_ask"}

func hostileWorld(t *testing.T, verb string) *world {
	var grants, agents strings.Builder
	for _, name := range misbehaving {
		bound := "timeout: 1s"
		switch {
		case name == "loop":
			bound = "timeout: 20ms"
		case slices.Contains(endless, name):
			bound = "fuel: 2000000"
		}
		fmt.Fprintf(&grants, "    %s: {names: [%s], may_allow: true, may_read_only: true, limits: {%s, memory_mib: 16}}\n", name, name, bound)
	}
	for _, mode := range allModes {
		for _, behavior := range []string{"allow", "deny"} {
			fmt.Fprintf(&agents, "  %s-%s:\n    mode: %s\n    rules:\n", mode, behavior, mode)
			for _, name := range misbehaving {
				fmt.Fprintf(&agents, "      - {tool: %s, content: %q, behavior: %s}\n", name, `{"x":"1"}`, behavior)
			}
		}
	}
	dir := t.TempDir()
	for _, name := range misbehaving {
		if err := os.WriteFile(filepath.Join(dir, name+".wasm"), hostileIn(t, name, verb), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	yaml := strings.NewReplacer("MODULES", strconv.Quote(dir), "GRANTS", grants.String(), "AGENTS", agents.String()).Replace(modesOf)
	return newWorld(t, yaml)
}

// consulted reports whether a mode's column asks a verb before it can allow a call covered by
// an agent's allow or deny rule.
func consulted(verb, mode, behavior string) bool {
	switch verb {
	case sandbox.GenerateSuggestions:
		return false // decides nothing
	case sandbox.CheckReadOnly:
		return mode == "accept_edits" || mode == "explore"
	case sandbox.CheckPermissions:
		return mode != "explore"
	case sandbox.MatchRule:
		// Explore and bypass do not look at allow rules: their addition is refused in the one
		// and given in the other.
		return behavior == "deny" || mode != "explore" && mode != "bypass"
	}
	return true // describe, describe_call
}

// TestT01_HostileModules puts every kind of failure behind every verb, grants
// the modules everything, and calls them in every mode.
func TestT01_HostileModules(t *testing.T) {
	t.Parallel()
	for _, verb := range append(slices.Clone(verbs), sandbox.DescribeCall) {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			w := hostileWorld(t, verb)
			for _, name := range misbehaving {
				for _, mode := range allModes {
					for _, behavior := range []string{"allow", "deny"} {
						res := w.check(mode+"-"+behavior, w.request(name, object("x", "2")))
						if d := res.Decision; consulted(verb, mode, behavior) && d.Behavior != engine.Deny {
							t.Errorf("%s in %s, mode %s with a %s rule: got %s at %s (%s), want deny: nobody can be asked", name, verb, mode, behavior, d.Behavior, d.Stage, d.Reason)
						}
						sound := verb == sandbox.GenerateSuggestions && mode == "bypass" && name != "wrong_signature" && !slices.Contains(endless, name)
						if sound && res.Decision.Behavior != engine.Allow {
							t.Errorf("%s in %s, mode %s: got %s (%s), want allow: what decides is sound", name, verb, mode, res.Decision.Behavior, res.Decision.Reason)
						}
						if res.AuditSeq == 0 {
							t.Errorf("%s in %s, mode %s: not audited", name, verb, mode)
						}
					}
				}
				w.wantBashRight(name)
			}
		})
	}
}

// wantBashRight checks that a good module's calls go on unchanged.
func (w *world) wantBashRight(after string) {
	w.t.Helper()
	for command, want := range map[string]engine.Behavior{
		"ls -la": engine.Allow, "npm run build": engine.Allow, "rm -rf /srv/www": engine.Ask, "npm run build && rm x": engine.Ask,
	} {
		d := w.evaluate("default-allow", w.bash(command))
		if d.Behavior != want {
			w.t.Errorf("after %s: Bash(%s): got %s (%s), want %s", after, command, d.Behavior, d.Reason, want)
		}
	}
}

const loose = `
rules:
  - {tool: Bash, content: "rm:*", behavior: deny}
agents:
  loose: {mode: bypass, working_directories: [PROJECT]}
`

// TestT01_PaddedCommand pads a denied command past every possible limit, in the mode that would
// allow any call not denied.
func TestT01_PaddedCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, loose)
	const attack = "rm -rf build"
	paddings := map[string]func(n int) string{
		"word before":    func(n int) string { return "echo " + strings.Repeat("a", n) + "; " + attack },
		"word behind":    func(n int) string { return attack + " " + strings.Repeat("a", n) },
		"words":          func(n int) string { return "echo" + strings.Repeat(" a", n/2) + "; " + attack },
		"commands":       func(n int) string { return strings.Repeat("true;", n/5) + attack },
		"pipe":           func(n int) string { return strings.Repeat("cat|", n/4) + attack },
		"substitutions":  func(n int) string { return strings.Repeat("$(", n/3) + attack + strings.Repeat(")", n/3) },
		"subshells":      func(n int) string { return strings.Repeat("( ", n/3) + attack + strings.Repeat(")", n/3) },
		"open subshells": func(n int) string { return strings.Repeat("( ", n/2) + attack },
		"wrappers":       func(n int) string { return strings.Repeat("env ", n/4) + attack },
		"blanks":         func(n int) string { return strings.Repeat(" ", n) + attack },
		"line feeds":     func(n int) string { return strings.Repeat("\n", n) + attack },
		"comment":        func(n int) string { return "#" + strings.Repeat("a", n) + "\n" + attack },
		"braces":         func(n int) string { return "echo " + strings.Repeat("{a,b}", n/5) + "; " + attack },
		"here document":  func(n int) string { return "cat <<E\n" + strings.Repeat("a\n", n/2) + "E\n" + attack },
		"quotes":         func(n int) string { return "echo " + strings.Repeat("''", n/2) + "; " + attack },
		"arithmetic": func(n int) string {
			return "echo $((" + strings.Repeat("(", n/2) + "1" + strings.Repeat(")", n/2) + ")); " + attack
		},
		"nested shells":      func(n int) string { return strings.Repeat("sh -c ", n/6) + "'" + attack + "'" },
		"assignments before": func(n int) string { return strings.Repeat("A=1 ", n/4) + attack },
	}
	for name, pad := range paddings {
		sizes := []int{60, 5_000, 70_000, 1 << 20}
		if name == "word before" {
			sizes = append(sizes, 10<<20)
		}
		for _, n := range sizes {
			if d := w.evaluate("loose", w.bash(pad(n))); d.Behavior == engine.Allow {
				t.Errorf("%s, %d bytes: got allow at %s", name, n, d.Stage)
			}
		}
	}
	huge := w.bash(strings.Repeat("a", 17<<20) + ";" + attack)
	res, err := w.Gate.Check(t.Context(), caller("loose"), huge, nil)
	if err == nil || res.Decision.Behavior != engine.Deny || res.AuditSeq == 0 {
		t.Errorf("an input of 17 MiB: got %s, %v, row %d, want a denial that is audited", res.Decision.Behavior, err, res.AuditSeq)
	}
	if d := w.evaluate("loose", w.bash("make all")); d.Behavior != engine.Allow {
		t.Errorf("after all that, make all: got %s (%s), want allow by the mode", d.Behavior, d.Reason)
	}
}

// TestMissingModuleFailsClosed: names granted to a missing module belong to no other.
func TestMissingModuleFailsClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
modules:
  dev: true
  grants:
    deploy: {names: [Deploy, "mcp__prod__*"], may_allow: true}
agents:
  loose: {mode: bypass}
  quiet: {mode: dont_ask, rules: [{tool: Deploy, behavior: allow}]}
  reader: {mode: explore}
`)
	for _, agent := range []string{"loose", "quiet", "reader"} {
		for _, tool := range []string{"Deploy", "mcp__prod__restart"} {
			if res := w.check(agent, w.request(tool, object("x", "1"))); res.Decision.Behavior != engine.Deny || res.Decision.Stage != engine.StageError {
				t.Errorf("%s calls %s: got %s at %s (%s), want a denial at error", agent, tool, res.Decision.Behavior, res.Decision.Stage, res.Decision.Reason)
			}
		}
	}
	if res := w.check("loose", w.request("DeployPreview", object("x", "1"))); res.Decision.Behavior != engine.Allow {
		t.Errorf("a name that nobody claims, in bypass: got %+v, want allow", res.Decision)
	}
}

// TestBadModulesAreReportedAndChangeNothing fills the operator's directory with files other
// than sound tool modules.
func TestBadModulesAreReportedAndChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "modules: {dev: true, grants: {start_loop: {limits: {timeout: 50ms}}}}\n"+worker)
	working := func() []wire.Tool {
		return slices.DeleteFunc(w.Catalog.Tools(), func(i wire.Tool) bool { return i.Error != "" })
	}
	tools := working()
	bad := []string{
		"bad_import", "unknown_function", "import_global", "missing_export", "wrong_signature", "init_trap", "start_loop",
		"bad_example", "bare_star", "reserved_export", "fuel_call", "fuel_import", "fuel_thief",
	}
	for _, name := range bad {
		folder := "hostile"
		if name == "bad_example" || name == "bare_star" { // wrong, not hostile
			folder = "modules"
		}
		wasm, err := os.ReadFile(repo.File("testdata", folder, name+".wasm"))
		if err != nil {
			t.Fatal(err)
		}
		w.install(name, wasm)
	}
	w.install("not_a_module", []byte("#!/bin/sh\n"))
	w.install("nothing", nil)
	bad = append(bad, "not_a_module", "nothing")
	if _, err := w.Catalog.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := working(); len(got) != len(tools) {
		t.Errorf("with only bad modules added %d tools work, want the %d there were", len(got), len(tools))
	}
	problems := w.Catalog.Problems()
	for _, name := range bad {
		if !slices.ContainsFunc(problems, func(p modules.Problem) bool { return p.File == name+".wasm" }) {
			t.Errorf("%s.wasm is not among the problems %v", name, problems)
		}
	}
	w.yaml += "rules: [{tool: Bash, content: \"npm run:*\", behavior: allow}]\n"
	w.yaml = strings.Replace(w.yaml, "  worker:", "  default-allow: {}\n  worker:", 1)
	w.yaml += "store: " + filepath.Join(w.dirs.State, "second.db") + "\n"
	w.open()
	w.wantBashRight("a start among bad modules")
}
