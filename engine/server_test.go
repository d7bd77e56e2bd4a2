package engine_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
)

// mcpCall decides a call of an MCP tool under one rule.
func mcpCall(tool string, server *engine.Server, mode engine.Mode, rules ...engine.Rule) engine.Decision {
	return engine.Decide(context.Background(), engine.Request{
		Call:  &engine.Call{Tool: tool, Input: []byte(`{}`), Context: engine.Context{Mode: mode, Server: server}},
		Entry: engine.Entry{Name: tool, Tool: &stub{verdict: engine.Verdict{Behavior: engine.Passthrough}, proposals: []engine.SuggestedRule{{}}}}, Rules: rules,
	})
}

func TestT26_RulesAndServers(t *testing.T) {
	t.Parallel()
	github := &engine.Server{Name: "github", Identity: "github@user#1"}
	changed := &engine.Server{Name: "github", Identity: "github@user#2"}
	projects := &engine.Server{Name: "github", Identity: "github@project#3", Doubt: "the project defines it"}
	unknown := &engine.Server{Name: "github", Doubt: "its definition was not found"}
	nested := &engine.Server{Name: "a__b", Identity: "a__b@user#1"}
	outer := &engine.Server{Name: "a", Identity: "a@user#1"}
	for _, tc := range []struct {
		what   string
		tool   string
		server *engine.Server
		rule   engine.Rule
		allow  bool
		deny   bool
	}{
		{"by name", "mcp__github__get", nil, engine.Rule{Tool: "mcp__github__get"}, true, true},
		{"glob of tools", "mcp__github__get", nil, engine.Rule{Tool: "mcp__github__*"}, true, true},
		{"glob of verbs", "mcp__github__get_issue", nil, engine.Rule{Tool: "mcp__github__get_*"}, true, true},
		{"whole server", "mcp__github__get", nil, engine.Rule{Tool: "mcp__github"}, true, true},
		{"whole server, other name", "mcp__github_evil__get", nil, engine.Rule{Tool: "mcp__github"}, false, false},
		{"every server", "mcp__github__get", nil, engine.Rule{Tool: "mcp__*"}, true, true},
		{"other case", "mcp__github__get", nil, engine.Rule{Tool: "MCP__GitHub__Get"}, false, true},
		{"other case, whole server", "mcp__github__get", nil, engine.Rule{Tool: "mcp__GitHub"}, false, true},
		{"name outside of tools", "mcp__my_server__get", nil, engine.Rule{Tool: "mcp__my.server__get"}, false, true},
		{"no MCP tool", "github__delete", nil, engine.Rule{Tool: "mcp__github__*"}, false, false},
		{"no MCP rule", "mcp__github__get", nil, engine.Rule{Tool: "Bash"}, false, false},
		{"other case of the prefix", "MCP__github__get", nil, engine.Rule{Tool: "mcp__github__*"}, false, true},
		{"two readings", "mcp__a__b__c", nil, engine.Rule{Tool: "mcp__a__b__c"}, false, true},
		{"two readings, the outer", "mcp__a__b__c", nil, engine.Rule{Tool: "mcp__a__*"}, false, true},
		{"two readings, the inner", "mcp__a__b__c", nil, engine.Rule{Tool: "mcp__a__b__*"}, false, true},
		{"two readings, whole outer", "mcp__a__b__c", nil, engine.Rule{Tool: "mcp__a"}, false, true},
		{"two readings, whole inner", "mcp__a__b__c", nil, engine.Rule{Tool: "mcp__a__b"}, false, true},
		{"two readings, every server", "mcp__a__b__c", nil, engine.Rule{Tool: "mcp__*"}, true, true},
		{"three underscores", "mcp__a___b", nil, engine.Rule{Tool: "mcp__a__*"}, false, true},
		{"told, the inner", "mcp__a__b__c", nested, engine.Rule{Tool: "mcp__a__b__*"}, true, true},
		{"told, not the outer", "mcp__a__b__c", nested, engine.Rule{Tool: "mcp__a__*"}, false, true},
		{"told, the outer", "mcp__a__b__c", outer, engine.Rule{Tool: "mcp__a__*"}, true, true},
		{"told, not the inner as a whole", "mcp__a__b__c", outer, engine.Rule{Tool: "mcp__a__b"}, false, true},
		{"accepted", "mcp__github__get", github, engine.Rule{Tool: "mcp__github__get", Server: "github@user#1"}, true, true},
		{"accepted, changed since", "mcp__github__get", changed, engine.Rule{Tool: "mcp__github__get", Server: "github@user#1"}, false, true},
		{"accepted, the project's of that name", "mcp__github__get", projects, engine.Rule{Tool: "mcp__github__get", Server: "github@user#1"}, false, true},
		{"accepted for the project's", "mcp__github__get", projects, engine.Rule{Tool: "mcp__github__get", Server: "github@project#3"}, true, true},
		{"accepted, not told", "mcp__github__get", nil, engine.Rule{Tool: "mcp__github__get", Server: "github@user#1"}, false, true},
		{"accepted, not found", "mcp__github__get", unknown, engine.Rule{Tool: "mcp__github__get", Server: "github@user#1"}, false, true},
		{"typed, the user's", "mcp__github__get", github, engine.Rule{Tool: "mcp__github__*"}, true, true},
		{"typed, the project's", "mcp__github__get", projects, engine.Rule{Tool: "mcp__github__*"}, false, true},
		{"typed, not found", "mcp__github__get", unknown, engine.Rule{Tool: "mcp__github"}, false, true},
		{"typed for every server, the project's", "mcp__github__get", projects, engine.Rule{Tool: "mcp__*"}, true, true},
		{"typed for servers of a kind, the project's", "mcp__github__get", projects, engine.Rule{Tool: "mcp__git*"}, false, true},
		{"typed for servers of a kind, the user's", "mcp__github__get", github, engine.Rule{Tool: "mcp__git*"}, true, true},
		{"typed for servers of a kind, not told", "mcp__github__get", nil, engine.Rule{Tool: "mcp__git???__g*"}, true, true},
		{"typed for servers of a kind, two readings", "mcp__a__b__c", nil, engine.Rule{Tool: "mcp__a*"}, false, true},
		{"typed for a verb of every server", "mcp__github__get", projects, engine.Rule{Tool: "mcp__*__get"}, true, true},
		{"an identity on another tool", "Deploy", nil, engine.Rule{Tool: "Deploy", Server: "github@user#1"}, false, true},
	} {
		t.Run(tc.what, func(t *testing.T) {
			t.Parallel()
			tc.rule.Behavior = engine.Allow
			d := mcpCall(tc.tool, tc.server, engine.DefaultMode, tc.rule)
			if (d.Behavior == engine.Allow) != tc.allow {
				t.Errorf("as allow: got %s (%s), want allow %v", d.Behavior, d.Reason, tc.allow)
			}
			for _, b := range []engine.Behavior{engine.Deny, engine.Ask} {
				tc.rule.Behavior = b
				if d := mcpCall(tc.tool, tc.server, engine.Bypass, tc.rule); (d.Behavior == b) != tc.deny {
					t.Errorf("as %s: got %s, want %v", b, d.Behavior, tc.deny)
				}
			}
		})
	}
}

