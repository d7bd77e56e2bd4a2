package exchange_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/exchange"
	"github.com/callgate/callgate/host/internal/golden"
	"github.com/callgate/callgate/host/recipe"
)

var dirs = config.Dirs{Home: "/home/dev", Config: "/c", State: "/s", Cache: "/k"}

// imports are the files of testdata with what they are imported as.
var imports = []struct {
	file    string
	from    exchange.Format
	options exchange.Options
}{
	{"claude-settings.json", exchange.ClaudeSettings, exchange.Options{Agent: "builder", Dir: "~/src/shop"}},
	{"claude-auto.json", exchange.ClaudeSettings, exchange.Options{}},
	{"codex-config.toml", exchange.Codex, exchange.Options{Agent: "codex", Dir: "/home/dev/shop"}},
	{"codex-never.toml", exchange.Codex, exchange.Options{}},
	{"codex-default.rules", exchange.Codex, exchange.Options{Agent: "codex"}},
	{"gemini-settings.json", exchange.Gemini, exchange.Options{}},
	{"gemini-policy.toml", exchange.Gemini, exchange.Options{Agent: "gemini"}},
	{"opencode.jsonc", exchange.OpenCode, exchange.Options{Agent: "oc", Dir: "/p"}},
	{"opencode-closed.json", exchange.OpenCode, exchange.Options{Agent: "oc"}},
	{"chat.vibing.md", exchange.Vibing, exchange.Options{Agent: "nvim"}},
	{"chorus-agent.json", exchange.Chorus, exchange.Options{}},
	{"chorus-config.json", exchange.Chorus, exchange.Options{}},
	{"chorus-bare.json", exchange.Chorus, exchange.Options{}},
	{"agentscope.json", exchange.AgentScope, exchange.Options{Agent: "ci"}},
}

// TestGolden compares the reports of files as people write them, line by line,
// and what would be stored. Secrets in them (do-not-show) are never repeated.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, g := range imports {
		t.Run(g.file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", g.file))
			if err != nil {
				t.Fatal(err)
			}
			r, err := exchange.Import(g.from, g.file, data, g.options)
			if err != nil {
				t.Fatal(err)
			}
			got := r.Text() + "---\n" + r.YAML()
			if strings.Contains(got, "do-not-show") {
				t.Errorf("a secret of the file is shown:\n%s", got)
			}
			golden.Check(t, g.file, got)
			c, err := config.Parse("callgate.yaml", []byte(r.YAML()), dirs)
			if err != nil {
				t.Fatalf("what would be stored is no configuration: %v\n%s", err, r.YAML())
			}
			if p := c.Problems(); len(p) > 0 {
				t.Errorf("what would be stored cannot be meant: %v", p)
			}
			again, _, err := recipe.Merge("callgate.yaml", []byte(r.YAML()), []byte(r.YAML()), "the import")
			if err != nil || string(again) != r.YAML() {
				t.Errorf("a second import changes something: %v\n%s", err, again)
			}
		})
	}
}
