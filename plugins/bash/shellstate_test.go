package bash_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
	"pgregory.net/rapid"
)

// TestT24_changesShell: a line's changes of a lasting shell.
func TestT24_changesShell(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"ls -la": "", "npm run build": "", "git commit -m x && git push": "", "echo hi > out": "", "X=1 npm test": "", "printf '%s\\n' a": "", "wait": "", "test -f a": "", ": > log": "",
		"cd sub": "directory", "cd sub && make": "directory", "pushd /tmp; popd": "directory", "..": "directory", "true || cd x": "directory", "command cd x": "directory",
		"export A=1": "environment", "A=1": "environment", "set -e": "environment", "unset A": "environment", "umask 077": "environment", "read A": "environment", "readonly A=1": "environment",
		"exec 3>log": "environment", "hash -r": "directory environment", "nvm use 20": "environment", "deactivate": "environment", "X=1 :": "environment", "printf -v A x": "environment",
		"alias ls=rm": "directory environment", ". ./env": "directory environment", "source env": "directory environment", "f() { rm x; }": "directory environment", "trap 'rm x' EXIT": "directory environment",
		"shopt -s nullglob": "directory environment", "setopt autocd": "directory environment", "enable -f x y": "directory environment", "eval cd": "directory environment", "'": "directory environment",
		"for PATH in a; do ls; done": "environment", "echo ${A:=b}": "environment", "cd a; export B=1": "directory environment",
	} {
		got := strings.Join(bash.Spec.Describe(callOf(line)).ChangesShell, " ")
		if got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
	c := callOf("ls")
	c.Context.Dialect = "fish"
	if got := bash.Spec.Describe(c).ChangesShell; len(got) != 2 {
		t.Errorf("a shell without analysis: got %q", got)
	}
}

// TestT24_allowancesInAChangedShell: the lasting allowances.
func TestT24_allowancesInAChangedShell(t *testing.T) {
	t.Parallel()
	rules := rulesOf("npm run:*", "npm test", "git *", "cat /etc/hosts && npm test")
	for _, tt := range []struct {
		line        string
		fresh       bool // allowed by itself or by a rule
		directory   bool // the same once the directory was changed
		environment bool // once the environment was
	}{
		{"npm run build", true, false, false},
		{"npm test", true, true, true},
		{"  npm test ", true, true, true},
		{"npm test && npm test", true, false, false},
		{"cat /etc/hosts && npm test", true, true, true},
		{"git add .", true, false, false},
		{"ls", true, false, false},
		{"ls src", true, false, false},
		{"cat /etc/hosts", true, true, false},
		{"cat /etc/hosts src", true, false, false},
		{"echo hi", true, true, false},
		{"date | head -1", true, true, false},
		{"git status", true, false, false},
		{"grep -rn x", true, false, false},
		{"pwd", true, false, false},
		{"rm x", false, false, false},
	} {
		for changed, want := range map[string]bool{"": tt.fresh, "directory": tt.directory, "environment": tt.environment} {
			c := callOf(tt.line)
			if changed != "" {
				c.Context.ShellChanged = []string{changed}
			}
			got := bash.Spec.Check(c).Behavior == tool.Allow || len(bash.Spec.Match(c, tool.Allow, rules)) > 0
			if got != want {
				t.Errorf("%s, changed %q: got allowed %t, want %t", tt.line, changed, got, want)
			}
			if ro := bash.Spec.ReadOnly(c).ReadOnly; ro && !want {
				t.Errorf("%s, changed %q: read only", tt.line, changed)
			}
		}
	}
}

// TestChangedShell_neverLooser: a changed shell takes allowances away and nothing
// else: no denial or ask is lost.
func TestChangedShell_neverLooser(t *testing.T) {
	t.Parallel()
	rules := rulesOf("npm run:*", "rm -rf", "git *", "ls", "cd src && ls")
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"ls", "cd", "src", "&&", "|", "rm", "-rf", "git", "status", "npm", "run", "x", ";", "$(date)", "/etc/hosts", "cat", "A=1", "'"}), 1, 8).Draw(t, "words"), " ")
		fresh, changed := callOf(line), callOf(line)
		changed.Context.ShellChanged = rapid.SampledFrom([][]string{{"directory"}, {"environment"}, {"directory", "environment"}, {"what else"}}).Draw(t, "changed")
		a, b := bash.Spec.Check(fresh), bash.Spec.Check(changed)
		if b != a && (a.Behavior != tool.Allow || b.Behavior != tool.Passthrough) {
			t.Fatalf("%s: check: fresh %+v, changed %+v", line, a, b)
		}
		if bash.Spec.ReadOnly(changed).ReadOnly && !bash.Spec.ReadOnly(fresh).ReadOnly {
			t.Fatalf("%s: read only in a changed shell alone", line)
		}
		if len(bash.Spec.Match(changed, tool.Allow, rules)) > 0 && len(bash.Spec.Match(fresh, tool.Allow, rules)) == 0 {
			t.Fatalf("%s: covered in a changed shell alone", line)
		}
		for _, behavior := range []tool.Behavior{tool.Deny, tool.Ask} {
			if x, y := bash.Spec.Match(fresh, behavior, rules), bash.Spec.Match(changed, behavior, rules); !slices.Equal(x, y) {
				t.Fatalf("%s: %s: fresh %v, changed %v", line, behavior, x, y)
			}
		}
	})
}
