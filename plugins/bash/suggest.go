package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
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
		if !cmd.stands() {
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

// prefix proposes "program sub-command:*" for cmd, when the rule says no more
// than it shows.
func (c *call) prefix(cmd *Command) (suggestion, bool) {
	if !coverable(cmd) || cmd.Words[0].Quoted || !safeAssigns(cmd) || cmd.Qualified() || len(cmd.Words) < 2 {
		return suggestion{}, false
	}
	n := named(cmd)
	if n == 0 {
		return suggestion{}, false
	}
	for _, w := range cmd.Words[1:n] {
		if !w.Literal || w.Glob || w.Quoted || !subcommandWord(w.Text) {
			return suggestion{}, false
		}
	}
	text := strings.Join(texts(cmd.Words[:n]), " ")
	description := "every command that begins with " + text
	if cmd.Use().Row().Project {
		description += "; it runs code of the project"
	}
	s := suggestion{text + ":*", description}
	if r := parseRule(s.content); c.line.covers(&r, cmd) {
		return s, true
	}
	return suggestion{}, false
}

// named returns how many words of cmd, from the first, name what it does: the
// program and its sub-command, and the program that it runs. It is 0 where no
// words do: their options or operands decide.
func named(cmd *Command) int {
	u := cmd.Use()
	row := u.Row()
	switch {
	case cmd.Wraps:
		if u.Inner == 0 || u.Joined || u.Inner != u.At || len(u.Sub) == 0 && !row.Adds && !row.Project {
			return 0
		}
		if inner := program.Read(u.Words[u.Inner:u.End]); plainlyNamed(inner) {
			return u.Inner + 1
		}
		return 0
	case u.Runs() || u.Commanded():
		return 0
	case !u.Known:
		return 2
	case len(u.Sub) > 0 && u.At == 1+len(u.Sub):
		return u.At
	case len(u.Sub) == 0 && row.Verb && len(u.Operands) > 0 && u.Index(0) == 1:
		return 2
	}
	return 0
}

// plainlyNamed reports whether the name of a program that another one runs says
// enough: it runs nothing further, and no option decides what it does.
func plainlyNamed(u *program.Use) bool {
	if !u.Words[0].Literal || strings.Contains(u.Words[0].Text, "/") || isShell(u.Program) {
		return false
	}
	named := u.Row().Commands || u.Row().Verb
	return !u.Runs() && !u.Row().Terminal && len(u.Spans) == 0 && (named || len(u.Words) == 1 || !strings.HasPrefix(u.Words[1].Text, "-"))
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
