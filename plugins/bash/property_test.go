package bash_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

// commandGen draws command lines of every sort: harmless, changing, hidden.
var commandGen = rapid.Custom(func(t *rapid.T) string {
	word := rapid.SampledFrom([]string{
		"ls", "git status", "npm run build", "rm x", "touch a", "cd sub", "cd /tmp", "echo hi", "cat f | wc -l", "sudo ls", "env A=b ls", "X=1 ls", "git push", "ls > f", "cat .env",
		"$(id)", "`id`", "$X y", "'rm' x", `\rm x`, "xargs rm", "find . -exec rm {} +", "bash -c 'rm x'", "sed -n 1p f", "sed -i s/a/b/ f", "cp a b", "mkdir 'a b'", "rm -rf /", "python3 -c 1",
		"curl https://x.example", "for f in a; do ls; done", "(ls)", "{ ls; }", "! ls", "time ls", "ls &", "cat <<E\nx\nE\n", "[ -f a ]", "alias a=b", "mv a b", "cp a ../../../../../b",
	})
	op := rapid.SampledFrom([]string{" && ", " || ", "; ", " | ", "\n"})
	parts := rapid.SliceOfN(word, 1, 4).Draw(t, "parts")
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteString(op.Draw(t, "op"))
		}
		b.WriteString(p)
	}
	return b.String()
})

var ruleGen = rapid.SliceOfN(rapid.SampledFrom([]string{
	"npm run:*", "rm:*", "git:*", "git push", "touch *", "ls:*", "cat:*", "xargs rm:*", "sudo ls:*", "env:*", "echo:*", "cp:*", "* f", "sed:*", "find:*", "bash -c:*", "cd:*", "time:*", "python3:*", "rm x",
}), 1, 5)

// allowed reports whether anything in the module would let the line run.
func allowed(command string, rules []string) bool {
	c := withMode(callOf(command), tool.ModeAcceptEdits)
	return bash.Spec.ReadOnly(c).ReadOnly || bash.Spec.Check(c).Behavior == tool.Allow || bash.Spec.Check(callOf(command)).Behavior == tool.Allow ||
		len(bash.Spec.Match(c, tool.Allow, rulesOf(rules...))) > 0 && !bash.Spec.Check(callOf(command)).BypassImmune
}

func TestAddingACommandNeverAllows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line, more, rules := commandGen.Draw(t, "line"), commandGen.Draw(t, "more"), ruleGen.Draw(t, "rules")
		if allowed(line, rules) {
			return
		}
		for _, longer := range []string{line + " & " + more, more + " &\n" + line, line + "; " + more, more + "; " + line, line + " && " + more, more + " && " + line, line + "\n" + more, line + " | " + more, more + " || " + line} {
			if strings.Contains(longer, "&;") || strings.Contains(longer, "& &&") {
				continue // does not parse
			}
			if allowed(longer, rules) {
				t.Fatalf("%q is not allowed, %q is", line, longer)
			}
		}
	})
}

func TestWrappingNeverAllows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line, rules := commandGen.Draw(t, "line"), ruleGen.Draw(t, "rules")
		if allowed(line, rules) {
			return
		}
		for _, wrapped := range wrappings(line) {
			if allowed(wrapped, rules) {
				t.Fatalf("%q is not allowed, %q is (rules %q)", line, wrapped, rules)
			}
		}
	})
}

// wrappings are other spellings of a line running at least its commands.
func wrappings(line string) []string {
	out := []string{
		"( " + line + "\n)", "{ " + line + "\n}", "if true; then " + line + "\nfi", "bash -c " + quote(line), "env bash -c " + quote(line), "echo $(" + line + "\n)", "cat <(" + line + "\n)",
		"while true; do " + line + "\ndone", "! { " + line + "\n}", "time { " + line + "\n}",
		"for i in 1 2; do " + line + "\ndone", "case x in x) " + line + "\n;; esac", "while read -r l; do " + line + "\ndone < f", "until " + line + "\ndo :; done", "if " + line + "\nthen :; fi", "if false; then :; else " + line + "\nfi",
		"x=$(" + line + "\n)", "x=a; " + line, "for x in $(" + line + "\n); do :; done", "[ -n \"$(" + line + "\n)\" ]", "ls $(" + line + "\n)", "diff <(" + line + "\n) a", "(cd sub && " + line + "\n)",
	}
	if !strings.ContainsAny(line, "\n;|&<>(){}!$`=[") && !strings.HasPrefix(line, "time") && !strings.HasPrefix(line, "for") && !strings.HasPrefix(line, "cd ") && !strings.HasPrefix(line, "alias") {
		for _, w := range []string{"env ", "sudo ", "doas ", "setsid ", "stdbuf -oL ", "env -i ", "exec ", "sudo -u x -- ", "command ", "nohup ", "timeout 5 ", "nice -n 3 ", "xargs ", "A=b ", "find . -exec "} {
			end := ""
			if w == "find . -exec " {
				end = " \\;"
			}
			out = append(out, w+line+end)
		}
	}
	return out
}

