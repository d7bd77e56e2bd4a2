package bash

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// wordReader turns one syntax word into a Word, and reports its findings to the walker.
type wordReader struct {
	w    *walker
	text strings.Builder
	out  Word
	// dollar means: the text ends in an unquoted dollar sign.
	dollar bool
	// quoted means: the current part stands in double quotes.
	quoted bool
	// brace is how far the word is on its way to a brace expansion.
	brace braceState
	// vague means: an expansion may be anything, and not only plain.
	vague bool
	// summed means: an expansion is arithmetic.
	summed bool
}

// braceState is the part of {a,b} read so far outside quotes. An expansion may run over several
// parts of a word: {a,"b"}.
type braceState int

const (
	noBrace braceState = iota
	openBrace
	splitBrace
)

// zshParameter follows the next character towards one of zsh's own parameter forms: $=X, $~X,
// $^X, $+X, with and without a name.
func (r *wordReader) zshParameter(c byte) {
	if r.dollar && strings.IndexByte("=~^+", c) >= 0 && !r.w.dialect.onlyBash() {
		r.out.Literal = false
	}
	r.dollar = c == '$'
}

// heed follows the unquoted character s[i] towards a brace expansion.
func (r *wordReader) heed(s string, i int) {
	if r.dollar && s[i] == '~' && !r.w.dialect.onlyBash() {
		r.w.line.opaque("$~, with which zsh takes a value for a glob, and globs can run code")
	}
	r.zshParameter(s[i])
	switch c := s[i]; {
	case c == '{' && r.brace == noBrace:
		r.brace = openBrace
	case (c == ',' || strings.HasPrefix(s[i:], "..")) && r.brace == openBrace:
		r.brace = splitBrace
	case c == '}' && r.brace == splitBrace:
		r.out.Glob, r.out.Brace = true, true
	}
}

// word reads sw. Commands inside it (substitutions) are walked, too.
func (w *walker) word(sw *syntax.Word) Word {
	if sw == nil {
		return Word{Literal: true}
	}
	r := &wordReader{w: w, out: Word{Literal: true}}
	for i, part := range sw.Parts {
		r.part(part, i == 0)
	}
	if len(sw.Parts) != 1 {
		r.out.Files = false
	} else {
		switch p := sw.Parts[0].(type) {
		case *syntax.ProcSubst:
			r.out.Output = true
		case *syntax.ParamExp:
			r.out.Files = !r.out.Literal && simpleParam(p) && w.vars[p.Param.Value].glob
		}
	}
	r.out.Text = r.text.String()
	r.out.Plain = !r.out.Literal && r.out.Computed && !r.vague && !w.assigned["IFS"]
	if r.out.Text == "[" {
		r.out.Glob = false // the test command; no name can match an unclosed bracket
	}
	if r.out.Tilde && (!plainTilde(sw) || w.assigned["HOME"]) {
		// ~user, ~+ and ~- depend on what we do not know; ~"/x" is read in more than one way.
		r.out.Tilde, r.out.Literal = false, false
	}
	if named, ok := strings.CutPrefix(r.out.Text, "{"); ok && !r.out.Quoted && !r.w.dialect.onlyBash() {
		if name, ok := strings.CutSuffix(named, "}"); ok && name != "" && plainName(name) != "" {
			r.out.Literal = false // zsh takes it for the descriptor of the following redirection
		}
	}
	if len(r.out.Text) > 1 && startsWith(sw, "=") && !w.dialect.onlyBash() {
		r.out.Literal = false // zsh replaces =name by the path of name
	}
	if name, value, ok := strings.Cut(r.out.Text, "="); ok && (plainName(name) != "" && strings.HasPrefix(value, "~") || r.w.dialect == Sh && strings.Contains(r.out.Text, "=~") || strings.Contains(value, ":~")) {
		r.out.Literal = false // bash expands the tilde of name=~, mksh that of --name=~ too, dash neither
	}
	if r.summed {
		r.out.Sums, r.out.Literal = r.out.Literal, false
	}
	return r.out
}

// peek is word, for a word walked elsewhere.
func (w *walker) peek(sw *syntax.Word) Word {
	aside := &walker{line: &Line{Text: w.line.Text, Setting: w.line.Setting}, old: true, dialect: w.dialect, src: w.src, depth: w.depth, dirs: w.dirs, assigned: w.assigned, odd: w.odd, vars: w.vars}
	return aside.word(sw)
}

