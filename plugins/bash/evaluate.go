package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// test walks the words of [[ ]] for the commands in them, and refuses operands
// that the shell evaluates as arithmetic. Threat T20.
func (w *walker) test(x syntax.TestExpr) {
	switch t := x.(type) {
	case *syntax.Word:
		w.word(t)
	case *syntax.ParenTest:
		w.dashTest()
		w.test(t.X)
	case *syntax.UnaryTest:
		w.test(t.X)
		if t.Op == syntax.TsVarSet || t.Op == syntax.TsRefVar {
			w.line.opaque("a test that evaluates its operand")
		}
	case *syntax.BinaryTest:
		w.test(t.X)
		w.test(t.Y)
		switch t.Op {
		case syntax.AndTest, syntax.OrTest, syntax.TsBefore, syntax.TsAfter, syntax.TsReMatch:
			w.dashTest()
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			w.line.opaque("a numeric test, which evaluates its operands")
		}
	}
}

// plainTest reports whether x is one question about a file or a text that is
// spelled out: [[ -f go.mod ]], [[ -z "" ]].
func plainTest(x syntax.TestExpr) bool {
	t, ok := x.(*syntax.UnaryTest)
	if !ok {
		return false
	}
	switch t.Op {
	case syntax.TsExists, syntax.TsRegFile, syntax.TsDirect, syntax.TsSmbLink, syntax.TsRead, syntax.TsWrite, syntax.TsExec, syntax.TsNoEmpty, syntax.TsEmpStr, syntax.TsNempStr:
	default:
		return false
	}
	operand, ok := t.X.(*syntax.Word)
	if !ok {
		return false
	}
	for _, part := range operand.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "\\*?[]{}()~^#=<>|&!$") {
				return false
			}
		case *syntax.SglQuoted:
			if p.Dollar {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// dashTest refuses operators inside [[ ]] where the shell may be one that takes
// [[ for a program, and them for its own: [[ a || rm x ]], [[ a > b ]].
func (w *walker) dashTest() {
	if w.dialect == Sh || w.dialect == Unknown {
		w.line.opaque("a test with operators that dash reads as its own")
	}
}

// arithmetic walks x and reports whether it consists of numbers and operators
// alone: any name could hold an expression that runs a command (T20).
func (w *walker) arithmetic(x syntax.ArithmExpr) bool {
	switch a := x.(type) {
	case *syntax.Word:
		word := w.word(a)
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

// expansion walks what a computing parameter expansion contains.
func (w *walker) expansion(p *syntax.ParamExp) {
	if p.Excl || p.Index != nil || p.NestedParam != nil || p.Flags != nil || p.Slice != nil {
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
		w.word(p.Repl.Orig)
		w.word(p.Repl.With)
	}
	if p.Exp != nil {
		w.word(p.Exp.Word)
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			w.assigned[p.Param.Value] = true
		}
		if p.Exp.Op == syntax.OtherParamOps {
			w.line.opaque("a parameter transformation that evaluates its operand")
		}
	}
}

// evaluating refuses builtins that change what later words mean or that
// evaluate an argument. Threats T20 and T24.
func (w *walker) evaluating(cmd *Command) {
	name, args := cmd.Name(), cmd.Args()
	switch name {
	case "eval", ".", "source", "alias", "unalias", "trap", "enable", "bind", "complete", "shopt",
		"setopt", "unsetopt", "autoload", "zmodload", "functions", "unhash", "fc", "emulate", "vared", "zle", "mapfile", "readarray", "getopts", "let", "repeat", "foreach", "nocorrect":
		w.line.opaque(name + " changes or evaluates what the shell runs")
	case "--":
		w.line.opaque("a command called --, which may stand behind time, and then names the one that follows")
	case "hash":
		if len(args) > 0 {
			w.line.opaque("hash changes what the shell runs")
		}
	case "test", "[", "printf", "read", "unset", "wait", "local":
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
