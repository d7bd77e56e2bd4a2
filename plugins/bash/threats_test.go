package bash_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

func decode(raw json.RawMessage, into any) error { return json.Unmarshal(raw, into) }

// neverAllowed fails when a line can be allowed by anything the module says.
func neverAllowed(t *testing.T, command string) {
	t.Helper()
	if bash.Spec.ReadOnly(callOf(command)).ReadOnly {
		t.Errorf("%q: read-only", command)
	}
	for _, m := range []tool.Mode{tool.ModeDefault, tool.ModeAcceptEdits} {
		if v := bash.Spec.Check(withMode(callOf(command), m)); v.Behavior == tool.Allow {
			t.Errorf("%q: allowed in %s: %s", command, m, v.Reason)
		}
	}
	first, _, _ := strings.Cut(command, " ")
	for _, rule := range []string{first + ":*", first + " *", "*", "echo:*", "ls:*", "git:*"} {
		if matches(command, tool.Allow, rule) {
			t.Errorf("%q: an allow rule %q covers it", command, rule)
		}
	}
	if s := bash.Spec.Suggest(callOf(command)); len(s) > 0 {
		t.Errorf("%q: suggests %q", command, *s[0].Content)
	}
}

func TestT19_RepositoryThatRunsPrograms(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"git status", "git -C sub log", "git grep -C 3 x", "go vet ./...", "cargo tree", "cd sub && git diff"} {
		c := callOf(command)
		if !bash.Spec.ReadOnly(c).ReadOnly {
			t.Errorf("%q: want read-only in an ordinary repository", command)
		}
		c.Context.Targets[0].Repo = &tool.Repo{Root: project, Dirty: []string{"core.fsmonitor"}}
		if bash.Spec.ReadOnly(c).ReadOnly {
			t.Errorf("%q: read-only although the repository names a program", command)
		}
		if v := bash.Spec.Check(c); v.Behavior == tool.Allow {
			t.Errorf("%q: allowed although the repository names a program", command)
		}
	}
}

func TestT20_ArgumentsTheShellEvaluates(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		`printf -v 'a[$(id)]' x`, `test -v 'a[$(id)]'`, `[[ 'a[$(id)]' -eq 0 ]]`, `read 'a[$(id)]'`, `unset 'a[$(id)]'`, `declare 'a[$(id)]=1'`, `let 'a[$(id)]=1'`,
		`wait -p 'a[$(id)]'`, `mapfile 'a[$(id)]'`, `echo ${!x}`, `echo $((X))`, `a[$(id)]=1 ls`, `echo ${a[$(id)]}`, `echo ${x@P}`, `((a[$(id)]))`, `for ((i=a[$(id)];;)); do ls; done`,
	} {
		neverAllowed(t, command)
	}
}

func TestT21_BytesTheParserDrops(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"ls\r", "echo hi > out\r/../../X", "ls\x00", "ls \x1b[2K", "ls \xff", "ls \uFFFD", "ls\u0085", "git status\v"} {
		neverAllowed(t, command)
	}
}

func TestT22_Dialects(t *testing.T) {
	t.Parallel()
	for _, command := range []string{`ls *(e:'touch x':)`, `echo $'\'; rm -f x; #'`, "ls =(id)", "ls **/*(.)", "=id x", "~root/bin/x", "((rm x))"} {
		neverAllowed(t, command)
	}
	for _, dialect := range []string{"fish", "pwsh", "cmd", "elvish"} {
		c := callOf("ls")
		c.Config = json.RawMessage(`{"dialect":"` + dialect + `"}`)
		if v := bash.Spec.Check(c); v.Behavior != tool.Ask || bash.Spec.ReadOnly(c).ReadOnly {
			t.Errorf("%s: got %s, want every call to ask", dialect, v.Behavior)
		}
		if got := bash.Spec.Match(c, tool.Allow, rulesOf("ls:*")); len(got) > 0 {
			t.Errorf("%s: a prefix rule matches", dialect)
		}
		if got := bash.Spec.Match(c, tool.Allow, rulesOf("ls")); len(got) != 1 {
			t.Errorf("%s: the exact text does not match", dialect)
		}
	}
	c := callOf("ls")
	c.Config = json.RawMessage(`{"dialect":7}`)
	if v := bash.Spec.Check(c); v.Behavior != tool.Ask {
		t.Errorf("unreadable configuration: got %s, want ask", v.Behavior)
	}
}

func TestT23_InteractivePrograms(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"bash -i", "bash", "sh", "python", "python3 -i", "node", "psql", "psql -h x db", "ssh host", "vim", "ls | python", "ruby < x"} {
		if v := bash.Spec.Check(callOf(command)); !v.BypassImmune {
			t.Errorf("%q: got %s, want an immune ask", command, v.Behavior)
		}
	}
}

func TestT24_ShellState(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"alias ls=rm; ls", "ls() { rm x; }; ls", "export PATH=/tmp; ls", "PATH=/tmp ls", "LD_PRELOAD=x ls", "GIT_PAGER=x git log", "BASH_ENV=x ls", "trap 'rm x' EXIT", "hash -p /tmp/x ls; ls",
		"enable -f x y", "source x", ". x", "declare -x PATH=/tmp; ls", "/tmp/ls", "./ls", "env PATH=/tmp ls",
	} {
		neverAllowedExcept(t, command)
	}
}

