package conformance_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/toolkit/conformance"
	"github.com/callgate/callgate/host/internal/toolkit/workbench/cases"
)

// hidden is a module with a mistake on few calls only.
func hidden() fake {
	return fake{module: noteModule(nil), twist: saying(sandbox.CheckReadOnly, readOnly, func(in []byte) bool {
		return bytes.Contains(in, []byte(`"title":"secret`)) && bytes.Contains(in, []byte(`..`))
	})()}
}

func fuzz(t *testing.T, f fake, calls int, only ...string) conformance.FuzzReport {
	report, err := conformance.Fuzz(t.Context(), f.subject(t, f.twist), conformance.FuzzOptions{Options: conformance.Options{Seed: 3, Only: only}, Calls: calls})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// mistakeOnce is the fuzzer's finding about hidden, and mistake makes it once for all tests.
var (
	mistakeOnce sync.Once
	mistaken    conformance.FuzzReport
)

func mistake(t *testing.T) conformance.FuzzReport {
	mistakeOnce.Do(func() { mistaken = fuzz(t, hidden(), 800, "read-only.") })
	if mistaken.Made == 0 {
		t.Fatal("fuzzing failed in another test")
	}
	return mistaken
}

// TestFuzz: a mistake is found, made small, and found again by the same seed.
func TestFuzz(t *testing.T) {
	t.Parallel()
	report := mistake(t)
	i := slices.IndexFunc(report.Findings, func(f conformance.Finding) bool { return f.ID == "read-only.consistent" })
	if i < 0 {
		t.Fatalf("%s: got %+v; want the mistake found", report.Line(), report.Findings)
	}
	small := string(report.Findings[i].Case.Call.Input)
	if small != `{"title":"secret.."}` {
		t.Errorf("got %s; want it as small as can be", small)
	}
	again := fuzz(t, hidden(), 800, "read-only.")
	if len(again.Findings) != len(report.Findings) || again.Made != report.Made || again.Asked != report.Asked || again.Kept != report.Kept {
		t.Errorf("the same seed: got %s; want %s", again.Line(), report.Line())
	}
}

// TestFuzz_right: nothing is found where nothing is wrong.
func TestFuzz_right(t *testing.T) {
	t.Parallel()
	if report := fuzz(t, fake{module: noteModule(nil)}, 100); len(report.Findings) > 0 || report.Made != 100 {
		for _, f := range report.Findings {
			t.Errorf("%s %s: %s: %s on %s", f.ID, f.Verb, f.Tried, f.Came, f.Input)
		}
		t.Errorf("got %s; want 100 calls and no finding", report.Line())
	}
}

// TestKeep: findings become cases, each once, beside the existing ones.
func TestKeep(t *testing.T) {
	t.Parallel()
	report := mistake(t)
	file := filepath.Join(t.TempDir(), "new", "cases.yaml")
	for range 2 {
		if err := conformance.Keep(file, report.Findings); err != nil {
			t.Fatal(err)
		}
	}
	all, err := cases.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(report.Findings) || all[0].Silent() || string(all[0].Call.Input) != string(report.Findings[0].Case.Call.Input) {
		text, _ := os.ReadFile(file)
		t.Errorf("got %d cases:\n%s\nwant one for each of %d findings", len(all), text, len(report.Findings))
	}
	if err := os.WriteFile(file, []byte("- nonsense: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := conformance.Keep(file, report.Findings); err == nil {
		t.Error("a file that is none of cases: got no error; want one, and the file left alone")
	}
	if text, _ := os.ReadFile(file); string(text) != "- nonsense: 1\n" {
		t.Errorf("got %s; want the file as it was", text)
	}
}
