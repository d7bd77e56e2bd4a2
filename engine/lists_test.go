package engine_test

import (
	"slices"
	"testing"

	"github.com/callgate/callgate/engine"
)

func TestToolLists(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		lists engine.Lists
		code  string // empty: the lists let the call through
	}{
		{"none", engine.Lists{}, ""},
		{"disallowed by name", engine.Lists{Disallowed: []string{"Tool"}}, engine.CodeDisallowed},
		{"disallowed by alias", engine.Lists{Disallowed: []string{"alias"}}, engine.CodeDisallowed},
		{"disallowed by glob", engine.Lists{Disallowed: []string{"To*"}}, engine.CodeDisallowed},
		{"disallowed by a bare star", engine.Lists{Disallowed: []string{"*"}}, engine.CodeDisallowed},
		{"disallowed other", engine.Lists{Disallowed: []string{"Other", "tools"}}, ""},
		{"disallowed in another case", engine.Lists{Disallowed: []string{"TOOL"}}, engine.CodeDisallowed},
		{"disallowed by a glob in another case", engine.Lists{Disallowed: []string{"tO*"}}, engine.CodeDisallowed},
		{"allowed in another case", engine.Lists{Allowed: []string{"TOOL"}}, ""},
		{"a glob in another case allows nothing", engine.Lists{Allowed: []string{"TO*"}}, engine.CodeNotInAllowlist},
		{"allowed", engine.Lists{Allowed: []string{"Other", "Tool"}}, ""},
		{"allowed by alias", engine.Lists{Allowed: []string{"alias"}}, ""},
		{"not on the allowed list", engine.Lists{Allowed: []string{"Other"}}, engine.CodeNotInAllowlist},
		{"empty allowed list", engine.Lists{Allowed: []string{}}, engine.CodeNotInAllowlist},
		{"bare stars on the allowed list name nothing", engine.Lists{Allowed: []string{"*", "**"}}, engine.CodeNotInAllowlist},
		{"disallowed wins over allowed", engine.Lists{Disallowed: []string{"Tool"}, Allowed: []string{"Tool"}}, engine.CodeDisallowed},
		{"skill allows", engine.Lists{Skills: map[string][]string{"deploy": {"Tool"}}}, ""},
		{"skill without the field", engine.Lists{Skills: map[string][]string{"notes": nil}}, ""},
		{"skill with an empty field", engine.Lists{Skills: map[string][]string{"notes": {}}}, engine.CodeSkill},
		{"one of two skills", engine.Lists{Skills: map[string][]string{"a": {"Tool"}, "b": {"Other"}}}, engine.CodeSkill},
		{"denylist ignored", engine.Lists{Disallowed: []string{"Tool"}, IgnoreDenylist: true}, engine.CodeDisallowed},
	}
	for _, c := range cases {
		for _, mode := range columns {
			t.Run(c.name+"/"+mode.String(), func(t *testing.T) {
				t.Parallel()
				req := request(mode, &stub{verdict: toolAllow, readOnly: true}, rule(engine.Allow, "Tool"))
				req.Lists = c.lists
				lifted := c.lists.IgnoreDenylist && mode == engine.Trusted
				d := decide(t, req)
				if c.code == "" || lifted {
					if d.Behavior != engine.Allow {
						t.Errorf("got %s, code %s; want the lists to let the call through", d.Behavior, d.Code)
					}
					return
				}
				check(t, d, engine.Deny, engine.StageDenyRule, c.code)
			})
		}
	}
}

// TestIgnoreDenylistLiftsNothingElse: respect_denylist false is about
// disallowed_tools alone. Source: docs/seeds.md, "`:trusted`".
func TestIgnoreDenylistLiftsNothingElse(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*engine.Request){
		"allowed_tools": func(r *engine.Request) { r.Lists.Allowed = []string{"Other"} },
		"skill":         func(r *engine.Request) { r.Lists.Skills = map[string][]string{"s": {"Other"}} },
		"deny rule":     func(r *engine.Request) { r.Rules = []engine.Rule{rule(engine.Deny, "Tool")} },
		"tool denial":   func(r *engine.Request) { r.Entry.Tool = &stub{verdict: toolDeny} },
		"profile":       func(r *engine.Request) { r.Profile = &engine.ProfileAnswer{} },
	}
	for name, alter := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req := request(engine.Trusted, &stub{verdict: toolAllow})
			req.Lists = engine.Lists{IgnoreDenylist: true}
			alter(&req)
			if d := decide(t, req); d.Behavior != engine.Deny {
				t.Errorf("got %s (%s), want deny", d.Behavior, d.Reason)
			}
		})
	}
}

// TestRulesNameTheirTool: names, aliases and globs of the same entry, and the called name where
// the entry answers for another name than its own.
func TestRulesNameTheirTool(t *testing.T) {
	t.Parallel()
	cases := []struct {
		rule, called string
		want         bool
	}{
		{"Tool", "Tool", true},
		{"Tool", "alias", true},
		{"alias", "Tool", true},
		{"T*l", "alias", true},
		{"tool", "Tool", true},
		{"tools", "Tool", false},
		{"Other", "Tool", false},
		{"DeployTool", "DeployTool", true},
		{"Tool", "DeployTool", true},
		{"Deploy*", "DeployTool", true},
		{"Deploy*", "Tool", false},
	}
	for _, c := range cases {
		req := request(engine.Bypass, &stub{verdict: passthrough}, rule(engine.Deny, c.rule))
		req.Call.Tool = c.called
		if got := decide(t, req).Behavior == engine.Deny; got != c.want {
			t.Errorf("deny rule %s on a call of %s: matched %t, want %t", c.rule, c.called, got, c.want)
		}
	}
}

