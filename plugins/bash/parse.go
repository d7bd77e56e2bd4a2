package bash

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// Analyze reads a command line. It always returns a line: an unreadable one is opaque, with the
// parts understood.
func Analyze(text string, set Setting) *Line { return analyze(text, set, false) }

// analyze is Analyze; old means: text is an old shell's reading of a line.
func analyze(text string, set Setting, old bool) *Line {
	line := &Line{Text: text, Setting: set}
	if !set.Dialect.analysed() {
		line.opaque("no analysis for this shell")
		return line
	}
	if reason := unreadable(text); reason != "" {
		line.opaque(reason)
		return line
	}
	w := &walker{line: line, old: old, dialect: set.Dialect, assigned: map[string]bool{}, odd: map[string]bool{}, vars: map[string]variable{}, dirs: []string{set.Dir}}
	w.script(text, nil)
	line.readAsOld(w.olds)
	return line
}

// unreadable reports why shells and this parser could read the bytes of text
// differently. Threat T21. RATIONALE.md, "Which asks can no rule answer?".
func unreadable(text string) string {
	if len(text) > maxBytes {
		return "the command is too long"
	}
	if !utf8.ValidString(text) {
		return "the command is not valid UTF-8"
	}
	for _, r := range text {
		if unicode.IsControl(r) && r != '\t' && r != '\n' {
			return "the command holds control characters"
		}
		if r == utf8.RuneError {
			return "the command holds a replacement character"
		}
	}
	return tangled(text)
}

// tangled reports whether text opens more brackets or compound commands than
// any honest line does. Quotes are not heeded: it only has to err on this side.
func tangled(text string) string {
	if len(text) <= maxNesting { // too short for either
		return ""
	}
	depth, deepest := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			depth++
			deepest = max(deepest, depth)
		case ')', '}', ']':
			depth = max(0, depth-1)
		}
	}
	openers := 0
	for word := range strings.FieldsSeq(text) {
		switch word {
		case "if", "for", "while", "until", "case", "select", "function", "time", "!", "[[", "coproc", "elif":
			openers++
		}
	}
	if deepest > maxNesting || openers > maxOpeners {
		return "the command is nested too deeply"
	}
	return ""
}

// oddComment returns why a comment found by the parser (mvdan.cc/sh v3.13.0) may be none to a
// shell: it lets one ending in a backslash swallow the line feed, and takes the # right behind
// a closed quote for one.
func oddComment(file *syntax.File, text string) (reason string) {
	syntax.Walk(file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.Comment)
		if !ok || reason != "" {
			return reason == ""
		}
		at := min(int(c.Hash.Offset()), len(text))
		before := text[:at]
		for strings.HasSuffix(before, "\\\n") {
			before = strings.TrimSuffix(before, "\\\n")
		}
		if before != "" && !strings.ContainsRune(" \t\n;&|()<>`", rune(before[len(before)-1])) {
			reason = "a # inside a word, which the parser takes for a comment"
		}
		if line, _, continued := strings.Cut(text[at:], "\n"); continued && strings.HasSuffix(line, "\\") {
			reason = "a comment that ends in a backslash, which the parser joins to the next line and shells do not"
		}
		return reason == ""
	})
	return reason
}

// endsEscaped reports whether the last thing in text is a backslash with nothing
// to quote.
func endsEscaped(text string) bool {
	text = strings.TrimSuffix(text, "\n")
	return (len(text)-len(strings.TrimRight(text, "\\")))%2 == 1
}

// tokenContinues reports whether a backslash and line feed stand inside an operator or between
// a dollar sign and its expansion. Shells join the two first, the parser does not.
func tokenContinues(text string) bool {
	for i := 1; i+2 < len(text); i++ {
		if text[i] != '\\' || text[i+1] != '\n' {
			continue
		}
		after := strings.TrimLeft(text[i+2:], "\\\n")
		operator := strings.IndexByte("&|;<>(", text[i-1]) >= 0 && after != "" && strings.IndexByte("&|;<>(-", after[0]) >= 0
		if text[i-1] == '$' || operator {
			return true
		}
	}
	return false
}

