package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// Use returns the command as its program reads it.
func (c *Command) Use() *program.Use {
	if c.use == nil {
		c.use = program.Read(c.Words)
	}
	return c.use
}

// unwrap adds the commands in the arguments of cmd, and records code in other languages.
func (w *walker) unwrap(cmd *Command) {
	if isLoader(cmd.Name()) {
		w.loads(cmd)
		return
	}
	u := cmd.Use()
	if i := obscured(u); i > 0 {
		w.line.opaque(cmd.Name() + " runs a command behind " + u.Words[i].Text + ", which is not understood")
		return
	}
	if u.Inner > 0 {
		for _, a := range u.With(program.Assign) {
			cmd.Assigns = append(cmd.Assigns, splitAssign(a))
		}
		w.runsWords(cmd, u)
	}
	if u.Row().Adds && w.unnamed(u) {
		w.line.opaque(cmd.Name() + " runs a command that is among the words it adds")
	}
	if u.Program == "git" && u.Has("--config-env") {
		w.line.opaque("git --config-env takes settings from variables")
	}
	if isEncoded(u) {
		w.line.opaque(cmd.Name() + " runs an encoded script")
	}
	if u.Program == "env" && u.Has("-S") {
		w.line.opaque("env -S splits its argument into a command")
	}
	for _, span := range u.Spans {
		w.innerWords(cmd, span[0], u.Words[span[0]:span[1]])
	}
	for _, script := range u.Scripts() {
		w.runsScript(cmd, script)
	}
	if runsByName(u) {
		cmd.Wraps = true
	}
	for _, code := range u.Code() {
		w.computedCode(cmd, code)
		cmd.Inline = true
		cmd.code = append(cmd.code, code.Text)
	}
	for _, word := range u.With(program.Runs, program.Script) {
		w.computedCode(cmd, word)
	}
	if u.Commanded() || u.Fed() && (cmd.Piped || w.stdin != nil) || u.Row().Project && slices.ContainsFunc(u.Opened(), func(word Word) bool { return program.IsInput(word.Text) || word.Output }) {
		w.readsInput(cmd)
	}
}

// computedCode refuses a command with code made by the line: nothing shows it.
func (w *walker) computedCode(cmd *Command, code Word) {
	if code.Computed {
		w.line.hide(cmd.Name() + " with code that other commands make")
		w.line.HiddenCode = true
	}
}

// unnamed reports whether the program for xargs or its like is missing on the line: there is no
// command, it begins with the replaced text, or it is a wrapper without one.
func (w *walker) unnamed(u *program.Use) bool {
	if u.Inner == 0 || u.Inner >= u.End {
		return u.Program == "parallel"
	}
	inner := program.Read(u.Words[u.Inner:u.End])
	first := inner.Words[0].Text
	for _, text := range append(u.Values("-I", "-J", "--replace"), Word{Text: "{"}) {
		if text.Text != "" && strings.Contains(first, text.Text) {
			return true
		}
	}
	return inner.Unnamed()
}

// isEncoded reports whether PowerShell has a script in base64: it takes any beginning of
// -EncodedCommand.
func isEncoded(u *program.Use) bool {
	if u.Program != "pwsh" && u.Program != "powershell" {
		return false
	}
	return slices.ContainsFunc(u.Args(), func(word Word) bool {
		text := strings.ToLower(strings.TrimLeft(word.Text, "-/"))
		return text != "" && text != strings.ToLower(word.Text) && (strings.HasPrefix("encodedcommand", text) || text == "ec")
	})
}

// isLoader reports whether a program is the system's own loader: it runs a program by its path.
func isLoader(name string) bool {
	return strings.HasPrefix(name, "ld-linux") || strings.HasPrefix(name, "ld-musl") || name == "ld.so"
}

// loads adds the command run by the loader: any of its words may begin it.
func (w *walker) loads(cmd *Command) {
	for i, word := range cmd.Words[1:] {
		if !strings.HasPrefix(word.Text, "-") {
			w.innerWords(cmd, i+1, cmd.Words[i+1:])
			return
		}
	}
}

