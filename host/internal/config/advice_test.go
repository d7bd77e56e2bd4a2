package config_test

import (
	"strings"
	"testing"
)

func TestProfile_advice(t *testing.T) {
	t.Parallel()
	tools := []string{"bash", "view", "create_file", "git"}
	tests := []struct {
		name, profile string
		// want are parts of the pieces of advice, in order; none means none.
		want []string
	}{
		{"the seed's example, but for line feeds", `{allow: ["tool:view:.*", "tool:create_file:docs/.*"], ask: ["(?s)tool:bash:.*", "tool:create_file:.*"]}`, nil},
		{"a dot before a line feed", `{allow: ["tool:bash:npm .*", "tool:bash:ls.*"], ask: ["tool:bash:.*"]}`, []string{
			`profiles.p.allow[0]: pattern "tool:bash:npm .*": "." does not match a line feed, and a command of several lines is then not allowed by it; to include`,
			`profiles.p.ask[0]: pattern "tool:bash:.*": "." does not match a line feed`,
		}},
		{"a dot in a deny pattern", `{allow: ["(?s)tool:.*"], deny: ["tool:bash:rm.*"]}`, []string{"is then not denied by it"}},
		{"no dot", `{allow: ['tool:bash:a\.b', "tool:bash:[.]", "tool:bash:[^.]*", "tool:bash:[].]x"]}`, nil},
		{"ask behind allow", `{allow: ["tool:view:.*"], ask: ["tool:view:src/.*", "tool:create_file:.*"]}`, []string{`profiles.p.ask[0]: pattern "tool:view:src/.*" has no effect: the allow patterns match everything it matches`}},
		{"allow behind deny", `{allow: ["tool:view:a"], deny: ["tool:view:.*"], ask: ["tool:git:init"]}`, []string{`profiles.p.allow[0]: pattern "tool:view:a" has no effect: the deny patterns`}},
		{"ask behind two allow patterns", `{allow: ["tool:git:init", "tool:git:commit"], ask: ["tool:git:(init|commit)"]}`, []string{"has no effect"}},
		{"without tool:", `{allow: ["view:.*"]}`, []string{`pattern "view:.*" matches no action; an action is tool:NAME:DETAIL; did you mean "tool:view:.*"?`}},
		{"matches nothing", `{ask: ["bash"]}`, []string{`matches no action`}},
		{"a tool spelt wrong", `{ask: ["tool:veiw:.*"]}`, []string{`no known tool module produces actions tool:veiw:...; did you mean tool:view:?`}},
		{"nothing", `{}`, []string{"profiles.p: it has no allow and no ask pattern, so it denies everything"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := parse(t, "profiles: {p: "+tt.profile+"}").Advice(tools)
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i, want := range tt.want {
				if !strings.Contains(got[i].Error(), want) {
					t.Errorf("got %q, want %q", got[i], want)
				}
			}
		})
	}
	if got := parse(t, "agents: {a: {profile: {ask: [bash]}}}").Advice(tools); len(got) != 1 || !strings.Contains(got[0].Error(), "agents.a.profile.ask[0]: ") {
		t.Errorf("lists in place: got %q, want advice about them", got)
	}
}
