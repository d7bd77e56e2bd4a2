package bash_test

import (
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

// FuzzCommand feeds arbitrary lines to every verb. Nothing may panic, and the
// verbs may not contradict each other.
func FuzzCommand(f *testing.F) {
	for _, seed := range []string{
		"ls -la", "git status && git log", "rm -rf /", "echo $(id)", "cat <<EOF\n$x\nEOF", "find . -exec rm {} \\;", "a=(1 2); echo ${a[0]}", "sed -n '1,5p' f", "x() { :; }; x", "env -i A=b sh -c 'rm x'",
		"$'\\x72m' x", "{ ls; } > f", "cp {a,b} c", "ls \\\n -l", "for ((;;)); do :; done", "tar -xf a -C ~/.ssh", "curl https://a@b/c", "git -c a=b push", "[[ -v x ]]", "{a,{b,c}}d", "cp", "sudo", "find", "dd of=", "ls 2>&-",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		c := callOf(command)
		v, ro := bash.Spec.Check(c), bash.Spec.ReadOnly(c)
		if ro.ReadOnly && v.Behavior != tool.Allow {
			t.Errorf("%q: read-only, but the check says %s", command, v.Behavior)
		}
		line := bash.Analyze(command, bash.Setting{CWD: project, Home: home})
		if line.Opaque != "" {
			rules := []string{"*", "ls:*"}
			if line.Shut() {
				rules = append(rules, command) // else the exact text is a rule like any other
			}
			if ro.ReadOnly || v.Behavior == tool.Allow || len(bash.Spec.Match(c, tool.Allow, rulesOf(rules...))) > 0 {
				t.Errorf("%q: opaque (%s), but allowed", command, line.Opaque)
			}
			if strings.TrimSpace(command) != "" && line.Shut() && !v.BypassImmune {
				t.Errorf("%q: opaque (%s), but only %s", command, line.Opaque, v.Behavior)
			}
			if len(bash.Spec.Match(c, tool.Deny, rulesOf("no-such-program:*"))) != 1 {
				t.Errorf("%q: opaque (%s), but a deny rule does not hold", command, line.Opaque)
			}
		}
		adding(t, line)
		for _, s := range bash.Spec.Suggest(c) {
			if *s.Content == "" || *s.Content == "*" {
				t.Errorf("%q: suggests the whole tool", command)
			}
		}
	})
}

// FuzzRule feeds arbitrary rule contents to the matcher.
func FuzzRule(f *testing.F) {
	for _, seed := range []string{"npm run:*", "git * main", `rm \*.log`, ":*", "*", "a:b:*", "foo(bar)", "ls 'x", `a\\*`, "rm -rf", "  ", "x\ny", "rm -\xcc", "tar -\xff"} {
		f.Add(seed, "npm run build && rm -rf x")
	}
	f.Fuzz(func(t *testing.T, content, command string) {
		c := callOf(command)
		rules := rulesOf(content)
		allow, deny := bash.Spec.Match(c, tool.Allow, rules), bash.Spec.Match(c, tool.Deny, rules)
		if len(allow) > 0 && len(deny) == 0 {
			t.Errorf("rule %q allows %q but would not deny it", content, command)
		}
		if line := bash.Analyze(command, bash.Setting{}); line.Opaque != "" || len(line.Commands) == 0 {
			return // the rest could complete it
		}
		longer := callOf(command + "\nno-such-program")
		if len(bash.Spec.Match(longer, tool.Allow, rules)) > 0 && len(allow) == 0 {
			t.Errorf("rule %q covers %q only with another command after it", content, command)
		}
	})
}

// adding checks a law of every readable line: another command or a wrapper never makes it
// allowed, nor a deny rule miss.
func adding(t *testing.T, line *bash.Line) {
	t.Helper()
	if len(line.Text) > 400 || len(line.Commands) == 0 || !closed(line) {
		return // the rest could complete it
	}
	var rules []string
	for _, cmd := range line.Commands {
		if name := cmd.Name(); name != "" && cmd.Words[0].Literal && !strings.ContainsAny(name, "*\\\n :") {
			rules = append(rules, name+":*")
		}
	}
	rules = rules[:min(len(rules), 3)]
	could := allowed(line.Text, rules[:min(len(rules), 1)])
	for _, longer := range []string{
		line.Text + "\nnayx", line.Text + "\nls", "ls; " + line.Text, "ls\n" + line.Text, "( " + line.Text + "\n)", "{ " + line.Text + "\n}", "sh -c " + quote(line.Text), "env bash -c " + quote(line.Text),
	} {
		if !could && allowed(longer, rules[:min(len(rules), 1)]) {
			t.Errorf("%q is not allowed, %q is", line.Text, longer)
		}
		for _, rule := range rules {
			if matches(line.Text, tool.Deny, rule) && !matches(longer, tool.Deny, rule) {
				t.Errorf("deny %q holds for %q and not for %q", rule, line.Text, longer)
			}
		}
	}
}

// closed reports whether a line is whole: nothing in it could reach into a following line.
func closed(line *bash.Line) bool {
	if strings.Contains(line.Text, "<<") || strings.HasSuffix(line.Text, "\\") {
		return false
	}
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line.Text), "")
	return err == nil
}

// FuzzWords reads words in four spellings: the normal form is the same.
func FuzzWords(f *testing.F) {
	for _, seed := range []string{"rm -rf x", "sudo -u root rm", "a'b \"c\"", "sh -c rm\\ x", "git -c a=b push", "{a,b} * ~", "time x", "X=1 y", "cd a", "echo $x `y`", "[ a ]", "find . -exec rm {} ;", "awk {print}", "! x", "-- -n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words := strings.Fields(text)
		if len(words) == 0 || len(text) > 400 {
			return
		}
		single, double := make([]string, len(words)), make([]string, len(words))
		for i, w := range words {
			single[i] = quote(w)
			double[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(w) + `"`
		}
		a, b := analyze(strings.Join(single, " ")), analyze(strings.Join(double, "\t"))
		if a.Opaque == "" && b.Opaque == "" && formOf(a.Commands) != formOf(b.Commands) {
			t.Errorf("%q is read as\n%s\n%q as\n%s", a.Text, formOf(a.Commands), b.Text, formOf(b.Commands))
		}
		if len(a.Commands) == 0 || !a.Commands[0].Words[0].Literal || a.Opaque != "" {
			return
		}
		if got := a.Commands[0].Words; len(got) != len(words) {
			t.Fatalf("%q: %d words, want %d", a.Text, len(got), len(words))
		}
		for i, w := range a.Commands[0].Words {
			if w.Text != words[i] || w.Glob || w.Tilde {
				t.Errorf("%q: word %d is %+v, want %q", a.Text, i, w, words[i])
			}
		}
	})
}
