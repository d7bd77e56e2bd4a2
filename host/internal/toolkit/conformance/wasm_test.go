package conformance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/testkit/benchtest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/conformance"
)

// broken is a file of testdata that breaks at least one rule.
type broken struct{ rule, file string }

var brokens = []broken{
	{"abi.file", "hostile/tables_many.wat"}, // text, and no module
	{"abi.imports", "hostile/bad_import.wasm"},
	{"abi.exports", "hostile/wrong_signature.wasm"},
	{"abi.imports", "hostile/import_memory.wasm"},
	{"abi.exports", "hostile/missing_export.wasm"},
	{"abi.exports", "hostile/export_two.wasm"},
	{"abi.exports", "hostile/export_import.wasm"},
	{"abi.limits", "hostile/table_huge.wasm"},
	{"abi.network", "hostile/network.wasm"},
	{"abi.start", "hostile/export_start.wasm"},
	{"describe.answers", "hostile/describe_not_utf8.wasm"},
	{"describe.answers", "modules/bare_star.wasm"},
	{"describe.examples", "modules/bad_example.wasm"},
	{"answer.strict", "hostile/json_twice.wasm"},
	{"answer.immune", "hostile/json_immune.wasm"},
	{"json.empty", "hostile/yes.wasm"},
	{"match.unrelated", "hostile/yes.wasm"},
}

// TestModules: a defect of a real module is reported by its rule.
func TestModules(t *testing.T) {
	t.Parallel()
	b := benchtest.Open(t)
	for _, w := range brokens {
		m, problem := b.Load(t.Context(), repo.File("testdata", filepath.FromSlash(w.file)))
		report, err := conformance.Check(t.Context(), conformance.Of(b, m, problem), conformance.Options{Seed: 1, Generated: 4})
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, f := range report.Findings {
			found = found || f.ID == w.rule
		}
		if !found {
			t.Errorf("%s: got %+v (%v); want a finding of %s", w.file, report.Findings, problem, w.rule)
		}
	}
}

// quick are options for modules in all languages here: few calls, and no long ones. The whole
// is `callgate tool conformance`.
func quick() conformance.Options {
	o := conformance.Options{Seed: 1, Generated: 6}
	for _, r := range conformance.Rules() {
		if !strings.HasPrefix(r.ID, "work.") && r.ID != "answer.after-failure" {
			o.Only = append(o.Only, r.ID)
		}
	}
	return o
}

// TestDeploy: the example conforms in every language.
func TestDeploy(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(repo.File("testdata/deploy/*.wasm"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden modules: %v", err)
	}
	b := benchtest.Open(t)
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if raceflag.Enabled && info.Size() > 512<<10 {
			t.Logf("%s is left out: an interpreter takes minutes under the race detector", file)
			continue
		}
		m, problem := b.Load(t.Context(), file)
		start := time.Now()
		report, err := conformance.Check(t.Context(), conformance.Of(b, m, problem), quick())
		t.Logf("%s: %d calls, %v", file, report.Calls, time.Since(start))
		if err != nil {
			t.Fatal(err)
		}
		if !report.Conforms() {
			t.Errorf("%s: got %+v; want no finding", file, report.Findings)
		}
	}
}