// startsWith reports whether a word begins with prefix outside quotes; empty
// quotes before it do not count.
func startsWith(sw *syntax.Word, prefix string) bool {
	for _, part := range sw.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			return strings.HasPrefix(p.Value, prefix)
		case *syntax.SglQuoted:
			if p.Value != "" {
				return false
			}
		case *syntax.DblQuoted:
			if len(p.Parts) > 0 {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// plainTilde reports whether the word is ~ alone or begins with ~/, unquoted.
func plainTilde(sw *syntax.Word) bool {
	lit, ok := sw.Parts[0].(*syntax.Lit)
	return ok && (strings.HasPrefix(lit.Value, "~/") || lit.Value == "~" && len(sw.Parts) == 1)
}

func (r *wordReader) part(part syntax.WordPart, first bool) {
	if _, ok := part.(*syntax.Lit); !ok {
		r.dollar = false
	}
	switch p := part.(type) {
	case *syntax.Lit:
		r.literal(p.Value, first)
	case *syntax.SglQuoted:
		r.single(p)
	case *syntax.DblQuoted:
		r.double(p)
	case *syntax.ParamExp:
		r.param(p)
	case *syntax.CmdSubst:
		if dir, ok := r.w.workingDirectory(p, r.quoted); ok {
			r.text.WriteString(dir)
			r.w.substitution(p.Stmts)
			return
		}
		vague, from := r.vague, len(r.w.line.Commands)
		r.computed("$(...)")
		r.substituted(p, p.Stmts, "a command substitution")
		if last := r.w.printing(p.Stmts, from); last != nil {
			r.vague = vague || !last.Use().PrintsPlain()
			r.out.Files = len(r.text.String()) == len("$(...)") && last.Use().PrintsNames()
		}
		if p.Backquotes && strings.Contains(r.w.source(p), `\"`) {
			r.w.line.opaque("backquotes with a backslash before a quote, which mean another thing inside double quotes")
		}
		if p.TempFile || p.ReplyVar {
			r.w.line.opaque("a substitution that only some shells know")
		}
	case *syntax.ProcSubst:
		r.computed("<(...)")
		r.out.Splits = false
		if p.Op != syntax.CmdIn {
			r.w.line.hide("a process substitution that is written to")
		}
		r.substituted(p, p.Stmts, "a process substitution")
	case *syntax.ArithmExp:
		r.summed = true
		r.out.Splits = r.out.Splits || !r.quoted
		r.text.WriteString(program.Sum)
		switch {
		case p.Bracket || !r.w.ownNames(p.X):
			r.w.line.opaque("arithmetic that evaluates more than numbers")
			r.w.arithmetic(p.X)
		case !r.w.arithmetic(p.X):
			r.w.line.unclear("arithmetic that evaluates more than numbers")
		}
	case *syntax.ExtGlob:
		r.out.Glob = true
		r.text.WriteString(p.Op.String() + p.Pattern.Value + ")")
		r.w.line.opaque("a glob with parentheses, which zsh can make run code")
	default:
		r.w.line.opaque("a word of an unknown form")
	}
}

// workingDirectory returns the value of $(pwd), if known.
func (w *walker) workingDirectory(p *syntax.CmdSubst, quoted bool) (dir string, ok bool) {
	if len(p.Stmts) != 1 || len(p.Stmts[0].Redirs) > 0 || p.Stmts[0].Negated || p.Stmts[0].Background || len(w.dirs) != 1 || w.line.Setting.CWD == "" || p.TempFile || p.ReplyVar || w.naming {
		return "", false
	}
	call, isCall := p.Stmts[0].Cmd.(*syntax.CallExpr)
	if !isCall || len(call.Assigns) > 0 || len(call.Args) != 1 || call.Args[0].Lit() != "pwd" {
		return "", false
	}
	dir = w.line.Setting.absolute(w.dirs[0])
	plain := !strings.ContainsFunc(dir, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./@+", r))
	})
	return dir, strings.HasPrefix(dir, "/") && !strings.Contains(dir, "..") && (quoted || plain && !w.assigned["IFS"])
}

// printing returns the command with its output in a substitution, when it is a simple one or
// the last of a pipe, behind mere line filters.
func (w *walker) printing(list []*syntax.Stmt, from int) *Command {
	if len(list) != 1 || list[0].Negated || list[0].Background || len(w.line.Commands) <= from {
		return nil
	}
	switch c := list[0].Cmd.(type) {
	case *syntax.CallExpr:
	case *syntax.BinaryCmd:
		if _, call := c.Y.Cmd.(*syntax.CallExpr); c.Op != syntax.Pipe || !call {
			return nil
		}
	default:
		return nil
	}
	last := w.line.Commands[len(w.line.Commands)-1]
	for last.Use().Passes() && last.Feeder != nil && last.quietly() {
		last = last.Feeder
	}
	if last.Parent != w.parent || last.Wraps || last.Qualified() || len(last.Words) == 0 || len(last.Assigns) > 0 || !last.quietly() {
		return nil
	}
	return last
}

// quietly reports whether the only redirections of a command put its errors away, or
// give it an input.
func (c *Command) quietly() bool {
	return !slices.ContainsFunc(c.Redirects, func(r Redirect) bool {
		return r.Write && !(r.Descriptor == 2 && r.Word.Literal && r.Word.Text == "/dev/null")
	})
}

// literal reads unquoted text: backslashes quote, glob characters count.
func (r *wordReader) literal(s string, first bool) {
	if first && strings.HasPrefix(s, "~") {
		r.out.Tilde = true
	} else if strings.HasPrefix(s, "~") && r.text.Len() == 0 && !r.w.dialect.onlyBash() {
		r.out.Literal = false // zsh expands the tilde of ''~
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			r.out.Quoted = true
			switch i++; {
			case i == len(s):
				r.text.WriteByte(c) // the last character of the line quotes nothing
			case s[i] != '\n':
				r.text.WriteByte(s[i])
			}
			continue
		case '*', '?', '[', '^', '#':
			// ^ and # are glob characters of zsh's extended globbing; harmless
			// to treat them so only where they could stand for a name.
			if c == '*' || c == '?' || c == '[' {
				r.out.Glob = true
			}
		}
		r.heed(s, i)
		r.text.WriteByte(s[i])
	}
}

