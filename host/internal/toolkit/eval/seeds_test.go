package eval_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// TestDocs_seeds checks that every test named in docs/seeds.md exists, and that its rows follow
// the sections of the five documents in testdata/seeds: each section has a row, and each row a
// section.
func TestDocs_seeds(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(repo.File("docs/seeds.md"))
	if err != nil {
		t.Fatal(err)
	}
	promised := promises(t)
	sections, title, rows := map[string]map[string]bool{}, "", 0
	exempt := map[string]bool{}
	for i, line := range strings.Split(string(text), "\n") {
		if head, ok := strings.CutPrefix(line, "## "); ok {
			title = head
		}
		if rest, ok := strings.CutPrefix(line, "Sections without a behavior of their own: "); ok {
			for _, s := range strings.Split(strings.TrimSuffix(rest, "."), "; ") {
				exempt[s] = true
			}
		}
		cells := tableCells(line)
		if len(cells) == 0 || cells[0] == "section" || strings.HasPrefix(cells[0], "---") {
			continue
		}
		if len(cells) != 4 || promised[title] == nil {
			t.Errorf("docs/seeds.md:%d: want section, feature, here and test, below the heading of a seed", i+1)
			continue
		}
		rows++
		if sections[title] == nil {
			sections[title] = map[string]bool{}
		}
		sections[title][cells[0]] = true
		if !slices.Contains(promised[title], cells[0]) {
			t.Errorf("docs/seeds.md:%d: %q is no section of %s", i+1, cells[0], title)
		}
		if cells[1] == "" || cells[2] == "" {
			t.Errorf("docs/seeds.md:%d: a row without a feature or without what it is here", i+1)
		}
		checkNamedTests(t, i+1, cells[3])
	}
	if rows < 100 {
		t.Errorf("docs/seeds.md has %d rows", rows)
	}
	for title, all := range promised {
		for _, section := range all {
			if !sections[title][section] && !exempt[section] {
				t.Errorf("%s: section %q has no row in docs/seeds.md", title, section)
			}
		}
	}
}

// promises are the sections of each of the five documents, by its heading here.
func promises(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(repo.File("testdata/seeds/promises.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, title := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if head, ok := strings.CutPrefix(line, "## "); ok {
			title = head
		}
		if section, ok := strings.CutPrefix(line, "- "); ok {
			all[title] = append(all[title], section)
		}
	}
	if len(all) != 5 {
		t.Fatalf("testdata/seeds/promises.md has %d documents", len(all))
	}
	return all
}

// namedTest is a test as the document names it.
var namedTest = regexp.MustCompile("^`(\\S+) ([A-Za-z0-9_]+)`$")

func checkNamedTests(t *testing.T, line int, cell string) {
	t.Helper()
	for _, name := range strings.Split(cell, ", ") {
		m := namedTest.FindStringSubmatch(name)
		switch {
		case m == nil:
			t.Errorf("docs/seeds.md:%d: %q names no test: want `package TestName` or `script NAME`", line, name)
		case m[1] == "script":
			if _, err := os.Stat(repo.File("host/cli/testdata/script", m[2]+".txtar")); err != nil {
				t.Errorf("docs/seeds.md:%d: %v", line, err)
			}
		default:
			if !testsOf(t, m[1])[m[2]] {
				t.Errorf("docs/seeds.md:%d: %s has no %s", line, m[1], m[2])
			}
		}
	}
}

// foundTests are the tests of each requested package, by its directory.
var (
	foundMu    sync.Mutex
	foundTests = map[string]map[string]bool{}
)

// testsOf lists the tests and examples of a package by its directory.
func testsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	foundMu.Lock()
	defer foundMu.Unlock()
	if found, ok := foundTests[dir]; ok {
		return found
	}
	found := map[string]bool{}
	foundTests[dir] = found
	files, err := filepath.Glob(repo.File(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for _, d := range tree.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Example")) {
				found[f.Name.Name] = true
			}
		}
	}
	return found
}

var (
	threatRow   = regexp.MustCompile(`^\| \*\*T\d\d\*\* `)
	threatTests = regexp.MustCompile("^`(T\\d\\d)_\\*`.* in (.*)$")
	quoted      = regexp.MustCompile("`([^`]+)`")
)

// TestDocs_security checks the last column of the threats: each name there exists, and each
// package said to have a threat's tests has one.
func TestDocs_security(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(repo.File("docs/security.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for i, line := range strings.Split(string(text), "\n") {
		if !threatRow.MatchString(line) {
			continue
		}
		rows++
		cells := tableCells(line)
		for part := range strings.SplitSeq(cells[len(cells)-1], "; ") {
			m := threatTests.FindStringSubmatch(part)
			names := part
			if m != nil {
				names = m[2]
			}
			for _, q := range quoted.FindAllStringSubmatch(names, -1) {
				place, test, one := strings.Cut(q[1], " ")
				if !strings.Contains(place, "/") && m == nil {
					continue // a test beside its package
				}
				if _, err := os.Stat(repo.File(place)); err != nil {
					t.Errorf("docs/security.md:%d: %v", i+1, err)
					continue
				}
				found := hasTest(t, place, func(name string) bool {
					return one && name == test || !one && m != nil && strings.HasPrefix(name, "Test"+m[1]+"_")
				})
				if (one || m != nil) && !found {
					t.Errorf("docs/security.md:%d: no such test in %s: %s", i+1, place, part)
				}
			}
		}
	}
	if rows < 25 {
		t.Errorf("docs/security.md has %d threats", rows)
	}
}

// hasTest says whether a package has a test of such a name.
func hasTest(t *testing.T, dir string, such func(name string) bool) bool {
	t.Helper()
	for name := range testsOf(t, dir) {
		if such(name) {
			return true
		}
	}
	return false
}
