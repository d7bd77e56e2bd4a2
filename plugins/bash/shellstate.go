package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// movers are commands changing the shell's directory.
var movers = []string{"cd", "chdir", "pushd", "popd", "dirs", "z", "j", "zoxide", "autojump", "wd"}

// builtins are the commands of bash, dash, zsh and ksh that run in the shell itself and change
// its variables, aliases, functions, options, traps or descriptors; any other program is
// another process and cannot. After them, functions commonly loaded at start-up for the same
// purpose. Threat T24.
var builtins = []string{
	"export", "declare", "typeset", "local", "readonly", "integer", "float", "set", "unset", "shift", "getopts", "read", "mapfile", "readarray", "let", "vared", "nameref",
	"alias", "unalias", "functions", "unfunction", "autoload", "unhash", "hash", "rehash", "enable", "disable", "builtin", "source", ".", "eval", "exec", "emulate",
	"shopt", "setopt", "unsetopt", "options", "trap", "umask", "ulimit", "limit", "unlimit", "bind", "bindkey", "complete", "compopt", "compctl", "compdef", "zle", "zmodload", "zstyle", "zcompile", "zparseopts", "zformat",
	"fc", "history", "sched", "exit", "logout", "return", "break", "continue", "disown", "suspend", "getln", "print", "printf", "wait", "sysread", "strftime", "coproc",
	"nvm", "conda", "mamba", "micromamba", "pyenv", "rbenv", "nodenv", "goenv", "workon", "activate", "deactivate", "sdk", "asdf", "direnv", "module", "ml", "rvm", "chruby", "nvs", "fnm", "mise", "spack",
}

// changesShell lists the possible changes of the line to its shell. An unreadable line may
// change everything.
func (c *call) changesShell() []string {
	if !c.set.Dialect.analysed() || c.line.Opaque != "" {
		return []string{tool.ShellDirectory, tool.ShellEnvironment}
	}
	var moves bool
	changes := c.line.Hidden != "" || c.line.assigns
	for _, cmd := range c.line.Commands {
		name := cmd.Name()
		switch {
		case strings.Trim(name, ".") == "" && len(name) > 1, slices.Contains(movers, name):
			moves = true // ".." too: some shells enter a directory named alone
		case len(cmd.Words) == 0 && len(cmd.Assigns) > 0:
			changes = true
		case name == "printf" && !assigningPrintf(cmd) || name == "wait" && len(cmd.Assigns) == 0:
		case slices.Contains(builtins, name):
			changes = true
		case len(cmd.Assigns) > 0 && (name == ":" || name == "times"):
			changes = true // before a special builtin, an assignment stays
		}
	}
	var out []string
	if moves {
		out = append(out, tool.ShellDirectory)
	}
	if changes {
		out = append(out, tool.ShellEnvironment)
	}
	return out
}

// assigningPrintf reports whether a printf writes to a variable.
func assigningPrintf(cmd *Command) bool {
	return slices.ContainsFunc(cmd.Args(), func(w Word) bool { return !w.Literal || strings.HasPrefix(w.Text, "-v") })
}

// steady reports whether an allowance holds after any changes of the shell by earlier calls:
// nothing was changed, or only the directory, and the line touches no relative path and runs
// nothing that looks around itself. The first word of a line means something else once there
// are aliases, functions or another PATH.
func steady(tc *tool.Call[Input]) bool {
	changed := tc.Context.ShellChanged
	if len(changed) == 0 {
		return true
	}
	if len(changed) > 1 || changed[0] != tool.ShellDirectory {
		return false
	}
	c := open(tc)
	if c.set.Dir != "" || c.line.Opaque != "" {
		return false
	}
	for _, cmd := range c.line.Commands {
		touched := c.line.touches(cmd)
		if len(touched) == 0 && !placeless[cmd.Name()] {
			return false
		}
		for _, t := range touched {
			if !strings.HasPrefix(t.path, "/") && t.path != "~" && !strings.HasPrefix(t.path, "~/") {
				return false
			}
		}
		if cmd.Use().Row().Repo {
			return false
		}
	}
	return true
}

// placeless are commands whose answer is the same in every directory, when they touch no path.
var placeless = map[string]bool{
	"echo": true, "printf": true, "date": true, "true": true, "false": true, ":": true, "uname": true, "whoami": true, "id": true, "hostname": true, "uptime": true, "arch": true, "nproc": true,
	"seq": true, "expr": true, "which": true, "type": true, "ps": true, "free": true, "sleep": true, "groups": true, "tty": true, "locale": true, "basename": true, "dirname": true, "wc": true, "head": true, "tail": true, "sort": true, "uniq": true, "cut": true, "tr": true,
}

const shellChangedReason = "an earlier call changed the shell that runs this one"

// steadyCheck is check, without the allowances that depend on a changed shell.
func steadyCheck(tc *tool.Call[Input]) tool.Verdict {
	v := check(tc)
	if v.Behavior == tool.Allow && !steady(tc) {
		return tool.Verdict{Behavior: tool.Passthrough, Reason: shellChangedReason}
	}
	return v
}

// steadyReadOnly is readOnly, likewise.
func steadyReadOnly(tc *tool.Call[Input]) tool.ReadOnly {
	answer := readOnly(tc)
	if answer.ReadOnly && !steady(tc) {
		return tool.ReadOnly{Reason: shellChangedReason}
	}
	return answer
}

// steadyMatch is match; in a changed shell a line is allowed by its exact text
// alone.
func steadyMatch(tc *tool.Call[Input], behavior tool.Behavior, given []tool.Rule) []int {
	if behavior != tool.Allow || len(tc.Context.ShellChanged) == 0 {
		return match(tc, behavior, given)
	}
	for i, r := range given {
		if parseRule(r.Content).kind == exactRule && unescapeRule(r.Content) == strings.TrimSpace(tc.Input.text()) {
			if only := match(tc, behavior, []tool.Rule{r}); len(only) == 1 {
				return []int{i}
			}
		}
	}
	return nil
}
