package scaffold_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/toolkit/scaffold"
)

// small is an SDK of one language with nothing in it.
func small() fstest.MapFS {
	return fstest.MapFS{
		"deploy/cases.yaml":         {Data: []byte("- name: a deployment\n  tool: Deploy\n  input: {operation: deploy}\n")},
		"c/callgate.h":              {Data: []byte("/* deploy stays here */\n")},
		"c/deploy/deploy.c":         {Data: []byte("#include \"../callgate.h\"\n.name = \"deploy\", \"Deploy\" Deployments deployed x_deploy\n{\\\"operation\\\":\\\"deploy\\\"}\naliases[] = {\"deploy\"}\n")},
		"c/deploy/deploy_test.c":    {Data: []byte("#include \"deploy.c\" /* deploy_test.c */\n")},
		"c/deploy/more/notes.txt":   {Data: []byte("Deploy\n")},
		"c/deploy/deploy.wasm":      {Data: []byte("\x00asm")},
		"c/deploy/build.sh":         {Data: []byte("exit 1\n")},
		"c/deploy/README.md":        {Data: []byte("not this one\n")},
		"typescript/callgate.ts":    {Data: []byte("export {}\n")},
		"typescript/engine.wasm":    {Data: []byte("\x00asm")},
		"typescript/deploy/x/y.txt": {Data: []byte("x")},
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "cloud-ship")
	files, err := scaffold.New(scaffold.NewOptions{Dir: dir, Name: "cloud-ship", Language: "c", SDK: small()})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".gitignore", "README.md", "callgate-tool.yaml", "callgate.h", "cases.yaml", "cloud-ship.c", "cloud-ship_test.c", "more/notes.txt"}
	if !slices.Equal(files, want) {
		t.Errorf("files: got %q, want %q", files, want)
	}
	for name, want := range map[string]string{
		"cloud-ship.c":       "#include \"./callgate.h\"\n.name = \"cloud-ship\", \"CloudShip\" Deployments deployed x_deploy\n{\\\"operation\\\":\\\"deploy\\\"}\naliases[] = {\"cloud-ship\"}\n",
		"cloud-ship_test.c":  "#include \"cloud-ship.c\" /* cloud-ship_test.c */\n",
		"more/notes.txt":     "CloudShip\n",
		"cases.yaml":         "- name: a deployment\n  tool: CloudShip\n  input: {operation: deploy}\n",
		"callgate.h":         "/* deploy stays here */\n",
		"callgate-tool.yaml": "# What callgate tool build and callgate tool test read.\nname: cloud-ship\nlanguage: c\nmain: cloud-ship.c\n",
	} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	m, err := scaffold.ReadManifest(dir)
	if err != nil || m != (scaffold.Manifest{Name: "cloud-ship", Language: "c", Main: "cloud-ship.c"}) {
		t.Errorf("manifest: got %+v, %v", m, err)
	}
}