// walker walks one syntax tree and gathers the line's commands.
type walker struct {
	line *Line
	// old means: src is an old shell's reading of a line; olds are such readings of this one.
	old  bool
	olds []string
	// dialect is the shell reading src.
	dialect Dialect
	// src is the text being walked: the line itself, or a script inside it.
	src   string
	depth int
	// dirs are the directories the next command may run in; nil = unknown.
	dirs []string
	// parent is the wrapper of the current script.
	parent *Command
	piped  bool
	// assigned are the variables assigned somewhere before.
	assigned map[string]bool
	// odd are variables with a type given by the line; it changes their values.
	odd map[string]bool
	// vars are the variables with known values here.
	vars map[string]variable
	// looped are the variables changed by the current outermost loop; nil outside loops. rounds
	// counts the rounds walked in loops.
	looped map[string]bool
	rounds int
	// negated means: the current statement, or one around it, has a "!".
	negated bool
	// naming means: the current word names a program.
	naming bool
	// failed are the directories where the current list may have stopped at a failed command.
	failed []string
	// fed is the text of the commands with their output as the current one's input.
	fed string
	// feeder is the simple command with its output as the current one's input.
	feeder *Command
	// stdin is the input of the current statement from a here-document or a redirection.
	stdin *Word
}

// script parses and walks text, the line itself or a script literally inside it.
func (w *walker) script(text string, parent *Command) {
	if w.depth++; w.depth > maxDepth {
		w.line.opaque("the command is nested too deeply")
		return
	}
	defer func() { w.depth-- }()
	if tokenContinues(text) {
		w.line.opaque("a backslash and line feed inside an operator or after a dollar sign")
	}
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(text), "")
	if err != nil {
		w.line.opaque("the command does not parse")
	}
	if file == nil {
		return
	}
	if reason := oddComment(file, text); reason != "" {
		w.line.opaque(reason)
	}
	if endsEscaped(text) {
		w.line.opaque("a backslash with nothing behind it, which shells read differently")
	}
	src, outer, dialect, vars := w.src, w.parent, w.dialect, w.vars
	w.src, w.parent = text, parent
	if parent != nil {
		w.dialect, w.vars = dialectOf(parent.Name()), map[string]variable{} // another process
	}
	if strings.Contains(text, "}\\\n") && !w.dialect.onlyBash() {
		w.line.opaque("a closing brace before a continued line, which zsh loses")
	}
	w.stmts(file.Stmts)
	w.src, w.parent, w.dialect, w.vars = src, outer, dialect, vars
}

func (w *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		before := slices.Clone(w.dirs)
		outer := w.failed
		w.failed = nil
		w.stmt(s)
		if !slices.Equal(before, w.dirs) {
			w.mergeDirs(before)
			w.mergeDirs(append([]string{}, w.failed...))
		}
		w.failed = append(outer, w.failed...)
	}
}

// inSubshell walks with changes of directory and variables undone afterwards.
func (w *walker) inSubshell(walk func()) {
	dirs, vars := slices.Clone(w.dirs), maps.Clone(w.vars)
	walk()
	w.dirs, w.vars = dirs, vars
}

// maybe walks code that may not run: afterwards, either directory counts, and the values equal
// in both cases.
func (w *walker) maybe(walk func()) {
	before, vars := slices.Clone(w.dirs), maps.Clone(w.vars)
	walk()
	w.mergeDirs(before)
	w.forgetWhere(vars)
}

func (w *walker) mergeDirs(other []string) {
	if w.dirs == nil || other == nil {
		w.dirs = nil
		return
	}
	for _, d := range other {
		if !slices.Contains(w.dirs, d) {
			w.dirs = append(w.dirs, d)
		}
	}
	if len(w.dirs) > maxDirs {
		w.dirs = nil
	}
}

// substitution walks the commands of a substitution.
func (w *walker) substitution(list []*syntax.Stmt) {
	piped, stdin, fed, feeder := w.piped, w.stdin, w.fed, w.feeder
	w.piped, w.stdin, w.fed, w.feeder = false, nil, "", nil
	if w.depth++; w.depth > maxDepth {
		w.line.opaque("the command is nested too deeply")
	} else {
		if deferredBody(list) {
			w.line.opaque("a here-document beside other commands inside a substitution, which bash 5.2 joins wrongly")
		}
		w.inSubshell(func() { w.stmts(list) })
	}
	w.depth--
	w.piped, w.stdin, w.fed, w.feeder = piped, stdin, fed, feeder
}

