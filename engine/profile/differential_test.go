package profile_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
)

// python returns an interpreter with the patterns' re module, and skips the test visibly where
// there is none. Possessive repetitions match other texts in the first releases of 3.11 (seen
// in 3.11.2, not in 3.11.7).
func python(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3.11", "python3"} {
		out, err := exec.Command(name, "-c", "import sys; print((3, 11, 7) <= sys.version_info < (3, 12))").Output()
		if err == nil && strings.TrimSpace(string(out)) == "True" {
			return name
		}
	}
	t.Skip("no Python 3.11.7 or later 3.11 here: patterns are not compared with its re module")
	return ""
}

type question struct {
	Pattern string   `json:"pattern"`
	Texts   []string `json:"texts"`
}

// answer is Python's: the matching texts, or its reason for refusing the pattern.
type answer struct {
	Match    []*bool `json:"match,omitempty"`
	Error    string  `json:"error,omitempty"`
	Position *int    `json:"position,omitempty"`
}

// number reads a number from the environment.
func number(t *testing.T, name string, otherwise uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestSameAsPython compares generated patterns and texts with re.fullmatch.
// PROFILE_CASES sets how many patterns, PROFILE_SEED the first random state.
func TestSameAsPython(t *testing.T) {
	t.Parallel()
	interpreter := python(t)
	g := newGenerator(number(t, "PROFILE_SEED", 1))
	total := int(number(t, "PROFILE_CASES", 6000))
	var sum tally
	for done := 0; done < total; done += 2000 {
		questions := make([]question, min(2000, total-done))
		for i := range questions {
			questions[i] = g.question(i%4 == 0)
		}
		for i, a := range ask(t, interpreter, questions) {
			sum.compare(t, questions[i], a)
		}
	}
	t.Logf("%+v", sum)
	if sum.Valid < total/3 || sum.Refused < total/20 || sum.Matched < total/20 || sum.Unsupported > total/20 || sum.GaveUp > total/100 {
		t.Errorf("%+v: the patterns prove little", sum)
	}
}

// ask puts questions to one Python process.
func ask(t *testing.T, interpreter string, questions []question) []answer {
	t.Helper()
	var in bytes.Buffer
	for _, q := range questions {
		line, err := json.Marshal(q)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command(interpreter, "testdata/oracle.py")
	cmd.Stdin = &in
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s testdata/oracle.py: %v: %s", interpreter, err, said.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(questions) {
		t.Fatalf("got %d answers to %d questions", len(lines), len(questions))
	}
	answers := make([]answer, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line), &answers[i]); err != nil {
			t.Fatal(err)
		}
	}
	return answers
}

var record = flag.Bool("record", false, "write testdata/generated.jsonl anew, from Python's answers")

// recorded is a line of testdata/generated.jsonl.
type recorded struct {
	question
	Answer answer `json:"answer"`
}

