package main

import (
	"testing"

	"github.com/callgate/callgate/host/catalog"
)

func TestOwnerOf(t *testing.T) {
	t.Parallel()
	known := []catalog.Info{{Name: "Bash", Aliases: []string{"bash"}, Module: "bash"}, {Name: "mcp__*", Module: "standard"}}
	for _, tc := range []struct {
		name, owner string
		covered     bool
	}{
		{"Deploy", "", false},
		{"Bash", "bash", false},
		{"bash", "bash", false},
		{"B*", "bash", false},
		{"mcp__*", "standard", false},
		{"mcp__mail__send", "", true},
		{"mine__*", "", false},
	} {
		owner, covered := ownerOf(known, tc.name)
		if owner != tc.owner || covered != tc.covered {
			t.Errorf("%s: got %q, %v, want %q, %v", tc.name, owner, covered, tc.owner, tc.covered)
		}
	}
}