// neverAllowedExcept is neverAllowed for lines with an exact suggestion, because their text
// shows everything.
func neverAllowedExcept(t *testing.T, command string) {
	t.Helper()
	if bash.Spec.ReadOnly(callOf(command)).ReadOnly || bash.Spec.Check(callOf(command)).Behavior == tool.Allow {
		t.Errorf("%q: allowed", command)
	}
	for _, rule := range []string{"ls:*", "git:*", "export:*", "env:*", "declare:*"} {
		if matches(command, tool.Allow, rule, "ls:*", "git:*") {
			t.Errorf("%q: allow rule %q covers it", command, rule)
		}
	}
}

func TestT25_EscalationAsks(t *testing.T) {
	t.Parallel()
	c := callOf("ls")
	c.Input.Unsandboxed = true
	if v := bash.Spec.Check(c); v.Behavior != tool.Ask || v.BypassImmune {
		t.Errorf("got %+v, want a plain ask", v)
	}
	if bash.Spec.ReadOnly(c).ReadOnly || len(bash.Spec.Match(c, tool.Allow, rulesOf("ls:*", "ls"))) > 0 || len(bash.Spec.Suggest(c)) > 0 {
		t.Error("a call outside the client's sandbox is allowed")
	}
	if len(bash.Spec.Match(c, tool.Deny, rulesOf("ls:*"))) != 1 {
		t.Error("a deny rule does not hold for it")
	}
}

func TestDirectoryOfTheInput(t *testing.T) {
	t.Parallel()
	c := callOf("touch x")
	c.Input.Directory = "/tmp"
	c = withMode(resolved(c), tool.ModeAcceptEdits)
	if v := bash.Spec.Check(c); v.Behavior == tool.Allow {
		t.Error("an edit in another directory is allowed")
	}
	c.Input.CWD = "/my/project"
	if v := bash.Spec.Check(resolved(c)); !v.BypassImmune {
		t.Errorf("two directories: got %s, want an immune ask", v.Behavior)
	}
}

func TestEmptyCommand(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"", "   ", "\n", "# only a comment"} {
		c := withMode(callOf(command), tool.ModeAcceptEdits)
		if v := bash.Spec.Check(c); v.Behavior != tool.Passthrough {
			t.Errorf("%q: got %s, want passthrough", command, v.Behavior)
		}
		if bash.Spec.ReadOnly(c).ReadOnly || len(bash.Spec.Suggest(c)) > 0 || matches(command, tool.Allow, "*", "ls:*", "") {
			t.Errorf("%q: allowed", command)
		}
	}
}

func TestLimitsEndInAnAsk(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{
		"length":   "echo " + strings.Repeat("a", 70_000),
		"parts":    strings.Repeat("ls;", 300),
		"depth":    strings.Repeat("$(", 40) + "ls" + strings.Repeat(")", 40),
		"blocks":   strings.Repeat("{ ", 100) + "ls;" + strings.Repeat(" }", 100),
		"scripts":  nested(40),
		"wrappers": strings.Repeat("env ", 400) + "ls",
		"pipes":    "ls" + strings.Repeat(" | cat", 400),
	} {
		if v := bash.Spec.Check(callOf(command)); !v.BypassImmune {
			t.Errorf("%s: got %s, want an immune ask", name, v.Behavior)
		}
		if !matches(command, tool.Deny, "nothing:*") {
			t.Errorf("%s: a deny rule must count as matched", name)
		}
	}
}

// nested wraps ls in n scripts of sh -c.
func nested(n int) string {
	s := "ls"
	for range n {
		if s = "sh -c " + quote(s); len(s) > 60_000 {
			break
		}
	}
	return s
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// TestT19_PythonOfTheProject: Python takes a module from its start directory, so a file named
// there by the host makes the same code ask; without the host's word it asks, too. Git ignores
// such files.
func TestT19_PythonOfTheProject(t *testing.T) {
	t.Parallel()
	const command = "python3 -c 'import json; print(1)'"
	c := callOf(command)
	if ro := bash.Spec.ReadOnly(c); !ro.ReadOnly {
		t.Errorf("got %s, want read-only", ro.Reason)
	}
	for i := range c.Context.Targets {
		c.Context.Targets[i].Repo = &tool.Repo{Root: project, Dirty: []string{"python module json.py"}}
	}
	if bash.Spec.ReadOnly(c).ReadOnly || bash.Spec.Check(c).Behavior == tool.Allow {
		t.Error("allowed although a file of the project stands for a module")
	}
	c.Context.Targets = nil
	if bash.Spec.ReadOnly(c).ReadOnly {
		t.Error("read-only although nothing is known of the directory")
	}
	git := callOf("git status")
	git.Context.Targets[0].Repo = &tool.Repo{Root: project, Dirty: []string{"python module json.py"}}
	if ro := bash.Spec.ReadOnly(git); !ro.ReadOnly {
		t.Errorf("git status: got %s, want read-only", ro.Reason)
	}
}