func TestRuleTextsCarryTheProjectRoot(t *testing.T) {
	t.Parallel()
	project := rule(engine.Deny, "Tool(src/**)")
	project.Scope, project.ScopeKey = engine.Project, "/my/project"
	session := rule(engine.Deny, "Tool(lib/**)")
	session.Scope, session.ScopeKey = engine.Session, "s1"
	tool := stub{verdict: passthrough}
	decide(t, request(engine.DefaultMode, &tool, project, session))
	want := []engine.RuleText{{Content: "src/**", Root: "/my/project"}, {Content: "lib/**"}}
	if len(tool.texts) != 2 || tool.texts[0] != want[0] || tool.texts[1] != want[1] {
		t.Errorf("got %+v\nwant %+v", tool.texts, want)
	}
}

// TestRuleTextsInAWorkTree: the repository's rules are anchored at the work tree, and those that
// restrict at the repository too. A match at either anchor is one of the rule.
func TestRuleTextsInAWorkTree(t *testing.T) {
	t.Parallel()
	for _, b := range []engine.Behavior{engine.Deny, engine.Ask, engine.Allow} {
		repository, tree, other := rule(b, "Tool(src/**)"), rule(b, "Tool(one)"), rule(b, "Tool(two)")
		repository.ID = "r1"
		for r, key := range map[*engine.Rule]string{&repository: "/site", &tree: "/tree", &other: "/other"} {
			r.Scope, r.ScopeKey = engine.Project, key
		}
		want := []engine.RuleText{{Content: "src/**", Root: "/tree"}, {Content: "one", Root: "/tree"}, {Content: "two", Root: "/other"}}
		if b != engine.Allow {
			want = append(want, engine.RuleText{Content: "src/**", Root: "/site"})
		}
		for _, hits := range [][]string{nil, {"src/**"}} {
			tool := stub{verdict: passthrough, hits: hits}
			req := request(engine.DefaultMode, &tool, repository, tree, other)
			req.Call.Context.ProjectRoot, req.Call.Context.Repository = "/tree", "/site"
			d := decide(t, req)
			if !slices.Equal(tool.texts, want) {
				t.Errorf("%s: got %+v\nwant %+v", b, tool.texts, want)
			}
			if hit := d.Rule != nil && d.Rule.ID == "r1"; hit != (hits != nil) {
				t.Errorf("%s: matched %q: decided by %v", b, hits, d.Rule)
			}
		}
	}
}

func TestDecisionNamesItsRule(t *testing.T) {
	t.Parallel()
	for _, b := range []engine.Behavior{engine.Deny, engine.Ask, engine.Allow} {
		r := rule(b, "Tool(x)")
		r.ID = "r1"
		d := decide(t, request(engine.DefaultMode, &stub{verdict: passthrough, hits: []string{"x"}}, rule(b, "Tool(y)"), r))
		if d.Rule == nil || d.Rule.ID != "r1" {
			t.Errorf("%s: got rule %v, want r1", b, d.Rule)
		}
		if want := b.String() + " rule Tool(x)"; d.Reason != want {
			t.Errorf("got reason %q, want %q", d.Reason, want)
		}
	}
}

// TestRuleNamesInAnotherCase: people type tool names in any case. A tightening rule holds for
// each spelling, also of a name answered only by a glob; an allowing one for the entry's own
// names alone (threat T26).
func TestRuleNamesInAnotherCase(t *testing.T) {
	t.Parallel()
	glob := engine.Entry{Name: "mcp__git__push"}
	own := engine.Entry{Name: "Bash", Aliases: []string{"shell"}, Own: true}
	cases := []struct {
		name     string
		entry    engine.Entry
		tool     string
		behavior engine.Behavior
		rule     string
		matches  bool
	}{
		{"deny by name", own, "shell", engine.Deny, "BASH", true},
		{"deny by alias", own, "Bash", engine.Deny, "Shell", true},
		{"ask by glob", own, "Bash", engine.Ask, "bA*", true},
		{"allow by name", own, "Bash", engine.Allow, "BASH", true},
		{"allow by alias", own, "Bash", engine.Allow, "SHELL", true},
		{"allow by glob", own, "Bash", engine.Allow, "BA*", false},
		{"deny below a glob", glob, "mcp__git__push", engine.Deny, "MCP__Git__push", true},
		{"deny by glob below a glob", glob, "mcp__git__push", engine.Deny, "MCP__GIT__*", true},
		{"allow below a glob", glob, "mcp__git__push", engine.Allow, "mcp__Git__push", false},
		{"allow below a glob, exactly", glob, "mcp__git__push", engine.Allow, "mcp__git__push", true},
		{"another name", own, "Bash", engine.Deny, "Bashful", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			req := request(engine.DefaultMode, &stub{verdict: passthrough}, rule(c.behavior, c.rule))
			c.entry.Tool = req.Entry.Tool
			req.Entry, req.Call.Tool = c.entry, c.tool
			if d := decide(t, req); (d.Rule != nil) != c.matches {
				t.Errorf("got rule %v, want a match: %t", d.Rule, c.matches)
			}
		})
	}
}
