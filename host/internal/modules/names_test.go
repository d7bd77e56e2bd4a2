package modules_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules"
)

// TestT16_NamesOfOthers: a module cannot answer for another's tool.
func TestT16_NamesOfOthers(t *testing.T) {
	t.Parallel()
	all := []string{"Deploy", "deploy", "Other", "Mine", "Sneaky", "*"}
	for _, tt := range []struct {
		module string
		names  []string
		want   string
	}{
		{"claims_deploy", nil, `name "deploy" belongs to module deploy ("deploy")`},
		{"claims_deploy", all, `name "deploy" belongs to module deploy ("deploy")`},
		{"same_name", nil, `module name "deploy" is already used by deploy.wasm`},
		{"bare_star", all, "only stars"},
		{"below", nil, `name "net__mail" belongs to module globs ("net__*")`},
	} {
		t.Run(tt.module, func(t *testing.T) {
			t.Parallel()
			c := open(t, modules.Options{
				Embedded: embedded(t, "echo", "deploy", "globs"), Dir: directory(t, tt.module), Fallback: "echo",
				Settings: modules.Settings{Grants: map[string]modules.Rights{tt.module: {Names: tt.names, MayAllow: true, MayReadOnly: true}}},
			})
			wantProblem(t, c, tt.module+".wasm", tt.want)
			if e := c.Lookup("deploy"); e.File != "deploy.wasm" || e.Version != "1.2.0" || e.Err != nil {
				t.Errorf("deploy: got %+v; want it untouched", e)
			}
			if e := c.Lookup("net__mail"); e.Module != "globs" {
				t.Errorf("net__mail: got %+v; want globs", e)
			}
			for _, name := range []string{"Other", "Sneaky"} {
				if e := c.Lookup(name); e.File == tt.module+".wasm" && e.Err == nil {
					t.Errorf("%s: got %+v; want nothing of a refused module", name, e)
				}
			}
		})
	}
}

func TestGlobs(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{
		Embedded: embedded(t, "echo", "globs"), Dir: directory(t, "below"), Fallback: "echo",
		Settings: modules.Settings{Grants: map[string]modules.Rights{"below": {Names: []string{"net__mail"}}}},
	})
	noProblems(t, c)
	for _, tt := range []struct{ called, name, module string }{
		{"net__mail", "net__mail", "below"}, // the operator put it in front
		{"net__x", "net__x", "globs"},
		{"net__secure__y", "net__secure__y", "globs"},
		{"web1", "web1", "globs"},
		{"web12", "web12", "echo"},
		{"Net", "Net", "globs"},
		{"net_", "net_", "echo"},
	} {
		if e := c.Lookup(tt.called); e.Name != tt.name || e.Module != tt.module || e.Err != nil {
			t.Errorf("%s: got %+v; want %s of %s", tt.called, e, tt.name, tt.module)
		}
	}
}

func TestGlobsNeedAGrant(t *testing.T) {
	t.Parallel()
	dir := directory(t, "globs")
	c := open(t, modules.Options{Embedded: embedded(t, "echo"), Dir: dir, Fallback: "echo"})
	wantProblem(t, c, `the name "net__*" is not granted`)
	wantProblem(t, c, `the name "web?" is not granted`)
	if a, b := c.Lookup("net__x"), c.Lookup("Net"); a.Module != "echo" || b.Module != "globs" || len(b.Aliases) != 0 {
		t.Errorf("got %+v and %+v; want the exact name only", a, b)
	}

	c = open(t, modules.Options{
		Embedded: embedded(t, "echo"), Dir: dir, Fallback: "echo",
		Settings: modules.Settings{Grants: map[string]modules.Rights{"globs": {Names: []string{"net__*", "Missing"}, MayReadOnly: true}}},
	})
	if e := c.Lookup("net__secure__x"); e.Module != "globs" || e.MayAllow || !e.MayReadOnly {
		t.Errorf("got %+v; want globs, with may_read_only alone", e)
	}
	if e := c.Lookup("Net"); e.Module != "echo" {
		t.Errorf("got %+v; want the fallback: Net was not granted", e)
	}
	if e := c.Lookup("Missing"); e.Err == nil || !strings.Contains(e.Err.Error(), "no tool of this name") {
		t.Errorf("got %+v; want an error: the name was granted and nobody has it", e)
	}
}
