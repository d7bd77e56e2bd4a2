package workbench_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/testkit/benchtest"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

func TestMeasure(t *testing.T) {
	m := load(t, "deploy.wasm")
	calls := m.ExampleCalls()
	if len(calls) != 2 {
		t.Fatalf("calls are %+v", calls)
	}
	all, err := m.Measure(t.Context(), calls, 0)
	if err != nil || len(all) != 6 {
		t.Fatalf("measured %+v, %v", all, err)
	}
	for _, s := range all {
		inputs := 2
		if s.Verb == sandbox.Describe {
			inputs = 1
		}
		if s.Inputs != inputs || s.Calls < inputs || s.Median <= 0 || s.P99 < s.Median || s.Fuel <= 0 || s.FuelMost < s.Fuel || s.Failed != 0 {
			t.Errorf("%+v", s)
		}
	}
	bad, err := load(t, "echo.wasm").Measure(t.Context(), []trial.Call{{Tool: "Echo", Input: json.RawMessage(`{}`), Rules: []trial.RuleSet{{Behavior: "allow", Contents: []string{"x"}}}}}, 0)
	if err != nil || !slices.ContainsFunc(bad, func(s workbench.Speed) bool { return s.Verb == sandbox.MatchRule && s.Failed == 1 }) {
		t.Errorf("measured %+v, %v", bad, err)
	}
	if _, err := m.Measure(t.Context(), []trial.Call{{Input: json.RawMessage(`[]`)}}, 0); err == nil {
		t.Error("a call that cannot be put was measured")
	}
}

func TestStart(t *testing.T) {
	cache := t.TempDir()
	b, err := workbench.Open(t.Context(), workbench.Options{CacheDir: cache, Limits: benchtest.Limits})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	m, err := b.Load(t.Context(), modules+"deploy.wasm")
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.Start(t.Context(), m, nil)
	if err != nil || s.Compile <= 0 || s.Cached <= 0 || s.First <= 0 {
		t.Errorf("start is %+v, %v", s, err)
	}
	kept, err := benchtest.Open(t).Start(t.Context(), m, nil)
	if err != nil || kept.Cached != 0 {
		t.Errorf("without a cache: %+v, %v", kept, err)
	}
}

func TestInspect(t *testing.T) {
	b := benchtest.Open(t)
	i, m := b.Inspect(t.Context(), modules+"deploy.wasm")
	if m == nil || !i.Usable() || i.Outline == nil || i.Footprint == nil || i.Footprint.Snapshot == 0 || len(i.DescriptionDigest) != 64 {
		t.Fatalf("inspection is %+v", i)
	}
	for _, e := range i.Examples {
		if !e.OK || len(e.Calls) != 5 {
			t.Errorf("example is %+v", e)
		}
	}
	i, _ = b.Inspect(t.Context(), modules+"bad_example.wasm")
	if i.Usable() || i.Step != "" || i.Examples[0].Problem == "" {
		t.Errorf("inspection is %+v", i)
	}
	i, m = b.Inspect(t.Context(), repo.File("testdata/hostile/bad_import.wasm"))
	if m == nil || i.Usable() || i.Step != workbench.StepLoad || i.Outline == nil || i.Described != nil {
		t.Errorf("inspection is %+v", i)
	}
	i, m = b.Inspect(t.Context(), "nowhere.wasm")
	if m != nil || i.Step != workbench.StepRead || i.Problem == "" {
		t.Errorf("inspection is %+v", i)
	}
}

// A hostile module's behaviour is reported, and the next one is inspected.
func TestInspectHostile(t *testing.T) {
	b := benchtest.Open(t)
	for _, name := range []string{"trap", "exit", "init_trap", "missing_export", "rubbish", "json_twice", "not_utf8", "error_terminal"} {
		i, _ := b.Inspect(t.Context(), repo.File("testdata/hostile")+"/"+name+".wasm")
		if i.Digest == "" {
			t.Errorf("%s: %+v", name, i)
		}
	}
}
