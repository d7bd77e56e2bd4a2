package eval_test

import (
	"strings"
	"testing"
)

// TestProfilesJudgeWhereLinksLead: the paths in action strings are resolved, so a link inside
// an allowed place opens nothing outside it.
func TestProfilesJudgeWhereLinksLead(t *testing.T) {
	t.Parallel()
	e := evaluator(t)
	const context = `"context":{"cwd":"/p","home":"/home/dev","working_directories":["/p"],"links":{"/p/src/out":"/etc/shadow","/p/src/in":"a.go","/p/dir":"/srv"}}`
	const profile = `"profile":{"allow":["tool:(view|create_file|str_replace):src/.*"]}`
	cases := []struct{ tool, path, action, behavior string }{
		{"Read", "src/a.go", "tool:view:src/a.go", "allow"},
		{"Read", "src/in", "tool:view:src/a.go", "allow"},
		{"Read", "src/out", "tool:view:/etc/shadow", "deny"},
		{"Write", "src/../dir/x", "tool:create_file:/srv/x", "deny"},
		{"Edit", "dir/../src/a.go", "tool:str_replace:/src/a.go", "deny"},
		{"LS", "dir", "tool:view:/srv", "deny"},
	}
	for _, c := range cases {
		t.Run(c.tool+" "+c.path, func(t *testing.T) {
			t.Parallel()
			member := "file_path"
			if c.tool == "LS" {
				member = "path"
			}
			call := `"tool":"` + c.tool + `","input":{"` + member + `":"` + c.path + `"},` + context
			got := answers(t, e, strings.NewReader(`{"op":"action",`+call+"}\n"+`{"op":"decide","mode":"bypass",`+profile+`,`+call+"}\n"))
			if got[0]["action"] != c.action || got[1]["behavior"] != c.behavior {
				t.Errorf("got %v and %v (%v), want %s and %s", got[0]["action"], got[1]["behavior"], got[1]["reason"], c.action, c.behavior)
			}
		})
	}
}