// TestVariablesNeverAllow: a word forbidden to a command is not let through in a variable, a
// loop, the output of a command, or where another value is only one of the possible ones.
func TestVariablesNeverAllow(t *testing.T) {
	t.Parallel()
	words := []string{".env", "~/.ssh/id_rsa", "-delete", "--output=x", "-o", "-i", "--pre=./x", "a;b", "$(id)", "/etc/shadow", ".env*", "*.pem", "a .env", "server.key", "--files0-from=.env", "-exec", "w x", "a[$(id)]", "-v"}
	programs := []string{"cat", "head -1", "find .", "sort", "git diff", "git log", "sed -n", "grep x", "rg x", "wc", "tee", "rm", "awk", "bash", "sed -i s/a/b/", "file", "printf %d", "[ -n a -a"}
	rapid.Check(t, func(t *rapid.T) {
		word, program := rapid.SampledFrom(words).Draw(t, "word"), rapid.SampledFrom(programs).Draw(t, "program")
		if allowed(program+" "+word, nil) || allowed(program+" "+quote(word), nil) {
			return
		}
		use := program + " " + rapid.SampledFrom([]string{"$x", `"$x"`, "${x}", `"${x}"`}).Draw(t, "use")
		value := rapid.SampledFrom([]string{quote(word), word}).Draw(t, "value")
		line := rapid.SampledFrom([]string{
			"x=" + value + "; " + use, "x=" + value + " && " + use, "export x=" + value + "; " + use, "x=a; x=" + value + "; " + use, "for x in " + value + "; do " + use + "; done", "for x in a " + value + "; do " + use + "; done",
			"x=a; if true; then x=" + value + "; fi; " + use, "x=a; false || x=" + value + "; " + use, "x=a; while true; do " + use + "; x=" + value + "; done", "x=a; for i in 1 2; do " + use + "; x=" + value + "; done",
			"x=a; case a in a) x=" + value + ";; esac; " + use, "x=a; for i in 1 2; do " + use + "; for x in " + value + "; do :; done; done", "y=" + value + "; x=$y; " + use, "x=$(echo " + quote(word) + "); " + use, "echo " + quote(word) + " | while read -r x; do " + use + "; done",
			"x=a; read -r x <<< " + quote(word) + "; " + use, "x=a; : ${x:=b}; x=$(echo " + quote(word) + "); " + use, "for x in $(echo " + quote(word) + "); do " + use + "; done", "IFS=,; x=" + value + "; " + use,
		}).Draw(t, "line")
		if allowed(line, nil) {
			t.Fatalf("%q is not allowed, %q is", program+" "+word, line)
		}
	})
}

func TestDenyHoldsUnderWrapping(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line, rules := commandGen.Draw(t, "line"), ruleGen.Draw(t, "rules")
		for _, rule := range rules {
			if !matches(line, tool.Deny, rule) {
				continue
			}
			for _, wrapped := range wrappings(line) {
				if !matches(wrapped, tool.Deny, rule) {
					t.Fatalf("deny %q matches %q but not %q", rule, line, wrapped)
				}
			}
		}
	})
}

func TestDenyHoldsWhenACommandIsAdded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line, more, rules := commandGen.Draw(t, "line"), commandGen.Draw(t, "more"), ruleGen.Draw(t, "rules")
		for _, rule := range rules {
			if matches(line, tool.Deny, rule) && (!matches(line+"\n"+more, tool.Deny, rule) || !matches(more+"\n"+line, tool.Deny, rule)) {
				t.Fatalf("deny %q matches %q but not together with %q", rule, line, more)
			}
		}
	})
}

// TestAnAllowIsAlsoADeny: a rule covering a call by itself must stop it when the same text is a
// deny rule.
func TestAnAllowIsAlsoADeny(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line, rules := commandGen.Draw(t, "line"), ruleGen.Draw(t, "rules")
		for _, rule := range rules {
			if matches(line, tool.Allow, rule) && !matches(line, tool.Deny, rule) {
				t.Fatalf("%q allows %q but does not deny it", rule, line)
			}
		}
	})
}

func TestSuggestionsMatchBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := commandGen.Draw(t, "line")
		var contents []string
		for _, s := range bash.Spec.Suggest(callOf(line)) {
			contents = append(contents, *s.Content)
		}
		if len(contents) == 0 {
			return
		}
		if len(contents) > 5 {
			t.Fatalf("%q: %d suggestions", line, len(contents))
		}
		if !matches(line, tool.Allow, contents...) {
			t.Fatalf("%q: suggestions %q do not cover it", line, contents)
		}
		last := contents[len(contents)-1]
		if !strings.HasSuffix(last, ":*") && !matches(line, tool.Allow, last) {
			t.Fatalf("%q: the exact suggestion %q does not cover it", line, last)
		}
	})
}

// TestNormalFormIsStable: a command printed from its normal form, every word in
// quotes, is read as the same command.
func TestNormalFormIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := analyze(commandGen.Draw(t, "line"))
		for i, cmd := range line.Commands {
			printed, ok := spelt(cmd)
			if !ok || cmd.Parent != nil {
				continue
			}
			again := analyze(printed)
			want := line.Commands[i : i+1]
			for j := i + 1; j < len(line.Commands) && line.Commands[j].Parent != nil; j++ {
				want = line.Commands[i : j+1]
			}
			if got := again.Commands; formOf(got) != formOf(want) {
				t.Fatalf("%q is read as\n%s\nand printed as %q as\n%s", line.Text, formOf(want), printed, formOf(got))
			}
		}
	})
}

func analyze(command string) *bash.Line {
	return bash.Analyze(command, bash.Setting{CWD: project, Home: home})
}

// spelt prints a command's normal form; false for content beyond any quoted text.
func spelt(cmd *bash.Command) (string, bool) {
	if len(cmd.Words) == 0 || len(cmd.Redirects) > 0 || cmd.Source == "time" {
		return "", false
	}
	var out strings.Builder
	for _, a := range cmd.Assigns {
		if !a.Value.Literal || a.Value.Tilde {
			return "", false
		}
		if slices.ContainsFunc(cmd.Words, func(w bash.Word) bool { return w.Text == a.Name+"="+a.Value.Text }) {
			continue // an operand of env
		}
		out.WriteString(a.Name + "=" + quote(a.Value.Text) + " ")
	}
	for i, w := range cmd.Words {
		if !w.Literal || w.Glob || w.Tilde {
			return "", false
		}
		if i > 0 {
			out.WriteString(" ")
		}
		out.WriteString(quote(w.Text))
	}
	return out.String(), true
}