// TestNewChangesNothing: existing files of any kind stay byte for byte, and an error leaves no
// file behind.
func TestNewChangesNothing(t *testing.T) {
	t.Parallel()
	broken := small()
	delete(broken, "c/deploy/deploy.c")
	for name, tt := range map[string]struct {
		there map[string]string
		sdk   fs.FS
		want  string
	}{
		"a file":             {map[string]string{"deploy.c": "mine"}, small(), "is not empty: it holds deploy.c; nothing was written"},
		"a hidden file":      {map[string]string{".env": "mine"}, small(), "is not empty: it holds .env"},
		"a directory":        {map[string]string{"src/x": "mine"}, small(), "is not empty: it holds src"},
		"an SDK without one": {nil, broken, "no deploy.c in its example"},
		"no SDK":             {nil, fstest.MapFS{}, "the SDK for C: open c/deploy: file does not exist"},
	} {
		dir := t.TempDir()
		for file, text := range tt.there {
			if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		files, err := scaffold.New(scaffold.NewOptions{Dir: dir, Name: "deploy", Language: "c", SDK: tt.sdk})
		if err == nil || !strings.Contains(err.Error(), tt.want) || files != nil {
			t.Errorf("%s: got %q, %v, want an error with %q", name, files, err, tt.want)
		}
		if got := contents(t, dir); !maps.Equal(got, tt.there) {
			t.Errorf("%s: got %q afterwards, want %q", name, got, tt.there)
		}
	}
}

// TestNewTakesBack: an error half-way removes the written files, and no more.
func TestNewTakesBack(t *testing.T) {
	t.Parallel()
	sdk := small()
	sdk["c/deploy/more/"+strings.Repeat("z", 300)] = &fstest.MapFile{Data: []byte("a name too long for file systems")}
	dir := filepath.Join(t.TempDir(), "new")
	if _, err := scaffold.New(scaffold.NewOptions{Dir: dir, Name: "ship", Language: "c", SDK: sdk}); err == nil {
		t.Error("got no error")
	}
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is still there: %v", contents(t, dir))
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, language, want string }{
		{"", "c", "no name: want lower-case letters"},
		{"Deploy", "c", `name "Deploy": want lower-case letters`},
		{"2fast", "c", "beginning with a letter"},
		{"a--b", "c", "single dashes"},
		{"a-", "c", "want lower-case"},
		{"a_b", "c", "want lower-case"},
		{"../x", "c", "want lower-case"},
		{"x\n", "c", "want lower-case"},
		{strings.Repeat("x", 65), "c", "is longer than 64 characters"},
		{"callgate", "c", "the SDK's own files"},
		{"read", "c", "the tool Read is Callgate's own"},
		{"web-fetch", "c", "the tool WebFetch is Callgate's own"},
		{"ship", "", `unknown language ""`},
		{"ship", "assemblyscrip", "did you mean assemblyscript?"},
		{"ship", "cobol", "want one of assemblyscript, c, go"},
	} {
		dir := filepath.Join(t.TempDir(), "p")
		_, err := scaffold.New(scaffold.NewOptions{Dir: dir, Name: tt.name, Language: tt.language, SDK: small(), Taken: []string{"Read", "WebFetch"}})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q, %q: got %v, want an error with %q", tt.name, tt.language, err, tt.want)
		}
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q, %q: the directory was made: %v", tt.name, tt.language, err)
		}
	}
}

// TestNames: every accepted name makes a project able to read its own manifest.
func TestNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,5}){0,3}`).Draw(t, "name")
		at, err := os.MkdirTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		_, err = scaffold.New(scaffold.NewOptions{Dir: at, Name: name, Language: "c", SDK: small()})
		if err != nil {
			if strings.Contains(err.Error(), "choose another") {
				return
			}
			t.Fatal(err)
		}
		m, err := scaffold.ReadManifest(at)
		if err != nil || m.Name != name || m.Main != name+".c" {
			t.Fatalf("got %+v, %v", m, err)
		}
		if tool := scaffold.ToolName(name); strings.ToLower(tool) != strings.ReplaceAll(name, "-", "") {
			t.Fatalf("tool name: got %q", tool)
		}
	})
}

func TestManifest(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"name: x\nlanguage: c\nmain: x.c\nextra: 1\n", "unknown key"},
		{"name: X\nlanguage: c\nmain: x.c\n", "name: name \"X\": want lower-case"},
		{"name: x\nlanguage: cobol\nmain: x.c\n", "unknown language"},
		{"name: x\nlanguage: c\nmain: /etc/passwd\n", "no path inside the project"},
		{"name: x\nlanguage: c\nmain: ../x.c\n", "no path inside the project"},
		{"name: x\nlanguage: c\n", "no path inside the project"},
		{"name: x\nlanguage: c\nmain: y.c\n", "main: stat"},
		{"name: x\nlanguage: as\nmain: x.c\n", ""},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{scaffold.ManifestFile: tt.text, "x.c": ""} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := scaffold.ReadManifest(dir)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: got %v, want %q", tt.text, err, tt.want)
		}
	}
	if _, err := scaffold.ReadManifest(t.TempDir()); err == nil || !strings.Contains(err.Error(), "callgate tool new") {
		t.Errorf("no manifest: got %v", err)
	}
}

// contents are the files below dir by their paths; nil when there are none.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	var out map[string]string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(p)
		if out == nil {
			out = map[string]string{}
		}
		name, _ := filepath.Rel(dir, p) // below dir
		out[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
