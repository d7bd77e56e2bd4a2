package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// safeNames are variables for the output format or the build target of programs, without
// influence on the programs run or the files written.
var safeNames = map[string]bool{
	"LANG": true, "LC_ALL": true, "LC_CTYPE": true, "LC_COLLATE": true, "LC_MESSAGES": true, "LC_NUMERIC": true, "LC_TIME": true, "LANGUAGE": true,
	"TZ": true, "NO_COLOR": true, "FORCE_COLOR": true, "CLICOLOR": true, "CLICOLOR_FORCE": true, "COLUMNS": true, "LINES": true, "TERM": true,
	"CI": true, "NODE_ENV": true, "PYTHONUNBUFFERED": true, "RUST_LOG": true, "RUST_BACKTRACE": true, "DEBUG": true, "VERBOSE": true,
	"GOOS": true, "GOARCH": true, "CGO_ENABLED": true, "GO111MODULE": true, "GIT_TERMINAL_PROMPT": true, "GIT_OPTIONAL_LOCKS": true, "PYTHONDONTWRITEBYTECODE": true, "DEBIAN_FRONTEND": true,
}

// choosing are variables that select a configuration of the user's, or an output format. They
// may be set, and no rule covers a command behind them.
var choosing = map[string]bool{
	"AWS_PROFILE": true, "AWS_REGION": true, "AWS_DEFAULT_REGION": true, "AWS_DEFAULT_OUTPUT": true, "CLOUDSDK_CORE_PROJECT": true, "PYTHONIOENCODING": true, "PYTHONUTF8": true, "PYTHONHASHSEED": true,
	"LOG_LEVEL": true, "APP_ENV": true, "RAILS_ENV": true, "RACK_ENV": true, "FLASK_ENV": true, "DO_NOT_TRACK": true, "NEXT_TELEMETRY_DISABLED": true, "TF_IN_AUTOMATION": true, "HUSKY": true, "PORT": true,
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

// namedAssigns reports whether every assignment of cmd is of a safe name, or is made by env with one
// of words: these name the variable and its value.
func namedAssigns(cmd *Command, words []string) bool {
	if safeAssigns(cmd) {
		return true
	}
	if cmd.Name() != "env" {
		return false
	}
	for _, a := range cmd.Assigns {
		one := Command{Assigns: []Assign{a}}
		if !safeAssigns(&one) && (!a.Value.Literal || a.Appends || !slices.Contains(words, a.Name+"="+a.Value.Text)) {
			return false
		}
	}
	return true
}

// harmlessAssigns reports whether the assignments of cmd change nothing for the programs of the
// line, itself included: they set safe names, or the line's own variables to values that may be
// shown. A value may hold no subscript with a command in it: zsh would run it wherever it takes
// the variable for a number.
func harmlessAssigns(cmd *Command) bool {
	if safeAssigns(cmd) {
		return true
	}
	for _, a := range cmd.Assigns {
		one := Command{Assigns: []Assign{a}}
		text := a.Value.Text
		switch subscript := strings.Contains(text, "[") && strings.ContainsAny(text, "$`"); {
		case safeAssigns(&one), cmd.Name() == "export" && choosing[a.Name] && a.Value.Literal && !strings.ContainsAny(text, "/%$`"), a.Name == "IFS" && cmd.Name() == "read" && a.Value.Literal:
		case !program.OwnVariable(a.Name), a.Appends, subscript, !tellable([]Word{a.Value}):
			return false
		}
	}
	return true
}

// surroundings are the host's facts about the paths of a line.
type surroundings interface {
	// repoRuns reports whether repository configuration could make a reading
	// program run another.
	repoRuns() bool
	// secret reports whether a touched path may hold a secret.
	secret(touch) bool
	// seeks reports whether a glob for names of files is one for secrets.
	seeks(glob string) bool
	// shadowed reports whether a file where cmd runs may stand for a module of Python.
	shadowed(*Command) bool
	// unresolved reports whether the host could not follow a touched path.
	unresolved(touch) bool
	// replaced reports whether another command of the line may put something else there first.
	replaced(touch) bool
	// place returns a path of cmd relative to its working directory, absolute outside of all,
	// and empty when it is unknown.
	place(cmd *Command, p Word, as access) string
	// readsThere reports whether a line only reads on another machine.
	readsThere(line string) bool
	// editsBeside reports whether edits may be covered beside the other commands of the line.
	editsBeside() bool
	// edited reports whether cmd only edits files inside the working directories.
	edited(cmd *Command) bool
	// putsOutput reports whether the redirections of cmd write such files alone.
	putsOutput(cmd *Command) bool
}

// readsOnly reports whether the whole line provably changes nothing, and why.
func (l *Line) readsOnly(world surroundings) (bool, string) {
	switch {
	case l.Opaque != "":
		return false, l.Opaque
	case l.Hidden != "":
		return false, "it uses " + l.Hidden
	case len(l.Commands) == 0 && l.tests:
		return true, "a test compares"
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

// readOnly judges one command; a command inside it is judged by itself.
func (l *Line) readOnly(cmd *Command, world surroundings) (bool, string) {
	for _, r := range cmd.Redirects {
		if r.Write && !(r.Word.Literal && l.harmless(r.Word.Text)) {
			return false, cmd.label() + " writes to " + r.Word.Text
		}
	}
	if files, why := cmd.computes(); why == "" && len(files.Written) > 0 {
		return false, cmd.label() + " writes to " + files.Written[0]
	}
	return l.readsApart(cmd, world)
}

// readsApart is readOnly without the files written by redirections, and by programs on the
// line.
func (l *Line) readsApart(cmd *Command, world surroundings) (bool, string) {
	name := cmd.Name()
	label := name
	if label == "" {
		label = "an assignment or redirection"
	}
	if !harmlessAssigns(cmd) {
		return false, label + " with an environment that may change what runs"
	}
	for _, r := range cmd.Redirects {
		if !r.Word.Literal && !(r.Read && r.Word.Output) || strings.HasPrefix(r.Word.Text, "/dev/tcp/") || strings.HasPrefix(r.Word.Text, "/dev/udp/") {
			return false, label + " reads from something that is not a plain file"
		}
	}
	if l.reopens(cmd) {
		return false, label + " names a standard stream that holds a file"
	}
	if name == "" {
		// The redirection of a group: a command in it reads it, and shows it.
		if why := l.readsUnsafe(cmd, world, func(t touch) bool { return t.redirected }); why != "" {
			return false, why
		}
		return true, "nothing is run"
	}
	if !trusted(cmd) {
		return false, cmd.Words[0].Text + " is a program of its own"
	}
	if len(cmd.Assigns) > 0 && len(cmd.Words) == 1 && (name == "export" || name == "readonly" || name == "declare" || name == "typeset" || name == "local") {
		return true, name + " sets variables that only change what programs print"
	}
	if cmd.Inline {
		return l.inlineReads(cmd, world)
	}
	return l.useReads(cmd, world)
}

// inlineReads judges code on the line.
func (l *Line) inlineReads(cmd *Command, world surroundings) (bool, string) {
	_, why := cmd.computes()
	switch {
	case why != "":
		return false, why
	case world.shadowed(cmd), l.makesModules():
		return false, cmd.Name() + " may import a file of this directory in the place of its own module"
	case !tellable(cmd.Args()):
		return false, cmd.Name() + " shows a variable that may hold a secret"
	}
	if why := l.readsUnsafe(cmd, world, func(touch) bool { return true }); why != "" {
		return false, why
	}
	return true, cmd.Name() + " computes and prints"
}

// useReads judges the program and its words.
func (l *Line) useReads(cmd *Command, world surroundings) (bool, string) {
	u := cmd.Use()
	row, name := u.Row(), u.Command()
	if u.AsksUsage() && (cmd.Parent == nil || cmd.Parent.keyword) && !cmd.Piped && cmd.Input == nil && len(cmd.Assigns) == 0 && !slices.ContainsFunc(cmd.Redirects, func(r Redirect) bool { return r.Read }) {
		return true, name + " prints its version or help"
	}
	if checksSyntax(cmd) {
		return l.syntaxReads(cmd, world)
	}
	ok, why := u.ReadsOnly()
	heedful, heeds := u.Heeds()
	switch {
	case !ok:
		return false, why
	case cmd.Stdin, cmd.Inline, cmd.Wraps && !row.Plain && len(u.Spans) == 0:
		return false, name + " runs what it is given"
	case row.Adds && !addsKnown(cmd):
		return false, name + " adds words that can name any file"
	case !tellable(u.Args()), cmd.Input != nil && !tellable([]Word{*cmd.Input}):
		return false, name + " shows a variable that may hold a secret"
	case heedful && world.repoRuns():
		why := "what is configured here may make " + name + " run a program"
		if heeds != "" {
			why += " (it heeds " + heeds + ")"
		}
		return false, why
	}
	if _, known := cdTarget(cmd); changesDir(cmd.Name()) && !known {
		return false, "where " + name + " leads cannot be told"
	}
	opened := u.Opened()
	for _, word := range append(u.With(program.Reads), opened...) {
		if _, _, network := networkAddress(word.Text); network || strings.Contains(word.Text, "://") || strings.ContainsAny(word.Text, "\n\r") {
			return false, name + " is given " + word.Text + ", which is no plain file"
		}
	}
	opened = u.OpenedToShow()
	shown := func(t touch) bool {
		return t.redirected || u.Shows() || slices.ContainsFunc(opened, func(w Word) bool { return w.Text == t.word.Text })
	}
	if why := l.readsUnsafe(cmd, world, shown); why != "" {
		return false, why
	}
	return true, why
}

// checksSyntax reports whether a shell only parses one script: it is given -n, and runs nothing
// then, start files included. Source: bash(1), dash(1). The file is named, so the input is not
// read.
func checksSyntax(cmd *Command) bool {
	words := cmd.Words
	return len(words) == 3 && slices.Contains([]string{"bash", "sh", "dash"}, cmd.Name()) && allLiteral(words) && words[1].Text == "-n" &&
		words[2].Text != "" && !words[2].Glob && strings.IndexByte("-+", words[2].Text[0]) < 0 && (cmd.Parent == nil || cmd.Parent.keyword)
}

// syntaxReads judges a check of a script's syntax: an error shows a line of it.
func (l *Line) syntaxReads(cmd *Command, world surroundings) (bool, string) {
	for _, t := range l.touches(cmd) {
		if t.path == "" || world.unresolved(t) || world.secret(t) {
			return false, cmd.label() + " may show a line of " + t.word.Text
		}
	}
	return true, cmd.label() + " -n checks the syntax of a script"
}

// addsKnown reports whether the words added by xargs are harmless: the command inside shows
// names alone, or they are names of files without secrets, listed by the command before it.
func addsKnown(cmd *Command) bool {
	u := cmd.Use()
	if u.Inner == 0 || program.Read(u.Words[u.Inner:u.End]).NamesAlone() {
		return true
	}
	from := cmd.Feeder
	for from != nil && from.Use().Passes() {
		from = from.Feeder
	}
	return from != nil && from.Use().ListsOrdinary()
}

// readsUnsafe names a path read by cmd that must not be shown: a secret, or one that cannot be
// named or followed. shown reports the paths with contents that may appear; a redirection's
// always may, because a program showing names alone can be run with, or around, one that shows
// its input. Empty when there is none.
func (l *Line) readsUnsafe(cmd *Command, world surroundings, shown func(touch) bool) string {
	for _, filter := range cmd.Use().Filters() {
		if world.seeks(filter.Text) {
			return cmd.label() + " looks into files called " + filter.Text + ", which may hold a secret"
		}
	}
	for _, t := range l.touches(cmd) {
		switch {
		case t.access != read || !shown(t):
		case t.path == "" && t.word.Text != "" && (t.redirected || !cmd.Use().Row().Loose):
			return cmd.label() + " reads something that cannot be named"
		case world.unresolved(t):
			return cmd.label() + " reads " + t.path + ", which cannot be followed"
		case world.replaced(t):
			return cmd.label() + " reads " + t.path + ", which the line may make a link first"
		case world.secret(t):
			return cmd.label() + " reads " + t.path + ", which may hold a secret"
		}
	}
	return ""
}

// tellable reports whether printed words expand no variable with a possible secret.
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