// deferredBody reports whether list holds a here-document and more than one command. bash 5.2
// prints a substitution and reads it again, and loses the separators behind a here-document on
// its line: in $(<<E | alfa; bravo) it runs "alfa bravo".
func deferredBody(list []*syntax.Stmt) bool {
	commands, body := 0, false
	for _, s := range list {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch x := n.(type) {
			case *syntax.Stmt:
				if _, ok := x.Cmd.(*syntax.BinaryCmd); !ok {
					commands++
				}
			case *syntax.Redirect:
				body = body || x.Op == syntax.Hdoc || x.Op == syntax.DashHdoc
			}
			return true
		})
	}
	return body && commands > 1
}

func (w *walker) stmt(s *syntax.Stmt) {
	if w.depth++; w.depth > maxDepth {
		w.line.opaque("the command is nested too deeply")
		w.depth--
		return
	}
	defer func() { w.depth-- }()
	if s.Coprocess || s.Disown {
		w.line.opaque("a statement form that only some shells know")
	}
	stdin, negated := w.stdin, w.negated
	w.negated = w.negated || s.Negated
	w.splitByDash(s)
	redirects := w.redirects(s.Redirs)
	run := func() { w.command(s.Cmd, redirects) }
	switch {
	case s.Background && (w.dialect == Zsh || w.dialect == Unknown):
		// zsh sends the last pipeline of the list away, and runs the others here.
		w.maybe(run)
	case s.Background:
		w.inSubshell(run)
	default:
		run()
	}
	w.stdin, w.negated = stdin, negated
}

func (w *walker) command(cmd syntax.Command, redirects []Redirect) {
	switch c := cmd.(type) {
	case nil:
		w.bare(redirects)
		return
	case *syntax.CallExpr:
		w.call(c, redirects)
		return
	case *syntax.DeclClause:
		w.declare(c, redirects)
		return
	}
	if len(redirects) > 0 {
		w.bare(redirects)
	}
	w.compound(cmd)
}

// bare adds a redirection without a command.
func (w *walker) bare(redirects []Redirect) {
	w.add(&Command{Redirects: redirects})
}

func (w *walker) compound(cmd syntax.Command) {
	switch c := cmd.(type) {
	case *syntax.BinaryCmd:
		w.binary(c)
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.Subshell:
		w.inSubshell(func() { w.stmts(c.Stmts) })
	case *syntax.IfClause:
		w.ifClause(c)
	case *syntax.WhileClause:
		w.loop(func() { w.stmts(c.Cond); w.stmts(c.Do) })
	case *syntax.ForClause:
		w.forClause(c)
	case *syntax.CaseClause:
		w.caseClause(c)
	case *syntax.FuncDecl:
		w.line.hide("a function definition")
		if c.RsrvWord || c.Name == nil || !newName(c.Name.Value) || callsItself(c) {
			w.line.opaque("a function definition changes what later words mean")
		} else {
			w.line.unclear("a function definition")
		}
		w.maybe(func() { w.stmt(c.Body) })
	case *syntax.TestClause:
		w.line.tests = true
		if strings.Contains(w.source(c), "\n") {
			w.line.opaque("a test over several lines, which dash reads as commands")
		}
		w.test(c.X)
	case *syntax.TimeClause:
		w.timed(c)
	case *syntax.CoprocClause:
		w.line.hide("a coprocess")
		w.line.opaque("a coprocess, whose words shells read differently")
		w.inSubshell(func() { w.stmt(c.Stmt) })
	case *syntax.ArithmCmd:
		w.line.hide("an arithmetic command")
		w.line.opaque("arithmetic, which some shells read as a nested subshell")
		w.arithmetic(c.X)
	case *syntax.LetClause:
		w.line.opaque("let evaluates its arguments")
		for _, x := range c.Exprs {
			w.arithmetic(x)
		}
	default:
		w.line.opaque("a construct of an unknown form")
	}
}

// newName reports whether a function's name is no program's and no word of a shell.
func newName(name string) bool {
	return plainName(name) != "" && program.Name(name) == name && !program.Known(name) && !slices.Contains(builtins, name) && !slices.Contains(movers, name)
}

