package bash

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call adds a simple command.
func (w *walker) call(c *syntax.CallExpr, redirects []Redirect) {
	cmd := &Command{Redirects: redirects}
	for i, a := range c.Assigns {
		w.assign(cmd, a)
		if len(c.Args) == 0 {
			w.setBy(cmd.Assigns[i])
		}
	}
	if len(c.Args) > maxWords {
		w.line.opaque("a command has too many words")
		c.Args = c.Args[:maxWords]
	}
	for i, word := range c.Args {
		w.naming = i == 0
		cmd.Words = append(cmd.Words, w.word(word))
	}
	w.naming = false
	cmd.Source = w.source(c)
	w.noteAssigned(cmd)
	w.run(cmd)
}

// noteAssigned remembers the variables possibly set by cmd: before a program too, since dash
// keeps the assignments before some builtins, as operands of env and its kin, and as the
// arguments of builtins that read or remove.
func (w *walker) noteAssigned(cmd *Command) {
	for _, a := range cmd.Assigns {
		if len(cmd.Words) > 0 && !(a.Name == "IFS" && cmd.Words[0].Text == "read") {
			w.change(a.Name)
		}
	}
	names, typed := false, false
	for i, word := range cmd.Words {
		switch word.Text {
		case "read", "unset", "printf", "wait", "local", "getopts", "mapfile", "readarray", "set", "typeset", "declare", "export", "readonly", "integer", "float":
			names = true
			typed = typed || i > 0 || word.Text != "read"
		}
		if name, _, ok := strings.Cut(word.Text, "="); ok || names {
			w.change(name)
			w.odd[name] = w.odd[name] || typed
		}
	}
}

// setBy records an assignment without a command.
func (w *walker) setBy(a Assign) {
	if a.Appends {
		w.change(a.Name)
		return
	}
	w.set(a.Name, a.Value)
}

// declare adds export, declare, local, readonly or typeset.
func (w *walker) declare(c *syntax.DeclClause, redirects []Redirect) {
	cmd := &Command{
		Words: []Word{{Text: c.Variant.Value, Literal: true}}, Redirects: redirects, Source: w.source(c),
	}
	plain := (c.Variant.Value == "export" || c.Variant.Value == "readonly") && !slices.ContainsFunc(c.Args, func(a *syntax.Assign) bool { return a.Naked })
	for _, a := range c.Args {
		if !a.Naked {
			w.assign(cmd, a)
			one := cmd.Assigns[len(cmd.Assigns)-1]
			if plain && !one.Value.Tilde { // a tilde there is not expanded by all shells
				w.setBy(one)
				continue
			}
			w.change(one.Name)
			w.odd[one.Name] = w.odd[one.Name] || !plain
			continue
		}
		word := w.word(a.Value)
		if a.Name != nil {
			word = Word{Text: a.Name.Value, Literal: true}
			w.change(word.Text)
			w.odd[word.Text] = true
		}
		if !word.Literal || word.Glob || strings.ContainsAny(word.Text, "[=") {
			w.line.opaque(c.Variant.Value + " evaluates its arguments")
		}
		cmd.Words = append(cmd.Words, word)
	}
	w.add(cmd)
}

func (w *walker) assign(cmd *Command, a *syntax.Assign) {
	out := Assign{Appends: a.Append}
	if a.Name != nil {
		out.Name = a.Name.Value
	}
	if a.Index != nil || a.Array != nil || a.Name == nil {
		if a.Index != nil || a.Name == nil || a.Array != nil && slices.ContainsFunc(a.Array.Elems, func(e *syntax.ArrayElem) bool { return e.Index != nil }) {
			w.line.opaque("an array assignment, which evaluates its subscript")
		} else {
			w.line.unclear("an array, which not all shells have")
		}
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
	if strings.Contains(out.Value.Text, ":~") {
		out.Value.Literal = false // a tilde stands for a home behind a colon, too
	}
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
	cmd.Dirs, cmd.Parent, cmd.Piped, cmd.Fed, cmd.Input = w.dirs, w.parent, w.piped, w.fed, w.stdin
	if w.parent != nil && cmd.Offset == 0 {
		cmd.Offset = -1
	}
	if w.stdin == nil {
		cmd.Feeder = w.feeder
	}
	w.line.Commands = append(w.line.Commands, cmd)
	return true
}

// patternProgram is why a line is opaque whose program is a pattern: files decide the program.
// Only a rule with the same text covers it.
const patternProgram = "the program is a pattern of file names"

// run adds cmd, then the command inside it, then its effect on the following commands.
func (w *walker) run(cmd *Command) {
	if !w.add(cmd) || len(cmd.Words) == 0 {
		return
	}
	program := cmd.Words[0]
	if program.Literal && program.Glob && !program.Tilde && !program.Brace && strings.Contains(program.Text, "*") {
		w.line.opaque(patternProgram)
		return
	}
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
