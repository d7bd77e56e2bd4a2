package claudecode_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
)

// TestAgents: a sub-agent's file narrows its calls; an unreadable one denies them, with its
// name, place and a fix.
func TestAgents(t *testing.T) {
	t.Parallel()
	project, user := t.TempDir(), t.TempDir()
	cwd := filepath.Join(project, "src")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	agents := filepath.Join(project, ".claude", "agents")
	write(filepath.Join(cwd, "x"), "")
	write(filepath.Join(agents, "reviewer.md"), "---\nname: reviewer\ntools: Read, Grep\npermissionMode: plan\n---\nYou review.")
	write(filepath.Join(agents, "deep", "other-name.md"), "---\nname: builder\ndisallowedTools: [WebFetch]\n---\n")
	write(filepath.Join(agents, "broken.md"), "---\nname: broken\npermissions: auto\n---\n")
	write(filepath.Join(user, "reviewer.md"), "---\nname: reviewer\n---\n")
	write(filepath.Join(user, "mine.md"), "---\nname: mine\ntools: []\n---\n")
	for _, tc := range []struct {
		name, kind string
		mode       string
		allowed    []string
		disallowed []string
		narrowed   bool
		denied     string
	}{
		{"the main agent", "", "", nil, nil, false, ""},
		{"the client's own", "Explore", "", nil, nil, false, ""},
		{"the project's", "reviewer", "plan", []string{"Read", "Grep"}, nil, true, ""},
		{"by its name alone", "builder", "", nil, []string{"WebFetch"}, true, ""},
		{"not by its file", "other-name", "", nil, nil, false, ""},
		{"the user's", "mine", "", []string{}, nil, true, ""},
		{"broken", "broken", "", nil, nil, false, `broken.md: agent front matter: line 3: permissions: mode "auto" is reserved`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			d := allows()
			h := hookOf(d)
			h.Agents = claudecode.Agents{User: []string{user}}
			with := members{"cwd": cwd}
			if tc.kind != "" {
				with["agent_id"], with["agent_type"] = "a1", tc.kind
			}
			o := run(t, h, payload(with))
			if tc.denied != "" {
				wantEffect(t, claudecode.PreToolUse, o, runner.Blocked)
				if !strings.Contains(string(o.Stderr), tc.denied) || !strings.Contains(string(o.Stderr), "fix the file") || len(d.requests) != 0 {
					t.Errorf("got %s after %d checks, want it denied saying %q", o.Stderr, len(d.requests), tc.denied)
				}
				return
			}
			c := d.requests[0].Context
			if c.SubAgentType != tc.kind || (c.Child != nil) != tc.narrowed {
				t.Fatalf("got the kind %q and the child %+v", c.SubAgentType, c.Child)
			}
			if tc.narrowed && (c.Child.Name != tc.kind || c.Child.Mode != tc.mode || (c.Child.AllowedTools == nil) != (tc.allowed == nil) ||
				!slices.Equal(c.Child.AllowedTools, tc.allowed) || !slices.Equal(c.Child.DisallowedTools, tc.disallowed)) {
				t.Errorf("got %+v, want mode %q, tools %v, without %v", c.Child, tc.mode, tc.allowed, tc.disallowed)
			}
		})
	}
}

// TestT02_agentsThroughLinks: a sub-agent sheds its file's limits because the directory of
// agents is a link or holds one, because another file of the same name comes before it, or
// because the client reads a file we do not.
func TestT02_agentsThroughLinks(t *testing.T) {
	t.Parallel()
	real, user := t.TempDir(), t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, at string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, at); err != nil {
			t.Fatal(err)
		}
	}
	cwd := t.TempDir()
	write(filepath.Join(real, "reviewer.md"), "---\nname: reviewer\ndisallowedTools: [Bash]\n---\n")
	link(real, filepath.Join(cwd, ".claude", "agents"))
	link(real, filepath.Join(real, "again"))
	link(filepath.Join(real, "none"), filepath.Join(real, "gone"))
	write(filepath.Join(user, "a.md"), "---\nname: twice\n---\n")
	write(filepath.Join(user, "b.md"), "---\nname: twice\ndisallowedTools: [Bash]\n---\n")
	write(filepath.Join(user, "c.md"), "---\nname: twice\n---\n")
	write(filepath.Join(user, "lax.md"), "---\nname: loose\nname: loose\ndisallowedTools: [Bash]\n---\n")
	for name, want := range map[string]string{"reviewer": "narrowed", "twice": "narrowed", "loose": "denied", "other": "as its parent"} {
		d := allows()
		h := hookOf(d)
		h.Agents = claudecode.Agents{User: []string{user}}
		o := run(t, h, payload(members{"cwd": cwd, "agent_id": "a1", "agent_type": name}))
		got := "denied"
		if len(d.requests) == 1 {
			got = "as its parent"
			for c := d.requests[0].Context.Child; c != nil; c = c.Child {
				if slices.Contains(c.DisallowedTools, "Bash") {
					got = "narrowed"
				}
			}
		}
		if got != want {
			t.Errorf("%s: got it %s (%s), want it %s", name, got, o.Stderr, want)
		}
	}
}
