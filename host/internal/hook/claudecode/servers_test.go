package claudecode_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/wire"
)

// place is a machine with a home and a project with definitions of servers.
type place struct {
	root string
}

func newPlace(t *testing.T, files map[string]string) place {
	t.Helper()
	p := place{t.TempDir()}
	for name, text := range files {
		path := filepath.Join(p.root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", filepath.ToSlash(p.root))), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// claim is the hook's claim about a call's server.
func (p place) claim(t *testing.T, tool string, server any) wire.Server {
	t.Helper()
	d := allows()
	h := hookOf(d)
	h.Servers = claudecode.Servers{User: []string{filepath.Join(p.root, "home", ".claude.json")}, Managed: filepath.Join(p.root, "managed-mcp.json")}
	with := members{"tool_name": tool, "cwd": filepath.Join(p.root, "work", "shop", "src")}
	if server != nil {
		with["mcp_server"] = server
	}
	run(t, h, payload(with))
	if len(d.requests) != 1 || d.requests[0].Context.Server == nil {
		t.Fatalf("got %+v, want one request with a server", d.requests)
	}
	return *d.requests[0].Context.Server
}

const github = `{"mcpServers":{"github":{"command":"npx","args":["-y","github-mcp"]}}}`

func TestT26_WhereServersComeFrom(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files         map[string]string
		source        string
		wantSource    string
		known         bool
		doubt         string
		toolAndServer [2]string
	}{
		"the user's":                            {map[string]string{"home/.claude.json": github}, "user", "user", true, "", [2]string{}},
		"the user's, the client silent":         {map[string]string{"home/.claude.json": github}, "", "user", true, "", [2]string{}},
		"local":                                 {map[string]string{"home/.claude.json": `{"projects":{"ROOT/work/shop":` + github + `}}`}, "local", "local", true, "", [2]string{}},
		"local of another project":              {map[string]string{"home/.claude.json": `{"projects":{"ROOT/work/other":` + github + `}}`}, "local", "local", false, wire.DoubtNotFound, [2]string{}},
		"the project's":                         {map[string]string{"work/shop/.mcp.json": github}, "project", "project", true, "", [2]string{}},
		"managed":                               {map[string]string{"managed-mcp.json": github}, "enterprise", "managed", true, "", [2]string{}},
		"not where the client says":             {map[string]string{"work/shop/.mcp.json": github}, "user", "user", false, wire.DoubtNotFound, [2]string{}},
		"the user's and the project's":          {map[string]string{"home/.claude.json": github, "work/shop/.mcp.json": github}, "user", "user", true, wire.DoubtClaimedTwice, [2]string{}},
		"given for this run, and the project's": {map[string]string{"work/shop/.mcp.json": github}, "dynamic", "dynamic", false, wire.DoubtClaimedTwice, [2]string{}},
		"given for this run":                    {nil, "dynamic", "dynamic", false, "", [2]string{}},
		"a plug-in's":                           {nil, "plugin", "plugin", false, "", [2]string{}},
		"a word that is none":                   {nil, "user@x #1", "unknown", false, "", [2]string{}},
		"broken":                                {map[string]string{"work/.mcp.json": `{"mcpServers":`}, "project", "project", false, wire.DoubtUnreadable, [2]string{}},
		"a name twice":                          {map[string]string{"work/.mcp.json": `{"mcpServers":{"github":{},"github":{"command":"x"}}}`}, "project", "project", false, wire.DoubtUnreadable, [2]string{}},
		"two names that tools spell the same":   {map[string]string{"home/.claude.json": `{"mcpServers":{"a.b":{"command":"x"},"a b":{"command":"y"}}}`}, "user", "user", true, wire.DoubtClaimedTwice, [2]string{"mcp__a_b__get", "a.b"}},
		"a name with a separator":               {map[string]string{"home/.claude.json": `{"mcpServers":{"a__b":{"command":"x"}}}`}, "user", "user", true, "", [2]string{"mcp__a__b__c", "a__b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool, server := "mcp__github__get", "github"
			if tc.toolAndServer[0] != "" {
				tool, server = tc.toolAndServer[0], tc.toolAndServer[1]
			}
			var said any
			if tc.source != "" {
				said = members{"name": server, "source": tc.source}
			}
			got := newPlace(t, tc.files).claim(t, tool, said)
			if got.Source != tc.wantSource || (got.Definition != "") != tc.known || got.Doubt != tc.doubt {
				t.Errorf("got %+v, want source %s, known %v, doubt %q", got, tc.wantSource, tc.known, tc.doubt)
			}
		})
	}
}

// TestT26_AnotherDefinition: any change of a definition, or of its place, makes another server;
// blanks and the order of members do not.
func TestT26_AnotherDefinition(t *testing.T) {
	t.Parallel()
	digest := func(files map[string]string, source string) string {
		return newPlace(t, files).claim(t, "mcp__github__get", members{"name": "github", "source": source}).Definition
	}
	first := digest(map[string]string{"home/.claude.json": github}, "user")
	for what, text := range map[string]string{
		"command":     strings.Replace(github, "npx", "./npx", 1),
		"arguments":   strings.Replace(github, "github-mcp", "evil-mcp", 1),
		"environment": strings.Replace(github, `"command"`, `"env":{"NODE_OPTIONS":"-r x"},"command"`, 1),
		"URL":         `{"mcpServers":{"github":{"type":"http","url":"https://mcp.example/"}}}`,
	} {
		if got := digest(map[string]string{"home/.claude.json": text}, "user"); got == first || got == "" {
			t.Errorf("another %s: got the digest %q, as before", what, got)
		}
	}
	same := `{ "numStartups": 12345678901234567891, "mcpServers": {"github": {"args": ["-y", "github-mcp"], "command": "np\u0078"}, "other": {}} }`
	if got := digest(map[string]string{"home/.claude.json": same}, "user"); got != first {
		t.Errorf("the same in another spelling: got %q, want %q", got, first)
	}
	p := newPlace(t, map[string]string{"work/shop/.mcp.json": github})
	said := members{"name": "github", "source": "project"}
	nearer := p.claim(t, "mcp__github__get", said).Definition
	if err := os.Rename(filepath.Join(p.root, "work", "shop", ".mcp.json"), filepath.Join(p.root, "work", ".mcp.json")); err != nil {
		t.Fatal(err)
	}
	if farther := p.claim(t, "mcp__github__get", said).Definition; nearer == farther || nearer == "" || farther == "" {
		t.Errorf("two places: got %q and %q, want two digests", nearer, farther)
	}
}
