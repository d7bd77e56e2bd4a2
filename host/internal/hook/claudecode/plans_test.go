package claudecode_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
)

// TestPlans: in mode plan Claude Code 2.1.330 has its agent write its plan into a file of its
// own, and every such call was denied because mode plan changes nothing: the user then saw an
// empty plan. Nothing but that file gets out of the mode.
func TestPlans(t *testing.T) {
	t.Parallel()
	const file = "/home/dev/.claude/plans/a-mighty-stream.md"
	for name, tc := range map[string]struct {
		tool, path, client, want string
	}{
		"a plan is written":         {"Write", file, "plan", ""},
		"a plan is edited":          {"Edit", file, "plan", ""},
		"a longer way to it":        {"Write", "/home/dev/.claude/plans/../plans/x.md", "plan", ""},
		"another tool":              {"Bash", file, "plan", "plan"},
		"another directory":         {"Write", "/home/dev/.claude/x.md", "plan", "plan"},
		"a directory below":         {"Write", "/home/dev/.claude/plans/deep/x.md", "plan", "plan"},
		"out of it again":           {"Write", "/home/dev/.claude/plans/../x.md", "plan", "plan"},
		"no text":                   {"Write", "/home/dev/.claude/plans/x.sh", "plan", "plan"},
		"a relative path":           {"Write", ".claude/plans/x.md", "plan", "plan"},
		"no path":                   {"Write", "", "plan", "plan"},
		"in a mode that is no plan": {"Write", file, "dontAsk", "dontAsk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := allows()
			h := hookOf(d)
			h.Plans = claudecode.Plans{"/home/dev/.claude/plans"}
			run(t, h, payload(members{"permission_mode": tc.client, "tool_name": tc.tool, "tool_input": members{"file_path": tc.path, "content": "# plan"}}))
			if got := d.requests[0].Context.Mode; got != tc.want {
				t.Errorf("got the mode %q, want %q", got, tc.want)
			}
		})
	}
}
