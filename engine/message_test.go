package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
)

// TestMessage_everyStage reads each sentence a model may get: stage x code.
func TestMessage_everyStage(t *testing.T) {
	t.Parallel()
	passing := func() *stub { return &stub{verdict: passthrough} }
	compound := func() *stub {
		return &stub{verdict: passthrough, covers: []string{"rm x", "curl y"}, proposals: []engine.SuggestedRule{{Content: content("rm x")}, {Content: content("curl y")}}}
	}
	named := func() *stub {
		return &stub{verdict: passthrough, covers: []string{"rm {x,y}", "curl y"}, proposals: []engine.SuggestedRule{{Content: content("rm {x,y}"), Covers: "rm x"}, {Content: content("curl y"), Covers: "curl y"}}}
	}
	one := func() *stub {
		return &stub{verdict: passthrough, hits: []string{"rm x"}, proposals: []engine.SuggestedRule{{Content: content("rm x")}}}
	}
	allowA, denyA, askA := rule(engine.Allow, "Tool(a)"), rule(engine.Deny, "Tool(x)"), rule(engine.Ask, "Tool(x)")
	project := rule(engine.Deny, "Tool(x)")
	project.Source = engine.SourceProjectFile
	for _, tc := range []struct {
		name string
		mode engine.Mode
		tool *stub
		with func(*engine.Request)
		want string
	}{
		{"deny rule", engine.DefaultMode, passing(), func(r *engine.Request) { r.Rules = []engine.Rule{denyA} }, "Tool was denied: deny rule Tool(x). Do not retry it: do something else, or ask the user."},
		{"project's deny rule", engine.DefaultMode, passing(), func(r *engine.Request) { r.Rules = []engine.Rule{project} }, "Tool was denied: deny rule for Tool in the project's file. Do not retry it: do something else, or ask the user."},
		{"protection", engine.Bypass, passing(), func(r *engine.Request) { r.Protected = "it stops the gate" }, "Tool was denied: it stops the gate; Callgate protects its own files and processes: only a person can do this, outside the agent session. Do not retry it: do something else, or ask the user."},
		{"disallowed", engine.DefaultMode, passing(), func(r *engine.Request) { r.Lists.Disallowed = []string{"Tool"} }, "Tool was denied: Tool is on disallowed_tools. Do not retry it: do something else, or ask the user."},
		{"not allowed", engine.DefaultMode, passing(), func(r *engine.Request) { r.Lists.Allowed = []string{"Read", "Grep"} }, "Tool was denied: Tool is not on allowed_tools; allowed tools are Read, Grep. Do not retry it unchanged."},
		{"nothing allowed", engine.Bypass, passing(), func(r *engine.Request) { r.Lists.Allowed = []string{} }, "Tool was denied: Tool is not on allowed_tools; no tool is allowed. Do not retry it: do something else, or ask the user."},
		{"many allowed", engine.DefaultMode, passing(), func(r *engine.Request) { r.Lists.Allowed = strings.Fields("A B C D E F G H I J") }, "Tool was denied: Tool is not on allowed_tools; allowed tools are A, B, C, D, E, F, G, H and 2 more. Do not retry it unchanged."},
		{"skill", engine.DefaultMode, passing(), func(r *engine.Request) { r.Lists.Skills = map[string][]string{"deploy": {"Bash"}} }, `Tool was denied: the active skill "deploy" does not allow Tool; allowed tools are Bash. Do not retry it unchanged.`},
		{"sub-agent's denial", engine.Trusted, passing(), func(r *engine.Request) {
			r.Lists = engine.Lists{IgnoreDenylist: true, Children: []engine.ChildLists{{Name: "reviewer", Disallowed: []string{"Tool"}}}}
		}, `Tool was denied: Tool is on disallowed_tools of the sub-agent "reviewer". Do not retry it: do something else, or ask the user.`},
		{"sub-agent's tools", engine.DefaultMode, passing(), func(r *engine.Request) {
			r.Lists.Children = []engine.ChildLists{{Name: "reviewer", Allowed: []string{"Read"}}}
		}, `Tool was denied: Tool is not on allowed_tools of the sub-agent "reviewer"; allowed tools are Read. Do not retry it unchanged.`},
		{"profile", engine.DefaultMode, passing(), func(r *engine.Request) {
			r.Profile = &engine.ProfileAnswer{Name: "locked", Action: "tool:bash:rm x"}
		}, "Tool was denied: profile locked: no pattern matches tool:bash:rm x. Do not retry it: do something else, or ask the user."},
		{"profile asks", engine.DontAsk, &stub{verdict: toolAllow}, func(r *engine.Request) {
			r.Profile = &engine.ProfileAnswer{Name: "standard", Behavior: engine.Ask, Action: "tool:bash:rm x", Pattern: "tool:bash:.*"}
		}, "Tool was denied: profile standard: tool:bash:rm x matches tool:bash:.*, and mode dont_ask never asks. Do not retry it: do something else, or ask the user."},
		{"explore", engine.Explore, one(), nil, "Tool was denied: mode explore allows only read-only calls. Do not retry it: do something else, or ask the user."},
		{"tool's denial", engine.DefaultMode, &stub{verdict: engine.Verdict{Reason: "no such branch"}}, nil, "Tool was denied: no such branch. Do not retry it: do something else, or ask the user."},
		{"tool's ask in dont_ask", engine.DontAsk, &stub{verdict: engine.Verdict{Behavior: engine.Ask, Reason: "it writes outside"}}, nil, "Tool was denied: it writes outside, and mode dont_ask never asks. Do not retry it: do something else, or ask the user."},
		{"ask rule in dont_ask", engine.DontAsk, passing(), func(r *engine.Request) { r.Rules = []engine.Rule{askA} }, "Tool was denied: ask rule Tool(x), and mode dont_ask never asks. Do not retry it: do something else, or ask the user."},
		{"dont_ask", engine.DontAsk, one(), nil, "Tool was denied: mode dont_ask denies calls without an allow rule; no rule covers `rm x`. Do not retry it: do something else, or ask the user."},
		{"dont_ask, with patterns", engine.DontAsk, one(), func(r *engine.Request) { r.Rules = []engine.Rule{allowA} }, "Tool was denied: mode dont_ask denies calls without an allow rule; no rule covers `rm x`; allowed patterns are Tool(a). Do not retry it unchanged."},
		{"a line in dont_ask", engine.DontAsk, compound(), nil, "Tool was denied: mode dont_ask denies calls without an allow rule; no rule covers `rm x`, `curl y`. Do not retry it: do something else, or ask the user."},
		{"a line of named parts", engine.DontAsk, named(), nil, "Tool was denied: mode dont_ask denies calls without an allow rule; no rule covers `rm x`, `curl y`. Do not retry it: do something else, or ask the user."},
		{"ask", engine.DefaultMode, one(), nil, "Tool is waiting for approval: no rule allows this call and mode default asks; no rule covers `rm x`."},
		{"background", engine.DefaultMode, one(), func(r *engine.Request) { r.Call.Context.Kind = engine.Background }, "Tool was denied: a background session may not ask: no rule allows this call and mode default asks; no rule covers `rm x`. Do not retry it: do something else, or ask the user."},
		{"resumed", engine.DefaultMode, passing(), func(r *engine.Request) { r.Rules, r.Call.Context.Resumed = []engine.Rule{askA}, true }, "Tool was denied: ask rule Tool(x) in a resumed session: remove it and add the allow rule Tool(x). Do not retry it: do something else, or ask the user."},
		{"error", engine.DontAsk, &stub{verdictErr: errors.New("out of fuel")}, nil, "Tool was denied: check_permissions failed: out of fuel. Do not retry it; tell the user."},
		{"host error", engine.Explore, passing(), func(r *engine.Request) { r.Err = errors.New("the store is gone") }, "Tool was denied: prepare the call failed: the store is gone. Do not retry it; tell the user."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			req := request(tc.mode, tc.tool)
			tc.tool.hits = append(tc.tool.hits, "x")
			if tc.with != nil {
				tc.with(&req)
			}
			if got := decide(t, req).Message; got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}
