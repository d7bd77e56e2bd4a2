package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects reads the redirections of a statement and remembers literal input for its command.
func (w *walker) redirects(list []*syntax.Redirect) []Redirect {
	if len(list) > maxRedirects {
		w.line.opaque("a command has too many redirections")
		list = list[:maxRedirects]
	}
	var out []Redirect
	for _, r := range list {
		word := w.word(r.Word)
		if w.forced(r.Word) {
			w.line.opaque("a redirection with !, which zsh reads as part of the operator")
		}
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			w.line.opaque("a redirection to a named descriptor")
		}
		if r.N != nil && len(r.N.Value) > 1 && !w.dialect.onlyBash() {
			w.line.opaque("a descriptor of two digits, which dash reads as an argument")
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			w.stdin = w.heredoc(r)
		case syntax.WordHdoc:
			w.stdin = &word
		case syntax.RdrIn:
			if strings.Contains(word.Text, "-") && strings.Trim(word.Text, "-0123456789") == "" && !w.dialect.onlyBash() {
				w.line.opaque("< before a range of numbers, which zsh reads as a glob")
			}
			out = append(out, Redirect{Word: word, Read: true, Descriptor: descriptorOf(r)})
			w.stdin = &Word{Text: "(a file)"}
		case syntax.RdrInOut:
			out = append(out, Redirect{Word: word, Read: true, Write: true, Descriptor: descriptorOf(r)})
		case syntax.DplIn, syntax.DplOut:
			if w.isDescriptor(word) {
				w.line.copies = true
				continue
			}
			word.Literal = word.Literal && !word.Quoted // bash removes the quotes of >&\'f twice
			out = append(out, Redirect{Word: word, Write: true, Read: r.Op == syntax.DplIn, Descriptor: descriptorOf(r)})
		default:
			out = append(out, Redirect{Word: word, Write: true, Append: r.Op == syntax.AppOut || r.Op == syntax.AppAll, Descriptor: descriptorOf(r)})
		}
	}
	return out
}

// forced reports whether the word after a redirection may belong to its operator: zsh's >! is
// >| elsewhere.
func (w *walker) forced(word *syntax.Word) bool {
	return word != nil && (w.dialect == Zsh || w.dialect == Unknown) && startsWith(word, "!")
}

// heredoc reads the body of a here-document: raw when its delimiter is quoted,
// else with the expansions and backslashes of double quotes.
func (w *walker) heredoc(r *syntax.Redirect) *Word {
	if r.Hdoc == nil {
		return &Word{Literal: true}
	}
	reader := &wordReader{w: w, quoted: true, out: Word{Literal: true}}
	raw := quotedDelimiter(r.Word)
	for _, part := range r.Hdoc.Parts {
		lit, ok := part.(*syntax.Lit)
		switch {
		case ok && raw:
			reader.text.WriteString(lit.Value)
		case ok:
			reader.text.WriteString(unescapeDouble(lit.Value))
		default:
			reader.part(part, false)
		}
	}
	reader.out.Text = reader.text.String()
	return &reader.out
}

func quotedDelimiter(word *syntax.Word) bool {
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); !ok || strings.Contains(lit.Value, `\`) {
			return true
		}
	}
	return false
}

// isDescriptor reports whether word copies or closes a descriptor: 1, -. Moving
// one (2-) is bash's alone, a file to others.
func (w *walker) isDescriptor(word Word) bool {
	text := word.Text
	if w.dialect.onlyBash() || text == "-" {
		text = strings.TrimSuffix(text, "-")
	}
	return word.Literal && !word.Glob && strings.Trim(text, "0123456789") == ""
}

// splitByDash refuses words after "&>file": bash reads them as arguments, dash
// as a command of its own.
func (w *walker) splitByDash(s *syntax.Stmt) {
	if s.Cmd == nil || w.dialect.onlyBash() {
		return
	}
	for _, r := range s.Redirs {
		if (r.Op == syntax.RdrAll || r.Op == syntax.AppAll) && s.Cmd.End().After(r.OpPos) {
			w.line.opaque("words after &>, which dash reads as another command")
		}
	}
}