func (r *wordReader) single(p *syntax.SglQuoted) {
	r.out.Quoted = true
	if p.Dollar {
		if strings.ContainsRune(plainEscapes.Replace(p.Value), '\\') {
			// dash ends the quote elsewhere than bash does.
			r.w.line.opaque("a $'...' string with backslashes, which shells read differently")
		}
		if !r.w.dialect.onlyBash() || strings.ContainsRune(p.Value, '\\') {
			r.out.Literal = false
			r.vague = true
		}
	}
	r.text.WriteString(p.Value)
}

// plainEscapes removes the escapes of $'...' for blanks: they end no quote in any shell.
var plainEscapes = strings.NewReplacer(`\t`, "", `\n`, "", `\r`, "", `\\`, "")

func (r *wordReader) double(p *syntax.DblQuoted) {
	r.out.Quoted = true
	if p.Dollar && !r.w.dialect.onlyBash() {
		r.out.Literal = false // dash keeps the dollar sign
	}
	defer func(outer bool) { r.quoted = outer }(r.quoted)
	r.quoted = true
	for _, part := range p.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			for i := range len(lit.Value) {
				r.zshParameter(lit.Value[i])
			}
			r.text.WriteString(unescapeDouble(lit.Value))
			continue
		}
		if text, stmts, ok := r.quotedText(part); ok {
			r.text.WriteString(text)
			r.w.substitution(stmts)
			continue
		}
		r.part(part, false)
	}
}

// quotedText returns the text of a part of a double-quoted string when it is $(cat <<'WORD' ...
// WORD), agents' form of messages of several lines: a substitution with its output in plain
// sight, for any content. The statement is returned to be walked like every other.
func (r *wordReader) quotedText(part syntax.WordPart) (text string, stmts []*syntax.Stmt, ok bool) {
	p, ok := part.(*syntax.CmdSubst)
	if !ok || p.Backquotes || p.TempFile || p.ReplyVar || len(p.Stmts) != 1 || len(p.Last) != 0 {
		return "", nil, false
	}
	s := p.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || s.Coprocess || s.Disown || s.Semicolon.IsValid() || len(s.Comments) != 0 ||
		len(call.Assigns) != 0 || len(call.Args) != 1 || call.Args[0].Lit() != "cat" || len(s.Redirs) != 1 {
		return "", nil, false
	}
	in := s.Redirs[0]
	if in.Op != syntax.Hdoc || in.N != nil || in.Hdoc == nil || len(in.Word.Parts) != 1 {
		return "", nil, false
	}
	end, ok := in.Word.Parts[0].(*syntax.SglQuoted)
	if !ok || end.Dollar || plainName(end.Value) == "" {
		return "", nil, false
	}
	for _, part := range in.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return "", nil, false
		}
		text += lit.Value
	}
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t")
		if n := commonPrefix(line, end.Value); n == len(end.Value) || n > 0 && n < len(line) && line[n] >= utf8.RuneSelf {
			return "", nil, false // dash loses a non-ASCII byte behind part of the delimiter
		}
	}
	return strings.TrimRight(text, "\n"), p.Stmts, r.w.oldText(p, in.Hdoc)
}

