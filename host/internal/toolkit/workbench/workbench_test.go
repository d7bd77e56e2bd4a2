package workbench_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/testkit/benchtest"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

var modules = repo.File("testdata/modules") + "/"

func load(t *testing.T, name string) *workbench.Module {
	t.Helper()
	return benchtest.Load(t, modules+name)
}

func TestLoad(t *testing.T) {
	m := load(t, "deploy.wasm")
	if m.Description.Name != "deploy" || m.Size == 0 || len(m.Digest) != 64 || m.Path != modules+"deploy.wasm" {
		t.Errorf("module is %+v", m.Description)
	}
	if !m.Has(sandbox.DescribeCall) || m.Has("nonsense") {
		t.Error("Has is wrong")
	}
	if !bytes.Contains(m.RawDescription, []byte(`"version":"1.2.0"`)) {
		t.Errorf("raw description is %s", m.RawDescription)
	}
}

// A broken module reports the step, with everything known by then.
func TestLoadTellsTheStep(t *testing.T) {
	var hostile = repo.File("testdata/hostile") + "/"
	for _, tc := range []struct {
		path  string
		step  workbench.Step
		known bool
	}{
		{"nowhere.wasm", workbench.StepRead, false},
		{".", workbench.StepRead, false},
		{hostile + "bad_import.wasm", workbench.StepLoad, true},
		{modules + "bare_star.wasm", workbench.StepParse, true},
		{hostile + "describe_not_utf8.wasm", workbench.StepDescribe, true},
	} {
		t.Run(filepath.Base(tc.path), func(t *testing.T) {
			m, err := benchtest.Open(t).Load(t.Context(), tc.path)
			var step *workbench.StepError
			if !errors.As(err, &step) || step.Step != tc.step {
				t.Fatalf("error is %v, want one at %q", err, tc.step)
			}
			if (m != nil) != tc.known {
				t.Fatalf("module is %v", m)
			}
			if m != nil && (m.Size == 0 || m.Digest == "" || m.Path != tc.path) {
				t.Errorf("not known: %+v", m)
			}
			if m != nil && tc.step == workbench.StepLoad && m.Run(t.Context(), sandbox.Describe, nil).Err == nil {
				t.Error("a module that is not compiled answers")
			}
		})
	}
}

func TestExamples(t *testing.T) {
	for _, r := range load(t, "deploy.wasm").Examples(t.Context()) {
		if !r.OK() {
			t.Errorf("example %d: matched %v, %v", r.Index, r.Matched, r.Err)
		}
	}
	results := load(t, "bad_example.wasm").Examples(t.Context())
	if len(results) == 0 || results[0].OK() {
		t.Errorf("bad_example's examples: %+v", results)
	}
}

// Run shows an envelope as it is; the config in it answers config_get.
func TestRun(t *testing.T) {
	m := load(t, "echo.wasm")
	r := m.Run(t.Context(), sandbox.CheckPermissions, []byte(`{"a":1}`))
	if r.Err != nil || !strings.Contains(string(r.Output), `{\"a\":1}`) || r.Fuel == 0 {
		t.Errorf("got %s, %v, fuel %d", r.Output, r.Err, r.Fuel)
	}
	again := m.Run(t.Context(), sandbox.CheckPermissions, []byte(`{"a":1}`))
	if again.Fuel != r.Fuel {
		t.Errorf("the same call took %d and %d of fuel", r.Fuel, again.Fuel)
	}
	var failed *sandbox.Error
	if r := m.Run(t.Context(), sandbox.MatchRule, []byte(`x`)); !errors.As(r.Err, &failed) || failed.Kind != sandbox.KindCode {
		t.Errorf("error is %v", r.Err)
	}
}

func TestAsk(t *testing.T) {
	m := load(t, "deploy.wasm")
	a := m.Ask(t.Context(), trial.Call{
		Input: json.RawMessage(`{"target": "production/web", "file": "deploy.yaml"}`),
		Links: map[string]string{"/project/deploy.yaml": "/etc/passwd"},
		Rules: []trial.RuleSet{{Behavior: "allow", Contents: []string{"staging/*"}}, {Behavior: "deny", Contents: []string{"x", "y"}, Root: "/r"}},
	})
	if a.Err != nil || a.Tool != "Deploy" {
		t.Fatalf("asked %q: %v", a.Tool, a.Err)
	}
	for _, one := range a.All() {
		if one.Failed() != nil || len(one.Envelope) == 0 {
			t.Errorf("%s: %v", one.Verb, one.Failed())
		}
	}
	if a.Again == nil {
		t.Error("links lead the path elsewhere, and the module was not asked again")
	}
	if got := a.Targets[0]; got.Resolved != "/etc/passwd" || got.Inside != "" {
		t.Errorf("target is %+v", got)
	}
	if !bytes.Contains(a.Check.Envelope, []byte(`"resolved":"/etc/passwd"`)) {
		t.Errorf("envelope is %s", a.Check.Envelope)
	}
	if !bytes.Contains(a.Match[1].Envelope, []byte(`"root":"/r"`)) || len(a.Match) != 2 {
		t.Errorf("envelope is %s", a.Match[1].Envelope)
	}
	if !bytes.Contains(a.Check.Output, []byte(`"bypass_immune":true`)) {
		t.Errorf("answer is %s", a.Check.Output)
	}
}

