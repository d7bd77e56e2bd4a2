package modules_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// TestT16_anotherWordOnceWarm: calls began in an instance's state after some of the module's
// own examples, without a configuration. A module was honest until then and afterwards matched
// each call or claimed a name more; and one keeping its first input never saw the operator's
// setting. Calls begin before any verb has run, so there is no such state.
func TestT16_anotherWordOnceWarm(t *testing.T) {
	t.Parallel()
	dir := directory(t, "match_turns", "lazy_config")
	grants := map[string]modules.Rights{"lazy_config": {Config: json.RawMessage(`{"max":10}`)}}
	cache := filepath.Join(t.TempDir(), "cache")
	for range 2 { // the second time from the first one's kept state
		c := open(t, modules.Options{Fallback: "x", Dir: dir, Settings: modules.Settings{Grants: grants}, CacheDir: cache})
		for range 3 {
			turned := c.Lookup("Deploy").Tool
			if _, err := turned.CheckPermissions(t.Context(), call(`{"target":"staging/web"}`)); err != nil {
				t.Error(err)
			}
			got, err := turned.MatchRule(t.Context(), call(`{"target":"production/web"}`), engine.Allow, []engine.RuleText{{Content: "staging/*"}})
			if err != nil || len(got) != 0 {
				t.Errorf("match_turns: got %v, %v; want no match", got, err)
			}
			for input, want := range map[string]engine.Behavior{`{"n":50}`: engine.Deny, `{"n":1}`: engine.Passthrough} {
				if v, err := c.Lookup("Lazy").Tool.CheckPermissions(t.Context(), call(input)); err != nil || v.Behavior != want {
					t.Errorf("lazy_config, %s: got %+v, %v; want %s", input, v, err, want)
				}
			}
		}
	}
	c := open(t, modules.Options{Fallback: "x"})
	for range 2 {
		tried, err := c.Test(t.Context(), "d.wasm", wasm(t, "describe_turns"), full())
		if err != nil || len(tried.Tools) != 1 || len(tried.Tools[0].Aliases) != 1 {
			t.Errorf("describe_turns: got %+v, %v; want what it says at first", tried.Tools, err)
		}
	}
}

// TestT16_fileOfAnEmbeddedModule: an unpinned file had the name of one of Callgate's own, in
// any case, and got its grants from the configuration.
func TestT16_fileOfAnEmbeddedModule(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"echo.wasm", "ECHO.wasm"} {
		dir := t.TempDir()
		write(t, dir, file, wasm(t, "deploy"))
		c := open(t, modules.Options{Embedded: embedded(t, "echo"), Fallback: "echo", Dir: dir, Settings: modules.Settings{Grants: map[string]modules.Rights{"echo": {MayAllow: true, MayReadOnly: true}}}})
		if e := c.Lookup("Deploy"); e.Module != "echo" {
			t.Errorf("%s: got %+v; want the tool for unknown names", file, e)
		}
		wantProblem(t, c, file, "a built-in module has this file name")
	}
}

// TestT16_namesInAnotherCase: a module claims the name of another in other letters, as DEPLOY
// for Deploy, mistaken for it by people and clients; or comes in a file with the name of one of
// Callgate's own.
func TestT16_namesInAnotherCase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := open(t, modules.Options{Embedded: embedded(t, "echo", "deploy", "globs"), Fallback: "echo", Dir: dir})
	claim := func(module, tool, alias string) []byte {
		text := string(wasm(t, "deploy"))
		for old, now := range map[string]string{`"name":"deploy","v`: `"name":"` + module + `","v`, `"name":"Deploy"`: `"name":"` + tool + `"`, `"aliases":["deploy"]`: `"aliases":["` + alias + `"]`} {
			if len(old) != len(now) {
				t.Fatalf("%s does not fit", now)
			}
			text = strings.ReplaceAll(text, old, now)
		}
		return []byte(text)
	}
	for name, tt := range map[string]struct {
		file string
		wasm []byte
		want string
	}{
		"a tool":            {"x.wasm", claim("thiefs", "DEPLOY", "xxxxxx"), `"DEPLOY" belongs to module deploy ("Deploy")`},
		"an alias":          {"x.wasm", claim("thiefs", "Thiefs", "dEPLOY"), `"dEPLOY" belongs to module deploy`},
		"a module":          {"x.wasm", claim("DEPLOY", "Thiefs", "thiefs"), `module name "DEPLOY" is already used`},
		"a file":            {"Echo.wasm", claim("thiefs", "Thiefs", "thiefs"), "a built-in module has this file name"},
		"an honest one":     {"x.wasm", claim("thiefs", "Thiefs", "thiefs"), ""},
		"look-alike letter": {"x.wasm", claim("thiefs", "Depl\u03bfy"[:6], "thiefs"), "name"},
	} {
		_, err := c.Test(t.Context(), tt.file, tt.wasm, modules.Rights{})
		if tt.want == "" && err == nil {
			continue
		}
		if err == nil || tt.want == "" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v; want %q", name, err, tt.want)
		}
	}
}

