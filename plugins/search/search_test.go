package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/search"
	"github.com/callgate/callgate/sdk/go/tool"
	"github.com/callgate/callgate/sdk/go/tooltest"
)

var host = tooltest.Host{
	Module:  tool.Module{Name: "search", Version: "1", Tools: search.Tools()},
	Context: tool.Context{CWD: "/my/project", WorkingDirectories: []string{"/my/project"}, Home: "/home/dev"},
	Links:   map[string]string{"/my/project/keys": "/home/dev/.ssh"},
}

func TestExamples(t *testing.T) {
	t.Parallel()
	tooltest.Host{Module: host.Module}.CheckExamples(t)
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, tool, input string
		asAllow, asDeny   bool
	}{
		{"TODO", "Grep", `{"pattern":"TODO"}`, true, true},
		{"TODO", "Grep", `{"pattern":"TODO:"}`, false, false},
		{"TODO|FIXME", "Grep", `{"pattern":"TODO"}`, false, false},
		{"**/*.go", "Glob", `{"pattern":"**/*.go"}`, true, true},
		{"*.go", "Glob", `{"pattern":"**/*.go","path":"/x"}`, false, false},
		{"/x", "Glob", `{"pattern":"/x"}`, true, true},
		// AgentScope's paths.
		{"/tmp/workdir", "Glob", `{"path":"/tmp/workdir","pattern":"*.txt"}`, true, true},
		{"/some/other/path/**", "Grep", `{"pattern":"x","path":"/tmp/workdir"}`, false, false},
		{"/my/project/**", "Glob", `{"pattern":"*.go","path":"/my/project/src"}`, true, true},
		{"/my/project/**", "Glob", `{"pattern":"*.go"}`, true, true},
		{"/my/project", "Grep", `{"pattern":"x"}`, true, true},
		{"path:src/**", "Grep", `{"pattern":"x","path":"src"}`, true, true},
		{"path:src/**", "Grep", `{"pattern":"x","path":"src/../lib"}`, false, false},
		{"path:src/**", "LS", `{"path":"/my/project/src/a"}`, true, true},
		// A search above a denied directory reaches it.
		{"path:secrets/**", "Grep", `{"pattern":"x"}`, false, true},
		{"/my/project/secrets/**", "Grep", `{"pattern":"x","path":"/my"}`, false, true},
		{"/my/project/secrets/**", "Grep", `{"pattern":"x","path":"src"}`, false, false},
		// A pattern leading elsewhere.
		{"path:src/**", "Glob", `{"pattern":"../*.go","path":"src"}`, false, true},
		{"path:lib/**", "Glob", `{"pattern":"../a/*.go","path":"src"}`, false, false},
		{"path:/etc/**", "Glob", `{"pattern":"/etc/*.conf","path":"src"}`, true, true},
		{"path:src/**", "Glob", `{"pattern":"*/../../etc/*","path":"src"}`, false, true},
		{"path:src/**", "Glob", `{"pattern":"{/etc,a}/*","path":"src"}`, false, true},
		// Inputs beyond judgement.
		{"path:src/**", "Grep", `{"pattern":"x","path":"src\u0000"}`, false, true},
		{"path:src/**", "Grep", `{"pattern":"x","path":"src","dir_path":"/etc"}`, false, true},
		{"path:src/**", "Grep", `{"pattern":"x","path":"src","later":1}`, false, true},
		{"path:src/**", "Grep", `{"pattern":"x","path":"lib","later":1}`, false, false},
		{"path:src/**", "Grep", `{"pattern":"x","path":"lib","root":"src"}`, false, true},
		{"path:src/**", "Grep", `{"pattern":["x"],"path":"lib"}`, false, true},
	} {
		t.Run(tc.rule+" "+tc.tool+" "+tc.input, func(t *testing.T) {
			t.Parallel()
			for behavior, want := range map[tool.Behavior]bool{tool.Allow: tc.asAllow, tool.Deny: tc.asDeny} {
				if got := host.Match(t, behavior, tc.rule, tc.tool, tc.input); got != want {
					t.Errorf("%s: got %v, want %v", behavior, got, want)
				}
			}
		})
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, input string
		want        bool
	}{
		{"Glob", `{"pattern":"**/*.go"}`, true},
		{"Grep", `{"pattern":"TODO","path":"/my/project","glob":"*.ts","-n":true,"-A":3,"output_mode":"content"}`, true},
		{"Grep", `{}`, true},
		{"LS", `{"path":"/"}`, true},
		{"list_directory", `{}`, true},
		{"Glob", `{"pattern":"**/.env*"}`, false},
		{"Glob", `{"pattern":"/home/dev/.ssh/*"}`, false},
		{"Grep", `{"pattern":"KEY","glob":"**/*.pem"}`, false},
		{"Grep", `{"pattern":"KEY","path":"/home/dev/.aws"}`, false},
		{"Grep", `{"pattern":"KEY","path":"keys"}`, false},
		{"Grep", `{"pattern":"KEY","path":"/my/project/.env"}`, false},
		{"Grep", `{"pattern":"x","replace":"y"}`, false},
		{"Grep", `{"pattern":"x","path":"~"}`, false},
		{"Grep", `{"pattern":"x","path":"/"}`, false},
		{"Grep", `{"pattern":"x","path":"/home"}`, false},
		{"Grep", `{"pattern":"x","path":"/etc","glob":"**/*"}`, false},
		{"Grep", `{"pattern":"x","path":"~/.config"}`, false},
		{"Grep", `{"pattern":"x","path":"~/.local/share"}`, false},
		{"Grep", `{"pattern":"x","path":"~","glob":"*.go"}`, true},
		{"Grep", `{"pattern":"x","path":"~/work"}`, true},
		{"Glob", `{"pattern":"*.go","path":"~"}`, true},
		{"Glob", `{"pattern":"a/*/../../b"}`, false},
		// Longer than a path: not looked into.
		{"Glob", `{"pattern":"` + strings.Repeat("a/", 2000) + `*.go"}`, true},
		{"Glob", `{"pattern":"` + strings.Repeat("a/", 16<<10) + `*.go"}`, false},
		{"Grep", `{"pattern":"x","glob":"` + strings.Repeat("{a}", 16<<10) + `"}`, false},
	} {
		t.Run(tc.tool+" "+tc.input[:min(80, len(tc.input))], func(t *testing.T) {
			t.Parallel()
			if got := host.ReadOnly(t, tc.tool, tc.input); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}

func TestSuggestionsMatchTheirCall(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, input string
		want        []string
	}{
		{"Glob", `{"pattern":"*.py"}`, []string{"path:/my/project/**", "*.py"}},
		{"Glob", `{"pattern":"*","path":"/tmp/work[1]"}`, []string{`path:/tmp/work\[1\]/**`}},
		{"Grep", `{"pattern":"hello","path":"src"}`, []string{"path:/my/project/src/**", "hello"}},
		{"Grep", `{"pattern":"x","glob":".env*"}`, []string{"path:/my/project/**", "x"}},
		{"Grep", `{"pattern":"x","path":"/"}`, []string{"x"}},
		{"Grep", `{"pattern":"x","path":"/home"}`, []string{"x"}},
		{"LS", `{}`, []string{"path:/my/project/**"}},
		{"LS", `{"path":"a\nb"}`, []string{}},
	} {
		got := host.Suggest(t, tc.tool, tc.input)
		if len(got) != len(tc.want) {
			t.Errorf("%s %s: got %q, want %q", tc.tool, tc.input, got, tc.want)
			continue
		}
		for i, content := range got {
			if content != tc.want[i] || !host.Match(t, tool.Allow, content, tc.tool, tc.input) {
				t.Errorf("%s %s: got %q, want %q, matching the call", tc.tool, tc.input, content, tc.want[i])
			}
		}
	}
}

func TestActionsAndTargets(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tool, input, action, target string }{
		{"Glob", `{"pattern":"**/*.go"}`, "tool:glob:**/*.go", "."},
		{"Glob", `{"pattern":"src/*.go","path":"lib"}`, "tool:glob:src/*.go", "lib/src"},
		{"Glob", `{"pattern":"/etc/*"}`, "tool:glob:/etc/*", "/etc"},
		{"Grep", `{"pattern":"/etc/x","path":"src"}`, "tool:grep:/etc/x", "src"},
		{"LS", `{"path":"src"}`, "tool:view:src", "src"},
		{"LS", `{"path":"/etc"}`, "tool:view:/etc", "/etc"},
	} {
		got := host.Describe(t, tc.tool, tc.input)
		if got.Action != tc.action || len(got.Targets) != 1 || got.Targets[0].Value != tc.target || got.Targets[0].Access != tool.Read {
			t.Errorf("%s %s: got %q, %+v; want %q, %s", tc.tool, tc.input, got.Action, got.Targets, tc.action, tc.target)
		}
	}
}

// TestGlobsNamePaths: a path named outright by a glob over files is a target, so deny rules of
// Read hold for it; its wildcards name nothing.
func TestGlobsNamePaths(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		tool, input string
		want        []string
	}{
		{"Glob", `{"pattern":"{secrets,src}/*"}`, []string{".", "secrets", "src"}},
		{"Glob", `{"pattern":"{secrets,src}/*","path":"lib"}`, []string{"lib", "lib/secrets", "lib/src"}},
		{"Glob", `{"pattern":"src/**/*.go"}`, []string{"./src"}},
		{"Grep", `{"pattern":"x","glob":"secrets/**"}`, []string{".", "secrets"}},
		{"Grep", `{"pattern":"x","glob":".env"}`, []string{".", ".env"}},
		{"Grep", `{"pattern":"x","glob":"*.{ts,tsx}"}`, []string{"."}},
		{"Grep", `{"pattern":"x","path":"lib","include":"a/b*"}`, []string{"lib", "lib/a"}},
	} {
		var got []string
		for _, target := range host.Describe(t, tc.tool, tc.input).Targets {
			got = append(got, target.Value)
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s %s: got %q, want %q", tc.tool, tc.input, got, tc.want)
		}
	}
}
