package program

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestRowsAreSound compiles every row, with a panic on a mistake in one, and finds each by each
// of its names, and no two by the same.
func TestRowsAreSound(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i, r := range table {
		if mistake := compiles(r); mistake != nil {
			t.Error(mistake)
			continue
		}
		for _, key := range keys(r.Name) {
			if seen[key] {
				t.Errorf("two rows for %q", key)
			}
			seen[key] = true
			if g := find(key); g == nil || g.Name != table[i].Name || g.key != key {
				t.Errorf("%q is not found by its name", key)
			}
		}
	}
	for _, key := range []string{"", " ", "git ", " git", "git|x", "docker|podman|nerdctl", "git status x", "git remote|"} {
		if find(key) != nil {
			t.Errorf("%q is found", key)
		}
	}
}

// compiles returns compile's panic.
func compiles(r Row) (mistake any) {
	defer func() { mistake = recover() }()
	compile(r, r.Name)
	return nil
}

func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		tables()
	}
}

// TestVersionsAreProven: pytest -v, tclsh -v and pylint --version once counted as printing a
// version, because a row of many programs said so of all. Of several programs a row may say so
// for --version and --help alone, and where they run code of a project, take commands or use
// configuration, only for the named ones; of one running code of the project it must give the
// source.
func TestVersionsAreProven(t *testing.T) {
	t.Parallel()
	for _, r := range table {
		if err := versionMistake(r); err != "" {
			t.Errorf("%s: %s", r.Name, err)
		}
	}
	for _, wrong := range []Row{
		{Name: "a|b", Version: "-v"}, {Name: "a|b", Version: "version"}, {Name: "a|b", Version: "a,b:-v"}, {Name: "a|b", Version: "c:--version"}, {Name: "a", Version: "--version", Project: true},
		{Name: "a|b", Version: "--version", Terminal: true}, {Name: "a|b", Version: "--version", Repo: true}, {Name: "a|b", Version: "--version", Project: true, VersionAlone: "a(1)"}, {Name: "a b", Version: "--version"},
	} {
		if versionMistake(wrong) == "" {
			t.Errorf("%+v passes", wrong)
		}
	}
}

func versionMistake(r Row) string {
	names := strings.Split(r.Name, "|")
	switch {
	case r.Version == "" && r.VersionAlone == "":
		return ""
	case strings.Contains(r.Name, " ") && r.Version != "":
		return "a sub-command has no version of its own"
	case r.Project != (r.VersionAlone != ""):
		return "a program that runs code of the project says where it is written that it prints its version without, and no other does"
	}
	for token := range tokens(r.Version) {
		of, words, named := strings.Cut(token, ":")
		switch whole := token == "--version" || token == "--help"; {
		case len(names) == 1 && !named:
		case !named && (!whole || r.Project || r.Terminal || r.Repo):
			return token + " names no program"
		case !named:
		case slices.ContainsFunc(strings.Split(of, ","), func(name string) bool { return !slices.Contains(names, name) }):
			return token + " names a program that the row has not"
		case strings.Contains(of, ",") && strings.ReplaceAll(strings.ReplaceAll(","+words, ",--version", ""), ",--help", "") != "":
			return token + " is more than --version for several programs"
		}
	}
	return ""
}

// TestProjectRowsSayWhatChooses: each row of a program running code of a project marks its
// choosing options, and the table of choices has a command of the program outside a rule for it
// and one inside.
func TestProjectRowsSayWhatChooses(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../testdata/choices.txt")
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]string{}
	for line := range strings.Lines(string(text)) {
		mark, rest, _ := strings.Cut(line, " ")
		if mark == "+" || mark == "-" {
			tried[strings.TrimSuffix(strings.Fields(rest)[0], ":*")] += mark
		}
	}
	for _, r := range table {
		if !r.Project {
			continue
		}
		program, _, _ := strings.Cut(r.Name, " ")
		names := strings.Split(program, "|")
		if r.Chooses == 0 {
			t.Errorf("%s: Chooses is not set", program)
		}
		if r.Chooses == Marked && len(names) > 5 {
			t.Errorf("%s: the options of %d programs cannot all be listed in one row", program, len(names))
		}
		marks := ""
		for _, name := range names {
			marks += tried[name]
		}
		if !strings.Contains(marks, "+") || !strings.Contains(marks, "-") {
			t.Errorf("%s: choices.txt has %q, want a command that is covered and one that is not", program, marks)
		}
	}
}

// TestMarkedOptionsChoose: every option with the mark is a choice in each of its spellings,
// attached, behind, and abbreviated as far as unique.
func TestMarkedOptionsChoose(t *testing.T) {
	t.Parallel()
	for _, r := range table {
		key := keys(r.Name)[0]
		g := find(key)
		for _, o := range g.options.list {
			if !o.spec.is(chooses) || g.Bare {
				continue
			}
			lines := [][]string{{o.name, "value"}, {o.name + "=value"}}
			if len(o.name) == 2 && o.spec.is(takesValue) {
				lines = append(lines, []string{o.name + "value"})
			}
			if g.Abbreviates && len(o.name) > 4 {
				lines = append(lines, []string{o.name[:len(o.name)-1], "value"})
			}
			for _, line := range lines {
				var words []Word
				for _, text := range append(strings.Fields(key), line...) {
					words = append(words, Word{Text: text, Literal: true})
				}
				at := len(strings.Fields(key))
				if u := Read(words); !slices.ContainsFunc(u.Choices(), func(c Choice) bool { return c.At == at }) {
					t.Errorf("%s %q is no choice", key, line)
				}
			}
		}
	}
}
