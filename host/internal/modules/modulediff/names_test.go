package modulediff_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/modulediff"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/testkit/benchtest"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// renamed is the module deploy with another alias or name of its tool.
func renamed(t *testing.T, old, now string) *trial.Module {
	t.Helper()
	wasm, err := os.ReadFile(repo.File("testdata/modules/deploy.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "deploy.wasm")
	if len(old) != len(now) || !bytes.Contains(wasm, []byte(old)) {
		t.Fatalf("%s cannot stand for %s", now, old)
	}
	if err := os.WriteFile(path, bytes.Replace(wasm, []byte(old), []byte(now), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	return &benchtest.Load(t, path).Module
}

// A whole-tool rule was not tried on any call, so a version no longer answering for the rule's
// name was shown as the same: a deny rule under an alias no longer denied the tool, and an
// allow rule went on without the module's own checks.
func TestCompare_namesAnsweredForNoMore(t *testing.T) {
	t.Parallel()
	was := load(t, "modules/deploy.wasm")
	alias := renamed(t, `"aliases":["deploy"]`, `"aliases":["shipit"]`)
	name := renamed(t, `"name":"Deploy"`, `"name":"Shipit"`)
	rule := func(b engine.Behavior, tool string, content ...string) engine.Rule {
		r := engine.Rule{ID: "r1", Tool: tool, Behavior: b, Scope: engine.Global}
		if len(content) > 0 {
			r.Content = &content[0]
		}
		return r
	}
	const gone, no = "does not answer for them", "it no longer applies to them"
	for _, tt := range []struct {
		what string
		is   *trial.Module
		rule engine.Rule
		want string
	}{
		{"deny by an alias", alias, rule(engine.Deny, "deploy"), "loosened Deploy: " + no + "; other deploy: the new version " + gone + ": the rule holds as before"},
		{"ask by an alias, with content", alias, rule(engine.Ask, "deploy", "x"), "loosened Deploy: " + no + "; other deploy: the new version " + gone + ": the tool for unknown names reads the rule"},
		{"allow by an alias", alias, rule(engine.Allow, "deploy"), "loosened deploy: the new version " + gone + ": the rule allows them without any module's checks; tightened Deploy: " + no},
		{"allow by the name", alias, rule(engine.Allow, "Deploy"), "loosened shipit: it applies to them now; tightened deploy: " + no},
		{"deny by the old name", name, rule(engine.Deny, "Deploy"), "loosened deploy: " + no + "; other Deploy: the new version " + gone + ": the rule holds as before"},
		{"allow by the old name", name, rule(engine.Allow, "Deploy"), "loosened Deploy: the new version " + gone + ": the rule allows them without any module's checks; tightened deploy: " + no},
		{"content by the old name", name, rule(engine.Allow, "Deploy", "x"), "other Deploy: the new version " + gone + ": the tool for unknown names reads the rule; tightened deploy: " + no},
		{"another tool's", alias, rule(engine.Deny, "Bash"), ""},
		{"the same names", was, rule(engine.Deny, "deploy"), ""},
	} {
		r, err := modulediff.Compare(t.Context(), was, tt.is, modulediff.Calls{}, []engine.Rule{tt.rule}, 0)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range r.RuleChanges {
			got = append(got, string(c.Direction)+" "+strings.Join(c.Names, ",")+": "+c.What)
		}
		if text := strings.Join(got, "; "); text != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.what, text, tt.want)
		}
		if r.Loosened() != strings.HasPrefix(tt.want, "loosened") {
			t.Errorf("%s: loosened is %t", tt.what, r.Loosened())
		}
		var out strings.Builder
		r.Print(&out, 1)
		if same := strings.Contains(out.String(), "both versions answer the same"); same != (tt.want == "") || !same && !strings.Contains(out.String(), "r1 "+tt.rule.Behavior.String()+" "+tt.rule.String()) {
			t.Errorf("%s: printed\n%s", tt.what, out.String())
		}
	}
}
