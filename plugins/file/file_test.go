package file_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/file"
	"github.com/callgate/callgate/sdk/go/tool"
	"github.com/callgate/callgate/sdk/go/tooltest"
)

var module = tool.Module{Name: "file", Version: "1", Tools: file.Tools()}

// host is a session in /my/project for a user with home /home/dev.
func host(mode tool.Mode) tooltest.Host {
	return tooltest.Host{Module: module, Context: tool.Context{
		Mode: mode, CWD: "/my/project", WorkingDirectories: []string{"/my/project"}, Home: "/home/dev",
	}}
}

// at is the input of a call of any file tool.
func at(p string) string {
	data, _ := json.Marshal(map[string]string{"file_path": p}) // a map of strings is JSON
	return string(data)
}

func TestExamples(t *testing.T) {
	t.Parallel()
	tooltest.Host{Module: module}.CheckExamples(t)
}

func TestProtectedPaths(t *testing.T) {
	t.Parallel()
	// AgentScope's table, row by row, then its code's additions, then other spellings of the
	// same files.
	protected := []string{
		"/home/dev/.bashrc", "/home/dev/.zshrc", "/home/dev/.bash_profile", "/home/dev/.profile",
		"/home/dev/.gitconfig", "/my/project/.gitmodules",
		"/home/dev/.ssh/config", "/home/dev/.ssh/authorized_keys", "/backup/id_rsa", "/backup/id_ed25519",
		"/my/project/.env", "/my/project/.env.local", "/home/dev/.npmrc", "/home/dev/.pypirc", "/home/dev/.aws/credentials",
		"/my/project/.git/config", "/home/dev/.ssh/known_hosts", "/my/project/.claude/settings.json", "/my/project/.vscode/tasks.json",
		"/home/dev/.aws/config", "/home/dev/.kube/config",
		"/home/dev/.netrc", "/home/dev/.zprofile", "/my/project/.envrc", "/my/project/.idea/x.xml", "/my/project/.env.production",
		"/my/project/.env.staging", "/my/project/.env-prod", "/my/project/.env_local", "/my/project/.callgate.yaml",
		"/my/project/.GIT/config", "/my/project/.git./config", "/my/project/.git", "/my/project/.ENV", "/my/project/./.env",
		"/my/project/.g\u200cit/config", "/my/project/git~1/config", "/my/project/.git::$DATA/config",
		"~/.bashrc", ".env", "src/../.git/hooks/pre-commit", "/my/project/repo.git/config", "/my/project/bare/HEAD", "/my/project/bare/hooks/post-checkout",
		"/my/project/.cargo/config.toml",
		"/home/dev/.config/git/config", "/etc/gitconfig", "/etc/passwd", "/etc/sudoers.d/x", "/etc/cron.d/x", "/var/spool/cron/root", "/etc/profile.d/x.sh",
		"/ETC/Crontab", "/etc/ssh/sshd_config", "/usr/local/bin/git", "/home/dev/.local/bin/ls", "/home/dev/bin/git", "/root/bin/ls",
		"/home/dev/go/bin/gopls", "/home/dev/.config/systemd/user/x.service", "/home/dev/.config/autostart/x.desktop", "/Users/dev/Library/LaunchAgents/x.plist",
		"/home/dev/.config/gh/hosts.yml", "/home/dev/.gradle/init.d/x.gradle", "/home/dev/.m2/settings.xml", "/home/dev/.vimrc", "/home/dev/.config/nvim/init.lua",
		"/home/dev/.config/callgate/callgate.yaml", "/home/dev/.local/state/callgate/callgate.db", "~/.pam_environment",
		"/my/project/.github/workflows/ci.yml", "/my/project/.gitlab-ci.yml", "/my/project/.husky/pre-commit", "/home/dev/.gnupg/gpg.conf", "/home/dev/.docker/config.json", "/home/dev/.config/fish/config.fish", "/dev/sda", "/proc/sys/kernel/core_pattern",
	}
	for _, p := range protected {
		for _, name := range []string{"Write", "Edit", "MultiEdit", "NotebookEdit"} {
			t.Run(name+" "+p, func(t *testing.T) {
				t.Parallel()
				for _, mode := range []tool.Mode{tool.ModeDefault, tool.ModeAcceptEdits} {
					got := host(mode).Check(t, name, at(p))
					if got.Behavior != tool.Ask || !got.BypassImmune {
						t.Errorf("mode %s: got %+v, want a bypass-immune ask", mode, got)
					}
				}
				if got := host(tool.ModeDefault).Suggest(t, name, at(p)); len(got) != 0 {
					t.Errorf("suggestions: got %q, want none: no rule can allow it", got)
				}
			})
		}
	}
}

