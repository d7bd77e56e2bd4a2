package bash

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// wordReader turns one syntax word into a Word, and reports what it meets on
// the way to the walker.
type wordReader struct {
	w    *walker
	text strings.Builder
	out  Word
	// dollar tells that the text ends in a dollar sign that nothing quotes away.
	dollar bool
	// brace is how far the word is on its way to a brace expansion.
	brace braceState
}

// braceState tells what of {a,b} has been read outside quotes. An expansion may
// run over several parts of a word: {a,"b"}.
type braceState int

const (
	noBrace braceState = iota
	openBrace
	splitBrace
)

// zshParameter follows the next character towards one of the parameter forms
// that zsh alone has: $=X, $~X, $^X, $+X, with and without a name.
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
	r.out.Text = r.text.String()
	if r.out.Text == "[" {
		r.out.Glob = false // the test command; no name can match a bracket that nothing closes
	}
	if r.out.Tilde && (!plainTilde(sw) || w.assigned["HOME"]) {
		// ~user, ~+ and ~- depend on what we do not know; ~"/x" is read in more
		// than one way.
		r.out.Tilde, r.out.Literal = false, false
	}
	if named, ok := strings.CutPrefix(r.out.Text, "{"); ok && !r.out.Quoted && !r.w.dialect.onlyBash() {
		if name, ok := strings.CutSuffix(named, "}"); ok && name != "" && plainName(name) != "" {
			r.out.Literal = false // zsh takes it for the descriptor of the redirection that follows
		}
	}
	if len(r.out.Text) > 1 && startsWith(sw, "=") && !w.dialect.onlyBash() {
		r.out.Literal = false // zsh replaces =name by the path of name
	}
	if name, value, ok := strings.Cut(r.out.Text, "="); ok && (plainName(name) != "" && strings.HasPrefix(value, "~") || r.w.dialect == Sh && strings.Contains(r.out.Text, "=~") || strings.Contains(value, ":~")) {
		r.out.Literal = false // bash expands the tilde of name=~, mksh that of --name=~ too, dash neither
	}
	return r.out
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
		r.out.Literal = false
		r.text.WriteString("$(...)")
		r.w.substitution("a command substitution", p.Stmts)
		if p.Backquotes && strings.Contains(r.w.source(p), `\"`) {
			r.w.line.opaque("backquotes with a backslash before a quote, which mean another thing inside double quotes")
		}
		if p.TempFile || p.ReplyVar {
			r.w.line.opaque("a substitution that only some shells know")
		}
	case *syntax.ProcSubst:
		r.out.Literal = false
		r.text.WriteString("<(...)")
		r.w.substitution("a process substitution", p.Stmts)
	case *syntax.ArithmExp:
		r.out.Literal = false
		r.text.WriteString("$((...))")
		if p.Bracket || !r.w.arithmetic(p.X) {
			r.w.line.opaque("arithmetic that evaluates more than numbers")
		}
	case *syntax.ExtGlob:
		r.out.Glob = true
		r.text.WriteString(p.Op.String() + p.Pattern.Value + ")")
		r.w.line.opaque("a glob with parentheses, which zsh can make run code")
	default:
		r.w.line.opaque("a word of an unknown form")
	}
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
		if strings.ContainsRune(p.Value, '\\') {
			// dash ends the quote elsewhere than bash does.
			r.w.line.opaque("a $'...' string with backslashes, which shells read differently")
		}
		if !r.w.dialect.onlyBash() {
			r.out.Literal = false
		}
	}
	r.text.WriteString(p.Value)
}

func (r *wordReader) double(p *syntax.DblQuoted) {
	r.out.Quoted = true
	if p.Dollar && !r.w.dialect.onlyBash() {
		r.out.Literal = false // dash keeps the dollar sign
	}
	for _, part := range p.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			for i := range len(lit.Value) {
				r.zshParameter(lit.Value[i])
			}
			r.text.WriteString(unescapeDouble(lit.Value))
			continue
		}
		if text, stmts, ok := quotedText(part, r.w.src); ok {
			r.text.WriteString(text)
			r.w.visibleSubstitution(stmts)
			continue
		}
		r.part(part, false)
	}
}

// quotedText returns the text that a part of a double-quoted string stands for
// when it is $(cat <<'WORD' ... WORD), the way agents write messages of several
// lines: a substitution whose output is in plain sight. The statement is returned
// to be walked like every other. The body may hold nothing at which an old shell,
// which looks for the closing parenthesis without knowing here-documents (bash
// 3.2), could end the substitution elsewhere.
func quotedText(part syntax.WordPart, src string) (text string, stmts []*syntax.Stmt, ok bool) {
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
			return "", nil, false // dash loses a byte that is not ASCII behind part of the delimiter
		}
	}
	return strings.TrimRight(text, "\n"), p.Stmts, plainBody(text, src[min(len(src), int(p.End().Offset())):])
}

// harmlessQuotes reports whether an old shell, to which the quotes of a body are
// quotes (bash 3.2), ends the substitution where others do, because each of them is
// closed again; or finds no end at all, and runs nothing, because the apostrophe
// that is left open is the last one of the line.
func harmlessQuotes(text, rest string) bool {
	var open byte
	for i := range len(text) {
		switch c := text[i]; {
		case c == open:
			open = 0
		case open == '"' && c == '`':
			return false // a quote inside a quote
		case open == 0 && (c == '\'' || c == '"' || c == '`'):
			open = c
		case open == '`' && (c == '\'' || c == '"'):
			return false
		}
	}
	return open == 0 || open == '\'' && !strings.Contains(rest, "'")
}

// commonPrefix returns how many bytes a and b begin with in common.
func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// plainBody reports whether every shell finds the end of a substitution behind a
// here-document with this body: no expansions, parentheses only in pairs and where
// no quote, comment or case can hide one, and quotes that are harmless. rest is
// what stands behind the substitution.
func plainBody(text, rest string) bool {
	if strings.ContainsAny(text, "\\$") || strings.Contains(text, "<<") {
		return false
	}
	if strings.ContainsAny(text, "'\"`") {
		return !strings.ContainsAny(text, "()#") && harmlessQuotes(text, rest)
	}
	if !strings.ContainsAny(text, "()") {
		return true
	}
	if strings.Contains(text, "#") || strings.Contains(text, "case") || strings.Contains(text, "esac") {
		return false
	}
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}

// unescapeDouble removes the backslashes that mean something inside double
// quotes.
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
		r.out.Literal = false
		r.text.WriteString("${...}")
		r.w.line.hide("a parameter expansion that computes")
		r.w.expansion(p)
		return
	}
	if !p.Short {
		r.w.line.hide("a parameter expansion in braces")
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
	r.out.Literal = false
	r.out.Vars = append(r.out.Vars, name)
	r.text.WriteString("$" + name)
}

func simpleParam(p *syntax.ParamExp) bool {
	return p.Flags == nil && !p.Excl && !p.Length && !p.Width && !p.IsSet &&
		p.NestedParam == nil && p.Index == nil && len(p.Modifiers) == 0 &&
		p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
}
