package bash_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/plugins/internal/testkit/shelltest"
)

// realShells are the shells covered by Analyze, with the operator's dialect for each. Without
// one, the first three count.
var realShells = map[string]bash.Dialect{"bash": bash.Bash, "dash": bash.Sh, "zsh": bash.Zsh, "busybox sh": bash.Sh, "mksh": bash.Sh}

// TestShells_T22 runs generated lines in real shells and compares their commands with
// Analyze's. SHELLTEST_LINES and SHELLTEST_SEED choose the number and the lines; a failure
// prints the shortest line read differently.
func TestShells_T22(t *testing.T) {
	t.Parallel()
	lines, seed := number(t, "SHELLTEST_LINES", 800), number(t, "SHELLTEST_SEED", 1)
	if testing.Short() {
		lines = min(lines, 200)
	}
	for _, name := range slices.Sorted(maps.Keys(realShells)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shell, ok := shelltest.Find(name)
			if !ok {
				t.Skipf("SKIPPED: this machine has no %s", name)
			}
			compare(t, shell, seed, lines)
		})
	}
}

func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text, ok := os.LookupEnv(name)
	if !ok {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestTableInShells runs the table of lines once read by shells otherwise than by Analyze, and
// of everyday lines.
func TestTableInShells(t *testing.T) {
	t.Parallel()
	cases := readCases(t, "shells.txt")
	for _, c := range cases {
		if !shelltest.Safe(c.command) {
			t.Errorf("shells.txt:%d: %q may not be run", c.line, c.command)
		}
		line := bash.Analyze(c.command, bash.Setting{CWD: project, Home: home})
		if got := line.Opaque == ""; got != c.want {
			t.Errorf("shells.txt:%d: %q: analysed %v (%s), want %v", c.line, c.command, got, line.Opaque, c.want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(realShells)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shell, ok := shelltest.Find(name)
			if !ok {
				t.Skipf("SKIPPED: this machine has no %s", name)
			}
			lab := newLab(t)
			for _, c := range cases {
				if _, difference := differs(t, lab, shell, c.command); difference != "" {
					t.Errorf("shells.txt:%d: %q: %s", c.line, c.command, difference)
				}
			}
		})
	}
}

// TestPlainLinesAreAnalysed keeps the differential test from being about
// nothing: lines of plain constructs alone are not opaque. The share of opaque
// lines among those with each other construct is printed.
func TestPlainLinesAreAnalysed(t *testing.T) {
	t.Parallel()
	plain := []string{"newline", "pipe", "and", "or", "semicolon", "background", "single quotes", "double quotes", "backslash", "comment", "continued line", "tilde", "group", "subshell", "if", "for", "while", "here-document", "program in quotes"}
	all, analysed := map[string]int{}, map[string]int{}
	for n := range uint64(4000) {
		line := shelltest.Generate(7, n)
		read := bash.Analyze(line.Text, bash.Setting{CWD: project, Home: home})
		for _, class := range line.Classes {
			all[class]++
			if read.Opaque == "" {
				analysed[class]++
			}
		}
		if read.Opaque != "" && !slices.ContainsFunc(line.Classes, func(c string) bool { return !slices.Contains(plain, c) }) {
			t.Errorf("line %d is opaque: %s\n%s", n, read.Opaque, line.Text)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%-28s %4d lines, %3d %% analysed", class, all[class], 100*analysed[class]/all[class])
	}
}

// textOf is line n of the sequence: two in three as generated, the third
// changed at random.
func textOf(seed, n uint64) string {
	line := shelltest.Generate(seed, n).Text
	if n%3 == 2 {
		return shelltest.Mutate(line, seed, n)
	}
	return line
}

// maxFailures is how many differences are looked for before the test ends.
const maxFailures = 4

func compare(t *testing.T, shell shelltest.Shell, seed, lines uint64) {
	var next, ran, programs, failures atomic.Uint64
	var wait sync.WaitGroup
	for range max(1, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			lab := newLab(t)
			for n := next.Add(1) - 1; n < lines && failures.Load() < maxFailures; n = next.Add(1) - 1 {
				text := textOf(seed, n)
				if !shelltest.Safe(text) {
					continue
				}
				count, difference := differs(t, lab, shell, text)
				if count >= 0 {
					ran.Add(1)
					programs.Add(uint64(count))
				}
				if difference == "" {
					continue
				}
				failures.Add(1)
				short := shelltest.Minimise(text, func(s string) bool { _, d := differs(t, lab, shell, s); return d != "" })
				_, difference = differs(t, lab, shell, short)
				t.Errorf("seed %d, line %d: %s reads it differently\n%s\nthe shortest such line:\n%s\n%q\n%s", seed, n, shell.Name, text, short, short, difference)
			}
		})
	}
	wait.Wait()
	t.Logf("%d lines, %d run, %d programs recorded", lines, ran.Load(), programs.Load())
	if lines >= 100 && programs.Load() < lines/4 {
		t.Errorf("%d lines ran %d programs only: the proof is empty", lines, programs.Load())
	}
}

