package hostiletest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/hostiletest"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// TestSuite: every module of the suite has a readable head, and a name of its own.
func TestSuite(t *testing.T) {
	t.Parallel()
	all, err := hostiletest.Suite(repo.File("testdata/hostile"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, a := range all {
		if seen[a.Name] {
			t.Errorf("%s is there twice", a.Name)
		}
		seen[a.Name] = true
		if a.Loads() && len(a.Wasm) == 0 {
			t.Errorf("%s: no module", a.Name)
		}
	}
	if a := all[0]; a.Of("describe_call").Is("fuel") || !a.Of("match_rule").Is(hostiletest.OK) {
		t.Errorf("%s: verbs that are not named: got %v; want them harmless", a.Name, a.Of("match_rule"))
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]string{
		";; expect: check_permissions fuel|trap \"a \\\"b\\\"\"\n;; limits: fuel=5\n": "",
		";; prose only\n":                      "no line begins",
		";; expect: check_permissions\n":       "want a verb",
		";; expect: load \"cut\n":              "invalid syntax",
		";; catalog: match_rule perhaps\n":     "want refused or granted",
		";; expect: a ok\n;; limits: fuel=x\n": "invalid syntax",
	} {
		dir := t.TempDir()
		for _, name := range []string{"x.wat", "x.wasm"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(head+"(module)\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		all, err := hostiletest.Suite(dir)
		if want != "" {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v; want %q", head, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		o := all[0].Of("check_permissions")
		if !o.Is("fuel") || !o.Is("trap") || o.Is("ok") || o.Text != `a "b"` || all[0].Limits["fuel"] != 5 {
			t.Errorf("got %+v, limits %v", o, all[0].Limits)
		}
	}
}