func TestOrdinaryPathsAreNotProtected(t *testing.T) {
	t.Parallel()
	for _, p := range []string{
		"/my/project/src/a.go", "/my/project/.git/../src/a", "/my/project/git/config", "/my/project/.env.example", "/my/project/.github/CODEOWNERS",
		"/my/project/.gitignore", "/my/project/environment.ts", "/my/project/src/hooks/useThing.ts", "/my/project/config.json", "/my/project/profile",
		"/my/project/bin/tool", "/my/project/etc/passwd", "/my/project/boot/x", "/home/dev/projects/bin/x", "/home/dev/.config/app/config", "/my/project/.github/bin/x",
	} {
		t.Run(p, func(t *testing.T) {
			t.Parallel()
			if got := host(tool.ModeDefault).Check(t, "Write", at(p)); got.Behavior != tool.Passthrough {
				t.Errorf("got %+v, want passthrough", got)
			}
		})
	}
}

func TestAcceptEdits(t *testing.T) {
	t.Parallel()
	links := map[string]string{"/my/project/out": "/srv", "/my/project/notes": "/home/dev/.ssh/authorized_keys", "/my/project/in": "/my/project/src"}
	for _, tc := range []struct {
		name, path string
		want       tool.Behavior
	}{
		{"inside", "/my/project/src/a.go", tool.Allow},
		{"relative", "src/a.go", tool.Allow},
		{"dot-dot that stays inside", "/my/project/src/../b.go", tool.Allow},
		{"through a link that stays inside", "/my/project/in/a.go", tool.Allow},
		{"outside", "/other/a.go", tool.Passthrough},
		{"dot-dot leaves", "/my/project/../outside/x", tool.Passthrough},
		{"sibling with the same prefix", "/my/project2/x", tool.Passthrough},
		{"through a link that leaves", "/my/project/out/passwd", tool.Passthrough},
		{"link to a credential file", "/my/project/notes", tool.Ask},
		{"home is not the project", "~/x", tool.Passthrough},
		{"empty", "", tool.Passthrough},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := host(tool.ModeAcceptEdits)
			h.Links = links
			for _, name := range []string{"Write", "Edit", "MultiEdit", "NotebookEdit"} {
				if got := h.Check(t, name, at(tc.path)); got.Behavior != tc.want {
					t.Errorf("%s: got %+v, want %s", name, got, tc.want)
				}
			}
			if got := host(tool.ModeDefault).Check(t, "Write", at(tc.path)); got.Behavior == tool.Allow {
				t.Errorf("default mode: got %+v, want no allow", got)
			}
		})
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, input string
		want        bool
	}{
		{"Read", at("/my/project/main.go"), true},
		{"Read", at("/anywhere/file.txt"), true},
		{"Read", at("/home/dev/.bashrc"), true},
		{"Read", at("/my/project/.gitignore"), true},
		{"Read", `{"file_path":"/a","offset":1,"limit":20}`, true},
		{"Read", `{}`, true},
		{"read", `{"path":"README.md"}`, true},
		{"Read", at("/home/dev/.ssh/id_rsa"), false},
		{"Read", at("/my/project/.env"), false},
		{"Read", at("/my/project/.ENV.production"), false},
		{"Read", at("/my/project/.env-prod"), false},
		{"Read", at("/my/project/.env.example"), true},
		{"Read", at("/my/project/.environment"), true},
		{"Read", at("/home/dev/.aws/credentials"), false},
		{"Read", at("/home/dev/.config/gh/hosts.yml"), false},
		{"Read", at("/etc/shadow"), false},
		{"Read", at("/my/project/server.pem"), false},
		{"Read", at("/proc/1/environ"), false},
		{"Read", at("/home/dev/.ssh-backup/id_ed25519_work"), false},
		{"Read", at("/home/dev/keys/id_ed25519_work.pub"), true},
		{"Read", at("/my/project/id_rsa.bak"), false},
		{"Read", at("/my/project/.env~"), false},
		{"Read", at("/my/project/id_map"), true},
		{"Read", at("/etc/ssh/ssh_host_rsa_key"), false},
		{"Read", at("/home/dev/.config/google-chrome/Default/Login Data"), false},
		{"Read", at("/home/dev/.local/state/callgate/token"), false},
		{"Read", at("/my/project/a\nb"), false},
		{"Read", `{"file_path":"/a","path":"/b"}`, false},
		{"Read", `{"file_path":"/a","later":1}`, false},
		{"Read", `{"file_path":7}`, false},
		{"Write", at("/my/project/a"), false},
		{"Edit", at("/my/project/a"), false},
	} {
		t.Run(tc.name+" "+tc.input, func(t *testing.T) {
			t.Parallel()
			if got := host("").ReadOnly(t, tc.name, tc.input); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	links := map[string]string{"/my/project/src/link": "/etc", "/my/project/public": "/my/project/secrets/key.pem"}
	for _, tc := range []struct {
		rule, path        string
		asAllow, asDenial bool
	}{
		// AgentScope's pattern examples.
		{"src/**", "src/x/y.py", true, true},
		{"src/**/*.py", "src/x/a.py", true, true},
		{"src/**/*.py", "src/a.py", true, true},
		{"config.json", "config.json", true, true},
		{"**/.bashrc", "/home/dev/.bashrc", true, true},
		{"**/.ssh/**", ".ssh/config", true, true},
		// vibing.nvim's.
		{"*.json", "a.json", true, true},
		{"*.json", "d/a.json", false, true},
		{"*.json", "/elsewhere/a.json", false, true},
		{"config/*.yaml", "config/a.yaml", true, true},
		{"config/*.yaml", "xconfig/a.yaml", false, false},
		{"docs/?.md", "docs/é.md", true, true},
		{"docs/?.md", "docs/ab.md", false, false},
		{"*.{ts,tsx}", "a.tsx", true, true},
		{"*.{ts,tsx}", "a.{ts,tsx}", false, false},
		{"src/{a,b/c}/*.md", "src/b/c/x.md", true, true},
		{"[ab].txt", "[ab].txt", true, true},
		{"a(b).txt", "a(b).txt", true, true},
		{"a}", "a}", true, true},
		{"a/**b", "a/b", true, true},
		{"a/**b", "a/x/yb", true, true},
		{"~/notes/**", "~/notes/a", true, true},
		{"**", "src/a", true, true},
		{"**", "/tmp/x", true, true},
		{"**/*", "/tmp/x", true, true},
		{"**/*.md", "/tmp/x.md", true, true},
		// Absolute against relative, and other indirect spellings.
		{"src/**", "/my/project/src/a.py", true, true},
		{"src/**", "/my/project/src/../src/a.py", true, true},
		{"src/**", "/my/other/src/a", false, false},
		{"src/**", "/my/project2/src/x", false, false},
		{"/my/project/src/**", "/my/project/src/../x", false, false},
		{"/my/project/src/**", "/my/project/lib/../src/a", true, true},
		{"/my/project/src/**", "//my/project/src/a", true, true},
		{"/my/project/src/**", "/my/project/srcx", false, false},
		{"/my/project/src/**", "/my/project/src/link/x", false, true},
		{"src/**", "~/src/x", false, false},
		{"secrets/**", "/my/project/./secrets//key.pem", true, true},
		{"secrets/**", "/my/project/SECRETS/key.pem", false, true},
		{"secrets/**", "/my/project/public", false, true},
		{"secrets/**", "/my/project/secrets/key.pem/", true, true},
		{"secrets/**", "/my/project/secrets", false, true},
		{"secrets/**", "/proc/self/cwd/secrets/key.pem", false, true},
		{"/a/[!b].txt", "/a/c.txt", true, true},
		{"/a/[!b]c", "/a//c", false, false},
		{"/a[!b]c", "/a/c", false, false},
		{"caf\u00e9/**", "cafe\u0301/x", false, true},
		{"stra\u00dfe/**", "STRASSE/x", false, true},
		{"STRASSE/**", "stra\u00dfe/x", false, true},
		{"keys/**", "\u212aeys/x", false, true},
		{"secrets/**", "secrets./key", false, true},
		{"secrets/**", "secrets /key", false, true},
		{"secrets/**", "sec\u200brets/key", false, true},
		{"secrets/**", "\u202esecrets/key", false, true},
		{"secrets./**", "secrets./key", true, true},
		{"secrets/", "secrets/key", false, true},
		// Inputs beyond judgement.
		{"secrets/**", "file:///my/project/secrets/key", false, true},
		{"src/**", "src/\x00/../../etc/passwd", false, true},
		{"src/**", `src/..\..\x`, false, true},
		{"src/**", "src/%2e%2e/x", false, true},
		{"src/**", " src/x", false, true},
		{"src/[", "src/x", false, true},
		{"src/../**", "src/x", false, true},
	} {
		t.Run(tc.rule+" "+tc.path, func(t *testing.T) {
			t.Parallel()
			h := host("")
			h.Links = links
			for behavior, want := range map[tool.Behavior]bool{tool.Allow: tc.asAllow, tool.Deny: tc.asDenial, tool.Ask: tc.asDenial} {
				if got := h.Match(t, behavior, tc.rule, "Write", at(tc.path)); got != want {
					t.Errorf("%s: got %v, want %v", behavior, got, want)
				}
			}
		})
	}
}

func TestMatchOddInputs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, input       string
		asAllow, asDenial bool
	}{
		{"Read", `{}`, false, false},
		{"Read", `{"file_path":""}`, false, false},
		{"Read", `{"file_path":"src/a","path":"/etc/passwd"}`, false, true},
		{"Read", `{"path":"src/a"}`, true, true},
		{"Read", `{"filePath":"src/a"}`, true, true},
		{"Read", `{"File_Path":"src/a"}`, false, true},
		{"Read", `{"file_path":5}`, false, true},
		{"Read", `{"file_path":"lib/a","options":{"deep":[{"filePath":"src/a"}]}}`, false, true},
		{"Read", `{"file_path":"lib/a","options":{"lines":[1]}}`, false, false},
		{"Read", `{"args":["src/a"]}`, false, true},
		{"Read", `{"file_path":"lib/a","__proto__":{"file_path":"src/a"}}`, false, true},
		{"Read", `[]`, false, true},
		{"Write", `{"file_path":"other/a","newfield":1}`, false, false},
		{"Write", `{"file_path":"src/a","newfield":1}`, false, true},
		{"MultiEdit", `{"file_path":"src/a","edits":[{"old_string":"a","new_string":"b"}]}`, true, true},
		{"MultiEdit", `{"file_path":"lib/a","edits":[{"file_path":"src/b"}]}`, false, true},
		{"NotebookEdit", `{"notebook_path":"src/n.ipynb","new_source":"1"}`, true, true},
	} {
		t.Run(tc.tool+" "+tc.input, func(t *testing.T) {
			t.Parallel()
			for behavior, want := range map[tool.Behavior]bool{tool.Allow: tc.asAllow, tool.Deny: tc.asDenial} {
				if got := host("").Match(t, behavior, "src/**", tc.tool, tc.input); got != want {
					t.Errorf("%s: got %v, want %v", behavior, got, want)
				}
			}
		})
	}
}

