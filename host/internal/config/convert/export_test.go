package convert_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/convert"
)

const configured = `# Ann's machine
store: /var/lib/callgate.db
defaults:
    mode: default
    disallowed_tools: [WebSearch]
profiles:
    # for new ones
    careful: {allow: ["tool:view:.*"], ask: ["tool:.*"]}
agents:
    # the builder
    builder:
        mode: accept_edits # she is here
        profile: careful
        rules:
            - allow: "Bash(npm run:*)"
              match: [npm run build]
    other:
        mode: explore
rules:
    # shared history
    - deny: "Bash(git push --force:*)"
      reason: think
`

// ruleKey are the deciding parts of a rule.
func ruleKey(r engine.Rule) string {
	expires := ""
	if !r.ExpiresAt.IsZero() {
		expires = r.ExpiresAt.UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprintf("%s %s %q %s %s %q %q", r.Behavior, r, r.ScopeKey, r.Reason, expires, r.Match, r.NotMatch)
}

// TestExport_roundTrip: read into an empty configuration, an export has the same rules, stored
// ones included, and the same settings; inexpressible ones are named.
func TestExport_roundTrip(t *testing.T) {
	t.Parallel()
	was, err := config.Parse("c.yaml", []byte(configured), dirs)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		var stored []engine.Rule
		var want []string
		for _, r := range was.AllRules() {
			want = append(want, ruleKey(r))
		}
		missing := 0
		for range rapid.IntRange(0, 6).Draw(t, "rules") {
			content := rapid.SampledFrom([]string{"", "npm test", "git push:*", "a \"b\" # c", `x\*y`, "é: {z}", "echo )", "- a", "*x*"}).Draw(t, "content")
			r := engine.Rule{
				Tool:      rapid.SampledFrom([]string{"Bash", "mcp__github__*", "Write"}).Draw(t, "tool"),
				Behavior:  rapid.SampledFrom([]engine.Behavior{engine.Allow, engine.Ask, engine.Deny}).Draw(t, "behavior"),
				Scope:     rapid.SampledFrom([]engine.Scope{engine.Global, engine.Agent, engine.Project, engine.Session}).Draw(t, "scope"),
				Source:    "suggestion",
				CreatedBy: rapid.SampledFrom([]string{"", "ann", "x # y\nrules:"}).Draw(t, "by"),
				CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
				Reason:    rapid.SampledFrom([]string{"", "why: not", "two\nlines"}).Draw(t, "reason"),
				Server:    rapid.SampledFrom([]string{"", "", "stdio:x"}).Draw(t, "server"),
			}
			if content != "" {
				r.Content = &content
			}
			if r.Scope != engine.Global {
				r.ScopeKey = rapid.SampledFrom([]string{"builder", "new one", "no"}).Draw(t, "key")
			}
			if rapid.Bool().Draw(t, "expires") {
				r.ExpiresAt = time.Date(2030, 1, 2, 3, 4, 5, 600, time.UTC)
			}
			if rapid.Bool().Draw(t, "examples") {
				r.Match, r.NotMatch = []string{`{"command":"a"}`, "b: c"}, []string{"d"}
			}
			stored = append(stored, r)
			if r.Scope == engine.Project || r.Scope == engine.Session || r.Server != "" && r.Behavior == engine.Allow {
				missing++
				continue
			}
			want = append(want, ruleKey(r))
		}
		x, err := convert.NewExport("c.yaml", []byte(configured), stored, convert.Selection{})
		if err != nil {
			t.Fatal(err)
		}
		is, err := config.Parse("export.yaml", []byte(x.YAML), dirs)
		if err != nil {
			t.Fatalf("%v\n%s", err, x.YAML)
		}
		var got []string
		for _, r := range is.AllRules() {
			got = append(got, ruleKey(r))
		}
		slices.Sort(got)
		slices.Sort(want)
		want = slices.Compact(want)
		got = slices.Compact(got)
		if !slices.Equal(got, want) {
			t.Fatalf("got\n%s\nwant\n%s\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"), x.YAML)
		}
		if len(x.LeftOut) != missing || strings.Count(x.YAML, "# Left out: ") != missing {
			t.Fatalf("%d left out, want %d\n%s", len(x.LeftOut), missing, x.YAML)
		}
		for _, name := range []string{"", "builder", "other"} {
			a, b := was.Agent(name), is.Agent(name)
			if a.Mode != b.Mode || !slices.Equal(a.Lists.Disallowed, b.Lists.Disallowed) || (a.Profile == nil) != (b.Profile == nil) {
				t.Fatalf("%s: got %+v, want %+v", name, b, a)
			}
		}
		for _, comment := range []string{"# Ann's machine", "# the builder", "# she is here", "# for new ones", "# shared history"} {
			if comment != "# Ann's machine" && !strings.Contains(x.YAML, comment) {
				t.Fatalf("%s is lost\n%s", comment, x.YAML)
			}
		}
		if strings.Contains(x.YAML, "callgate.db") {
			t.Fatalf("a path of this machine is exported\n%s", x.YAML)
		}
	})
}

func TestExport_selections(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		sel   convert.Selection
		rules int
		has   []string
		not   []string
	}{
		{"rules", convert.Selection{Rules: true}, 2, []string{"npm run", "--force", "builder"}, []string{"mode:", "profile", "other:", "WebSearch"}},
		{"one agent", convert.Selection{Agent: "builder"}, 2, []string{"accept_edits", "careful", "npm run", "--force"}, []string{"other:", "explore"}},
		{"an agent nobody knows", convert.Selection{Agent: "x"}, 1, []string{"--force"}, []string{"agents:"}},
		{"global rules", convert.Selection{Scope: engine.Global}, 1, []string{"--force"}, []string{"npm run", "mode:"}},
		{"rules of agents", convert.Selection{Scope: engine.Agent}, 1, []string{"npm run"}, []string{"--force", "mode:"}},
		{"rules of sessions", convert.Selection{Scope: engine.Session}, 0, []string{"There are no rules"}, []string{"npm", "--force"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x, err := convert.NewExport("c.yaml", []byte(configured), nil, tt.sel)
			if err != nil {
				t.Fatal(err)
			}
			c, err := config.Parse("e.yaml", []byte(x.YAML), dirs)
			if err != nil || len(c.AllRules()) != tt.rules {
				t.Errorf("got %v, want %d rules\n%s", err, tt.rules, x.YAML)
			}
			for _, s := range tt.has {
				if !strings.Contains(x.YAML, s) {
					t.Errorf("%q is missing in\n%s", s, x.YAML)
				}
			}
			for _, s := range tt.not {
				if strings.Contains(x.YAML, s) {
					t.Errorf("%q is in\n%s", s, x.YAML)
				}
			}
		})
	}
	if _, err := convert.NewExport("c.yaml", []byte("agents: {a: {mode: plan}, b: {mode: plan}}\n"), nil, convert.Selection{Agent: "a"}); err == nil || !strings.Contains(err.Error(), "one pair of brackets") {
		t.Errorf("got %v, want the fix", err)
	}
}
