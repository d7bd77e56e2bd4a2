package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call adds a simple command.
func (w *walker) call(c *syntax.CallExpr, redirects []Redirect) {
	cmd := &Command{Redirects: redirects}
	for _, a := range c.Assigns {
		w.assign(cmd, a)
	}
	if len(c.Args) > maxWords {
		w.line.opaque("a command has too many words")
		c.Args = c.Args[:maxWords]
	}
	for _, word := range c.Args {
		cmd.Words = append(cmd.Words, w.word(word))
	}
	cmd.Source = w.source(c)
	if len(cmd.Words) == 0 {
		for _, a := range cmd.Assigns {
			w.assigned[a.Name] = true
		}
	}
	w.run(cmd)
}

// declare adds export, declare, local, readonly or typeset.
func (w *walker) declare(c *syntax.DeclClause, redirects []Redirect) {
	cmd := &Command{
		Words: []Word{{Text: c.Variant.Value, Literal: true}}, Redirects: redirects, Source: w.source(c),
	}
	for _, a := range c.Args {
		if !a.Naked {
			w.assign(cmd, a)
			w.assigned[cmd.Assigns[len(cmd.Assigns)-1].Name] = true
			continue
		}
		word := w.word(a.Value)
		if a.Name != nil {
			word = Word{Text: a.Name.Value, Literal: true}
		}
		if !word.Literal || word.Glob || strings.ContainsAny(word.Text, "[=") {
			w.line.opaque(c.Variant.Value + " evaluates its arguments")
		}
		cmd.Words = append(cmd.Words, word)
	}
	w.add(cmd)
}

func (w *walker) assign(cmd *Command, a *syntax.Assign) {
	out := Assign{}
	if a.Name != nil {
		out.Name = a.Name.Value
	}
	if a.Index != nil || a.Array != nil || a.Name == nil {
		w.line.opaque("an array assignment, which evaluates its subscript")
		if a.Index != nil {
			w.arithmetic(a.Index)
		}
		if a.Array != nil {
			for _, e := range a.Array.Elems {
				if e.Index != nil {
					w.arithmetic(e.Index)
				}
				w.word(e.Value)
			}
		}
	}
	out.Value = w.word(a.Value)
	cmd.Assigns = append(cmd.Assigns, out)
}

func (w *walker) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(w.src) || from > to {
		return ""
	}
	return w.src[from:to]
}

// add records cmd as running now, here.
func (w *walker) add(cmd *Command) bool {
	if len(w.line.Commands) >= maxCommands {
		w.line.opaque("the command has too many parts")
		return false
	}
	cmd.Dirs, cmd.Parent, cmd.Piped = w.dirs, w.parent, w.piped
	if w.parent != nil && cmd.Offset == 0 {
		cmd.Offset = -1
	}
	w.line.Commands = append(w.line.Commands, cmd)
	return true
}

// run adds cmd, then what it wraps, then its effect on what follows.
func (w *walker) run(cmd *Command) {
	if !w.add(cmd) || len(cmd.Words) == 0 {
		return
	}
	program := cmd.Words[0]
	if !program.Literal || program.Glob || program.Tilde || program.Text == "" {
		w.line.opaque("the program is not a plain word")
		return
	}
	if n := cmd.Name(); n == "" || n == "." && program.Text != "." {
		w.line.opaque("the program is not a plain word")
		return
	}
	w.evaluating(cmd)
	w.unwrap(cmd)
	w.changeDir(cmd)
}

// evaluating refuses builtins that change what later words mean or that
// evaluate an argument. Threats T20 and T24.
func (w *walker) evaluating(cmd *Command) {
	name, args := cmd.Name(), cmd.Args()
	switch name {
	case "eval", ".", "source", "alias", "unalias", "trap", "enable", "bind", "complete", "shopt",
		"setopt", "unsetopt", "autoload", "zmodload", "functions", "unhash", "fc", "emulate", "vared", "zle", "mapfile", "readarray", "getopts", "let":
		w.line.opaque(name + " changes or evaluates what the shell runs")
	case "hash":
		if len(args) > 0 {
			w.line.opaque("hash changes what the shell runs")
		}
	case "test", "[", "printf", "read", "unset", "wait", "local":
		if name == "[" {
			w.line.hide("a test")
		}
		w.evaluatedArgs(name, args)
	}
}