// formOf prints the words and assignments of commands.
func formOf(commands []*bash.Command) string {
	var out strings.Builder
	for _, cmd := range commands {
		for _, a := range cmd.Assigns {
			fmt.Fprintf(&out, "%s=%q ", a.Name, a.Value.Text)
		}
		for _, w := range cmd.Words {
			fmt.Fprintf(&out, "%q ", w.Text)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// plainGen draws commands of plain words, with other possible spellings.
var plainGen = rapid.SliceOfN(rapid.SampledFrom([]string{
	"ls", "rm", "git", "push", "status", "npm", "run", "build", "-rf", "-n", "--force", "x", "sub/y", "/bin/rm", "sudo", "env", "xargs", "find", ".", "-exec", "-delete", "cat", ".env", "touch", "a", "tee", "cp", "b",
	"echo", "sed", "-i", "X=1", "test", "sort", "-o", "commit", "-m", "cd", "..", "command", "nohup", "true", "awk", "date", "-s", "curl", "bash", "-c",
}), 1, 5)

// respelt draws another spelling of the same word.
func respelt(t *rapid.T, word string) string {
	at := rapid.IntRange(0, len(word)-1).Draw(t, "at")
	switch rapid.IntRange(0, 5).Draw(t, "how") {
	case 0:
		return "'" + word + "'"
	case 1:
		return `"` + word + `"`
	case 2:
		return word[:at] + `\` + word[at:]
	case 3:
		return word[:at] + "''" + word[at:]
	case 4:
		return word[:at] + "\\\n" + word[at:]
	}
	return word
}

// TestSpellingDecidesNothing: blanks and quotes removed by a shell make no deny rule miss and
// let nothing run.
func TestSpellingDecidesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words, rules := plainGen.Draw(t, "words"), ruleGen.Draw(t, "rules")
		plain, odd := strings.Join(words, " "), ""
		for i, w := range words {
			if i > 0 {
				odd += rapid.SampledFrom([]string{" ", "\t", "  ", " \\\n"}).Draw(t, "blank")
			}
			if name, value, ok := strings.Cut(w, "="); ok {
				odd += name + "=" + respelt(t, value) // in quotes the name would be no assignment's
				continue
			}
			odd += respelt(t, w)
		}
		for _, rule := range rules {
			if before, after := matches(plain, tool.Deny, rule), matches(odd, tool.Deny, rule); before != after {
				t.Fatalf("deny %q on %q: %v, on %q: %v", rule, plain, before, odd, after)
			}
		}
		if !allowed(plain, rules) && allowed(odd, rules) {
			t.Fatalf("%q is not allowed, %q is (rules %q)", plain, odd, rules)
		}
	})
}

// limitGen draws a rule's exceptions behind its words.
var limitGen = rapid.Custom(func(t *rapid.T) string {
	limit := rapid.SampledFrom([]string{":*", ":-*"}).Draw(t, "limit")
	without := rapid.SliceOfN(rapid.SampledFrom([]string{"--force", "-f", "-d", "--delete", "-D", "origin", ":::", "--push", "-X", "--unheard-of", "x"}), 0, 4).Draw(t, "without")
	if len(without) == 0 {
		return limit
	}
	return limit + " without " + strings.Join(without, " ")
})

// argsGen draws a command with options in every spelling.
var argsGen = rapid.Custom(func(t *rapid.T) string {
	head := rapid.SampledFrom([]string{"git push", "git branch", "git -C sub push", "npm run", "make test", "make -j8 test", "docker build", "gh api", "timeout 5 git push", "env CI=1 make test", "xargs git push", "/usr/bin/git push", "pnpm --filter x test", "any prog"}).Draw(t, "head")
	args := rapid.SliceOfN(rapid.SampledFrom([]string{"-f", "--force", "--forc", "-uf", "-fu", "+main", ":main", "origin", "main", "-d", "-D", "--delete", "--dele", "-qD", "--", "$X", `"$X"`, "*", "-X", "-XPOST", "--method=GET", "--unheard-of", "x", "-o", "--push", "'a b'", "2>&1", ":::"}), 0, 4).Draw(t, "args")
	return strings.Join(append([]string{head}, args...), " ")
})

// TestLeavingOutNeverAllowsMore: a rule with exceptions allows nothing outside the rule without
// them, and denies no less; each further word allows less.
func TestLeavingOutNeverAllowsMore(t *testing.T) {
	t.Parallel()
	covered, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		command, limit := argsGen.Draw(t, "command"), limitGen.Draw(t, "limit")
		head := rapid.SampledFrom([]string{"git push", "git push origin", "git branch", "npm run", "make test", "docker build", "gh api", "xargs git push", "pnpm test", "any prog", "git"}).Draw(t, "rule")
		limited, whole := matches(command, tool.Allow, head+limit), matches(command, tool.Allow, head+":*")
		if limited && !whole {
			t.Fatalf("%q: %q allows it, %q does not", command, head+limit, head+":*")
		}
		if strings.Contains(limit, "without") && limited && !matches(command, tool.Allow, head+limit[:strings.LastIndex(limit, " ")]) && strings.Count(limit, " ") > 2 {
			t.Fatalf("%q: %q allows it, and with one word less it does not", command, head+limit)
		}
		for _, behavior := range []tool.Behavior{tool.Deny, tool.Ask} {
			if matches(command, behavior, head+":*") && !matches(command, behavior, head+limit) {
				t.Fatalf("%q: %q denies it, %q does not", command, head+":*", head+limit)
			}
		}
		covered, refused = covered+btoi(limited), refused+btoi(whole && !limited)
	})
	if covered == 0 || refused == 0 {
		t.Errorf("%d allowed, %d only by the rule that leaves nothing out: the test says too little", covered, refused)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSuggestionsOfAnyLineCoverIt: for any options, the offer for a command allows it, and
// never its own rule's exceptions.
func TestSuggestionsOfAnyLineCoverIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := argsGen.Draw(t, "line")
		if rapid.Bool().Draw(t, "more") {
			line += rapid.SampledFrom([]string{" && ", "; ", "\n", " | "}).Draw(t, "op") + commandGen.Draw(t, "other")
		}
		offered := suggested(line)
		if len(offered) > 0 && !matches(line, tool.Allow, offered...) {
			t.Fatalf("%q: %q do not cover it", line, offered)
		}
		for _, content := range offered {
			if !strings.Contains(line, "\n") && matches(line+" && curl https://example.com", tool.Allow, content) {
				t.Fatalf("%q: %q covers one more command", line, content)
			}
		}
	})
}