func newLab(t *testing.T) *shelltest.Lab {
	t.Helper()
	lab, err := shelltest.NewLab()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lab.Close(); err != nil {
			t.Error(err)
		}
	})
	return lab
}

// differs runs text in shell, unless it is opaque in every dialect covering the shell, and
// returns how many programs ran (-1 = it was not run) and the difference from Analyze.
func differs(t *testing.T, lab *shelltest.Lab, shell shelltest.Shell, text string) (programs int, difference string) {
	var readings []*bash.Line
	dialects := []bash.Dialect{realShells[shell.Name], bash.Unknown}
	if shell.Name == "mksh" || shell.Name == "busybox sh" {
		dialects = dialects[:1]
	}
	for _, dialect := range dialects {
		line := bash.Analyze(text, bash.Setting{Dialect: dialect, CWD: lab.Work, Home: lab.Home, WorkingDirectories: []string{lab.Work}})
		if line.Opaque == "" {
			readings = append(readings, line)
		}
	}
	if len(readings) == 0 {
		return -1, ""
	}
	out, err := lab.Run(shell, text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	if out.Killed {
		return -1, "" // a loop without an end
	}
	for _, line := range readings {
		b := belief{line: line, lab: lab}
		for _, run := range out.Runs {
			if why := b.unbelieved(run); why != "" {
				return len(out.Runs), fmt.Sprintf("dialect %q: %s\nit printed %q", line.Setting.Dialect, why, out.Output)
			}
		}
		for _, file := range out.Files {
			if !b.written(file) {
				return len(out.Runs), fmt.Sprintf("dialect %q: it wrote %q, believed %s", line.Setting.Dialect, file, b)
			}
		}
	}
	return len(out.Runs), ""
}

// belief is Analyze's result for a line.
type belief struct {
	line *bash.Line
	lab  *shelltest.Lab
}

func (b belief) String() string {
	var out strings.Builder
	for _, cmd := range b.line.Commands {
		out.WriteString("\n  ")
		for _, a := range cmd.Assigns {
			fmt.Fprintf(&out, "%s=%q ", a.Name, a.Value.Text)
		}
		for _, w := range cmd.Words {
			fmt.Fprintf(&out, "%q%s ", w.Text, flags(w))
		}
		for _, r := range cmd.Redirects {
			fmt.Fprintf(&out, "redirect %q%s ", r.Word.Text, flags(r.Word))
		}
		fmt.Fprintf(&out, "in %q", cmd.Dirs)
	}
	return out.String()
}

func flags(w bash.Word) string {
	out := ""
	if !w.Literal {
		out += " (not literal)"
	}
	if w.Glob {
		out += " (glob)"
	}
	return out
}

// unbelieved returns the part of run missing in the analysis.
func (b belief) unbelieved(run shelltest.Run) string {
	argv := append([]string{run.Program}, run.Args...)
	seen, placed := false, false
	for _, cmd := range b.line.Commands {
		if !b.same(cmd.Words, argv) && !timeProgram(cmd, run) {
			continue
		}
		seen = true
		placed = placed || cmd.Dirs == nil || slices.ContainsFunc(cmd.Dirs, func(d string) bool { return b.path(d) == run.Dir })
	}
	switch {
	case !seen:
		return fmt.Sprintf("it ran %q, believed %s", argv, b)
	case !placed:
		return fmt.Sprintf("it ran %q in %s, believed %s", argv, run.Dir, b)
	}
	for name, value := range run.Env {
		if !b.assigned(name, value) {
			return fmt.Sprintf("it ran %q with %s=%q, believed %s", argv, name, value, b)
		}
	}
	return ""
}

// timeProgram: a keyword to bash is a program to dash. Its command is recorded as well.
func timeProgram(cmd *bash.Command, run shelltest.Run) bool {
	return run.Program == "time" && len(cmd.Words) == 1 && cmd.Words[0].Text == "time" && cmd.Wraps
}

// assigned reports whether the line gives name this value, before the command or by exporting
// the name, whose value may then come from a loop.
func (b belief) assigned(name, value string) bool {
	for _, cmd := range b.line.Commands {
		if slices.Contains([]string{"export", "declare", "typeset", "local", "readonly"}, cmd.Name()) && slices.ContainsFunc(cmd.Assigns, func(a bash.Assign) bool { return a.Name == name }) {
			return true
		}
		for _, a := range cmd.Assigns {
			if a.Name == name && b.same([]bash.Word{a.Value}, []string{value}) {
				return true
			}
		}
	}
	return false
}

// path returns the absolute path of a text of Dirs.
func (b belief) path(text string) string {
	switch {
	case text == "~" || strings.HasPrefix(text, "~/"):
		return filepath.Join(b.lab.Home, text[1:])
	case filepath.IsAbs(text):
		return filepath.Clean(text)
	}
	return filepath.Join(b.lab.Work, text)
}

func (b belief) written(file string) bool {
	file = filepath.Join(b.lab.Work, file)
	for _, cmd := range b.line.Commands {
		for _, r := range cmd.Redirects {
			if !r.Write {
				continue
			}
			if !r.Word.Literal || r.Word.Brace || cmd.Dirs == nil && filepath.Base(r.Word.Text) == filepath.Base(file) {
				return true
			}
			for _, dir := range cmd.Dirs {
				name := r.Word.Text
				if r.Word.Tilde {
					name = b.path(name)
				}
				if !filepath.IsAbs(name) {
					name = filepath.Join(b.path(dir), name)
				}
				if ok, _ := filepath.Match(filepath.Clean(name), file); filepath.Clean(name) == file || r.Word.Glob && ok {
					return true
				}
			}
		}
	}
	return false
}

// same reports whether words can be argv. A non-literal word may become any number of
// arguments, so may braces; a glob, its matches, or none.
func (b belief) same(words []bash.Word, argv []string) bool {
	if len(words) == 0 {
		return len(argv) == 0
	}
	w, rest := words[0], words[1:]
	if !w.Literal || w.Brace {
		for n := 0; n <= len(argv); n++ {
			if b.same(rest, argv[n:]) {
				return true
			}
		}
		return false
	}
	text := w.Text
	if w.Tilde {
		text = b.lab.Home + text[1:]
	}
	if len(argv) > 0 && argv[0] == text && b.same(rest, argv[1:]) {
		return true
	}
	if !w.Glob {
		return false
	}
	for n := 0; n <= len(argv); n++ {
		if b.same(rest, argv[n:]) {
			return true
		}
		if n < len(argv) && !globs(text, argv[n]) {
			break
		}
	}
	return false
}

// globs reports whether pattern can stand for name; it errs towards yes for patterns with
// several readings.
func globs(pattern, name string) bool {
	ok, err := filepath.Match(pattern, name)
	return ok || err != nil || strings.ContainsAny(pattern, "[]()")
}

// TestNoRealProgram proves that the lines of the differential test cannot run a program of the
// machine: the invented names exist nowhere, and in every shell all names are recorders.
func TestNoRealProgram(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{shelltest.Fail}, shelltest.Names...) {
		if path, err := exec.LookPath(name); err == nil {
			t.Errorf("%s is a program of this machine: %s", name, path)
		}
	}
	lab := newLab(t)
	for name := range realShells {
		shell, ok := shelltest.Find(name)
		if !ok {
			continue
		}
		for _, program := range shelltest.Programs() {
			out, err := lab.Run(shell, "'"+program+"' -x 'a b'")
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(out.Runs, func(r shelltest.Run) bool { return r.Program == program && slices.Equal(r.Args, []string{"-x", "a b"}) }) {
				t.Errorf("%s does not run the recorder called %s: %+v", name, program, out)
			}
		}
	}
}
