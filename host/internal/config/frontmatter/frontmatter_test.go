package frontmatter_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config/frontmatter"
)

func head(lines ...string) string {
	return "---\n" + strings.Join(lines, "\n") + "\n---\n\n# text\npermissions_allow: [Bash]\n"
}

func TestParse(t *testing.T) {
	t.Parallel()
	none := []string{}
	cases := []struct {
		name string
		kind frontmatter.Kind
		text string
		want frontmatter.Result
	}{
		{
			"the seed's example", frontmatter.Chat,
			head("vibing.nvim: true", "session_id: abc123", "permissions_mode: acceptEdits", "permissions_allow:", "  - Read", "  - Edit", "permissions_ask:", "  - Bash", "  - Bash(npm:*)", "  - WebFetch(github.com)", "permissions_deny:", "  - Bash(rm -rf)"),
			frontmatter.Result{Mode: "acceptEdits", Allow: []string{"Read", "Edit"}, Ask: []string{"Bash", "Bash(npm:*)", "WebFetch(github.com)"}, Deny: []string{"Bash(rm -rf)"}, Resumed: true},
		},
		{"no head", frontmatter.Chat, "# hello\n", frontmatter.Result{Mode: "default", Allow: none, Ask: none, Deny: none}},
		{"empty head", frontmatter.Chat, "---\n---\n", frontmatter.Result{Mode: "default", Allow: none, Ask: none, Deny: none}},
		{"comments only", frontmatter.Chat, head("# nothing"), frontmatter.Result{Mode: "default", Allow: none, Ask: none, Deny: none}},
		{"comments", frontmatter.Chat, head("permissions_deny:", "  # never", "  - Bash # shell"), frontmatter.Result{Mode: "default", Allow: none, Ask: none, Deny: []string{"Bash"}}},
		{"lists without indent, inline, empty", frontmatter.Chat, head("permissions_allow:", "- Read", "permissions_ask: [Bash, 'Read(a, b)']", "permissions_deny: []"), frontmatter.Result{Mode: "default", Allow: []string{"Read"}, Ask: []string{"Bash", "Read(a, b)"}, Deny: none}},
		{"keys without values", frontmatter.Chat, head("session_id:", "permission_mode:", "permissions_deny:"), frontmatter.Result{Mode: "default", Allow: none, Ask: none, Deny: none}},
		{"carriage returns and a mark", frontmatter.Chat, "\ufeff---\r\npermission_mode: plan\r\npermissions_deny:\r\n  - Bash\r\n---\r\n", frontmatter.Result{Mode: "plan", Allow: none, Ask: none, Deny: []string{"Bash"}}},
		{"both spellings agree", frontmatter.Chat, head("permission_mode: plan", "permissions_mode: plan"), frontmatter.Result{Mode: "plan", Allow: none, Ask: none, Deny: none}},
		{"a number for a session", frontmatter.Chat, head("session_id: 17"), frontmatter.Result{Mode: "default", Allow: none, Ask: none, Deny: none, Resumed: true}},
		{"an empty session", frontmatter.Chat, head(`session_id: ""`), frontmatter.Result{Mode: "default", Allow: none, Ask: none, Deny: none}},
		{"other keys", frontmatter.Chat, head("model: opus", "tags: {a: 1}"), frontmatter.Result{Mode: "default", Allow: none, Ask: none, Deny: none}},

		{"skill without the field", frontmatter.Skill, head("name: notes", "description: x"), frontmatter.Result{Name: "notes"}},
		{"skill, block list", frontmatter.Skill, head("name: a", "allowed-tools:", "  - bash", "  - read"), frontmatter.Result{Name: "a", Allowed: []string{"bash", "read"}}},
		{"skill, inline list", frontmatter.Skill, head("name: a", "allowed-tools: [bash, read]"), frontmatter.Result{Name: "a", Allowed: []string{"bash", "read"}}},
		{"skill, empty list", frontmatter.Skill, head("name: a", "allowed-tools: []"), frontmatter.Result{Name: "a", Allowed: none}},
		{"skill, text with commas", frontmatter.Skill, head("name: a", "allowed-tools: Read, Bash(git add, git commit) Grep"), frontmatter.Result{Name: "a", Allowed: []string{"Read", "Bash(git add, git commit)", "Grep"}}},
		{"skill, empty text", frontmatter.Skill, head("name: a", `allowed-tools: ""`), frontmatter.Result{Name: "a", Allowed: none}},
		{"hidden skill", frontmatter.Skill, head("name: a", "disable-model-invocation: true"), frontmatter.Result{Name: "a", Hidden: true}},
		{"agent", frontmatter.Agent, head("name: scout", "permissions: plan", "tools: [Read, Grep]"), frontmatter.Result{Name: "scout", Mode: "plan", Allowed: []string{"Read", "Grep"}}},
		{"skill, keys in another case", frontmatter.Skill, head("Name: a", "Allowed-Tools: [bash]"), frontmatter.Result{Name: "a", Allowed: []string{"bash"}}},
		{"agent, keys of others", frontmatter.Agent, head("name: a", "model: m", "mode: react", "isolation: worktree", "Permissions: trusted"), frontmatter.Result{Name: "a", Mode: "trusted"}},
		{"a line below a text", frontmatter.Chat, "# hello\n---\npermissions_deny: [Bash]\n---\n", frontmatter.Result{Mode: "default", Allow: none, Ask: none, Deny: none}},
		{"agent that inherits", frontmatter.Agent, head("name: scout"), frontmatter.Result{Name: "scout"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := frontmatter.Parse(c.kind, c.text)
			if err != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		kind frontmatter.Kind
		text string
		says string
	}{
		{"a bare text for a list", frontmatter.Chat, head("vibing.nvim: true", "permissions_deny: Bash"), "line 3: permissions_deny"},
		{"a mapping for a list", frontmatter.Chat, head("permissions_deny:", "  Bash: true"), "want a list"},
		{"a list in a list", frontmatter.Chat, head("permissions_deny:", "  - [Bash]"), "line 3: permissions_deny[0]"},
		{"a number in a list", frontmatter.Chat, head("permissions_deny: [1]"), "want a text"},
		{"a mapping by accident", frontmatter.Chat, head("permissions_deny:", "  - Grep(TODO: x)"), "permissions_deny[0]"},
		{"no rule", frontmatter.Chat, head("permissions_deny:", "  - Bash(npm"), "not closed"},
		{"unknown permission key", frontmatter.Chat, head("a: 1", "permissions_denied: [Bash]"), "line 3: unknown key permissions_denied"},
		{"permission key in capitals", frontmatter.Chat, head("Permissions_Deny: [Bash]"), "unknown key"},
		{"twice", frontmatter.Chat, head("permissions_deny: [Bash]", "permissions_deny: []"), "permissions_deny"},
		{"unknown mode", frontmatter.Chat, head("permission_mode: yolo"), "line 2: permission_mode: unknown mode"},
		{"auto", frontmatter.Chat, head("permission_mode: auto"), "reserved"},
		{"a mode that is no text", frontmatter.Chat, head("permission_mode: [plan]"), "want a text"},
		{"two modes", frontmatter.Chat, head("permission_mode: plan", "permissions_mode: default"), "keep one"},
		{"an alias", frontmatter.Chat, head("a: &x [Bash]", "permissions_deny: *x"), "want a list"},
		{"a tag", frontmatter.Chat, head("permissions_deny: !!str Bash"), "want a list"},
		{"a list for a head", frontmatter.Chat, head("- Bash"), "want keys and values"},
		{"a key that is no text", frontmatter.Chat, head("1: x"), "not a plain text"},
		{"two documents", frontmatter.Chat, head("a: 1", "...", "b: 2"), "front matter"},
		{"no YAML", frontmatter.Chat, head("permissions_deny: [Bash"), "not YAML"},
		{"never closed", frontmatter.Chat, "---\npermissions_deny: [Bash]\n", "never closed"},
		{"too long", frontmatter.Chat, head(strings.Repeat("# x\n", 20000)), "more than 65536 bytes"},
		{"skill without a head", frontmatter.Skill, "Do it.\n", "name: missing"},
		{"skill without a name", frontmatter.Skill, head("allowed-tools: [bash]"), "name: missing"},
		{"skill with an empty name", frontmatter.Skill, head(`name: " "`), "name: missing"},
		{"skill with a list for a name", frontmatter.Skill, head("name: [a]"), "want a text"},
		{"skill with a field without a value", frontmatter.Skill, head("name: a", "allowed-tools:"), "or [] for none"},
		{"skill with broken tools", frontmatter.Skill, head("name: a", "allowed-tools: [Bash(]"), "allowed-tools"},
		{"skill with a mapping for tools", frontmatter.Skill, head("name: a", "allowed-tools: {bash: true}"), "want a list"},
		{"skill hidden maybe", frontmatter.Skill, head("name: a", "disable-model-invocation: perhaps"), "want true or false"},
		{"agent with an unknown mode", frontmatter.Agent, head("name: a", "permissions: root"), "unknown mode"},
		{"agent without a name", frontmatter.Agent, head("permissions: plan"), "name: missing"},
		{"agent with a broken tool", frontmatter.Agent, head("name: a", "tools: 'Bash('"), "not closed"},
		{"a blank line before the head", frontmatter.Chat, "\n" + head("permissions_deny: [Bash]"), "line 2: the \"---\" has to be the first line"},
		{"blanks before the head", frontmatter.Chat, "  ---\npermissions_deny: [Bash]\n---\n", "line 1: the \"---\" has to be"},
		{"skill with a misspelt restriction", frontmatter.Skill, head("name: a", "allowed_tools: [bash]"), "line 3: unknown key allowed_tools: want one of name, allowed-tools"},
		{"skill with another client's restriction", frontmatter.Skill, head("name: a", "disallowedTools: [bash]"), "unknown key disallowedTools"},
		{"skill with the field in two cases", frontmatter.Skill, head("name: a", "allowed-tools: [bash]", "Allowed-Tools: [read]"), "allowed-tools is there twice"},
		{"agent with a skill's field", frontmatter.Agent, head("name: a", "allowed-tools: [bash]"), "unknown key allowed-tools: want one of name, permissions, tools"},
		{"agent with a client's mode", frontmatter.Agent, head("name: a", "permissionMode: plan"), "unknown key permissionMode"},
		{"unknown kind", "plugin", head("name: a"), "want chat, skill or agent"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := frontmatter.Parse(c.kind, c.text)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %+v, error %v; want an error saying %q", got, err, c.says)
			}
			if !reflect.DeepEqual(got, frontmatter.Result{}) {
				t.Errorf("got %+v beside the error", got)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add("chat", head("permissions_deny:", "  - Bash(rm -rf)"))
	f.Add("skill", head("name: a", "allowed-tools: Read, Bash(git:*)"))
	f.Add("agent", head("name: a", "permissions: plan"))
	f.Add("chat", "---\n? a\n: - b\n---\n")
	f.Add("chat", "---\n<<: *x\n---\n")
	f.Fuzz(func(t *testing.T, kind, text string) {
		got, err := frontmatter.Parse(frontmatter.Kind(kind), text)
		if err != nil {
			if !reflect.DeepEqual(got, frontmatter.Result{}) {
				t.Errorf("%+v beside the error %v", got, err)
			}
			return
		}
		if kind == "chat" && (got.Allow == nil || got.Ask == nil || got.Deny == nil || got.Mode == "") {
			t.Errorf("a chat without lists or mode: %+v", got)
		}
	})
}