// TestT26_TheAskSaysWhy: a person reads the server of the rule, and the effect of accepting
// again.
func TestT26_TheAskSaysWhy(t *testing.T) {
	t.Parallel()
	rule := engine.Rule{Tool: "mcp__github__get", Behavior: engine.Allow, Server: "github@user#1"}
	d := mcpCall("mcp__github__get", &engine.Server{Name: "github", Identity: "github@project#2", Doubt: "x"}, engine.DefaultMode, rule)
	if !strings.Contains(d.Reason, "github@user#1") || !strings.Contains(d.Reason, "github@project#2") || d.Code != engine.CodeServer || d.Server != "github@project#2" || len(d.Suggestions) != 1 {
		t.Errorf("got %+v", d)
	}
	d = mcpCall("mcp__a__b__c", nil, engine.DefaultMode, engine.Rule{Tool: "mcp__a__b__c", Behavior: engine.Allow})
	if !strings.Contains(d.Reason, "a and a__b") || len(d.Suggestions) != 0 {
		t.Errorf("an ambiguous name: got %+v", d)
	}
}

// TestT26_Lists: the lists mean servers as rules do.
func TestT26_Lists(t *testing.T) {
	t.Parallel()
	decide := func(lists engine.Lists) engine.Behavior {
		return engine.Decide(context.Background(), engine.Request{
			Call:  &engine.Call{Tool: "mcp__github__get", Input: []byte(`{}`), Context: engine.Context{Mode: engine.DefaultMode}},
			Entry: engine.Entry{Name: "mcp__github__get", Tool: &stub{verdict: engine.Verdict{Behavior: engine.Passthrough}}}, Lists: lists,
		}).Behavior
	}
	for what, got := range map[string]engine.Behavior{
		"disallowed server": decide(engine.Lists{Disallowed: []string{"mcp__GitHub"}}),
		"other allowed":     decide(engine.Lists{Allowed: []string{"mcp__git"}}),
	} {
		if got != engine.Deny {
			t.Errorf("%s: got %s, want deny", what, got)
		}
	}
	if got := decide(engine.Lists{Allowed: []string{"mcp__github"}}); got != engine.Ask {
		t.Errorf("allowed server: got %s, want ask", got)
	}
}

// TestT26_AnIdentityOnlyNarrows: a rule with an identity allows nothing beyond its name alone.
func TestT26_AnIdentityOnlyNarrows(t *testing.T) {
	t.Parallel()
	name := rapid.StringMatching(`[ab]_{0,3}[ab]?`)
	rapid.Check(t, func(rt *rapid.T) {
		server := name.Draw(rt, "server")
		tool := "mcp__" + server + "__" + name.Draw(rt, "tool")
		rule := engine.Rule{Tool: rapid.OneOf(rapid.Just(tool), rapid.Just("mcp__*"), rapid.Map(name, func(s string) string { return "mcp__" + s + "__*" })).Draw(rt, "rule"), Behavior: engine.Allow}
		if rapid.Bool().Draw(rt, "accepted") {
			rule.Server = rapid.SampledFrom([]string{"1", "2"}).Draw(rt, "identity")
		}
		s := &engine.Server{Name: server, Identity: rapid.SampledFrom([]string{"", "1", "2"}).Draw(rt, "its"), Doubt: rapid.SampledFrom([]string{"", "doubt"}).Draw(rt, "doubt")}
		if mcpCall(tool, s, engine.DefaultMode, rule).Behavior == engine.Allow && !engine.MatchName(rule.Tool, tool) {
			rt.Fatalf("%+v allows %s of %+v, which it does not name", rule, tool, s)
		}
		rule.Behavior = engine.Deny
		if mcpCall(tool, s, engine.Bypass, rule).Behavior != mcpCall(tool, nil, engine.Bypass, rule).Behavior {
			rt.Fatalf("%+v: a deny rule depends on what the client says of the server", rule)
		}
	})
}
