package profile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
)

// python returns an interpreter whose re module is the one patterns mean, and
// skips the test visibly where there is none. Possessive repetitions match other
// texts in the first releases of 3.11 (seen in 3.11.2, not in 3.11.7).
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

// TestSameAsPython compares generated patterns and texts with re.fullmatch.
func TestSameAsPython(t *testing.T) {
	t.Parallel()
	interpreter := python(t)
	const patterns = 6000
	g := generator{rand.New(rand.NewPCG(1, 2))}
	var in bytes.Buffer
	questions := make([]question, patterns)
	for i := range questions {
		questions[i] = g.question(i%4 == 0)
		line, err := json.Marshal(questions[i])
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(line, '\n'))
	}
	cmd := exec.Command(interpreter, "testdata/oracle.py")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s testdata/oracle.py: %v", interpreter, err)
	}
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(answers) != patterns {
		t.Fatalf("got %d answers to %d questions", len(answers), patterns)
	}
	valid := 0
	for i, q := range questions {
		var want []bool
		if err := json.Unmarshal([]byte(answers[i]), &want); err != nil {
			t.Fatal(err)
		}
		if want != nil {
			valid++
		}
		compare(t, q, want)
	}
	t.Logf("%d patterns compared, %d of them valid", patterns, valid)
}

// compare checks one pattern; want nil means that Python refuses it.
func compare(t *testing.T, q question, want []bool) {
	t.Helper()
	c, err := profile.Compile(profile.Profile{Allow: []string{q.Pattern}})
	if (err != nil) != (want == nil) {
		t.Errorf("pattern %q: error %v, Python refuses it: %t", q.Pattern, err, want == nil)
		return
	}
	for i := range want {
		a := c.Decide([]string{q.Texts[i]})
		if got := a.Behavior == engine.Allow; got != want[i] {
			t.Errorf("pattern %q on %q: got %t, Python says %t (%s)", q.Pattern, q.Texts[i], got, want[i], a.Note)
		}
	}
}

// generator writes patterns of Python's syntax, and sometimes nearly so.
type generator struct{ *rand.Rand }

func pickOne[T any](g generator, from []T) T { return from[g.IntN(len(from))] }

func (g generator) question(broken bool) question {
	pattern := pickOne(g, []string{"", "", "", "(?i)", "(?s)", "(?m)", "(?x)", "(?a)", "(?is)", "(?ai)"}) + g.alternatives(3)
	if broken {
		pattern = g.mutate(pattern)
	}
	q := question{Pattern: pattern}
	for range 8 {
		var text strings.Builder
		for range g.IntN(7) {
			text.WriteString(pickOne(g, []string{"a", "b", "a", "b", "A", "1", "_", " ", "\n", "-", "é", "É", "ſ", "k", "K", "ß", "ẞ", "٣", "x", "{"}))
		}
		q.Texts = append(q.Texts, text.String())
	}
	return q
}

func (g generator) alternatives(depth int) string {
	parts := []string{g.sequence(depth)}
	for g.IntN(4) == 0 {
		parts = append(parts, g.sequence(depth))
	}
	return strings.Join(parts, "|")
}

func (g generator) sequence(depth int) string {
	var out strings.Builder
	for range g.IntN(4) {
		out.WriteString(g.atom(depth) + g.quantifier())
	}
	return out.String()
}

func (g generator) quantifier() string {
	if g.IntN(2) == 0 {
		return ""
	}
	q := pickOne(g, []string{"*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "{,}", "{0}"})
	return q + pickOne(g, []string{"", "", "", "?", "+"})
}

func (g generator) atom(depth int) string {
	if depth == 0 || g.IntN(3) > 0 {
		return pickOne(g, []string{
			"a", "b", "a", "b", ".", "1", "k", "s", "ß", "é", " ", "-", "_", `\n`, `\w`, `\W`, `\d`, `\s`, `\S`, `\b`, `\B`, `\A`, `\Z`, "^", "$",
			`\x61`, `\u0062`, `\101`, `\.`, "[ab]", "[^a]", "[a-k]", `[^\w]`, `[\d_]`, "[]a]", "[a-]", "[k]", `[\W\s]`, "[^]]", "#", "{", "}", `\1`, `\1`, `(?(1)a|b)`,
		})
	}
	open := pickOne(g, []string{"(", "(", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?-i:", "(?s:", "(?a:", "(?x:", "(?i-s:", "(?(1)"})
	if strings.HasPrefix(open, "(?<") && g.IntN(4) > 0 {
		return open + pickOne(g, []string{"a", "b|a", "[ab]", "aa", `\b`, "^", "", "(?!a)b", "(?:ab|ba)"}) + ")"
	}
	return open + g.alternatives(depth-1) + ")"
}

// mutate breaks a pattern somewhere.
func (g generator) mutate(pattern string) string {
	r := []rune(pattern)
	for range 1 + g.IntN(2) {
		at := g.IntN(len(r) + 1)
		insert := pickOne(g, []string{"(", ")", "[", "]", "{", "*", "?", "+", "\\", "|", "(?", "(?P<n>", "(?P=n)", "(?<", `\8`, `\x4`, "{2,1}", "--", "(?#", "(?i)", "[b-a]", `[\d-z]`, `\N{EM DASH}`})
		if at < len(r) && g.IntN(2) == 0 {
			r = append(r[:at:at], r[at+1:]...)
		} else {
			r = append(r[:at:at], append([]rune(insert), r[at:]...)...)
		}
	}
	return string(r)
}

// TestClassesSameAsPython compares the classes that depend on Unicode and on
// case, for every character up to the Deseret letters, which are outside the basic
// plane and have case.
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

// difference names the first character that is matched and not wanted, or the
// other way round.
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

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// actionPattern writes a pattern that is about the tool ab, often but not
// always.
func (g generator) actionPattern() string {
	head := pickOne(g, []string{"tool:", "tool:ab:", "tool:abc:", "tool:(?!ab)", "tool:a?", "tool:[^a]", "(?=.*:b)tool:", `tool:\w+`, `tool:ab\b`, "tool:ab(?<!b)"})
	return head + g.alternativesInGroup()
}

func (g generator) alternativesInGroup() string { return "(?:" + g.alternatives(2) + ")" }

func (g generator) detail() string {
	var text strings.Builder
	for range g.IntN(5) {
		text.WriteString(pickOne(g, []string{"a", "b", "1", " ", "\n", "_", "-"}))
	}
	return text.String()
}
