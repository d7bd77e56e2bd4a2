package bash

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// setWords are words of lines and of rules, so many rules match.
var setWords = []string{
	"npm", "run", "build", "git", "push", "--force", "rm", "-rf", "/bin/rm", `\rm`, `"rm"`, "sudo", "env", "X=1", "xargs", "sh", "-c", "'rm x'", "python3", "'import os; os.system(\"rm x\")'",
	"find", ".", "-exec", "{}", ";", "&&", "|", "$(rm x)", "time", "docker", "exec", "c", "mytool", "'rm -rf x'", "*", "~/x", "{a,b}", "cat", "<<< x", "> out", "é", "''", "\t", "!",
}

// TestRuleSet_readsEnough: a rule skipped at a glance could not have matched.
func TestRuleSet_readsEnough(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(setWords), 1, 7)
		text := strings.Join(words.Draw(t, "line"), " ")
		line := Analyze(text, Setting{Dialect: rapid.SampledFrom([]Dialect{Unknown, Bash, Fish}).Draw(t, "dialect"), CWD: "/p", Home: "/h", WorkingDirectories: []string{"/p"}})
		contents := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			ending := rapid.SampledFrom([]string{"", ":*", " *", "*", " ", ":* *", "\n"}).Draw(t, "ending")
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(setWords), 0, 3).Draw(t, "rule"), " ") + ending
		}), 1, 6).Draw(t, "rules")
		if rapid.Bool().Draw(t, "the line itself") {
			contents = append(contents, escapeRule(text), text+":*")
		}
		all := readRules(contents, nil)
		if got, want := readRules(contents, line.firsts(false)).hit(line), all.hit(line); !slices.Equal(got, want) {
			t.Fatalf("%q, deny %q: got %v, want %v", text, contents, got, want)
		}
		inside := func(*Command) bool { return true }
		got, want := readRules(contents, line.firsts(true)).coveredBy(line, anywhere{}, inside), all.coveredBy(line, anywhere{}, inside)
		if !slices.Equal(got, want) {
			t.Fatalf("%q, allow %q: got %v, want %v", text, contents, got, want)
		}
	})
}

// TestRuleSet_leavesOut: a long list is not read when it is about other programs.
func TestRuleSet_leavesOut(t *testing.T) {
	t.Parallel()
	line := Analyze("cd web && npm run build", Setting{CWD: "/p"})
	contents := []string{"npm run:*", "cargo build", "go test *", "make:*", "npm *", "git commit -m x", `echo "x"`, "git * x", ":*", "npm", "a", "b", "c"}
	if got := line.rulesFor(contents, true).at; !slices.Equal(got, []int{0, 4, 6, 7, 8, 9}) {
		t.Errorf("allow: read %v", got)
	}
	if got := line.rulesFor(contents, false).at; !slices.Equal(got, []int{0, 4, 6, 7, 8, 9}) {
		t.Errorf("deny: read %v", got)
	}
}
