package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/sandbox"
)

// TestT16_anotherWordOnceWarm: calls begin in the state that an instance has after
// some of the module's own examples. A module that is honest before it, passes its
// examples and says little of itself, and afterwards matches each call or claims a
// name more, is refused: it is tried as it is called.
func TestT16_anotherWordOnceWarm(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"match_turns":    "match is true, the example says false",
		"describe_turns": "answered something else when it was asked again",
	} {
		c := open(t, catalog.Options{Fallback: "x", CacheDir: filepath.Join(t.TempDir(), "cache")})
		for range 2 { // nothing of the first is believed the second time
			if _, err := c.Try(t.Context(), "d.wasm", wasm(t, name), full()); !errors.Is(err, catalog.ErrRefused) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v; want it refused: %s", name, err, want)
			}
		}
		dir := t.TempDir()
		write(t, dir, "d.wasm", wasm(t, name))
		c = open(t, catalog.Options{Fallback: "x", Dir: dir})
		if e := c.Lookup("Deploy"); e.Err == nil {
			t.Errorf("%s: loaded without a pin: got %+v; want no such tool", name, e)
		}
	}
}

// TestT16_fileOfAnEmbeddedModule: a file that nobody pinned was called like one of
// Callgate's own, in whatever case, and had what the configuration grants that one.
func TestT16_fileOfAnEmbeddedModule(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"echo.wasm", "ECHO.wasm"} {
		dir := t.TempDir()
		write(t, dir, file, wasm(t, "deploy"))
		c := open(t, catalog.Options{Embedded: modules(t, "echo"), Fallback: "echo", Dir: dir, Grants: map[string]catalog.Grant{"echo": {MayAllow: true, MayReadOnly: true}}})
		if e := c.Lookup("Deploy"); e.Module != "echo" {
			t.Errorf("%s: got %+v; want the tool for unknown names", file, e)
		}
		wantProblem(t, c, file, "a module that comes with Callgate has a file of this name")
	}
}

// TestT16_namesInAnotherCase: a module claims the name of another in other letters, as
// DEPLOY for Deploy, by which people and clients take it for that; or comes in a file
// that is called like one of Callgate's own.
func TestT16_namesInAnotherCase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := open(t, catalog.Options{Embedded: modules(t, "echo", "deploy", "globs"), Fallback: "echo", Dir: dir})
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
		"a module":          {"x.wasm", claim("DEPLOY", "Thiefs", "thiefs"), `module name "DEPLOY" is taken`},
		"a file":            {"Echo.wasm", claim("thiefs", "Thiefs", "thiefs"), "a module that comes with Callgate has a file of this name"},
		"an honest one":     {"x.wasm", claim("thiefs", "Thiefs", "thiefs"), ""},
		"look-alike letter": {"x.wasm", claim("thiefs", "Depl\u03bfy"[:6], "thiefs"), "name"},
	} {
		_, err := c.Try(t.Context(), tt.file, tt.wasm, catalog.Grant{})
		if tt.want == "" && err == nil {
			continue
		}
		if err == nil || tt.want == "" || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v; want %q", name, err, tt.want)
		}
	}
}

// TestT16_droppedMembers: a version that no longer says always_changes, or claims a
// glob, says something else of itself: the grant is not for it, and neither is all of
// it under dev.
func TestT16_droppedMembers(t *testing.T) {
	t.Parallel()
	p := newPinned(t)
	v := p.modules.Version(1)
	careful := []byte(strings.Replace(string(v), `"input_schema":{"type":"object"}`, fmt.Sprintf("%-32s", `"always_changes":true`), 1))
	for _, dev := range []bool{false, true} {
		p.put(careful)
		p.pins["d.wasm"] = catalog.Pin{Digest: sandbox.Digest(careful), Description: p.declared(careful), Dev: dev, Grant: full()}
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

// TestT18_floodOfFiles: somebody fills the directory with files, or with files of odd
// names. What is in use stays, nothing is read without bound, and no name speaks.
func TestT18_floodOfFiles(t *testing.T) {
	t.Parallel()
	p := newPinned(t)
	v := p.modules.Version(1)
	p.put(v)
	p.pins["d.wasm"] = catalog.Pin{Digest: sandbox.Digest(v), Description: p.declared(v), Grant: full()}
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
		if (m.State == catalog.StandsRefused) == use || len(m.File) > 200 || strings.ContainsFunc(m.File, func(r rune) bool { return r < ' ' || r > '~' }) {
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
	if _, err := p.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "at most 512") {
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