// evaluatedArgs refuses arguments that a builtin would evaluate as a subscript.
func (w *walker) evaluatedArgs(name string, args []Word) {
	for i, a := range args {
		subscript := strings.ContainsAny(a.Text, "[$`") && !(name == "[" && a.Text == "[")
		switch name {
		case "printf":
			if strings.HasPrefix(a.Text, "-v") && i == 0 && (len(args) < 2 || args[1].Text != plainName(args[1].Text)) {
				w.line.opaque("printf -v evaluates its argument")
			}
			if i == 0 && !a.Literal && !a.Quoted {
				w.line.opaque("printf evaluates its first argument")
			}
		case "test", "[":
			if (a.Text == "-v" || a.Text == "-R") && i+1 < len(args) && plainName(args[i+1].Text) == "" {
				w.line.opaque(name + " -v evaluates its argument")
			}
			if !a.Literal && !a.Quoted {
				w.line.opaque(name + " with an unquoted expansion may evaluate it")
			}
		default:
			if subscript || !a.Literal {
				w.line.opaque(name + " evaluates its argument")
			}
		}
	}
}

// plainName returns s when it is a plain variable name, else "".
func plainName(s string) string {
	for i, r := range s {
		letter := r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return ""
		}
	}
	return s
}

// changeDir follows cd.
func (w *walker) changeDir(cmd *Command) {
	switch cmd.Name() {
	case "cd", "pushd", "chdir":
	case "popd", "dirs":
		w.dirs = nil
		return
	default:
		return
	}
	dest, ok := cdTarget(cmd)
	if !ok || w.assigned["CDPATH"] {
		w.dirs = nil
		return
	}
	if p := cmd.Parent; p != nil && p.Name() != "time" && p.Name() != "command" && p.Name() != "builtin" && cmd.Offset >= 0 {
		return // a wrapped cd changes nobody else's directory
	}
	next := make([]string, 0, len(w.dirs))
	for _, d := range w.dirs {
		next = append(next, joinDir(d, dest))
	}
	if w.dirs != nil {
		w.dirs = next
	}
}

// cdTarget returns where a cd goes, as text that may begin with "~".
func cdTarget(cmd *Command) (dest string, ok bool) {
	if len(cmd.Assigns) > 0 {
		return "", false
	}
	var operands []Word
	for i, a := range cmd.Args() {
		if a.Text == "--" {
			operands = append(operands, cmd.Args()[i+1:]...)
			break
		}
		if a.Literal && (a.Text == "-P" || a.Text == "-L") && len(operands) == 0 {
			continue
		}
		operands = append(operands, a)
	}
	if len(operands) == 0 {
		return "~", cmd.Name() == "cd"
	}
	if len(operands) > 1 {
		return "", false
	}
	o := operands[0]
	if !o.Literal || o.Glob || strings.HasPrefix(o.Text, "-") || strings.HasPrefix(o.Text, "+") || o.Text == "" {
		return "", false
	}
	return pathText(o), true
}

// pathText returns the path that word means: a "~" that is not a tilde
// expansion is an ordinary name.
func pathText(word Word) string {
	if strings.HasPrefix(word.Text, "~") && !word.Tilde {
		return "./" + word.Text
	}
	return word.Text
}

// joinDir returns p as seen from dir.
func joinDir(dir, p string) string {
	if dir == "" || strings.HasPrefix(p, "/") || p == "~" || strings.HasPrefix(p, "~/") {
		return p
	}
	if p == "" {
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + p
}
