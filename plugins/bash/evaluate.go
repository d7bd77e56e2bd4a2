package bash

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// test walks the words of [[ ]] for the commands in them, and refuses operands evaluated by the
// shell as arithmetic. Threat T20.
func (w *walker) test(x syntax.TestExpr) {
	switch t := x.(type) {
	case *syntax.Word:
		w.judge(w.word(t), "a test")
	case *syntax.ParenTest:
		w.dashTest()
		w.test(t.X)
	case *syntax.UnaryTest:
		w.test(t.X)
		switch t.Op {
		case syntax.TsVarSet, syntax.TsRefVar:
			w.line.opaque("a test that evaluates its operand")
		case syntax.TsNot, syntax.TsExists, syntax.TsRegFile, syntax.TsDirect, syntax.TsSmbLink, syntax.TsRead, syntax.TsWrite, syntax.TsExec, syntax.TsNoEmpty, syntax.TsEmpStr, syntax.TsNempStr:
		default:
			w.line.hide("a test")
		}
	case *syntax.BinaryTest:
		w.test(t.X)
		w.test(t.Y)
		switch t.Op {
		case syntax.AndTest:
			if w.negated || disjoins(t) {
				w.dashTest() // else the program dash looks for as [[ fails, and nothing behind && is run
			}
		case syntax.OrTest, syntax.TsBefore, syntax.TsAfter, syntax.TsReMatch:
			w.dashTest()
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			w.numeric(t.X, t.Y)
		case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch, syntax.TsNewer, syntax.TsOlder:
		default:
			w.line.hide("a test")
		}
	}
}

// disjoins reports whether a test holds an || somewhere, or parentheses.
func disjoins(x syntax.TestExpr) bool {
	found := false
	syntax.Walk(x, func(n syntax.Node) bool {
		switch t := n.(type) {
		case *syntax.ParenTest:
			found = true
		case *syntax.BinaryTest:
			found = found || t.Op == syntax.OrTest
		}
		return !found
	})
	return found
}

// numeric refuses the operands of a test of numbers, unless they are numbers: the shell
// evaluates them.
func (w *walker) numeric(operands ...syntax.TestExpr) {
	for _, x := range operands {
		operand, ok := x.(*syntax.Word)
		switch text := w.peek(operand); {
		case !ok || strings.ContainsAny(text.Text, "[`"):
			w.line.opaque("a numeric test, which evaluates its operands")
		case !isNumber(text):
			w.line.unclear("a numeric test, which evaluates its operands")
		}
	}
}

// isNumber reports whether a word is a number.
func isNumber(word Word) bool {
	return word.Literal && word.Text != "" && strings.Trim(strings.TrimPrefix(word.Text, "-"), "0123456789") == ""
}

// dashTest refuses operators inside [[ ]] where the shell may take [[ for a program, and them
// for its own: [[ a || rm x ]], [[ a > b ]].
func (w *walker) dashTest() {
	if w.dialect == Sh || w.dialect == Unknown {
		w.line.unclear("a test with operators that dash reads as its own")
	}
}

// arithmetic walks x and reports whether it consists of numbers and operators alone: any name
// could hold an expression with a command (T20).
func (w *walker) arithmetic(x syntax.ArithmExpr) bool {
	switch a := x.(type) {
	case *syntax.Word:
		word := w.word(a)
		if v, known := w.vars[word.Text]; known && word.Literal && !word.Quoted && !v.glob {
			word.Text = v.text
		}
		return word.Literal && word.Text != "" && strings.Trim(word.Text, "0123456789") == ""
	case *syntax.BinaryArithm:
		left := w.arithmetic(a.X)
		return w.arithmetic(a.Y) && left
	case *syntax.UnaryArithm:
		return w.arithmetic(a.X)
	case *syntax.ParenArithm:
		return w.arithmetic(a.X)
	}
	return false
}

// ownNames reports whether x consists of numbers, operators and variables set by the line
// itself.
func (w *walker) ownNames(x syntax.ArithmExpr) bool {
	switch a := x.(type) {
	case *syntax.Word:
		if len(a.Parts) != 1 {
			return false
		}
		name := a.Lit()
		if p, ok := a.Parts[0].(*syntax.ParamExp); ok && simpleParam(p) {
			name = p.Param.Value
		}
		return name != "" && (strings.Trim(name, "0123456789") == "" || plainName(name) != "" && w.assigned[name])
	case *syntax.BinaryArithm:
		return w.ownNames(a.X) && w.ownNames(a.Y)
	case *syntax.UnaryArithm:
		return w.ownNames(a.X)
	case *syntax.ParenArithm:
		return w.ownNames(a.X)
	}
	return false
}

