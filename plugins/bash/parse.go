package bash

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// Analyze reads a command line. It always answers: a line that cannot be read
// comes back opaque, with what was understood of it.
func Analyze(text string, set Setting) *Line {
	line := &Line{Text: text, Setting: set}
	if !set.Dialect.analysed() {
		line.opaque("no analysis for this shell")
		return line
	}
	if reason := unreadable(text); reason != "" {
		line.opaque(reason)
		return line
	}
	w := &walker{line: line, dialect: set.Dialect, assigned: map[string]bool{}, dirs: []string{set.Dir}}
	w.script(text, nil)
	return line
}

// unreadable reports why shells and this parser could read the bytes of text
// differently. Threat T21.
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

// oddComment returns why the comments that the parser (mvdan.cc/sh v3.13.0) found
// may not be comments to a shell: it lets one that ends in a backslash swallow
// the line feed, and takes the # right behind a closed quote for one.
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

// tokenContinues reports whether a backslash and line feed stand inside an
// operator or between a dollar sign and what it expands. Shells join the two
// before they read them, the parser does not.
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
	// dialect is the shell that reads src.
	dialect Dialect
	// src is the text being walked: the line itself, or a script inside it.
	src   string
	depth int
	// dirs are the directories the next command may run in; nil = unknown.
	dirs []string
	// parent is the wrapper whose script is walked.
	parent *Command
	piped  bool
	// assigned are the variables that the line gives a value somewhere before.
	assigned map[string]bool
	// failed are the directories in which the list being walked may have
	// stopped, when one of its commands failed.
	failed []string
	// fed is the text of the commands whose output the one being walked reads.
	fed string
	// stdin is what the statement being walked reads, when a here-document or a
	// redirection says so.
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
	src, outer, dialect := w.src, w.parent, w.dialect
	w.src, w.parent = text, parent
	if parent != nil {
		w.dialect = dialectOf(parent.Name())
	}
	if strings.Contains(text, "}\\\n") && !w.dialect.onlyBash() {
		w.line.opaque("a closing brace before a continued line, which zsh loses")
	}
	w.stmts(file.Stmts)
	w.src, w.parent, w.dialect = src, outer, dialect
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

// inSubshell walks with changes of directory undone afterwards.
func (w *walker) inSubshell(walk func()) {
	saved := slices.Clone(w.dirs)
	walk()
	w.dirs = saved
}

// maybe walks what may or may not run: afterwards, either directory counts.
func (w *walker) maybe(walk func()) {
	before := slices.Clone(w.dirs)
	walk()
	w.mergeDirs(before)
}

// loop walks what runs any number of times. What one round changes holds for the
// next, so the loop is then walked once more: with the names that it gives values,
// and, when it goes elsewhere, as beginning nobody knows where.
func (w *walker) loop(walk func()) {
	before, commands, assigned := slices.Clone(w.dirs), len(w.line.Commands), len(w.assigned)
	w.maybe(walk)
	moved := !slices.Equal(before, w.dirs)
	if !moved && assigned == len(w.assigned) {
		return
	}
	w.line.Commands, w.dirs = w.line.Commands[:commands], before
	if moved {
		w.dirs = nil
	}
	w.maybe(walk)
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

func (w *walker) substitution(what string, list []*syntax.Stmt) {
	w.line.hide(what)
	w.visibleSubstitution(list)
}

// visibleSubstitution walks the commands of a substitution whose output is known.
func (w *walker) visibleSubstitution(list []*syntax.Stmt) {
	piped, stdin, fed := w.piped, w.stdin, w.fed
	w.piped, w.stdin, w.fed = false, nil, ""
	if w.depth++; w.depth > maxDepth {
		w.line.opaque("the command is nested too deeply")
	} else {
		if deferredBody(list) {
			w.line.opaque("a here-document beside other commands inside a substitution, which bash 5.2 joins wrongly")
		}
		w.inSubshell(func() { w.stmts(list) })
	}
	w.depth--
	w.piped, w.stdin, w.fed = piped, stdin, fed
}

// deferredBody reports whether list holds a here-document and more than one
// command. bash 5.2 prints a substitution and reads it again, and loses the
// separators of what follows a here-document on its line: in
// $(<<E | alfa; bravo) it runs "alfa bravo".
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
	stdin := w.stdin
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
	w.stdin = stdin
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

// bare adds a command that only redirects.
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
		w.line.hide("a subshell")
		w.inSubshell(func() { w.stmts(c.Stmts) })
	case *syntax.IfClause:
		w.line.hide("a conditional")
		w.ifClause(c)
	case *syntax.WhileClause:
		w.line.hide("a loop")
		w.loop(func() { w.stmts(c.Cond); w.stmts(c.Do) })
	case *syntax.ForClause:
		w.line.hide("a loop")
		w.forClause(c)
	case *syntax.CaseClause:
		w.line.hide("a case statement")
		w.caseClause(c)
	case *syntax.FuncDecl:
		w.line.hide("a function definition")
		w.line.opaque("a function definition changes what later words mean")
		w.maybe(func() { w.stmt(c.Body) })
	case *syntax.TestClause:
		if !plainTest(c.X) {
			w.line.hide("a test")
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

// timed walks what the keyword time measures, as the wrapper that it is.
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
		w.failed = append(w.failed, w.dirs...)
		w.stmt(c.X)
		w.failed = append(w.failed, w.dirs...)
		w.stmt(c.Y)
	case syntax.OrStmt:
		before := slices.Clone(w.dirs)
		w.stmt(c.X)
		w.mergeDirs(append(before, w.failed...))
		w.maybe(func() { w.stmt(c.Y) })
	default: // | and |&
		if c.Op == syntax.PipeAll && w.dialect == Sh {
			w.line.opaque("|&, with which ksh starts a coprocess")
		}
		w.inSubshell(func() { w.stmt(c.X) })
		piped, fed := w.piped, w.fed
		w.piped, w.fed = true, w.source(c.X)
		// zsh runs the last part of a pipeline in the shell itself.
		w.maybe(func() { w.stmt(c.Y) })
		w.piped, w.fed = piped, fed
	}
}

func (w *walker) ifClause(c *syntax.IfClause) {
	for c != nil {
		clause := c
		w.maybe(func() { w.stmts(clause.Cond); w.stmts(clause.Then) })
		c = c.Else
	}
}

func (w *walker) forClause(c *syntax.ForClause) {
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		w.assigned[loop.Name.Value] = true
		for _, item := range loop.Items {
			w.word(item)
		}
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
	w.word(c.Word)
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.word(p)
		}
		w.maybe(func() { w.stmts(item.Stmts) })
	}
}
