package template_test

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/template"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/plugins"
)

func TestMain(m *testing.M) { os.Exit(compiledtest.Tests{M: m, Modules: plugins.Modules()}.Run()) }

// TestTemplates tries every rule of every template on its examples through the real
// modules, for everybody and for a project.
func TestTemplates(t *testing.T) {
	t.Parallel()
	compiledtest.Modules(t)
	catalog, err := compiledtest.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	trial := ruletest.Tester{Catalog: catalog, Targets: &target.Resolver{FS: target.Links(nil)}}
	for _, tmpl := range template.All() {
		if tmpl.Title == "" || tmpl.Description == "" || len(tmpl.Rules) == 0 {
			t.Errorf("%s: want a title, a description and rules", tmpl.Name)
		}
		for i, rule := range tmpl.Rules {
			r, err := rule.Engine()
			if err != nil || rule.Note == "" {
				t.Errorf("%s: rules[%d]: note %q, %v: want a note for a rule", tmpl.Name, i, rule.Note, err)
				continue
			}
			if !r.WholeTool() && (len(r.Match) == 0 || len(r.NotMatch) == 0) {
				t.Errorf("%s: %s: want examples of both kinds", tmpl.Name, r)
			}
			for _, at := range []engine.Rule{{Scope: engine.Global}, {Scope: engine.Project, ScopeKey: "/home/user/project"}} {
				r.Scope, r.ScopeKey = at.Scope, at.ScopeKey
				if err := trial.Test(context.Background(), &r); err != nil {
					t.Errorf("%s, %s: %v", tmpl.Name, at.Scope, err)
				}
			}
		}
	}
}

// TestSafeDev is the template in vibing.nvim's document.
func TestSafeDev(t *testing.T) {
	t.Parallel()
	tmpl, err := template.Find("safe-dev")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range tmpl.Rules {
		got = append(got, r.Behavior+" "+r.Rule)
	}
	if want := []string{"allow Bash(npm:*)", "allow Bash(git:*)", "allow Read(src/**/*)", "allow Write(*.json)"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if tmpl.Source() != "template:safe-dev" {
		t.Errorf("source: got %q", tmpl.Source())
	}
}

func TestFind_unknown(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{"safedev": "did you mean safe-dev?", "kubernetes": "want one of safe-dev, read-only-review"} {
		if _, err := template.Find(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: got %v, want %q", name, err, says)
		}
	}
}
