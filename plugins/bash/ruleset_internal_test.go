package bash

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/sdk/go/tool"
)

// setWords are words of lines and of rules, so many rules match.
var setWords = []string{
	"npm", "run", "build", "git", "push", "--force", "rm", "-rf", "/bin/rm", `\rm`, `"rm"`, "sudo", "env", "X=1", "xargs", "sh", "-c", "'rm x'", "python3", "'import os; os.system(\"rm x\")'",
	"aws", "--profile", "dev", "s3", "ls", "export", "AWS_PROFILE=dev", "ssh", "web1", "curl", "GET", "https://x.org/a", "gh", "api", "POST", "files:", "edit", "r[m]", "\u017fudo", "\u212aill", "kill", "NPM", "cd", "/p", "git -C x push", "RM",
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
			ending := rapid.SampledFrom([]string{"", ":*", " *", "*", " ", ":* *", "\n", ": read", "/*", ":-*", ":* without -f"}).Draw(t, "ending")
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

// TestRuleWords_nameEveryMatch: a rule whose first word the description of the call leaves out does not
// decide, whatever the host found out about the call since, and however its shell changed.
func TestRuleWords_nameEveryMatch(t *testing.T) {
	t.Parallel()
	left := 0
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom(setWords), 1, 7)
		text := strings.Join(words.Draw(t, "line"), " ")
		call := func() *tool.Call[Input] {
			return &tool.Call[Input]{Tool: "Bash", Input: Input{Command: CommandLine(text)}, RuleWords: true, Context: tool.Context{
				CWD: "/p", Home: "/h", WorkingDirectories: []string{"/p"}, Dialect: rapid.SampledFrom([]string{"", "bash", "zsh", "fish"}).Draw(t, "dialect"),
			}}
		}
		described := call()
		d := Spec.Describe(described)
		if d.RuleWords == nil {
			return
		}
		later := *described
		later.Context.ShellChanged = rapid.SampledFrom([][]string{nil, {tool.ShellDirectory}, {tool.ShellEnvironment}}).Draw(t, "shell")
		if rapid.Bool().Draw(t, "targets") {
			for _, target := range d.Targets {
				target.Resolved, target.Lexical, target.Inside = "/p/"+target.Value, "/p/"+target.Value, "/p"
				later.Context.Targets = append(later.Context.Targets, target)
			}
			later.Context.TargetsUnknown = d.TargetsUnknown
		}
		rules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) tool.Rule {
			ending := rapid.SampledFrom([]string{"", ":*", " *", "*", ": read", "/*", ":-*"}).Draw(t, "ending")
			return tool.Rule{Content: strings.Join(rapid.SliceOfN(rapid.SampledFrom(setWords), 0, 3).Draw(t, "rule"), " ") + ending}
		}), 1, 8).Draw(t, "rules")
		if rapid.Bool().Draw(t, "the line itself") {
			rules = append(rules, tool.Rule{Content: escapeRule(text)}, tool.Rule{Content: text + ":*"})
		}
		for _, s := range Spec.Suggest(described) {
			rules = append(rules, tool.Rule{Content: *s.Content})
		}
		for _, b := range []tool.Behavior{tool.Allow, tool.Deny, tool.Ask} {
			list := d.RuleWords.Other
			if b == tool.Allow {
				list = d.RuleWords.Allow
			}
			var few []tool.Rule
			var at []int
			for i, r := range rules {
				if word := tool.FirstWord(r.Content); word == "" || slices.Contains(list, word) {
					few, at = append(few, r), append(at, i)
				}
			}
			left += len(rules) - len(few)
			var got []int
			for _, i := range Spec.Match(&later, b, few) {
				got = append(got, at[i])
			}
			if want := Spec.Match(&later, b, rules); !slices.Equal(got, want) {
				t.Fatalf("%q, %s rules %q, words %q: got %v, want %v", text, b, rules, list, got, want)
			}
		}
	})
	if left == 0 {
		t.Error("no rule was left out")
	}
}