// TestRecordedGenerated runs generated patterns against Python's recorded answers, where there
// is no Python.
func TestRecordedGenerated(t *testing.T) {
	t.Parallel()
	const file = "testdata/generated.jsonl"
	if *record {
		recordAnswers(t, file)
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var sum tally
	for line := range bytes.Lines(raw) {
		var r recorded
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		sum.compare(t, r.question, r.Answer)
	}
	if sum.Valid < 900 || sum.Refused < 200 || sum.Slow < 200 || sum.Matched < 500 {
		t.Errorf("%+v: the file proves little", sum)
	}
}

func recordAnswers(t *testing.T, file string) {
	t.Helper()
	g := newGenerator(20)
	questions := make([]question, 1500)
	for i := range questions {
		questions[i] = g.question(i%4 == 0)
	}
	var out bytes.Buffer
	for i, a := range ask(t, python(t), questions) {
		line, err := json.Marshal(recorded{questions[i], a})
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tally counts the comparisons.
type tally struct {
	Valid, Refused, Unsupported, Texts, Matched, SamePlace int
	Slow                                                   int // patterns on regexp2
	GaveUp                                                 int // texts
}

// compare checks one pattern. A pattern valid in Python may be refused by name only.
func (sum *tally) compare(t *testing.T, q question, want answer) {
	t.Helper()
	c, err := profile.Compile(profile.Profile{Allow: []string{q.Pattern}})
	switch {
	case want.Error != "" && err == nil:
		t.Errorf("pattern %q: taken, Python refuses it: %s", q.Pattern, want.Error)
	case want.Error != "":
		sum.Refused++
		if want.Position != nil && strings.Contains(err.Error(), fmt.Sprintf(": position %d: ", *want.Position)) {
			sum.SamePlace++
		} else if want.Position != nil && os.Getenv("PROFILE_PLACES") != "" {
			t.Logf("pattern %q: %v\nPython: %s", q.Pattern, err, want.Error)
		}
	case err != nil && strings.Contains(err.Error(), ": not supported: "):
		sum.Unsupported++
	case err != nil:
		t.Errorf("pattern %q: %v; Python takes it", q.Pattern, err)
	default:
		sum.Valid++
		sum.Texts += len(want.Match)
		if profile.Backtracks(c) {
			sum.Slow++
		}
		sum.translated(t, q, want)
		for i, known := range want.Match {
			if known == nil {
				continue
			}
			match := *known
			a := c.Decide([]string{q.Texts[i]})
			if match {
				sum.Matched++
			}
			if a.Behavior == engine.Deny && strings.Contains(a.Note, "gave up") {
				sum.GaveUp++ // denied, and said so
				continue
			}
			if got := a.Behavior == engine.Allow; got != match || a.Note != "" {
				t.Errorf("pattern %q on %q: got %t, Python says %t (%s)", q.Pattern, q.Texts[i], got, match, a.Note)
			}
		}
	}
}

// translated checks the translation of a pattern, even where a program would
// match it.
func (sum *tally) translated(t *testing.T, q question, want answer) {
	t.Helper()
	match, err := profile.Translated(q.Pattern)
	if err != nil && strings.Contains(err.Error(), ": not supported: ") {
		return
	}
	if err != nil {
		t.Errorf("pattern %q: translated: %v", q.Pattern, err)
		return
	}
	for i, text := range q.Texts {
		switch got, err := match(text); {
		case err != nil:
			sum.GaveUp++
		case want.Match[i] != nil && got != *want.Match[i]:
			t.Errorf("pattern %q on %q: translated, got %t, Python says %t", q.Pattern, text, got, !got)
		}
	}
}

// TestClassesSameAsPython compares the classes depending on Unicode and on case, for every
// character up to the Deseret letters, outside the basic plane and with case.
func TestClassesSameAsPython(t *testing.T) {
	t.Parallel()
	interpreter := python(t)
	patterns := []string{`\w`, `\d`, `\s`, `(?i)[a-z]`, `(?i)k`, `(?i)[^k]`, `(?i)ß`, `(?i)[à-ö]`, `(?i)[Ā-ɏ]`, `(?i)ǆ`, `(?i)µ`,
		`(?i)[𐐀x]`, `(?i)[𐐀-𐐅]`, `(?i)[𐐨-𐐪]`, `(?i)[\x00-\U0010ffff]`, `(?ai)[k-s]`, `(?ai)[𐐀-𐐅]`, `(?i)[ﬅK\d]`, `(?i)İ`, `(?i)i`, `(?i)[^İ-ı]`}
	script := `import re,sys,json
for p in json.load(sys.stdin):
    r = re.compile(p)
    print(json.dumps([c for c in range(0x11000) if not 0xd800 <= c <= 0xdfff and r.fullmatch(chr(c))]))`
	in, err := json.Marshal(patterns)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(interpreter, "-W", "ignore", "-c", script)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		var want []rune
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		c, err := profile.Compile(profile.Profile{Allow: []string{patterns[i]}})
		if err != nil {
			t.Errorf("%q: %v", patterns[i], err)
			continue
		}
		if diff := difference(c, want); diff != "" {
			t.Errorf("pattern %q: %s", patterns[i], diff)
		}
	}
}

// difference names the first character matched and not wanted, or the other way round.
func difference(c *profile.Compiled, want []rune) string {
	wanted := make(map[rune]bool, len(want))
	for _, r := range want {
		wanted[r] = true
	}
	for r := range rune(0x11000) {
		if r >= 0xd800 && r <= 0xdfff {
			continue
		}
		if got := c.Decide([]string{string(r)}).Behavior == engine.Allow; got != wanted[r] {
			return fmt.Sprintf("%U: got %t, Python says %t", r, got, wanted[r])
		}
	}
	return ""
}
