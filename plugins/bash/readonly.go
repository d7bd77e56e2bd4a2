package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// safeNames are the variables that change how programs print or what they build
// for, and neither which programs run nor where they write.
var safeNames = map[string]bool{
	"LANG": true, "LC_ALL": true, "LC_CTYPE": true, "LC_COLLATE": true, "LC_MESSAGES": true, "LC_NUMERIC": true, "LC_TIME": true, "LANGUAGE": true,
	"TZ": true, "NO_COLOR": true, "FORCE_COLOR": true, "CLICOLOR": true, "CLICOLOR_FORCE": true, "COLUMNS": true, "LINES": true, "TERM": true,
	"CI": true, "NODE_ENV": true, "PYTHONUNBUFFERED": true, "RUST_LOG": true, "RUST_BACKTRACE": true, "DEBUG": true, "VERBOSE": true,
	"GOOS": true, "GOARCH": true, "CGO_ENABLED": true, "GO111MODULE": true, "GIT_TERMINAL_PROMPT": true, "GIT_OPTIONAL_LOCKS": true, "PYTHONDONTWRITEBYTECODE": true, "DEBIAN_FRONTEND": true,
}

// safeAssigns reports whether every assignment of cmd is of a safe name to a
// plain value.
func safeAssigns(cmd *Command) bool {
	for _, a := range cmd.Assigns {
		if (a.Name == "GIT_PAGER" || a.Name == "PAGER") && a.Value.Literal && (a.Value.Text == "cat" || a.Value.Text == "") {
			continue
		}
		if !safeNames[a.Name] || !a.Value.Literal || strings.ContainsAny(a.Value.Text, "/%$`") {
			return false
		}
	}
	return true
}

// surroundings is what the host knows about the paths of a line.
type surroundings interface {
	// repoRuns reports whether repository configuration could make a reading
	// program run another.
	repoRuns() bool
	// secret reports whether a touched path may hold a secret.
	secret(touch) bool
	// unresolved reports whether the host could not follow a touched path.
	unresolved(touch) bool
}

// readsOnly reports whether the whole line provably changes nothing, and why.
func (l *Line) readsOnly(world surroundings) (bool, string) {
	switch {
	case l.Opaque != "":
		return false, l.Opaque
	case l.Hidden != "":
		return false, "it uses " + l.Hidden
	case len(l.Commands) == 0:
		return false, "there is no command"
	}
	reason := ""
	for _, cmd := range l.Commands {
		ok, why := l.readOnly(cmd, world)
		if !ok {
			return false, why
		}
		reason = why
	}
	if len(l.Commands) > 1 {
		reason = "every command of the line only reads"
	}
	return true, reason
}

// readOnly judges one command; what it wraps is judged as a command of its own.
func (l *Line) readOnly(cmd *Command, world surroundings) (bool, string) {
	name := cmd.Name()
	label := name
	if label == "" {
		label = "an assignment or redirection"
	}
	if !safeAssigns(cmd) {
		return false, label + " with an environment that may change what runs"
	}
	for _, r := range cmd.Redirects {
		if r.Write && !(r.Word.Literal && harmlessDevice(r.Word.Text)) {
			return false, label + " writes to " + r.Word.Text
		}
		if !r.Word.Literal || strings.HasPrefix(r.Word.Text, "/dev/tcp/") || strings.HasPrefix(r.Word.Text, "/dev/udp/") {
			return false, label + " reads from something that is not a plain file"
		}
	}
	if name == "" {
		return true, "nothing is run"
	}
	if cmd.Qualified() && cmd.Words[0].Text != "/bin/"+name && cmd.Words[0].Text != "/usr/bin/"+name {
		return false, cmd.Words[0].Text + " is a program of its own"
	}
	if len(cmd.Assigns) > 0 && len(cmd.Words) == 1 && (name == "export" || name == "readonly" || name == "declare" || name == "typeset" || name == "local") {
		return true, name + " sets variables that only change what programs print"
	}
	return l.useReads(cmd, world)
}

// useReads judges what the program and its words say.
func (l *Line) useReads(cmd *Command, world surroundings) (bool, string) {
	u := cmd.Use()
	row, name := u.Row(), u.Command()
	ok, why := u.ReadsOnly()
	switch {
	case !ok:
		return false, why
	case cmd.Stdin, cmd.Inline, cmd.Wraps && !row.Plain && len(u.Spans) == 0:
		return false, name + " runs what it is given"
	case !tellable(u.Args()), cmd.Input != nil && !tellable([]Word{*cmd.Input}):
		return false, name + " shows a variable that may hold a secret"
	case row.Repo && world.repoRuns():
		why := "what is configured here may make " + name + " run a program"
		if row.Heeds != "" {
			why += " (it heeds " + row.Heeds + ")"
		}
		return false, why
	}
	if _, known := cdTarget(cmd); changesDir(cmd.Name()) && !known {
		return false, "where " + name + " leads cannot be told"
	}
	opened := u.Opened()
	for _, word := range append(u.With(program.Reads), opened...) {
		if strings.Contains(word.Text, "://") || strings.ContainsAny(word.Text, "\n\r") {
			return false, name + " is given " + word.Text + ", which is no plain file"
		}
	}
	for _, t := range l.touches(cmd) {
		switch {
		case t.access != read, row.Names && !slices.ContainsFunc(opened, func(w Word) bool { return w.Text == t.word.Text }):
		case t.path == "" && t.word.Text != "" && !row.Loose:
			return false, name + " reads something that cannot be named"
		case world.unresolved(t):
			return false, name + " reads " + t.path + ", which cannot be followed"
		case world.secret(t):
			return false, name + " reads " + t.path + ", which may hold a secret"
		}
	}
	return true, why
}

// tellable reports whether words that are printed expand no variable that may
// hold a secret.
func tellable(words []Word) bool {
	for _, w := range words {
		for _, name := range w.Vars {
			if !program.Tellable(name) {
				return false
			}
		}
	}
	return true
}