// oldText reports whether an old shell, too, finds the end of a here-document's substitution,
// or one inside the text from which the line can be read again.
func (w *walker) oldText(p *syntax.CmdSubst, body *syntax.Word) bool {
	from, end := int(p.Left.Offset()), int(p.Right.Offset())
	if from < 0 || end >= len(w.src) || end < from {
		return false
	}
	places, known := oldEnds(w.src, from+len("$("), end, true)
	if !known {
		return false
	}
	begins, ends := int(body.Pos().Offset()), int(body.End().Offset())
	for _, at := range places {
		// The old shell's output begins as the text does, so it is no other option.
		if w.parent != nil || w.old || at < begins || at >= ends || strings.TrimSpace(w.src[begins:at]) == "" {
			return false
		}
		w.olds = append(w.olds, w.src[:from]+"$(:)"+w.src[at+1:])
	}
	return len(w.olds) <= maxOlds
}

// maxOlds bounds how often a line is read again for old shells.
const maxOlds = 8

// commonPrefix returns how many bytes a and b begin with in common.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// unescapeDouble removes the backslashes with a meaning inside double quotes.
func unescapeDouble(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// param reads a parameter expansion. Only plain names are understood; $HOME and
// $PWD are replaced where nothing on the line changes them.
func (r *wordReader) param(p *syntax.ParamExp) {
	if p.Param == nil || !simpleParam(p) {
		r.computed("${...}")
		if p.Param != nil {
			r.out.Vars = append(r.out.Vars, p.Param.Value)
		}
		r.out.Vars = append(r.out.Vars, r.w.expansion(p)...)
		return
	}
	name := p.Param.Value
	home := r.w.line.Setting.Home
	if name == "HOME" && home != "" && !r.w.assigned["HOME"] {
		r.text.WriteString(home)
		return
	}
	if cwd := r.w.line.Setting.CWD; name == "PWD" && cwd != "" && len(r.w.dirs) == 1 && r.w.dirs[0] == "" && !r.w.assigned["PWD"] {
		r.text.WriteString(cwd)
		return
	}
	if v, ok := r.w.given(name, r.quoted); ok {
		r.text.WriteString(v.text)
		r.out.Glob = r.out.Glob || v.glob
		return
	}
	computed, vague := r.out.Computed || r.w.assigned[name], r.vague
	r.computed("$" + name)
	r.out.Computed = computed
	if r.w.vars[name].plain && !r.w.naming {
		r.vague = vague
	}
	r.out.Splits = r.out.Splits || name == "@"
	r.out.Vars = append(r.out.Vars, name)
}

// computed adds an expansion with an unknown value.
func (r *wordReader) computed(text string) {
	r.vague = true
	r.out.Literal, r.out.Computed = false, true
	r.out.Splits = r.out.Splits || !r.quoted
	r.text.WriteString(text)
}

// substituted walks the commands of a substitution, and hides one with another end in an old
// shell (bash 3.2): that reads it without knowing its syntax.
func (r *wordReader) substituted(n syntax.Node, list []*syntax.Stmt, what string) {
	text := r.w.source(n)
	if strings.HasPrefix(text, "`") {
		if strings.ContainsAny(text, "#\\\"'") || strings.Contains(text, "<<") {
			r.w.line.hide(what)
		}
	} else if from := int(n.Pos().Offset()); text == "" {
		r.w.line.hide(what)
	} else if places, known := oldEnds(r.w.src, from+len("$("), from+len(text)-1, false); !known || len(places) > 0 {
		r.w.line.hide(what)
	}
	r.w.substitution(list)
}

func simpleParam(p *syntax.ParamExp) bool {
	return p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet &&
		p.NestedParam == nil && p.Index == nil && len(p.Modifiers) == 0 &&
		p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
}