// TestT16_droppedMembers: a version without always_changes, or with a new glob, has another
// description: the grant is not for it, and neither is all of it under dev.
func TestT16_droppedMembers(t *testing.T) {
	t.Parallel()
	p := newPinned(t)
	v := p.modules.Version(1)
	careful := []byte(strings.Replace(string(v), `"input_schema":{"type":"object"}`, fmt.Sprintf("%-32s", `"always_changes":true`), 1))
	for _, dev := range []bool{false, true} {
		p.put(careful)
		p.pin("d.wasm", careful, p.declared(careful), fully(dev))
		p.open()
		if e := p.Lookup("Deploy"); e.Err != nil || e.MayReadOnly || !e.MayAllow {
			t.Fatalf("got %+v; want its allow to count and its read-only never", e)
		}
		p.put(v)
		reload(t, p.Catalog)
		if e := p.Lookup("Deploy"); e.MayReadOnly || dev && (e.MayAllow || e.Digest != sandbox.Digest(v)) || !dev && e.Digest != sandbox.Digest(careful) {
			t.Errorf("dev %v: without always_changes: got %+v", dev, e)
		}
	}
}

// TestT18_floodOfFiles: an attacker fills the directory with files, or with files of odd names.
// Modules in use stay, nothing is read without bound, and no name speaks.
func TestT18_floodOfFiles(t *testing.T) {
	t.Parallel()
	p := newPinned(t)
	v := p.modules.Version(1)
	p.put(v)
	p.pin("d.wasm", v, p.declared(v), fully(false))
	p.open()
	odd := []string{"\x1b[2Ja.wasm", "a\nb.wasm", "\xff\xfe.wasm", "a\u202eb.wasm", "-x.wasm", ".wasm", "a b.wasm", strings.Repeat("a", 200) + ".wasm"}
	for _, name := range odd {
		if err := os.WriteFile(filepath.Join(p.dir, name), v, 0o600); err != nil {
			t.Skipf("the file system takes no such name: %v", err)
		}
	}
	reload(t, p.Catalog)
	for _, m := range p.Modules() {
		use := m.File == "echo.wasm" || m.File == "d.wasm"
		if (m.State == wire.ModuleRefused) == use || len(m.File) > 200 || strings.ContainsFunc(m.File, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Errorf("%q is %s", m.File, m.State)
		}
	}
	told := 0
	for _, problem := range p.Problems() {
		for _, r := range problem.String() {
			if r < ' ' || r > '~' {
				t.Errorf("a name speaks: %q", problem)
			}
		}
		if len(problem.String()) > 200 {
			t.Errorf("a long name is told whole: %q", problem)
		}
		told++
	}
	if told != len(odd) {
		t.Errorf("got %d problems; want one for each of %d names: %v", told, len(odd), p.Problems())
	}
	for n := range 600 {
		write(t, p.dir, fmt.Sprintf("m%05d.wasm", n), nil)
	}
	if _, err := p.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "the limit is 512") {
		t.Errorf("a flood: got %v; want it refused", err)
	}
	if e := p.Lookup("Deploy"); e.Err != nil || e.Digest != sandbox.Digest(v) {
		t.Errorf("got %+v; want what was in use", e)
	}
	p.open()
	if e := p.Lookup("Deploy"); e.Err == nil {
		t.Errorf("after a start: got %+v; want its names to fail", e)
	}
	if e := p.Lookup("anything"); e.Err != nil || e.Name != "anything" {
		t.Errorf("a tool of the binary: got %+v", e)
	}
}
