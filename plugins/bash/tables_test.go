package bash_test

import (
	"fmt"
	"testing"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

func TestReadOnlyTable(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t, "readonly.txt") {
		if got := bash.Spec.ReadOnly(callOf(c.command)); got.ReadOnly != c.want {
			t.Errorf("readonly.txt:%d: %q: got %v (%s), want %v", c.line, c.command, got.ReadOnly, got.Reason, c.want)
		}
	}
}

func TestSafetyTable(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t, "safety.txt") {
		got := bash.Spec.Check(callOf(c.command))
		if got.BypassImmune != c.want {
			t.Errorf("safety.txt:%d: %q: immune %v (%s %s), want %v", c.line, c.command, got.BypassImmune, got.Behavior, got.Reason, c.want)
		}
		if got.BypassImmune && (got.Reason == "" || got.Message == "") {
			t.Errorf("safety.txt:%d: %q: asks without a reason", c.line, c.command)
		}
	}
}

func TestEditsTable(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t, "edits.txt") {
		got := bash.Spec.Check(withMode(callOf(c.command), tool.ModeAcceptEdits))
		if allowed := got.Behavior == tool.Allow; allowed != c.want {
			t.Errorf("edits.txt:%d: %q: got %s (%s), want allowed %v", c.line, c.command, got.Behavior, got.Reason, c.want)
		}
		if got := bash.Spec.Check(callOf(c.command)); got.Behavior == tool.Allow && !bash.Spec.ReadOnly(callOf(c.command)).ReadOnly {
			t.Errorf("edits.txt:%d: %q: allowed in default mode", c.line, c.command)
		}
	}
}

func TestRulesTable(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t, "rules.txt") {
		if got := matches(c.command, tool.Behavior(c.kind), c.rules...); got != c.want {
			t.Errorf("rules.txt:%d: %s %q on %q: got %v, want %v", c.line, c.kind, c.rules, c.command, got, c.want)
		}
	}
}

// TestAskMatchesLikeDeny: both over-approximate, and in the same way.
func TestAskMatchesLikeDeny(t *testing.T) {
	t.Parallel()
	for _, c := range readCases(t, "rules.txt") {
		deny, ask := matches(c.command, tool.Deny, c.rules...), matches(c.command, tool.Ask, c.rules...)
		if deny != ask {
			t.Errorf("rules.txt:%d: %q on %q: deny %v, ask %v", c.line, c.rules, c.command, deny, ask)
		}
	}
}

// TestReadOnlyNeverContradictsCheck: a read-only answer is false whenever the
// check would ask immune.
func TestReadOnlyNeverContradictsCheck(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"readonly.txt", "safety.txt", "edits.txt", "rules.txt"} {
		for _, c := range readCases(t, file) {
			if bash.Spec.ReadOnly(callOf(c.command)).ReadOnly && bash.Spec.Check(callOf(c.command)).Behavior != tool.Allow {
				t.Errorf("%s:%d: %q: read-only, but the check does not allow it", file, c.line, c.command)
			}
		}
	}
}

func TestRuleExamples(t *testing.T) {
	t.Parallel()
	for i, e := range bash.Spec.RuleExamples {
		var input bash.Input
		if err := decode(e.Input, &input); err != nil {
			t.Fatal(err)
		}
		if got := matches(string(input.Command), e.Behavior, e.Content); got != e.Match {
			t.Errorf("example %d: %s %q on %q: got %v, want %v", i, e.Behavior, e.Content, input.Command, got, e.Match)
		}
	}
}

func TestSeedReadOnlyList(t *testing.T) {
	t.Parallel()
	// AgentScope's "Full read-only command list", row by row.
	for _, command := range []string{
		"git status", "git log", "git diff", "git show", "git branch", "git blame f", "git grep x", "git reflog", "git config --list --name-only",
		"ls", "cat a", "head a", "tail a", "grep x a", "rg x", "find .", "tree", "stat a", "wc a", "pwd", "which go",
		"docker ps", "docker images", "docker logs x", "docker inspect x", "docker info",
		"gh repo view", "gh issue list", "gh pr list", "gh status",
		"npm list", "pip list", "pip show x", "node --version", "python --version",
	} {
		for _, op := range []string{" && ls", " || ls", "; ls", " | cat"} {
			if !bash.Spec.ReadOnly(callOf(command + op)).ReadOnly {
				t.Errorf("%q: want read-only", command+op)
			}
			if line := command + op + op[:len(op)-2] + "rm x"; bash.Spec.ReadOnly(callOf(line)).ReadOnly {
				t.Errorf("%q: one part changes something", line)
			}
		}
		for _, redirection := range []string{" > x", " >> x"} {
			if bash.Spec.ReadOnly(callOf(command + redirection)).ReadOnly {
				t.Errorf("%q: a redirection to a file", command+redirection)
			}
		}
	}
}

func TestSeedPatternExamples(t *testing.T) {
	t.Parallel()
	cases := []struct {
		rule, command string
		want          bool
	}{
		{"npm run:*", "npm run build", true}, {"npm run:*", "npm run test", true}, {"npm run:*", "npm install", false},
		{"git commit:*", `git commit -m "fix"`, true}, {"git commit:*", "git push", false},
		{"rm:*", "rm file.txt", true}, {"rm:*", "rm -rf /tmp/x", true},
	}
	for _, c := range cases {
		for _, b := range []tool.Behavior{tool.Allow, tool.Deny} {
			if got := matches(c.command, b, c.rule); got != c.want {
				t.Errorf("%s %q on %q: got %v, want %v", b, c.rule, c.command, got, c.want)
			}
		}
	}
}

func TestSeedDangerousPaths(t *testing.T) {
	t.Parallel()
	paths := []string{
		"~/.bashrc", "~/.zshrc", "~/.bash_profile", "~/.profile", "~/.gitconfig", ".gitmodules", "~/.ssh/config", "~/.ssh/authorized_keys", "id_rsa", "id_ed25519",
		".env", ".env.local", ".npmrc", ".pypirc", "~/.aws/credentials", ".git/x", ".ssh/x", ".claude/x", ".vscode/x", ".aws/x", ".kube/x", "sub/.GIT/config", ".Env",
	}
	routes := []string{
		"echo x > %s", "echo x >> %s", "echo x >| %s", "echo x &> %s", "cat <> %s", "echo x | tee -a %s", "touch %s", "cp a %s", "mv a %s", "mv %s b", "rm %s", "ln -s a %s", "install a %s",
		"chmod 600 %s", "chown me %s", "truncate -s 0 %s", "dd if=a of=%s", "sed -i s/a/b/ %s", "curl -o %s https://x.example", "sort -o %s a", "sudo tee %s", "env cp a %s", "ls && rm %s",
		"bash -c 'rm %s'", "find . -exec cp a %s \\;", "rsync a %s", "perl -i -pe s/a/b/ %s",
	}
	for _, p := range paths {
		for _, route := range routes {
			command := fmt.Sprintf(route, p)
			if got := bash.Spec.Check(callOf(command)); !got.BypassImmune {
				t.Errorf("%q: got %s, want an immune ask", command, got.Behavior)
			}
		}
	}
}
