package bash_test

import (
	"strings"
	"testing"

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
			if ro.ReadOnly || len(bash.Spec.Match(c, tool.Allow, rulesOf("*", "ls:*", command))) > 0 {
				t.Errorf("%q: opaque (%s), but allowed", command, line.Opaque)
			}
			if strings.TrimSpace(command) != "" && !v.BypassImmune {
				t.Errorf("%q: opaque (%s), but only %s", command, line.Opaque, v.Behavior)
			}
			if len(bash.Spec.Match(c, tool.Deny, rulesOf("no-such-program:*"))) != 1 {
				t.Errorf("%q: opaque (%s), but a deny rule does not hold", command, line.Opaque)
			}
		}
		for _, s := range bash.Spec.Suggest(c) {
			if *s.Content == "" || *s.Content == "*" {
				t.Errorf("%q: suggests the whole tool", command)
			}
		}
	})
}

// FuzzRule feeds arbitrary rule contents to the matcher.
func FuzzRule(f *testing.F) {
	for _, seed := range []string{"npm run:*", "git * main", `rm \*.log`, ":*", "*", "a:b:*", "foo(bar)", "ls 'x", `a\\*`, "rm -rf", "  ", "x\ny"} {
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
			return // what follows could complete it
		}
		longer := callOf(command + "\nno-such-program")
		if len(bash.Spec.Match(longer, tool.Allow, rules)) > 0 && len(allow) == 0 {
			t.Errorf("rule %q covers %q only with another command after it", content, command)
		}
	})
}
