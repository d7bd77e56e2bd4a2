package opencode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

// TestParse: each of the client's calls as the gate gets it.
func TestParse(t *testing.T) {
	t.Parallel()
	const servers = `{"ev":{"type":"local"},"apply":{},"my server":{},"a":{},"a_b":{}}`
	for name, test := range map[string]struct {
		tool, input, mcp string
		want, wantServer string
	}{
		"a command":              {tool: "bash", input: `{"command":"ls"}`, mcp: "{}", want: "bash"},
		"a patch":                {tool: "apply_patch", input: `{"patchText":""}`, mcp: "{}", want: "apply_patch"},
		"a patch, unknown":       {tool: "apply_patch", input: `{}`, mcp: "null", want: "opencode__apply_patch"},
		"a server's patch":       {tool: "apply_patch", input: `{}`, mcp: servers, want: "mcp__apply__patch", wantServer: "apply"},
		"a server's tool":        {tool: "ev_echo", input: `{}`, mcp: servers, want: "mcp__ev__echo", wantServer: "ev"},
		"of a server with blank": {tool: "my_server_read", input: `{}`, mcp: servers, want: "mcp__my_server__read", wantServer: "my_server"},
		"of two servers":         {tool: "a_b_c", input: `{}`, mcp: servers, want: "opencode__a_b_c"},
		"of none":                {tool: "read_file", input: `{}`, mcp: servers, want: "opencode__read_file"},
		"servers unknown":        {tool: "ev_echo", input: `{}`, mcp: "null", want: "opencode__ev_echo"},
		"no object":              {tool: "bash", input: `[]`, mcp: "{}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := parse([]byte(`{"hook_event_name":"tool.execute.before","session_id":"s","call_id":"c","cwd":"/p","tool_name":"` + test.tool + `","tool_input":` + test.input + `,"mcp":` + test.mcp + `}`))
			server := ""
			if s := r.Context.Server; s != nil {
				server = s.Name
			}
			if (err == nil) != (test.want != "") || err == nil && (r.Tool != test.want || string(r.Input) != test.input || server != test.wantServer || r.CallID != "c") {
				t.Errorf("got %+v, server %q, %v", r, server, err)
			}
		})
	}
}

// FuzzParse: no message panics, and each that is taken names its tool and call.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"tool.execute.before","session_id":"s","call_id":"c","cwd":"/p","tool_name":"ev_x","tool_input":{},"mcp":{"ev":{}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := parse(data); err == nil && (r.Tool == "" || r.CallID == "" || !json.Valid(r.Input)) {
			t.Errorf("%q: got %+v", data, r)
		}
	})
}

// TestInstall: the plugin holds the program and its patience, and both files come back to the byte.
func TestInstall(t *testing.T) {
	t.Parallel()
	e := settings.Entry{Binary: "/opt/it's/callgate", Endpoint: "unix:/run/s", TokenFile: "/run/t", Timeout: time.Hour}
	for name, test := range map[string]struct {
		config    string
		kept, bad bool
	}{
		"no file":              {},
		"an empty file":        {config: " \n"},
		"an empty object":      {config: "{ \n}\n"},
		"others' settings":     {config: "{\n  \"model\": \"x/y\"\n}\n"},
		"the same permission":  {config: `{"permission":{"*":"ask"}}`},
		"another permission":   {config: `{"permission":{"bash":"allow"}}`, kept: true},
		"comments (as .jsonc)": {config: "{ // mine\n}", bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			pluginFile, configFile := PluginFile(dir), ConfigFile(dir)
			if test.config != "" {
				if err := os.WriteFile(configFile, []byte(test.config), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, kept, err := Install(pluginFile, configFile, e, false)
			if (err != nil) != test.bad || kept != test.kept {
				t.Fatalf("got kept %t, %v", kept, err)
			}
			s := Look(pluginFile, configFile)
			if test.bad {
				if s.Installed {
					t.Error("the plugin was written, although the configuration was not")
				}
				return
			}
			e := e
			e.Client = Word
			if !s.Installed || s.Asks == test.kept || s.Err != nil || !slices.Equal(s.Hook.Program(), append([]string{e.Binary}, e.Args()...)) {
				t.Errorf("got %+v", s)
			}
			if text, err := os.ReadFile(pluginFile); err != nil || !strings.Contains(string(text), "const patience = 3600000\n") {
				t.Errorf("%v: the plugin has no patience", err)
			}
			if r, _, err := Install(pluginFile, configFile, e, false); err != nil || r[0].Written || r[1].Written {
				t.Errorf("a second install: %+v, %v", r, err)
			}
			if _, err := Uninstall(pluginFile, configFile, false); err != nil {
				t.Fatal(err)
			}
			want := test.config
			if name == "the same permission" {
				want = "{}" // whose it was is not known any more
			}
			if got, err := os.ReadFile(configFile); string(got) != want || os.IsNotExist(err) != (want == "") {
				t.Errorf("after the uninstall: got %q, %v", got, err)
			}
			if left, err := filepath.Glob(filepath.Join(dir, "*", "*")); err != nil || len(left) > 0 {
				t.Errorf("left: %q, %v", left, err)
			}
		})
	}
}

// TestInstall_stranger: another's file of this name stays.
func TestInstall_stranger(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := PluginFile(dir)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := settings.Entry{Binary: "/opt/callgate", Endpoint: "unix:/run/s", TokenFile: "/run/t", Timeout: time.Hour}
	if _, _, err := Install(path, ConfigFile(dir), e, false); err == nil {
		t.Error("another's plugin was replaced")
	}
	if r, err := Uninstall(path, ConfigFile(dir), false); err != nil || r[0].Written {
		t.Errorf("another's plugin was removed: %+v, %v", r, err)
	}
}
