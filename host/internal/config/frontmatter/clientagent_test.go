package frontmatter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config/frontmatter"
)

func TestClientAgent(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, head string
		mode       string
		allowed    []string
		unlimited  bool
		disallowed []string
		err        string
	}{
		{"nothing", "description: x", "", nil, true, nil, ""},
		{"a text of tools", "tools: Read, Grep, Task(a, b), Bash(git:*)", "", []string{"Read", "Grep", "Task(a, b)", "Bash(git:*)"}, false, nil, ""},
		{"a list", "tools: [Read]\ndisallowedTools: [Bash, Write]", "", []string{"Read"}, false, []string{"Bash", "Write"}, ""},
		{"no tools", "tools: []", "", []string{}, false, nil, ""},
		{"no value", "tools:\npermissionMode:", "", nil, true, nil, ""},
		{"all", `tools: "*"`, "", nil, true, nil, ""},
		{"the client's mode", "permissionMode: plan", "plan", nil, true, nil, ""},
		{"the seed's mode", "permissions: accept_edits", "accept_edits", nil, true, nil, ""},
		{"both", "permissions: bypass\npermissionMode: acceptEdits", "accept_edits", nil, true, nil, ""},
		{"the client's auto", "permissionMode: auto", "", nil, true, nil, ""},
		{"the seed's auto", "permissions: auto", "", nil, true, nil, `line 3: permissions: mode "auto" is reserved`},
		{"another mode", "permissionMode: free", "", nil, true, nil, `line 3: permissionMode: unknown mode "free"`},
		{"tools that are none", "tools: {a: b}", "", nil, true, nil, "line 3: tools"},
		{"no list of denials", "disallowedTools: 3", "", nil, true, nil, "line 3: disallowedTools"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r, err := frontmatter.ClientAgent("---\nname: reviewer\n" + tc.head + "\n---\nYou review.\n")
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("got %v, want %q", err, tc.err)
				}
				return
			}
			if err != nil || r.Name != "reviewer" || r.Mode != tc.mode || (r.Allowed == nil) != tc.unlimited || !slices.Equal(r.Allowed, tc.allowed) || !slices.Equal(r.Disallowed, tc.disallowed) {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
}

func FuzzClientAgent(f *testing.F) {
	for _, seed := range []string{"---\nname: a\ntools: Read, Grep\n---\n", "---\nname: a\npermissionMode: plan\ndisallowedTools: [x]\n---\n", "---\n&a: *a\n---", "", "---\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if r, err := frontmatter.ClientAgent(text); err == nil && r.Name == "" {
			t.Errorf("%q has no name and no error", text)
		}
	})
}