func TestProjectRootAnchorsRelativeRules(t *testing.T) {
	t.Parallel()
	rules := []tool.Rule{{Content: "src/**", Root: "/my"}, {Content: "src/**"}, {Content: "src/**", Root: "/my/project"}}
	got := host("").MatchAll(t, tool.Allow, rules, "Read", at("/my/project/src/a"))
	if len(got) != 2 || got[0] != 1 || got[1] != 2 {
		t.Errorf("got %v, want [1 2]", got)
	}
}

// TestT02_CWDAnchorsNoAllowance: without working directories a caller could move
// a relative allow rule to where it likes.
func TestT02_CWDAnchorsNoAllowance(t *testing.T) {
	t.Parallel()
	h := host("")
	h.Context.WorkingDirectories, h.Context.CWD = []string{}, "/srv"
	for behavior, want := range map[tool.Behavior]bool{tool.Allow: false, tool.Ask: true, tool.Deny: true} {
		if got := h.Match(t, behavior, "src/**", "Write", at("/srv/src/a")); got != want {
			t.Errorf("%s: got %t, want %t", behavior, got, want)
		}
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, tool, path string
		want             []string
	}{
		{"outside, the directory's own files", "Write", "/other/a.txt", []string{"/other/*", "/other/a.txt"}},
		{"outside, read", "Read", "/other/a.txt", []string{"/other/**", "/other/a.txt"}},
		{"a README does not open the project", "Write", "README.md", []string{"/my/project/README.md"}},
		{"nor what holds the project", "Edit", "/my/a.txt", []string{"/my/a.txt"}},
		{"a README that is read", "Read", "README.md", []string{"/my/project/** without secrets", "/my/project/README.md"}},
		{"a file of a part, read", "Read", "src/a/b.go", []string{"/my/project/** without secrets", "/my/project/src/a/**", "/my/project/src/a/b.go"}},
		{"inside", "Write", "src/a.go", []string{"/my/project/src/**", "/my/project/src/a.go"}},
		{"a file of the root gives no rule for everything", "Write", "/test.py", []string{"/test.py"}},
		{"nor one of the home directory", "Write", "/home/dev/a", []string{"/home/dev/a"}},
		{"a directory with glob characters", "Edit", "/my/project/[x]/a{b}.go", []string{`/my/project/\[x\]/**`, `/my/project/\[x\]/a\{b\}.go`}},
		{"a secret is proposed alone", "Read", "/my/project/server.pem", []string{"/my/project/server.pem"}},
		{"a directory to be", "Write", "/my/project/d/", []string{"/my/project/d"}},
		{"nothing", "Write", "", []string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := host("").Suggest(t, tc.tool, at(tc.path))
			if len(got) != len(tc.want) {
				t.Fatalf("got %q, want %q", got, tc.want)
			}
			for i, content := range got {
				if content != tc.want[i] {
					t.Errorf("got %q, want %q", content, tc.want[i])
				}
				if !host("").Match(t, tool.Allow, content, tc.tool, at(tc.path)) {
					t.Errorf("%q does not match its own call", content)
				}
			}
		})
	}
}

