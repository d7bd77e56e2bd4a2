package eval_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// seedTitles are the headings of docs/seeds.md by the documents they follow.
var seedTitles = map[string]string{
	"AgentScope: permission system": "agentscope-permission-system.md", "Chorus: permission profiles": "chorus-permission-profiles.md", "ExAthena: permissions": "exathena-permissions.md",
	"vibing.nvim: permissions ask": "vibing-permissions-ask.md", "Discord seed (ollim-bot): permission management": "discord-permission-management.md",
}

// TestDocs_seeds checks that every test that docs/seeds.md names exists, and that
// every section of the five documents has a row there. The documents are not part
// of this repository; without them the second half is skipped.
func TestDocs_seeds(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/seeds.md")
	if err != nil {
		t.Fatal(err)
	}
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
		if len(cells) != 4 || seedTitles[title] == "" {
			t.Errorf("docs/seeds.md:%d: want section, feature, here and test, below the heading of a seed", i+1)
			continue
		}
		rows++
		if sections[title] == nil {
			sections[title] = map[string]bool{}
		}
		sections[title][cells[0]] = true
		if cells[1] == "" || cells[2] == "" {
			t.Errorf("docs/seeds.md:%d: a row without a feature or without what it is here", i+1)
		}
		checkNamedTests(t, i+1, cells[3])
	}
	if rows < 100 {
		t.Errorf("docs/seeds.md has %d rows", rows)
	}
	for title, file := range seedTitles {
		headings, err := headingsOf(filepath.Join("../../../shared/seeds", file))
		if errors.Is(err, fs.ErrNotExist) {
			t.Skipf("SKIPPED: no %s beside this repository", file)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range headings {
			if !sections[title][h] && !exempt[h] {
				t.Errorf("%s: section %q has no row in docs/seeds.md", file, h)
			}
		}
	}
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
			if _, err := os.Stat(filepath.Join("../../cmd/callgate/testdata/script", m[2]+".txtar")); err != nil {
				t.Errorf("docs/seeds.md:%d: %v", line, err)
			}
		default:
			if !testsOf(t, m[1])[m[2]] {
				t.Errorf("docs/seeds.md:%d: %s has no %s", line, m[1], m[2])
			}
		}
	}
}

// foundTests are the tests of each package that was asked for.
var foundTests = map[string]map[string]bool{}

// testsOf lists the tests and examples of a package by its directory. It is not
// for several goroutines at once.
func testsOf(t *testing.T, dir string) map[string]bool {
	t.Helper()
	if found, ok := foundTests[dir]; ok {
		return found
	}
	found := map[string]bool{}
	foundTests[dir] = found
	files, err := filepath.Glob(filepath.Join("../..", dir, "*_test.go"))
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

// headingsOf lists the headings of a Markdown file, those in code left out.
func headingsOf(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out []string
	code := false
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if !code && level > 0 && strings.HasPrefix(line[level:], " ") {
			out = append(out, strings.TrimSpace(line[level:]))
		}
	}
	return out, nil
}
