package cli

import (
	"slices"
	"testing"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
	"github.com/callgate/callgate/host/wire"
)

// TestInspectedNames: the listed grants are exactly those tool add has to be given.
func TestInspectedNames(t *testing.T) {
	t.Parallel()
	known := []wire.Tool{{Name: "Bash", Module: "bash"}, {Name: "mcp__*", Module: "standard"}}
	for _, tc := range []struct{ declared, names, refused []string }{
		{declared: []string{"Deploy", "deploy"}},
		{declared: []string{"Deploy", "deploy_*"}, names: []string{"Deploy", "deploy_*"}},
		{declared: []string{"Deploy", "mcp__x", "Bash"}, names: []string{"Deploy", "mcp__x"}, refused: []string{"Bash"}},
		{declared: []string{"Bash", "Deploy"}, refused: []string{"Bash"}},
	} {
		d := modules.Described{Tools: []modules.ToolDescription{{Name: tc.declared[0], Aliases: tc.declared[1:]}}}
		i := inspected{Inspection: &workbench.Inspection{Described: &d}}
		i.hold(known)
		var refused []string
		for name := range i.Refused {
			refused = append(refused, name)
		}
		if !slices.Equal(i.Names, tc.names) || !slices.Equal(refused, tc.refused) {
			t.Errorf("%q: got names %q, refused %q; want %q, %q", tc.declared, i.Names, refused, tc.names, tc.refused)
		}
	}
}

func TestOwnerOf(t *testing.T) {
	t.Parallel()
	known := []wire.Tool{{Name: "Bash", Aliases: []string{"bash"}, Module: "bash"}, {Name: "mcp__*", Module: "standard"}}
	for _, tc := range []struct {
		name, owner string
		covered     bool
	}{
		{"Deploy", "", false},
		{"Bash", "bash", false},
		{"bash", "bash", false},
		{"BASH", "bash", false}, // tool add refuses it in any case
		{"B*", "bash", false},
		{"mcp__*", "standard", false},
		{"mcp__mail__send", "", true},
		{"MCP__mail", "", true},
		{"mine__*", "", false},
	} {
		owner, covered := ownerOf(known, tc.name)
		if owner != tc.owner || covered != tc.covered {
			t.Errorf("%s: got %q, %v, want %q, %v", tc.name, owner, covered, tc.owner, tc.covered)
		}
	}
}
