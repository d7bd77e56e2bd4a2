package modules_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// TestLimit_namesItsSetting: the error of a limit names the operator's setting, in the grant in
// force or one for this module alone.
func TestLimit_namesItsSetting(t *testing.T) {
	t.Parallel()
	small := sandbox.Limits{InputBytes: 600} // enough for the examples
	for name, tt := range map[string]struct {
		opts modules.Options
		want string
	}{
		"no grant": {modules.Options{Settings: modules.Settings{Limits: small}}, "modules.grants.deploy.limits.input_kib"},
		"a grant": {
			modules.Options{Settings: modules.Settings{Grants: map[string]modules.Rights{"deploy": {Limits: small}}}}, "modules.grants.deploy.limits.input_kib",
		},
		"a grant by file": {
			modules.Options{Settings: modules.Settings{Grants: map[string]modules.Rights{"deploy.wasm": {Limits: small}}}}, "modules.grants.deploy.wasm.limits.input_kib",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.opts.Embedded, tt.opts.Fallback = embedded(t, "deploy", "echo"), "echo"
			c := open(t, tt.opts)
			noProblems(t, c)
			_, err := c.Lookup("Deploy").Tool.CheckPermissions(t.Context(), call(`{"target":"`+strings.Repeat("x", 600)+`"}`))
			if want := "tool deploy.wasm: check_permissions: input (" + tt.want + "): "; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
			var failed *sandbox.Error
			if !errors.As(err, &failed) || failed.Limit != "input_kib" {
				t.Errorf("got %#v, want the sandbox's error inside", err)
			}
		})
	}
}

// TestLimit_namesItsSettingAtLoad: an unloaded module has no name yet but its file's.
func TestLimit_namesItsSettingAtLoad(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{Embedded: embedded(t, "deploy", "echo"), Fallback: "echo", Settings: modules.Settings{Limits: sandbox.Limits{ModuleBytes: 1024}}})
	const want = "deploy.wasm: load tool deploy.wasm: limit module_kib: "
	for _, p := range c.Problems() {
		if text := p.String(); strings.HasPrefix(text, want) && strings.HasSuffix(text, "at most 1024 (modules.grants.deploy.limits.module_kib)") {
			return
		}
	}
	t.Errorf("got %v, want one %q with its setting", c.Problems(), want)
}

// TestLimits_areListed: every limit of a tool's module, in the configuration's spelling, and
// its default; of an unloadable module as well.
func TestLimits_areListed(t *testing.T) {
	t.Parallel()
	c := open(t, modules.Options{
		Embedded: embedded(t, "deploy", "echo"), Fallback: "echo", Dir: directory(t, "bad_example"),
		Settings: modules.Settings{Limits: sandbox.Limits{MemoryPages: 32}, Grants: map[string]modules.Rights{"deploy": {Limits: sandbox.Limits{MemoryPages: 16, Fuel: 5_000_000}}, "bad_example": {Names: []string{"Bad"}}}},
	})
	want := map[string]string{
		"Deploy memory_mib": "1", "Deploy fuel": "5000000", "Deploy log_kib": "16",
		"echo memory_mib": "2", "echo fuel": "5000000000", "Bad memory_mib": "2",
	}
	for _, tool := range c.Tools() {
		if len(tool.Limits) != len(sandbox.Settings()) {
			t.Errorf("%s: got %d limits, want %d", tool.Name, len(tool.Limits), len(sandbox.Settings()))
		}
		for _, l := range tool.Limits {
			key := tool.Name + " " + l.Name
			if value, ok := want[key]; ok && value != l.Value {
				t.Errorf("%s: got %s, want %s", key, l.Value, value)
			}
			if l.Name == "memory_mib" && l.Default != "64" {
				t.Errorf("%s: got default %s, want 64", key, l.Default)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
}

// TestLimits_ofEmbedded: a module shipped with Callgate reads large calls, so it has more fuel
// than others by default.
func TestLimits_ofEmbedded(t *testing.T) {
	t.Parallel()
	const less = 50_000_000
	set := sandbox.Limits{Fuel: less}
	for name, tt := range map[string]struct {
		opts           modules.Options
		deploy, mirror string
	}{
		"nothing set":    {modules.Options{}, "5000000000 of 5000000000", "600000000 of 600000000"},
		"for all":        {modules.Options{Settings: modules.Settings{Limits: set}}, "50000000 of 5000000000", "50000000 of 600000000"},
		"for the module": {modules.Options{Settings: modules.Settings{Grants: map[string]modules.Rights{"deploy": {Limits: set}}}}, "50000000 of 5000000000", "600000000 of 600000000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.opts.Embedded, tt.opts.Fallback, tt.opts.Dir = embedded(t, "deploy", "echo"), "echo", directory(t, "mirror")
			c := open(t, tt.opts)
			for tool, want := range map[string]string{"Deploy": tt.deploy, "mirror": tt.mirror} {
				if got := fuelOf(t, c, tool); got != want {
					t.Errorf("fuel of %s: got %s, want %s", tool, got, want)
				}
			}
		})
	}
}

// fuelOf is the fuel a tool's module may use, and its default.
func fuelOf(t *testing.T, c *modules.Catalog, tool string) string {
	t.Helper()
	for _, i := range c.Tools() {
		for _, l := range i.Limits {
			if i.Name == tool && l.Name == "fuel" {
				return l.Value + " of " + l.Default
			}
		}
	}
	t.Fatalf("no fuel of %s", tool)
	return ""
}
