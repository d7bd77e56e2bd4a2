package eval_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

var (
	// citedPlace is a place in a document: `docs/rules.md, "Shells"`.
	citedPlace = regexp.MustCompile(`([\w./-]+\.md), "([^"]+)"(?: and "([^"]+)")?`)
	citedFile  = regexp.MustCompile(`[\w./-]*\w\.md\b`)
	// citedAbsent are phrases of comments citing the authors' own papers.
	citedAbsent = regexp.MustCompile(`(?i:\bdesign,? sections?\b|\bthe design\b|\bsources?: (?:design|issue|facts)\b|\bfacts/\w|\bissue \d|\bthe seed's\b)|\b(?:[A-Z]\w+|vibing) seed\b`)
	citedThreat = regexp.MustCompile(`\bthreats? (T\d\d)(?: and (T\d\d))?`)
	// exampleFiles are example names of other people's files.
	exampleFiles = regexp.MustCompile(`^(?:AGENTS|NAME|notes|docs/write-a-tool-LANGUAGE)\.md$`)
)

// TestDocs_references: every citation in a comment of a Go file is in this repository, and the
// cited places of documents exist.
func TestDocs_references(t *testing.T) {
	t.Parallel()
	threats, err := os.ReadFile(repo.File("docs/security.md"))
	if err != nil {
		t.Fatal(err)
	}
	root, files, pointers := repo.File(), 0, 0
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && file != root && (strings.HasPrefix(name, ".") || name == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go"):
			return nil
		}
		files++
		for line, text := range commentsOf(t, file) {
			where := strings.TrimPrefix(file, root+"/")
			for _, fault := range faultsOf(text, filepath.Dir(file), string(threats)) {
				t.Errorf("%s:%d: %s", where, line, fault)
			}
			pointers += strings.Count(text, `RATIONALE.md, "`)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 1000 || pointers < 30 {
		t.Errorf("%d files with %d pointers to RATIONALE.md", files, pointers)
	}
}

var (
	lineBreak = regexp.MustCompile(`\s*\n\s*(?://|#|--|;;|\*)*\s*`)
	rationale = regexp.MustCompile(`RATIONALE\.md,? "([^"]+)"(?: and "([^"]+)")?`)
)

// TestDocs_rationale: code points to each entry of RATIONALE.md.
func TestDocs_rationale(t *testing.T) {
	t.Parallel()
	pointed := map[string]bool{}
	root := repo.File()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && file != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "bin"):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".sql", ".yaml", ".wat", ".sh"}, filepath.Ext(name)) && name != "Makefile" && name != "go.mod":
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, m := range rationale.FindAllStringSubmatch(lineBreak.ReplaceAllString(string(text), " "), -1) {
			pointed[m[1]], pointed[m[2]] = true, true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(repo.File("RATIONALE.md"))
	if err != nil {
		t.Fatal(err)
	}
	entries := 0
	for line := range strings.Lines(string(text)) {
		heading, isEntry := strings.CutPrefix(strings.TrimSpace(line), "### ")
		if !isEntry {
			continue
		}
		entries++
		if !pointed[heading] {
			t.Errorf("RATIONALE.md: no code points to %q: point to it, merge it or remove it", heading)
		}
	}
	if entries < 50 {
		t.Errorf("RATIONALE.md has %d entries", entries)
	}
}

// TestDocs_referencesSeesFaults keeps the test above from passing for want of a check.
func TestDocs_referencesSeesFaults(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		`See docs/rules.md, "Shells".`:                                 0,
		`docs/seeds.md, "Frontmatter Format" and "Common Recipes".`:    0,
		`The same seed does the same (threat T19).`:                    0,
		`RATIONALE.md, "Why is this heading not there?".`:              1,
		`docs/rules.md, "Shells" and "Shelves".`:                       1,
		`Source: threats.md.`:                                          1,
		`Source: design section 3.`:                                    1,
		`Source: the Chorus seed, "Overview".`:                         1,
		`A deadline alone does not ensure this (facts/wasm-host.txt).`: 1,
		`Denies within 250 ms (issue 6).`:                              1,
		`threat T99`:                                                   1,
		`Order and bounds are from the design's table (see house.md).`: 2,
	} {
		if got := faultsOf(text, repo.File("engine"), "| **T19** programs |"); len(got) != want {
			t.Errorf("%s: got %q, want %d faults", text, got, want)
		}
	}
}

// faultsOf are the dead citations of a comment.
func faultsOf(comment, dir, threats string) (faults []string) {
	for _, m := range citedPlace.FindAllStringSubmatch(comment, -1) {
		for _, heading := range m[2:] {
			if heading != "" && !hasHeading(m[1], heading) {
				faults = append(faults, m[1]+" has no "+heading)
			}
		}
	}
	for _, name := range citedFile.FindAllString(comment, -1) {
		if !exampleFiles.MatchString(name) && !anywhere(dir, name) {
			faults = append(faults, "there is no "+name)
		}
	}
	if m := citedAbsent.FindString(comment); m != "" {
		faults = append(faults, m+": say what it says, or cite a document of this repository")
	}
	for _, m := range citedThreat.FindAllStringSubmatch(comment, -1) {
		for _, threat := range m[1:] {
			if threat != "" && !strings.Contains(threats, "**"+threat+"**") {
				faults = append(faults, "docs/security.md has no "+threat)
			}
		}
	}
	return faults
}

// hasHeading says whether a document has the heading, or a table with such a first cell.
func hasHeading(file, heading string) bool {
	text, err := os.ReadFile(repo.File(file))
	if err != nil {
		return true // the missing file is a fault of its own
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if cells := tableCells(line); len(cells) > 1 && cells[0] == heading {
			return true
		}
		if level := strings.TrimLeft(line, "#"); level != line && strings.TrimSpace(level) == heading {
			return true
		}
	}
	return false
}

// anywhere says whether a file is in the repository, by its path from the root or from
// the directory of the comment.
func anywhere(dir, name string) bool {
	for _, file := range []string{repo.File(name), filepath.Join(dir, name)} {
		if _, err := os.Stat(file); err == nil {
			return true
		}
	}
	return false
}

// commentsOf joins the lines of each comment of a Go file, by the number of the last.
func commentsOf(t *testing.T, file string) map[int]string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s scanner.Scanner
	f := token.NewFileSet().AddFile(file, -1, len(text))
	s.Init(f, text, nil, scanner.ScanComments)
	comments, last := map[int]string{}, 0
	for {
		pos, kind, literal := s.Scan()
		if kind == token.EOF {
			return comments
		}
		if kind != token.COMMENT {
			continue
		}
		line := f.Line(pos)
		literal = strings.TrimSpace(strings.Trim(strings.TrimPrefix(literal, "//"), "/*"))
		if before, ok := comments[last]; ok && line == last+1 {
			literal = before + " " + literal
			delete(comments, last)
		}
		last = line
		comments[last] = literal
	}
}