// callsItself reports whether the name of a function occurs in its body.
func callsItself(c *syntax.FuncDecl) bool {
	found := false
	syntax.Walk(c.Body, func(n syntax.Node) bool {
		if lit, ok := n.(*syntax.Lit); ok && strings.Contains(lit.Value, c.Name.Value) {
			found = true
		}
		return !found
	})
	return found
}

// timed walks the command behind the keyword time, a wrapper.
func (w *walker) timed(c *syntax.TimeClause) {
	cmd := &Command{Words: []Word{{Text: "time", Literal: true}}, Source: "time", Wraps: c.Stmt != nil, keyword: true}
	if !w.add(cmd) || c.Stmt == nil {
		return
	}
	outer := w.parent
	w.parent = cmd
	w.stmt(c.Stmt)
	w.parent = outer
}

func (w *walker) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.AndStmt:
		var states []map[string]variable
		for _, s := range chain(c) {
			w.failed = append(w.failed, w.dirs...)
			w.stmt(s)
			states = append(states, maps.Clone(w.vars))
		}
		for _, vars := range states {
			w.forgetWhere(vars)
		}
	case syntax.OrStmt:
		before, vars := slices.Clone(w.dirs), maps.Clone(w.vars)
		w.stmt(c.X)
		w.mergeDirs(append(before, w.failed...))
		w.forgetWhere(vars)
		w.maybe(func() { w.stmt(c.Y) })
	default: // | and |&
		if c.Op == syntax.PipeAll && w.dialect == Sh {
			w.line.opaque("|&, with which ksh starts a coprocess")
		}
		w.inSubshell(func() { w.stmt(c.X) })
		piped, fed, feeder := w.piped, w.fed, w.feeder
		w.piped, w.fed, w.feeder = true, w.source(c.X), w.lastOf(c)
		// zsh runs the last part of a pipeline in the shell itself.
		w.maybe(func() { w.stmt(c.Y) })
		w.piped, w.fed, w.feeder = piped, fed, feeder
	}
}

// lastOf returns the command that feeds the right side of a pipe after its left side was
// walked: a simple one, without redirections, running no other; and its right side must be one
// command, too.
func (w *walker) lastOf(c *syntax.BinaryCmd) *Command {
	last := c.X
	if pipe, ok := last.Cmd.(*syntax.BinaryCmd); ok && pipe.Op == syntax.Pipe && len(last.Redirs) == 0 {
		last = pipe.Y
	}
	_, feeds := last.Cmd.(*syntax.CallExpr)
	_, reads := c.Y.Cmd.(*syntax.CallExpr)
	if n := len(w.line.Commands); feeds && reads && n > 0 && c.Op == syntax.Pipe {
		if cmd := w.line.Commands[n-1]; len(cmd.Redirects) == 0 && !cmd.Wraps && cmd.Parent == w.parent {
			return cmd
		}
	}
	return nil
}

// chain are the statements of a && b && c; each runs when all before it have succeeded.
func chain(c *syntax.BinaryCmd) []*syntax.Stmt {
	if x, ok := c.X.Cmd.(*syntax.BinaryCmd); ok && x.Op == syntax.AndStmt && !c.X.Negated && len(c.X.Redirs) == 0 {
		return append(chain(x), c.Y)
	}
	return []*syntax.Stmt{c.X, c.Y}
}

func (w *walker) ifClause(c *syntax.IfClause) {
	for c != nil {
		clause := c
		w.maybe(func() { w.stmts(clause.Cond); w.stmts(clause.Then) })
		c = c.Else
	}
}

func (w *walker) forClause(c *syntax.ForClause) {
	if c.Select {
		w.line.hide("a loop over answers")
	}
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		w.forEach(loop, c.Do)
		return
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{loop.Init, loop.Cond, loop.Post} {
			if x != nil && !w.arithmetic(x) {
				w.line.opaque("arithmetic that evaluates more than numbers")
			}
		}
	}
	w.loop(func() { w.stmts(c.Do) })
}

func (w *walker) caseClause(c *syntax.CaseClause) {
	w.judge(w.word(c.Word), "a case statement")
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.judge(w.word(p), "a case statement")
		}
		w.maybe(func() { w.stmts(item.Stmts) })
	}
}
