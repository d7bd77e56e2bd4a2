// Command oracle records what Callgate answers and compares it with what was recorded
// before, byte for byte: every answer of `callgate eval` with its trace, over
// testdata/corpus and testdata/sessions, the API's description, the golden texts, the
// CLI's scripts, and the names of the tests. A change of the structure leaves all of it
// alone; a change of a decision shows here as a changed line.
//
//	make oracle              compare with testdata/oracle
//	make oracle RECORD=1     write testdata/oracle anew
//	make oracle ANSWERS=DIR  leave the whole answers in DIR, to be compared with diff
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// home is where the records are kept.
const home = "testdata/oracle"

func main() {
	record := flag.Bool("record", false, "write the records anew")
	answers := flag.String("answers", "", "directory to leave the whole answers in")
	flag.Parse()
	same, err := run(*record, *answers)
	if err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(2)
	}
	if !same {
		os.Exit(1)
	}
}

func run(record bool, dir string) (same bool, err error) {
	if dir == "" {
		if dir, err = os.MkdirTemp("", "callgate-oracle-"); err != nil {
			return false, err
		}
		defer func() { _ = os.RemoveAll(dir) }() // a temporary directory
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, err
	}
	same = true
	for name, lines := range map[string]func(dir string) ([]string, error){"answers.txt": evaluated, "texts.txt": texts, "tests.txt": tests} {
		now, err := lines(dir)
		if err != nil {
			return false, err
		}
		file := filepath.Join(home, name)
		if record {
			if err := os.WriteFile(file, []byte(strings.Join(now, "\n")+"\n"), 0o644); err != nil {
				return false, err
			}
		}
		was, err := os.ReadFile(file)
		if err != nil {
			return false, fmt.Errorf("%w; record it with: make oracle RECORD=1", err)
		}
		differs := compare(file, strings.Split(strings.TrimSpace(string(was)), "\n"), now)
		same = same && !differs
	}
	return same, nil
}

// compare prints the lines that only one of the two has.
func compare(file string, was, now []string) (differs bool) {
	gone, come := without(was, now), without(now, was)
	for _, l := range gone {
		fmt.Printf("%s: - %s\n", file, l)
	}
	for _, l := range come {
		fmt.Printf("%s: + %s\n", file, l)
	}
	fmt.Printf("%s: %d lines, %d gone, %d new\n", file, len(now), len(gone), len(come))
	return len(gone)+len(come) > 0
}

// without returns the lines of a that b does not have as often.
func without(a, b []string) (rest []string) {
	count := map[string]int{}
	for _, l := range b {
		count[l]++
	}
	for _, l := range a {
		if count[l]--; count[l] < 0 {
			rest = append(rest, l)
		}
	}
	return rest
}

// evaluated runs every case and session, and returns a line for each of their files: how
// many answers, and their digest.
func evaluated(dir string) ([]string, error) {
	whole := filepath.Join(dir, "corpus.txt")
	if err := callgate(nil, "eval", "--corpus", "testdata/corpus", "--answers", whole); err != nil {
		return nil, err
	}
	count, digests := map[string]int{}, map[string]*bytes.Buffer{}
	file, err := os.Open(whole)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	in := bufio.NewReader(file)
	for {
		line, err := in.ReadString('\n')
		if line == "" && err != nil {
			break
		}
		name, _, _ := strings.Cut(line, ":")
		if digests[name] == nil {
			digests[name] = &bytes.Buffer{}
		}
		count[name]++
		// The evaluator's own number of the question moves with every new case.
		digests[name].WriteString(id.ReplaceAllString(line, "\t{"))
	}
	var lines []string
	for name, all := range digests {
		lines = append(lines, fmt.Sprintf("%s\t%d answers\t%s", name, count[name], digest(all.Bytes())))
	}
	sessions, err := filepath.Glob("testdata/sessions/*.jsonl")
	if err != nil {
		return nil, err
	}
	for _, session := range sessions {
		var out bytes.Buffer
		if err := callgate(&out, "eval", session); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(session)), out.Bytes(), 0o644); err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("%s\t%d answers\t%s", session, bytes.Count(out.Bytes(), []byte{'\n'}), digest(out.Bytes())))
	}
	slices.Sort(lines)
	return lines, nil
}

var id = regexp.MustCompile(`\t\{"id":\d+,`)

func callgate(out *bytes.Buffer, args ...string) error {
	cmd := exec.Command("bin/callgate", args...)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, os.Stderr
	if out != nil {
		cmd.Stdout = out
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("callgate %s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	return nil
}

func digest(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b))[:16] }

// texts are the files whose bytes somebody relies on. They are named without their
// directory, so that a package may move.
func texts(string) ([]string, error) {
	return walk(func(path string) bool {
		return filepath.Ext(path) == ".golden" || filepath.Ext(path) == ".txtar" || filepath.Base(path) == "openapi.json"
	}, func(path string, data []byte) []string { return []string{filepath.Base(path) + "\t" + digest(data)} })
}

var test = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example|Benchmark)\w*)\(`)

// tests are the names of all tests, without their packages.
func tests(string) ([]string, error) {
	return walk(func(path string) bool { return strings.HasSuffix(path, "_test.go") }, func(_ string, data []byte) (names []string) {
		for _, m := range test.FindAllSubmatch(data, -1) {
			names = append(names, string(m[1]))
		}
		return names
	})
}

// walk returns, sorted, what f says of the product's files that want takes.
func walk(want func(path string) bool, f func(path string, data []byte) []string) (lines []string, err error) {
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.IsDir() && (path == "bin" || path == ".git") {
				return fs.SkipDir
			}
			return err
		}
		if !want(path) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err == nil {
			lines = append(lines, f(path, data)...)
		}
		return err
	})
	slices.Sort(lines)
	return lines, err
}