// expansion walks the parts of a computing parameter expansion, and returns the variables among
// them.
func (w *walker) expansion(p *syntax.ParamExp) (vars []string) {
	if index, ok := p.Index.(*syntax.Word); ok && (index.Lit() == "@" || index.Lit() == "*") && p.Param != nil && w.assigned[p.Param.Value] && !p.Excl {
		w.line.unclear("an array, which not all shells have")
	} else if p.Excl || p.Index != nil || p.NestedParam != nil || p.Flags != nil || p.Slice != nil {
		w.line.opaque("a parameter expansion that evaluates its operand")
	}
	if p.Index != nil {
		w.arithmetic(p.Index)
	}
	if p.Slice != nil {
		for _, x := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if x != nil {
				w.arithmetic(x)
			}
		}
	}
	if p.Repl != nil {
		vars = append(w.word(p.Repl.Orig).Vars, w.word(p.Repl.With).Vars...)
	}
	if p.Exp != nil {
		vars = append(vars, w.word(p.Exp.Word).Vars...)
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			w.change(p.Param.Value)
			w.line.assigns = true
			if !program.OwnVariable(p.Param.Value) {
				w.line.hide("an expansion that sets " + p.Param.Value)
			}
		}
		if p.Exp.Op == syntax.OtherParamOps {
			w.line.opaque("a parameter transformation that evaluates its operand")
		}
	}
	return vars
}

// activates reports whether cmd begins the line, but for directories, and sources a virtual
// environment's script; this sets the search path of programs. It asks like any other script of
// the project, and a rule may name it.
func (w *walker) activates(cmd *Command) bool {
	if name := cmd.Words[0].Text; name != "source" && name != "." || cmd.Parent != nil || len(cmd.Words) != 2 || len(cmd.Redirects) > 0 || len(cmd.Assigns) > 0 {
		return false
	}
	script := cmd.Words[1]
	dir, base := path.Split(script.Text)
	if in := path.Base(dir); !script.Literal || script.Glob || base != "activate" || in != "bin" && in != "Scripts" {
		return false
	}
	return !slices.ContainsFunc(w.line.Commands[:len(w.line.Commands)-1], func(before *Command) bool { return !changesDir(before.Name()) || len(before.Redirects) > 0 })
}

// evaluating refuses builtins that evaluate an argument or change the meaning of later words.
// Threats T20 and T24.
func (w *walker) evaluating(cmd *Command) {
	name, args := cmd.Name(), cmd.Args()
	if w.activates(cmd) {
		clear(w.vars)
		return
	}
	switch name {
	case ".", "source":
		if len(args) == 1 && args[0].Literal && !args[0].Glob && strings.HasSuffix(args[0].Text, "bin/activate") {
			w.line.unclear(name + ", which lets a file change the shell itself")
			return
		}
		w.line.opaque(name + " changes or evaluates what the shell runs")
	case "shopt", "mapfile", "readarray", "getopts":
		if slices.ContainsFunc(args, func(a Word) bool { return !a.Literal || strings.ContainsAny(a.Text, "[$`") || a.Text == "-C" }) {
			w.line.opaque(name + " evaluates its argument")
			return
		}
		w.line.unclear(name + " changes what the shell makes of words")
	case "eval", "alias", "unalias", "trap", "enable", "bind", "complete",
		"setopt", "unsetopt", "autoload", "zmodload", "functions", "unhash", "fc", "emulate", "vared", "zle", "let", "repeat", "foreach", "nocorrect":
		w.line.opaque(name + " changes or evaluates what the shell runs")
	case "--":
		w.line.opaque("a command called --, which may stand behind time, and then names the one that follows")
	case "compgen", "jobs":
		if slices.ContainsFunc(args, func(a Word) bool { return strings.HasPrefix(a.Text, "-") && strings.ContainsAny(a.Text, "CFWPSXx") }) {
			w.line.opaque(name + " runs or evaluates its argument")
		}
	case "hash":
		if len(args) > 0 {
			w.line.opaque("hash changes what the shell runs")
		}
	case "test", "[", "printf", "read", "unset", "wait", "local":
		w.evaluatedArgs(name, args)
	}
}

// evaluatedArgs refuses arguments evaluated by a builtin as a subscript.
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
				w.line.unclear(name + " with an unquoted expansion may evaluate it")
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
