package git_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/git"
	"github.com/callgate/callgate/sdk/go/tool"
	"github.com/callgate/callgate/sdk/go/tooltest"
)

var host = tooltest.Host{Module: tool.Module{Name: "git", Version: "1", Tools: git.Tools()}}

func TestExamples(t *testing.T) {
	t.Parallel()
	host.CheckExamples(t)
}

// TestActions are the rows of Chorus's table.
func TestActions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tool, input, want string }{
		{"git_init", `{}`, "tool:git:init"},
		{"git_commit", `{"message":"m"}`, "tool:git:commit"},
		{"git_push", `{"remote":"origin","branch":"feature/auth"}`, "tool:git:push origin feature/auth"},
		{"git_branch", `{"name":"feature/new-ui"}`, "tool:git:branch feature/new-ui"},
		{"git_merge_request", `{"target":"main","title":"t"}`, "tool:git:merge_request main"},
	} {
		if got := host.Describe(t, tc.tool, tc.input).Action; got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.tool, got, tc.want)
		}
		if host.ReadOnly(t, tc.tool, tc.input) {
			t.Errorf("%s: read-only", tc.tool)
		}
		for _, content := range host.Suggest(t, tc.tool, tc.input) {
			if content != "" && !host.Match(t, tool.Allow, content, tc.tool, tc.input) {
				t.Errorf("%s: the suggestion %q does not match its own call", tc.tool, content)
			}
		}
	}
}

func TestPush(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, input     string
		asAllow, asDeny bool
	}{
		{"origin main", `{"remote":"origin","branch":"main"}`, true, true},
		{"origin main", `{"remote":"origin","branch":"main","force":false}`, true, true},
		{"origin main", `{"remote":"origin","branch":"main","force":true}`, false, true},
		{"origin main", `{"remote":"origin","branch":"+main"}`, false, true},
		{"origin main", `{"remote":"origin","branch":"x:main"}`, false, true},
		{"origin main", `{"remote":"origin","branch":"refs/heads/main"}`, false, true},
		{"origin main", `{"remote":"origin","branch":"--force"}`, false, true},
		{"origin main", `{"remote":"origin"}`, false, true},
		{"origin main", `{"remote":"origin","branch":"heads/main"}`, false, true},
		{"origin main", `{"remote":"origin","branch":"HEAD"}`, false, true},
		{"origin *", `{"remote":"origin","branch":"dev\u0000main"}`, false, true},
		{"origin dev", `{"remote":"origin","branch":"main","all":true}`, false, true},
		{"origin *", `{"remote":"origin","branch":"dev"}`, true, true},
		{"origin *", `{"remote":"fork","branch":"dev"}`, false, false},
		{"origin main", `{"remote":"origin","branch":"Main"}`, false, true},
		{"origin [", `{"remote":"fork","branch":"dev"}`, false, true},
	} {
		for behavior, want := range map[tool.Behavior]bool{tool.Allow: tc.asAllow, tool.Deny: tc.asDeny} {
			if got := host.Match(t, behavior, tc.rule, "git_push", tc.input); got != want {
				t.Errorf("%s(%s) on %s: got %v, want %v", behavior, tc.rule, tc.input, got, want)
			}
		}
	}
}

// TestInitNamesItsDirectory: rules for writing files hold for it.
func TestInitNamesItsDirectory(t *testing.T) {
	t.Parallel()
	d := host.Describe(t, "git_init", `{"path":"/srv/site"}`)
	if len(d.Targets) != 1 || d.Targets[0].Value != "/srv/site" || d.Targets[0].Access != tool.Write {
		t.Errorf("got %+v, want the directory", d.Targets)
	}
}

// TestAnalysed: an action string that does not describe the call is marked as none, so only a
// profile's pattern for every such call may match: an option in place of a name, a file not
// plainly the project's, a forced push.
func TestAnalysed(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, input string
		want        bool
		targets     string
	}{
		{"git_init", `{}`, true, ""},
		{"git_init", `{"path":"sub/site"}`, true, "sub/site write"},
		{"git_init", `{"path":"/project/sub"}`, true, "/project/sub write"},
		{"git_init", `{"path":"/etc"}`, false, "/etc write"},
		{"git_init", `{"path":"~"}`, false, "~ write"},
		{"git_init", `{"path":"../x"}`, false, "../x write"},
		{"git_init", `{"path":"--template=/x"}`, false, "--template=/x write"},
		{"git_init", `{"path":"a","bare":true}`, false, "a write"},
		{"git_commit", `{"message":"m"}`, true, ""},
		{"git_commit", `{"message":"m","files":[]}`, true, ""},
		{"git_commit", `{"message":"m","files":["a.go","b/c.go"]}`, true, "a.go read b/c.go read"},
		{"git_commit", `{"message":"m","files":"a.go"}`, true, "a.go read"},
		{"git_commit", `{"message":"m","files":["a.go","/etc/shadow"]}`, false, "a.go read /etc/shadow read"},
		{"git_commit", `{"message":"m","files":["b/../../x"]}`, false, "b/../../x read"},
		{"git_commit", `{"message":"m","files":[":(top)x"]}`, false, ":(top)x read"},
		{"git_commit", `{"message":"m","files":["--all"]}`, false, "--all read"},
		{"git_commit", `{"message":"m","files":[["/etc/shadow"]]}`, false, ""},
		{"git_commit", `{"message":"m","files":{"a":"/etc/shadow"}}`, false, ""},
		{"git_branch", `{"name":"feature/x"}`, true, ""},
		{"git_branch", `{"name":"-D main"}`, false, ""},
		{"git_branch", `{"name":"--edit-description"}`, false, ""},
		{"git_branch", `{"name":"a","branch":"-D"}`, false, ""},
		{"git_branch", `{}`, false, ""},
		{"git_push", `{"remote":"origin","branch":"main"}`, true, ""},
		{"git_push", `{"remote":"origin","branch":"main","force":true}`, false, ""},
		{"git_push", `{"remote":"origin","branch":"--mirror"}`, false, ""},
		{"git_push", `{"remote":"--receive-pack=./x","branch":"main"}`, false, ""},
		{"git_merge_request", `{"target":"main"}`, true, ""},
		{"git_merge_request", `{"target":"--fill"}`, false, ""},
		{"git_merge_request", `{"target":"main","source":"--repo=evil"}`, false, ""},
	} {
		d := host.Describe(t, tc.tool, tc.input)
		var targets []string
		for _, target := range d.Targets {
			targets = append(targets, target.Value+" "+target.Access)
		}
		if got := d.Analysed != nil && *d.Analysed; got != tc.want || strings.Join(targets, " ") != tc.targets {
			t.Errorf("%s %s: got analysed %v, targets %q; want %v, %q", tc.tool, tc.input, got, targets, tc.want, tc.targets)
		}
	}
}

// TestMessageRuleCoversTheProjectOnly: who allows commits by their message did not
// allow files of the machine in them.
func TestMessageRuleCoversTheProjectOnly(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]bool{
		`{"message":"docs: x"}`: true, `{"message":"docs: x","files":["a"]}`: true, `{"message":"docs: x","files":["/etc/shadow"]}`: false,
	} {
		if got := host.Match(t, tool.Allow, "message:docs: *", "git_commit", input); got != want {
			t.Errorf("%s: got %v, want %v", input, got, want)
		}
	}
}