// runsWords adds the command in the words of cmd.
func (w *walker) runsWords(cmd *Command, u *program.Use) {
	words := u.Words[u.Inner:u.End]
	if !u.Joined {
		w.innerWords(cmd, u.Inner, words)
		if len(words) == 1 && strings.ContainsAny(words[0].Text, " \t") {
			w.innerScript(cmd, words[0]) // some take a line for a command (xterm -e)
		}
		return
	}
	script := Word{Literal: true, Text: strings.Join(texts(words), " ")}
	for _, word := range words {
		script.Literal = script.Literal && word.Literal && !word.Glob
	}
	w.innerScript(cmd, script)
}

// runsScript walks a command line that cmd hands to a shell.
func (w *walker) runsScript(cmd *Command, script Word) {
	w.innerScript(cmd, script)
	if slices.Contains(foreign, cmd.Name()) {
		w.line.opaque("a script in the language of " + cmd.Name())
	}
}

// obscured returns the index of a word that could change the meaning of the words after it to a
// program running some of them: an unknown word, or an option outside the row; 0 when there is
// none.
func obscured(u *program.Use) int {
	end := u.Inner
	if isShell(u.Program) {
		end = len(u.Words)
		if len(u.Operands) > 0 {
			end = u.Index(0) + 1
		}
	}
	for i := 1; i < end; i++ {
		if !u.Words[i].Literal {
			return i
		}
	}
	for _, o := range u.Options {
		if !o.Known && o.At < u.Inner {
			return o.At
		}
	}
	return 0
}

func splitAssign(word Word) Assign {
	name, value, _ := strings.Cut(word.Text, "=")
	word.Text = value
	return Assign{Name: name, Value: word}
}

// innerWords adds the command at words[i] of cmd. RATIONALE.md, "Why is a wrapped command
// judged twice?".
func (w *walker) innerWords(cmd *Command, i int, words []Word) {
	if w.depth++; w.depth > maxDepth {
		w.line.opaque("the command is nested too deeply")
		w.depth--
		return
	}
	outer := w.parent
	w.parent = cmd
	cmd.Wraps = true
	if cmd.Inner == 0 {
		cmd.Inner = i
	}
	offset := cmd.Offset + i
	if cmd.Offset < 0 {
		offset = -1
	}
	dirs := w.dirs
	w.enter(cmd)
	w.run(&Command{Words: slices.Clone(words), Source: cmd.Source, Offset: offset})
	if len(cmd.Use().Starts()) > 0 {
		w.dirs = dirs
	}
	w.parent = outer
	w.depth--
}

// enter goes where the wrapper cmd goes before it runs its command.
func (w *walker) enter(cmd *Command) {
	for _, dir := range cmd.Use().Starts() {
		if w.dirs == nil || !dir.Literal || dir.Glob {
			w.dirs = nil
			return
		}
		next := make([]string, 0, len(w.dirs))
		for _, d := range w.dirs {
			next = append(next, joinDir(d, pathText(dir)))
		}
		w.dirs = next
	}
}

// innerScript walks a script given as one word.
func (w *walker) innerScript(cmd *Command, script Word) {
	cmd.Wraps = true
	if p := cmd.Parent; p != nil && (strings.Contains(script.Text, "{}") || pastes(p)) {
		w.line.opaque("a script into which file names are pasted")
	}
	if !script.Literal {
		w.line.opaque(cmd.Name() + " runs a text that is not literal")
		return
	}
	w.inSubshell(func() { w.script(script.Text, cmd) })
}

// pastes reports whether a program replaces words of the command inside by its input (xargs
// -I).
func pastes(cmd *Command) bool {
	u := cmd.Use()
	return u.Row().Adds && u.Has("-I", "-i", "-J", "--replace")
}

// readsInput records a program taking its commands from its input. Literal input of a shell is
// walked, anything else is unknown.
func (w *walker) readsInput(cmd *Command) {
	switch {
	case w.stdin != nil && w.stdin.Literal && w.stdin.Text != "(a file)" && (isShell(cmd.Name()) || cmd.Name() == "at" || cmd.Name() == "batch"):
		w.runsScript(cmd, *w.stdin)
	case w.stdin != nil && w.stdin.Text != "(a file)" && !isShell(cmd.Name()):
		w.computedCode(cmd, *w.stdin)
		cmd.Inline = true
		cmd.code = append(cmd.code, w.stdin.Text)
	default:
		cmd.Stdin = true
		if isShell(cmd.Name()) || cmd.Piped {
			w.line.opaque(cmd.Name() + " runs whatever its input says")
		}
	}
}
