package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// Some words of a command describe themselves: options and settings whose names say that their
// value is a command (--diff-cmd=rm, -o Pre-Invoke::=rm, config set editor rm). No table lists
// all such programs, or all such options of a known one; the names are the common part. Deny
// and ask rules look there, so a name too many costs a question and no allowance.

// commandNames are parts of such names, in small letters and without the signs
// between their words.
var commandNames = []string{
	"exec", "cmd", "command", "run", "invoke", "shell", "editor", "pager", "wrap", "launch", "hook", "helper", "prog", "askpass", "sendmail", "rsh", "ssh", "view", "render", "preview", "bind",
	"onerror", "onoutofmemory", "link", "compil", "tool", "filter", "script", "process", "engine", "plugin", "alias", "entrypoint", "interpreter", "handler", "trigger", "action", "browser", "player", "speller", "diff", "merge",
	"callback", "agent", "eval", "rustc", "rustdoc", "javabase", "proxy", "external", "method",
}

// withoutSigns drops the signs between the words of a name.
var withoutSigns = strings.NewReplacer("-", "", "_", "", ".", "", ":", "")

// namesCommand reports whether by its name a value may be a command.
func namesCommand(name string) bool {
	name = strings.ToLower(withoutSigns.Replace(name))
	return slices.ContainsFunc(commandNames, func(part string) bool { return strings.Contains(name, part) })
}

// givenTexts returns the values of a command's options and settings with a name for commands.
func (c *Command) givenTexts() []string {
	u := c.Use()
	if ok, _ := u.ReadsOnly(); ok {
		return nil
	}
	var out []string
	setting := false
	for i, word := range c.Args() {
		name, value, attached := strings.Cut(word.Text, "=")
		switch {
		case attached:
			for ok := true; ok; {
				if namesCommand(name) || strings.HasPrefix(value, "!") || strings.HasPrefix(value, "|") {
					out = append(out, value)
				}
				var more string
				more, value, ok = strings.Cut(value, "=")
				name += more
			}
		case (strings.HasPrefix(name, "-") && !isSwitch(u, i+1) || setting) && namesCommand(name):
			out = append(out, strings.Join(texts(c.Words[i+2:]), " "))
		}
		setting = setting || slices.Contains(settingVerbs, word.Text)
	}
	return out
}

// isSwitch reports whether the word at an index is a known option without a value.
func isSwitch(u *program.Use, at int) bool {
	return slices.ContainsFunc(u.Options, func(o program.Option) bool { return o.At == at && o.Known && !o.Has && o.Name == u.Words[at].Text })
}

// settingVerbs make programs store a setting, its name and its value behind them.
var settingVerbs = []string{"set", "config", "configure", "set-option", "set-hook", "setw", "set-environment", "setopt"}

// runningNames are the last words in names of options for a command to run.
var runningNames = []string{"exec", "execute", "cmd", "command", "under", "wrapper", "invoke"}

// runsByName reports whether an unknown option runs its value, judging by its name: no rule
// about the program shows the command.
func runsByName(u *program.Use) bool {
	return slices.ContainsFunc(u.Options, func(o program.Option) bool {
		name, _, attached := strings.Cut(u.Words[o.At].Text, "=")
		if o.Known || !attached && o.At+1 >= len(u.Words) {
			return false
		}
		parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("-_.:", r) })
		return len(parts) > 0 && slices.Contains(runningNames, parts[len(parts)-1])
	})
}
