package git_test

import (
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

// TestActions are the Chorus seed's table rows.
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
