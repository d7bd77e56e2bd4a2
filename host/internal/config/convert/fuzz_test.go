package convert_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/convert"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// fuzz imports foreign bytes: never a panic, and either an error without a report or a report
// with a valid configuration in every stored line.
func fuzz(f *testing.F, from convert.Format, names ...string) {
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
	f.Add(0, "", " ", "/") // no agent has the name
	f.Add(0, strings.Repeat("[", 5000), "", "")
	f.Add(0, "{\"permissions\": {\"allow\": [\"Bash(\\u0000)\", \"Read(\\ud800)\", \"(x)\", \"*\"]}}", "no", "x")
	f.Fuzz(func(t *testing.T, which int, data, agent, dir string) {
		name := names[max(which, -which, 0)%len(names)]
		r, err := convert.Import(from, name, []byte(data), convert.Options{Agent: agent, Dir: dir})
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

func FuzzClaudeSettings(f *testing.F) { fuzz(f, convert.ClaudeSettings, "settings.json") }
func FuzzCodex(f *testing.F)          { fuzz(f, convert.Codex, "config.toml", "default.rules") }
func FuzzGemini(f *testing.F)         { fuzz(f, convert.Gemini, "settings.json", "policy.toml") }
func FuzzOpenCode(f *testing.F)       { fuzz(f, convert.OpenCode, "opencode.json", "opencode.jsonc") }
func FuzzVibing(f *testing.F)         { fuzz(f, convert.Vibing, "chat.md") }
func FuzzChorus(f *testing.F)         { fuzz(f, convert.Chorus, "agent.json") }
func FuzzAgentScope(f *testing.F)     { fuzz(f, convert.AgentScope, "state.json") }

// TestImport_refuses: an unreadable file is refused with its place and the fix, whole.
func TestImport_refuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		from       convert.Format
		text, want string
	}{
		{"no JSON", "s.json", convert.ClaudeSettings, "{\n  permissions: 1}", "s.json:2:3: not JSON"},
		{"a key twice", "s.json", convert.ClaudeSettings, "{\"permissions\": {\"deny\": [\"Bash\"], \"deny\": []}}", "s.json:1:"},
		{"a number for a rule", "s.json", convert.ClaudeSettings, "{\"permissions\": {\"deny\": [\n1]}}", "s.json:2:1: permissions.deny: got a number, want a text"},
		{"a text for a list", "s.json", convert.ClaudeSettings, `{"permissions": {"deny": "Bash"}}`, "permissions.deny: got a text, want a list"},
		{"a list for all", "s.json", convert.ClaudeSettings, `[]`, "got a list, want a mapping"},
		{"an unknown mode", "s.json", convert.ClaudeSettings, `{"permissions": {"defaultMode": "yolo"}}`, "unknown mode"},
		{"too deep", "s.json", convert.ClaudeSettings, strings.Repeat("[", 300), "nest deeper than 200"},
		{"too long", "s.json", convert.ClaudeSettings, strings.Repeat(" ", convert.MaxBytes+1), "at most"},
		{"no TOML", "c.toml", convert.Codex, "a = \n", "c.toml:1:"},
		{"a TOML key twice", "c.toml", convert.Codex, "a = 1\na = 2\n", "c.toml:2:"},
		{"an unknown policy", "c.toml", convert.Codex, "approval_policy = \"always\"", "c.toml:1:19: approval_policy: unknown value"},
		{"an absent profile", "c.toml", convert.Codex, "profile = \"x\"", "there is no [profiles.x]"},
		{"no Starlark", "d.rules", convert.Codex, "prefix_rule(\n", "d.rules:2:"},
		{"an unknown decision", "d.rules", convert.Codex, "\nprefix_rule(pattern=[\"a\"], decision=\"perhaps\")", "d.rules:2:1: prefix_rule.decision: unknown decision"},
		{"a long rules file", "d.rules", convert.Codex, strings.Repeat("#\n", 200<<10), "at most 262144"},
		{"a rule without a decision", "p.toml", convert.Gemini, "[[rule]]\ntoolName = \"x\"\n", "rule.decision"},
		{"a decision nobody knows", "p.toml", convert.Gemini, "[[rule]]\ndecision = \"maybe\"\n", "p.toml:2:12: rule.decision: unknown decision"},
		{"a mode nobody knows", "s.json", convert.Gemini, `{"general": {"defaultApprovalMode": "fast"}}`, "unknown mode"},
		{"an action nobody knows", "o.json", convert.OpenCode, `{"permission": {"bash": "maybe"}}`, "o.json:1:25: permission.bash: want allow, ask or deny"},
		{"a broken head", "c.md", convert.Vibing, "---\npermissions_deny: Bash\n---\n", "line 2: permissions_deny"},
		{"a pattern Python refuses", "a.json", convert.Chorus, `{"permissions": {"allow": ["tool:("], "ask": []}}`, "a.json:1:28: permissions.allow[0]"},
		{"a profile nobody knows", "a.json", convert.Chorus, `{"permissions": "guardian"}`, `there is no profile "guardian"`},
		{"a key of no profile", "a.json", convert.Chorus, `{"permissions": {"allows": []}}`, "permissions.allows"},
		{"a mode of no agent", "a.json", convert.AgentScope, `{"mode": "auto"}`, "reserved"},
		{"a content that is no text", "a.json", convert.AgentScope, `{"deny_rules": {"Bash": [{"rule_content": 7}]}}`, "got a number, want a text or null"},
		{"an unknown format", "a.json", "vim", `{}`, "unknown format"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := convert.Import(tt.from, tt.file, []byte(tt.text), convert.Options{})
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
