// Package arrows holds the imports between the rooms of the house to the table in
// .golangci.yml. RATIONALE.md, "Why are only five packages public?".
package arrows

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// arrow is one list of depguard in .golangci.yml: the packages forbidden to a room.
type arrow struct {
	// Files are a glob of the room and "!$test".
	Files []string
	// Deny are packages; one with $ at its end stands for itself, any other for all below it
	// too.
	Deny []struct{ Pkg string }
	// Allow are exceptions from Deny.
	Allow []string
}

// arrows reads the table of the rooms.
func arrows(t *testing.T) map[string]arrow {
	t.Helper()
	data, err := os.ReadFile(repo.File(".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Linters struct {
			Settings struct {
				Depguard struct{ Rules map[string]arrow }
			}
		}
	}
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	rules := file.Linters.Settings.Depguard.Rules
	if len(rules) < 15 {
		t.Fatalf(".golangci.yml has %d lists of depguard: the table is not read", len(rules))
	}
	return rules
}

// TestArrows: no package depends on one forbidden to its room. depguard checks the direct
// imports of a package, this test all dependencies.
func TestArrows(t *testing.T) {
	t.Parallel()
	for name, a := range arrows(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			room, ok := strings.CutPrefix(a.Files[0], "${base-path}/")
			if !ok || !slices.Equal(a.Files[1:], []string{"!$test"}) {
				t.Fatalf(`files: got %q, want "${base-path}/ROOM/**" or "${base-path}/ROOM/*.go", and "!$test"`, a.Files)
			}
			room = strings.TrimSuffix(strings.Replace(room, "/**", "/...", 1), "/*.go")
			guest := strings.HasPrefix(room, "plugins/") || strings.HasPrefix(room, "sdk/")
			if len(list(t, "{{.ImportPath}}", room, guest)) == 0 {
				t.Fatal("no such package")
			}
			format := `{{join .Deps "\n"}}`
			if strings.HasSuffix(name, "-imports") {
				format = `{{join .Imports "\n"}}`
			}
			for _, dep := range list(t, format, room, guest) {
				if a.denies(dep) {
					t.Errorf("%s needs %s", room, dep)
				}
			}
		})
	}
}

func (a arrow) denies(dep string) bool {
	return !slices.ContainsFunc(a.Allow, func(p string) bool { return within(p, dep) }) &&
		slices.ContainsFunc(a.Deny, func(d struct{ Pkg string }) bool { return within(d.Pkg, dep) })
}

// within reports whether a pattern of depguard names a package.
func within(pattern, pack string) bool {
	exact, only := strings.CutSuffix(pattern, "$")
	return pack == exact || !only && strings.HasPrefix(pack, pattern+"/")
}

// list is go list's output about packages, each line once.
func list(t *testing.T, format, pattern string, guest bool) (lines []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", format, "./"+pattern)
	cmd.Dir = repo.File()
	if guest {
		cmd.Env = append(cmd.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list ./%s: %v\n%s", pattern, err, said.String())
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && !seen[line] {
			seen[line] = true
			lines = append(lines, line)
		}
	}
	return lines
}
