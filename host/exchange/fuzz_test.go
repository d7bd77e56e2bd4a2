package exchange_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/exchange"
	"github.com/callgate/callgate/host/internal/strictyaml"
)

// fuzz imports foreign bytes: never a panic, and either an error without a report
// or a report of which every stored line is a configuration.
func fuzz(f *testing.F, from exchange.Format, names ...string) {
	f.Helper()
	for _, g := range imports {
		if g.from != from {
			continue
		}
		data, err := os.ReadFile(filepath.Join("testdata", g.file))
		if err != nil {
			f.Fatal(err)
		}
		for i, name := range names {
			if filepath.Ext(name) == filepath.Ext(g.file) {
				f.Add(i, string(data), "agent", "/p")
			}
		}
	}
	f.Add(0, "", "", "")
	f.Add(0, "", " ", "/") // no agent has that name
	f.Add(0, strings.Repeat("[", 5000), "", "")
	f.Add(0, "{\"permissions\": {\"allow\": [\"Bash(\\u0000)\", \"Read(\\ud800)\", \"(x)\", \"*\"]}}", "no", "x")
	f.Fuzz(func(t *testing.T, which int, data, agent, dir string) {
		name := names[max(which, -which, 0)%len(names)]
		r, err := exchange.Import(from, name, []byte(data), exchange.Options{Agent: agent, Dir: dir})
		if err != nil {
			if r != nil {
				t.Errorf("a report beside the error %v", err)
			}
			return
		}
		if _, err := config.Parse("c.yaml", []byte(r.YAML()), dirs); err != nil {
			t.Errorf("%v\n%s", err, r.YAML())
		}
		r.Text()
	})
}

func FuzzClaudeSettings(f *testing.F) { fuzz(f, exchange.ClaudeSettings, "settings.json") }
func FuzzCodex(f *testing.F)          { fuzz(f, exchange.Codex, "config.toml", "default.rules") }
func FuzzGemini(f *testing.F)         { fuzz(f, exchange.Gemini, "settings.json", "policy.toml") }
func FuzzOpenCode(f *testing.F)       { fuzz(f, exchange.OpenCode, "opencode.json", "opencode.jsonc") }
func FuzzVibing(f *testing.F)         { fuzz(f, exchange.Vibing, "chat.md") }
func FuzzChorus(f *testing.F)         { fuzz(f, exchange.Chorus, "agent.json") }
func FuzzAgentScope(f *testing.F)     { fuzz(f, exchange.AgentScope, "state.json") }

// TestImport_refuses: what cannot be read is refused with its place and the cure,
// whole.
func TestImport_refuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		from       exchange.Format
		text, want string
	}{
		{"no JSON", "s.json", exchange.ClaudeSettings, "{\n  permissions: 1}", "s.json:2:3: not JSON"},
		{"a key twice", "s.json", exchange.ClaudeSettings, "{\"permissions\": {\"deny\": [\"Bash\"], \"deny\": []}}", "s.json:1:"},
		{"a number for a rule", "s.json", exchange.ClaudeSettings, "{\"permissions\": {\"deny\": [\n1]}}", "s.json:2:1: permissions.deny: got a number, want a text"},
		{"a text for a list", "s.json", exchange.ClaudeSettings, `{"permissions": {"deny": "Bash"}}`, "permissions.deny: got a text, want a list"},
		{"a list for all", "s.json", exchange.ClaudeSettings, `[]`, "got a list, want a mapping"},
		{"an unknown mode", "s.json", exchange.ClaudeSettings, `{"permissions": {"defaultMode": "yolo"}}`, "unknown mode"},
		{"too deep", "s.json", exchange.ClaudeSettings, strings.Repeat("[", 300), "nest deeper than 200"},
		{"too long", "s.json", exchange.ClaudeSettings, strings.Repeat(" ", exchange.MaxBytes+1), "at most"},
		{"no TOML", "c.toml", exchange.Codex, "a = \n", "c.toml:1:"},
		{"a TOML key twice", "c.toml", exchange.Codex, "a = 1\na = 2\n", "c.toml:2:"},
		{"an unknown policy", "c.toml", exchange.Codex, "approval_policy = \"always\"", "c.toml:1:19: approval_policy: unknown value"},
		{"an absent profile", "c.toml", exchange.Codex, "profile = \"x\"", "there is no [profiles.x]"},
		{"no Starlark", "d.rules", exchange.Codex, "prefix_rule(\n", "d.rules:2:"},
		{"an unknown decision", "d.rules", exchange.Codex, "\nprefix_rule(pattern=[\"a\"], decision=\"perhaps\")", "d.rules:2:1: prefix_rule.decision: unknown decision"},
		{"a long rules file", "d.rules", exchange.Codex, strings.Repeat("#\n", 200<<10), "at most 262144"},
		{"a rule without a decision", "p.toml", exchange.Gemini, "[[rule]]\ntoolName = \"x\"\n", "rule.decision"},
		{"a decision nobody knows", "p.toml", exchange.Gemini, "[[rule]]\ndecision = \"maybe\"\n", "p.toml:2:12: rule.decision: unknown decision"},
		{"a mode nobody knows", "s.json", exchange.Gemini, `{"general": {"defaultApprovalMode": "fast"}}`, "unknown mode"},
		{"an action nobody knows", "o.json", exchange.OpenCode, `{"permission": {"bash": "maybe"}}`, "o.json:1:25: permission.bash: want allow, ask or deny"},
		{"a broken head", "c.md", exchange.Vibing, "---\npermissions_deny: Bash\n---\n", "line 2: permissions_deny"},
		{"a pattern Python refuses", "a.json", exchange.Chorus, `{"permissions": {"allow": ["tool:("], "ask": []}}`, "a.json:1:28: permissions.allow[0]"},
		{"a profile nobody knows", "a.json", exchange.Chorus, `{"permissions": "guardian"}`, `there is no profile "guardian"`},
		{"a key of no profile", "a.json", exchange.Chorus, `{"permissions": {"allows": []}}`, "permissions.allows"},
		{"a mode of no agent", "a.json", exchange.AgentScope, `{"mode": "auto"}`, "reserved"},
		{"a content that is no text", "a.json", exchange.AgentScope, `{"deny_rules": {"Bash": [{"rule_content": 7}]}}`, "got a number, want a text or null"},
		{"an unknown format", "a.json", "vim", `{}`, "unknown format"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := exchange.Import(tt.from, tt.file, []byte(tt.text), exchange.Options{})
			if r != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got %v, %v, want an error with %q", r, err, tt.want)
			}
			var placed *strictyaml.Error
			if tt.from != "vim" && (!errors.As(err, &placed) || placed.File != tt.file) {
				t.Errorf("got %v, want an error of the file", err)
			}
		})
	}
}
