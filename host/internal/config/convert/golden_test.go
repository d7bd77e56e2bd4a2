package convert_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/convert"
	"github.com/callgate/callgate/host/internal/config/recipe"
	"github.com/callgate/callgate/host/internal/testkit/golden"
)

var dirs = config.Dirs{Home: "/home/dev", Config: "/c", State: "/s", Cache: "/k"}

// imports are the files of testdata with their formats.
var imports = []struct {
	file    string
	from    convert.Format
	options convert.Options
}{
	{"claude-settings.json", convert.ClaudeSettings, convert.Options{Agent: "builder", Dir: "~/src/shop"}},
	{"claude-auto.json", convert.ClaudeSettings, convert.Options{}},
	{"codex-config.toml", convert.Codex, convert.Options{Agent: "codex", Dir: "/home/dev/shop"}},
	{"codex-never.toml", convert.Codex, convert.Options{}},
	{"codex-default.rules", convert.Codex, convert.Options{Agent: "codex"}},
	{"gemini-settings.json", convert.Gemini, convert.Options{}},
	{"gemini-policy.toml", convert.Gemini, convert.Options{Agent: "gemini"}},
	{"opencode.jsonc", convert.OpenCode, convert.Options{Agent: "oc", Dir: "/p"}},
	{"opencode-closed.json", convert.OpenCode, convert.Options{Agent: "oc"}},
	{"chat.vibing.md", convert.Vibing, convert.Options{Agent: "nvim"}},
	{"chorus-agent.json", convert.Chorus, convert.Options{}},
	{"chorus-config.json", convert.Chorus, convert.Options{}},
	{"chorus-bare.json", convert.Chorus, convert.Options{}},
	{"agentscope.json", convert.AgentScope, convert.Options{Agent: "ci"}},
}

// TestGolden compares the reports of realistic files, line by line, and the rules to store.
// Secrets in them (do-not-show) are never repeated.
func TestGolden(t *testing.T) {
	t.Parallel()
	for _, g := range imports {
		t.Run(g.file, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(filepath.Join("testdata", g.file))
			if err != nil {
				t.Fatal(err)
			}
			r, err := convert.Import(g.from, g.file, data, g.options)
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