// A call the host would refuse reaches the module unchanged.
func TestAskRaw(t *testing.T) {
	m := load(t, "echo.wasm")
	const raw = "{\"a\":1,\"a\":\xff}"
	a := m.Ask(t.Context(), trial.Call{Tool: "other", Raw: []byte(raw)})
	if a.Err != nil || !bytes.HasPrefix(a.Suggest.Envelope, []byte(`{"tool":"other","input":`+raw+`,"context"`)) {
		t.Errorf("envelope is %s, %v", a.Suggest.Envelope, a.Err)
	}
	if a.Suggest.Err == nil {
		t.Error("an output that is not UTF-8 is no failure")
	}
	if a := m.Ask(t.Context(), trial.Call{Tool: "other", Input: json.RawMessage(raw)}); a.Err == nil {
		t.Error("an input that the host refuses was asked about")
	}
}

func TestAskTargets(t *testing.T) {
	m := load(t, "deploy.wasm")
	yes := true
	a := m.Ask(t.Context(), trial.Call{
		Input:   json.RawMessage(`{}`),
		Targets: []engine.Target{{Kind: "path", Value: "a", Access: "read", Claimed: true}}, TargetsUnknown: &yes,
	})
	if !bytes.Contains(a.ReadOnly.Envelope, []byte(`"targets":[{"kind":"path","value":"a","access":"read","exists":false,"claimed":true}],"targets_unknown":true`)) {
		t.Errorf("envelope is %s", a.ReadOnly.Envelope)
	}
}

// An answer the host would refuse is shown, with the reason.
func TestAskUnsound(t *testing.T) {
	m := load(t, "mirror.wasm")
	a := m.Ask(t.Context(), trial.Call{Tool: "mirror", Input: json.RawMessage(`{}`)})
	if a.ReadOnly.Unsound == nil || a.ReadOnly.Failed() == nil || len(a.ReadOnly.Output) == 0 {
		t.Errorf("answer is %s, %v", a.ReadOnly.Output, a.ReadOnly.Failed())
	}
	if a.Describe.Err == nil || !a.Unknown {
		t.Errorf("describe_call answers %s", a.Describe.Output)
	}
}

func TestTool(t *testing.T) {
	m := load(t, "deploy.wasm")
	for _, tc := range []struct{ name, called string }{{"", "Deploy"}, {"deploy", "Deploy"}, {"Deploy", "Deploy"}} {
		if _, called, err := m.Tool(tc.name); err != nil || called != tc.called {
			t.Errorf("Tool(%q) is %q, %v", tc.name, called, err)
		}
	}
	if _, _, err := m.Tool("other"); err == nil || !strings.Contains(err.Error(), "Deploy") {
		t.Errorf("error is %v", err)
	}
	globs := load(t, "globs.wasm")
	if _, _, err := globs.Tool(""); err == nil {
		t.Error("a glob was taken for a name")
	}
}

// A fresh module has instances of its own and answers the same.
func TestFresh(t *testing.T) {
	b := benchtest.Open(t)
	m, err := b.Load(t.Context(), modules+"deploy.wasm")
	if err != nil {
		t.Fatal(err)
	}
	again, err := b.Fresh(t.Context(), m)
	if err != nil || again == m || again.Path != m.Path || again.Digest != m.Digest {
		t.Fatalf("fresh is %+v, %v", again, err)
	}
	call := trial.Call{Input: json.RawMessage(`{"target":"staging/web"}`)}
	one, two := m.Ask(t.Context(), call), again.Ask(t.Context(), call)
	for i, a := range one.All() {
		if other := two.All()[i]; !bytes.Equal(a.Output, other.Output) || a.Fuel != other.Fuel {
			t.Errorf("%s: %s and %s, fuel %d and %d", a.Verb, a.Output, other.Output, a.Fuel, other.Fuel)
		}
	}
}