// TestWithoutSecrets: a rule for reading without secrets allows the calls that only read below its
// directory, and no other; as a deny rule it is as wide as without the words.
func TestWithoutSecrets(t *testing.T) {
	t.Parallel()
	const rule = "/my/project/** without secrets"
	linked := host("")
	linked.Links = map[string]string{"/my/project/notes.md": "/home/dev/.ssh/id_ed25519", "/my/project/out": "/srv", "/my/project/plain.md": "/my/project/.env"}
	for _, tc := range []struct {
		tool, input, rule string
		want              bool
	}{
		{"Read", at("src/a.go"), rule, true},
		{"Read", at("/my/project/docs/plans/x.md"), rule, true},
		{"Read", at(".env.example"), rule, true},
		{"Read", at(".env"), rule, false},
		{"Read", at("src/../.ENV"), rule, false},
		{"Read", at("deploy/server.pem"), rule, false},
		{"Read", at(".git/config"), rule, false},
		{"Read", at("notes.md"), rule, false},
		{"Read", at("plain.md"), rule, false},
		{"Read", at("out/a"), rule, false},
		{"Read", at("../other/a"), rule, false},
		{"Read", at("~/a"), rule, false},
		{"ReadMany", `{"paths":["a","b/c"]}`, rule, true},
		{"ReadMany", `{"paths":["a",".env"]}`, rule, false},
		{"ReadMany", `{"paths":["**"]}`, rule, false},
		{"Write", `{"file_path":"a","content":"x"}`, rule, false},
		{"Edit", `{"file_path":"a","old_string":"x","new_string":"y"}`, rule, false},
		{"Read", at("a"), "** without secrets", true},
		{"Read", at(".env"), "** without secrets", false},
		{"Read", at("a"), "/my/project/a without secrets", false}, // a file of this name
		{"Read", at("a without secrets"), "/my/project/a without secrets", true},
	} {
		if got := linked.Match(t, tool.Allow, tc.rule, tc.tool, tc.input); got != tc.want {
			t.Errorf("allow %s(%s), %s: got %v, want %v", tc.tool, tc.rule, tc.input, got, tc.want)
		}
	}
	for _, behavior := range []tool.Behavior{tool.Deny, tool.Ask} {
		for _, file := range []string{"a", ".env", "src/b"} {
			if !linked.Match(t, behavior, rule, "Read", at(file)) || !linked.Match(t, behavior, rule, "Write", at(file)) {
				t.Errorf("%s %q does not name %s", behavior, rule, file)
			}
		}
	}
}

