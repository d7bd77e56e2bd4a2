package bash

import (
	"slices"
	"strings"
)

const maxSuggestions = 5

// suggestion is one rule content with what it means.
type suggestion struct{ content, description string }

// suggestions proposes rules that would cover the line: the command and
// sub-command of each part, then the line as it is.
func (c *call) suggestions() []suggestion {
	if c.line.Opaque != "" || c.line.Hidden != "" || c.in.escalates() || c.danger() != "" {
		return nil
	}
	var out []suggestion
	narrow, uncovered := true, 0
	for _, cmd := range c.line.Commands {
		if cmd.Parent != nil {
			continue
		}
		if ok, _ := c.line.readOnlyTree(cmd, c); ok && (cmd.Name() != "cd" || c.cdInside(cmd)) {
			continue
		}
		uncovered++
		s, ok := c.prefix(cmd)
		if !ok {
			narrow = false
			continue
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if uncovered == 0 {
		return nil
	}
	if !narrow || len(out) >= maxSuggestions {
		out = nil
	}
	if text := strings.TrimSpace(c.line.Text); !strings.Contains(text, "\n") && len(text) <= 1000 {
		out = append(out, suggestion{escapeRule(text), "exactly this command line"})
	}
	return out
}

// noPrefix are programs for which a prefix would be broader than it looks:
// their second word is an option or a file, or code.
var noPrefix = map[string]bool{
	"rm": true, "rmdir": true, "mv": true, "cp": true, "mkdir": true, "touch": true, "ln": true, "chmod": true, "chown": true, "chgrp": true, "install": true, "tee": true, "truncate": true,
	"kill": true, "pkill": true, "killall": true, "find": true, "fd": true, "curl": true, "wget": true, "ssh": true, "scp": true, "rsync": true, "tar": true, "unzip": true, "zip": true,
	"sed": true, "awk": true, "perl": true, "export": true, "declare": true, "typeset": true, "sleep": true, "dd": true, "shred": true, "unlink": true, "patch": true, "openssl": true, "read": true, "unset": true,
	"cat": true, "grep": true, "sort": true, "uniq": true, "jq": true, "yq": true, "test": true, "printf": true, "echo": true, "cd": true, "pushd": true, "git-shell": true, "at": true, "batch": true, "nc": true, "ncat": true, "socat": true, "crontab": true, "history": true, "local": true, "readonly": true,
}

// wrapperPrefix are the wrappers whose rule may name what they run.
var wrapperPrefix = map[string]bool{"xargs": true, "npx": true, "bunx": true}

// prefix proposes "program sub-command:*" for cmd, when the rule says no more
// than it shows.
func (c *call) prefix(cmd *Command) (suggestion, bool) {
	if !coverable(cmd) || cmd.Words[0].Quoted || !safeAssigns(cmd) || cmd.Qualified() || len(cmd.Words) < 2 || isShell(cmd.Name()) || isInterpreter(cmd.Name()) || noPrefix[cmd.Name()] {
		return suggestion{}, false
	}
	n := 2
	if cmd.Wraps {
		if cmd.Inner == 0 || !(wrapperPrefix[cmd.Name()] && cmd.Inner == 1 || runners[cmd.Name()] != nil && cmd.Inner == 2) {
			return suggestion{}, false
		}
		n = cmd.Inner + 1
		inner := &Command{Words: cmd.Words[cmd.Inner:]}
		if name := inner.Name(); isShell(name) || isInterpreter(name) || wrappers[name].skip > 0 || isWrapper(name) || name == "find" ||
			len(inner.Words) > 1 && strings.HasPrefix(inner.Words[1].Text, "-") && noPrefix[name] || inner.Qualified() {
			return suggestion{}, false
		}
	} else if isWrapper(cmd.Name()) {
		return suggestion{}, false
	}
	for _, w := range cmd.Words[1:n] {
		if !w.Literal || w.Glob || w.Quoted || !subcommandWord(w.Text) {
			return suggestion{}, false
		}
	}
	text := strings.Join(texts(cmd.Words[:n]), " ")
	description := "every command that begins with " + text
	if runsProject[cmd.Name()] {
		description += "; it runs code of the project"
	}
	s := suggestion{text + ":*", description}
	if c.line.covers(parseRule(s.content), cmd) {
		return s, true
	}
	return suggestion{}, false
}

func isWrapper(name string) bool {
	_, ok := wrappers[name]
	return ok && !wrapperPrefix[name] || name == "eval" || name == "watch" || name == "flock"
}

// subcommandWord reports whether a word looks like the name of a sub-command
// or a target: not an option, not a path, not an address.
func subcommandWord(s string) bool {
	if s == "" || s[0] == '-' {
		return false
	}
	for _, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && r != '-' && r != '_' && r != ':' {
			return false
		}
	}
	return !(s[0] >= '0' && s[0] <= '9')
}

// runsProject are programs whose commands run what the project says.
var runsProject = map[string]bool{
	"npm": true, "pnpm": true, "yarn": true, "make": true, "cargo": true, "go": true, "mvn": true, "gradle": true, "rake": true, "bundle": true, "uv": true, "poetry": true, "npx": true, "just": true, "task": true, "tox": true, "mix": true, "dotnet": true,
}
