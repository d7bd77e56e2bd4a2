package scaffold_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/benchtest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/conformance"
	"github.com/callgate/callgate/host/internal/toolkit/scaffold"
	"github.com/callgate/callgate/host/internal/toolkit/workbench/cases"
)

// sources are those of the SDKs.
var sources = os.DirFS(repo.File("sdk"))

// made is a project of the language, skipped without its compiler.
func made(t *testing.T, language, name string) (dir string, built scaffold.Built) {
	t.Helper()
	if err := scaffold.Ready(t.Context(), language); err != nil {
		t.Skip(strings.Join(strings.Fields(err.Error()), " ")) // make shows one line of it
	}
	// The compilers find their needs in caches alone.
	dir = filepath.Join(t.TempDir(), name)
	if _, err := scaffold.New(scaffold.NewOptions{Dir: dir, Name: name, Language: language, SDK: sources}); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	built, err := scaffold.Build(t.Context(), scaffold.BuildOptions{Dir: dir, Log: &said, SDK: sources})
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	if said.Len() > 0 {
		t.Errorf("the compiler has something to say about a new project:\n%s", said.String())
	}
	return dir, built
}

// TestProjects: as it is generated, each project compiles without a network and
// passes its unit tests, its cases and the conformance kit.
func TestProjects(t *testing.T) {
	if raceflag.Enabled {
		t.Skip("compiles large modules in this process, which is slow under the race detector; make test runs it")
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("npm_config_offline", "true")
	for _, l := range scaffold.Languages() {
		t.Run(l.Name, func(t *testing.T) {
			dir, built := made(t, l.Name, "cloud-ship2")
			t.Logf("%d bytes by %s in %v", built.Size, built.Compiler, built.Took)
			var said bytes.Buffer
			passed, err := scaffold.UnitTests(t.Context(), scaffold.BuildOptions{Dir: dir, Log: &said, SDK: sources})
			if l.Name != "wat" && (!passed || err != nil) {
				t.Errorf("unit tests: got %v, %v\n%s", passed, err, said.String())
			}
			b := benchtest.Open(t)
			m, err := b.Load(t.Context(), built.Path)
			if err != nil {
				t.Fatal(err)
			}
			if d := m.Description; d.Name != "cloud-ship2" || len(d.Tools) != 1 || d.Tools[0].Name != "CloudShip2" || !slices.Equal(d.Tools[0].Aliases, []string{"cloud-ship2"}) {
				t.Errorf("it says of itself: got %s", m.RawDescription)
			}
			all, err := cases.Read(filepath.Join(dir, "cases.yaml"))
			if err != nil || len(all) < 20 {
				t.Fatalf("got %d cases, %v", len(all), err)
			}
			for _, one := range all {
				if o := one.Run(t.Context(), m); !o.OK() {
					t.Errorf("case %s: %+v", one.Name, o.Differences)
				}
			}
			report, err := conformance.Check(t.Context(), conformance.Of(b, m, nil), conformance.Options{Generated: 2, Fuel: b.Limits().Fuel})
			if err != nil || !report.Conforms() {
				report.Print(&said, false)
				t.Errorf("conformance: %v\n%s", err, said.String())
			}
		})
	}
}
