package selfedit_test

import (
	"testing"

	"github.com/callgate/callgate/plugins/selfedit"
	"github.com/callgate/callgate/sdk/go/tool"
	"github.com/callgate/callgate/sdk/go/tooltest"
)

var host = tooltest.Host{Module: tool.Module{Name: "self_edit", Version: "1", Tools: selfedit.Tools()}}

func TestExamples(t *testing.T) {
	t.Parallel()
	host.CheckExamples(t)
}

// TestEveryCallIsAsked walks the rows of Chorus's table.
func TestEveryCallIsAsked(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ tool, input, detail string }{
		{"self_edit_system_prompt", `{"content":"x"}`, "system_prompt"},
		{"self_edit_docs", `{"path":"README.md","content":"x"}`, "docs:README.md"},
		{"self_edit_docs", `{"path":"docs/./a/../../secret.md"}`, "docs:secret.md"},
		{"self_edit_docs", `{"path":"docs/../../x"}`, "docs:../x"},
		{"self_edit_permissions", `{"profile":"open"}`, "permissions:open"},
		{"self_edit_model", `{"model":"claude-sonnet-4-20250514"}`, "model:claude-sonnet-4-20250514"},
	} {
		t.Run(tc.detail, func(t *testing.T) {
			t.Parallel()
			if got := host.Check(t, tc.tool, tc.input); got.Behavior != tool.Ask || !got.BypassImmune {
				t.Errorf("check: got %+v, want a bypass-immune ask", got)
			}
			if got := host.Describe(t, tc.tool, tc.input).Action; got != "tool:self_edit:"+tc.detail {
				t.Errorf("action: got %q, want %q", got, "tool:self_edit:"+tc.detail)
			}
			if host.ReadOnly(t, tc.tool, tc.input) || host.Match(t, tool.Allow, tc.detail, tc.tool, tc.input) || len(host.Suggest(t, tc.tool, tc.input)) > 0 {
				t.Error("something else than a person may let it pass")
			}
			if !host.Match(t, tool.Deny, tc.detail, tc.tool, tc.input) || host.Match(t, tool.Deny, tc.detail+"x", tc.tool, tc.input) {
				t.Error("a deny rule must name the detail, exactly")
			}
		})
	}
}

// TestUnknownMembersAreDenied: a member in another spelling may be the one used by the client
// (threat T25).
func TestUnknownMembersAreDenied(t *testing.T) {
	t.Parallel()
	if !host.Match(t, tool.Deny, "permissions:open", "self_edit_permissions", `{"Profile":"open"}`) {
		t.Error("a deny rule does not hold for an unknown member")
	}
}