func TestActionsAndTargets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tool, input, want string }{
		{"create_file", `{"path":"src/main.py","content":"x"}`, "tool:create_file:src/main.py"},
		{"view", `{"path":"README.md"}`, "tool:view:README.md"},
		{"Read", at("/my/project/README.md"), "tool:view:README.md"},
		{"str_replace", `{"path":"config/settings.yaml","old_str":"a","new_str":"b"}`, "tool:str_replace:config/settings.yaml"},
		{"MultiEdit", at("/etc/hosts"), "tool:str_replace:/etc/hosts"},
		{"NotebookEdit", `{"notebook_path":"n.ipynb"}`, "tool:str_replace:n.ipynb"},
		{"Write", at("docs/../src/a"), "tool:create_file:src/a"},
		{"Write", at("~/x"), "tool:create_file:/home/dev/x"},
	} {
		t.Run(tc.want, func(t *testing.T) {
			t.Parallel()
			got := host("").Describe(t, tc.tool, tc.input)
			if got.Action != tc.want {
				t.Errorf("action: got %q, want %q", got.Action, tc.want)
			}
			if len(got.Targets) != 1 || got.TargetsUnknown {
				t.Errorf("targets: got %+v, unknown %v; want one", got.Targets, got.TargetsUnknown)
			}
		})
	}
	if got := host("").Describe(t, "Read", `{"file_path":"a","path":"b"}`); !got.TargetsUnknown {
		t.Errorf("two paths: got %+v, want targets unknown", got)
	}
}

func TestPreview(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tool, input, preview, language string }{
		{"Read", `{"path":"a.go"}`, "", ""},
		{"Write", `{"file_path":"a.go","content":"x"}`, "x", "go"},
		{"Edit", `{"file_path":"a.go","old_string":"a\nb","new_string":"c"}`, "-a\n-b\n+c\n", "diff"},
		{"MultiEdit", `{"file_path":"a","edits":[{"old_string":"a","new_string":"b"},{"old_string":"c"}]}`, "-a\n+b\n-c\n", "diff"},
		{"NotebookEdit", `{"notebook_path":"a.ipynb","new_source":"1"}`, "1", "ipynb"},
	} {
		got := host("").Describe(t, tc.tool, tc.input)
		if got.Preview != tc.preview || got.Language != tc.language {
			t.Errorf("%s: got %q in %q, want %q in %q", tc.tool, got.Preview, got.Language, tc.preview, tc.language)
		}
	}
	long := host("").Describe(t, "Write", `{"file_path":"a","content":"`+strings.Repeat("é", 9000)+`"}`)
	if len(long.Preview) > 4100 || !strings.HasSuffix(long.Preview, "[cut]") {
		t.Errorf("got a preview of %d bytes", len(long.Preview))
	}
}
