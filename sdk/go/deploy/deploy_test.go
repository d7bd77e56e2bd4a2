package main

import (
	"testing"

	"github.com/callgate/callgate/sdk/go/tool"
	"github.com/callgate/callgate/sdk/go/tooltest"
)

func TestProductionIsAskedAbout(t *testing.T) {
	host := tooltest.Host{Module: module}
	host.CheckExamples(t)
	v := host.Check(t, "Deploy", `{"operation":"deploy","target":"prod/web"}`)
	if v.Behavior != tool.Ask || !v.BypassImmune {
		t.Errorf("got %+v, want a bypass-immune ask", v)
	}
}

func TestCheck(t *testing.T) {
	host := tooltest.Host{Module: module, Links: map[string]string{"/project/out": "/etc"}}
	for _, tc := range []struct {
		input, config string
		behavior      tool.Behavior
		immune        bool
	}{
		{`{"operation":"status","target":"prod/web"}`, "", tool.Passthrough, false},
		{`{"operation":"deploy","target":"staging/web"}`, "", tool.Passthrough, false},
		{`{"operation":"deploy","target":"prod/web","dry_run":true}`, "", tool.Passthrough, false},
		{`{"operation":"rollback","target":"prod/web"}`, "", tool.Ask, true},
		{`{"operation":"restart","target":"staging/web"}`, "", tool.Ask, true},
		{`{"operation":"deploy","target":"staging"}`, "", tool.Ask, true},
		{`{"operation":"deploy"}`, "", tool.Ask, true},
		{`{"operation":"deploy","target":"prod/web"}`, `{"production":["live"]}`, tool.Passthrough, false},
		{`{"operation":"deploy","target":"live/web"}`, `{"production":["live"]}`, tool.Ask, true},
		{`{"operation":"deploy","target":"staging/web"}`, `{"production":"live"}`, tool.Ask, true},
		{`{"operation":"deploy","target":"staging/web"}`, `{"production":[null]}`, tool.Ask, true},
		{`{"operation":"deploy","target":"staging/web","config":"a.yaml"}`, "", tool.Passthrough, false},
		{`{"operation":"deploy","target":"staging/web","config":"out/a.yaml"}`, "", tool.Ask, false},
	} {
		host.Config = tc.config
		if v := host.Check(t, "Deploy", tc.input); v.Behavior != tc.behavior || v.BypassImmune != tc.immune {
			t.Errorf("%s, configuration %s: got %+v, want %s, immune %v", tc.input, tc.config, v, tc.behavior, tc.immune)
		}
	}
}

func TestReadOnly(t *testing.T) {
	host := tooltest.Host{Module: module}
	for input, want := range map[string]bool{
		`{"operation":"status","target":"prod/web"}`:            true,
		`{"operation":"deploy","target":"staging/web"}`:         false,
		`{"operation":"status","target":"prod"}`:                false,
		`{"operation":"status","target":"prod/web","all":true}`: false,
	} {
		if got := host.ReadOnly(t, "Deploy", input); got != want {
			t.Errorf("%s: got %v, want %v", input, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	host := tooltest.Host{Module: module}
	for _, tc := range []struct {
		rule, input string
		allow, deny bool
	}{
		{"staging/*", `{"operation":"deploy","target":"staging/web"}`, true, true},
		{"staging/*", `{"operation":"deploy","target":"prod/web"}`, false, false},
		{"deploy staging/*", `{"operation":"rollback","target":"staging/web"}`, false, false},
		{"*/web", `{"operation":"deploy","target":"staging/web"}`, true, true},
		{"staging/*/*", `{"operation":"deploy","target":"staging/web"}`, false, true},
		{"deploy  staging/*", `{"operation":"deploy","target":"staging/web"}`, false, true},
		{"staging/*", `{"operation":"deploy","target":"nowhere"}`, false, true},
	} {
		for behavior, want := range map[tool.Behavior]bool{tool.Allow: tc.allow, tool.Deny: tc.deny} {
			if got := host.Match(t, behavior, tc.rule, "Deploy", tc.input); got != want {
				t.Errorf("%s rule %q on %s: got %v, want %v", behavior, tc.rule, tc.input, got, want)
			}
		}
	}
}

// TestSuggestionsMatch: a suggestion covers its own call.
func TestSuggestionsMatch(t *testing.T) {
	host := tooltest.Host{Module: module}
	const input = `{"operation":"deploy","target":"staging/web"}`
	suggested := host.Suggest(t, "Deploy", input)
	if len(suggested) != 2 {
		t.Fatalf("got %q, want two rules", suggested)
	}
	for _, rule := range suggested {
		if !host.Match(t, tool.Allow, rule, "Deploy", input) {
			t.Errorf("the suggested rule %q does not match %s", rule, input)
		}
	}
	if got := host.Suggest(t, "Deploy", `{"operation":"deploy","target":"prod/web"}`); len(got) != 0 {
		t.Errorf("got %q for production, want nothing", got)
	}
}
