package target

import (
	"errors"
	"strings"
)

// gitSetting is one "key = value"; section and key in lower case, without the
// sub-section.
type gitSetting struct{ section, key, value string }

var errGitSyntax = errors.New("bad git config syntax")

// parseGitConfig reads the text character by character as git's own parser does, so no comment,
// quote or continued line hides from us a setting seen by git. Source: git_parse_source in
// git's config.c.
func parseGitConfig(text string, visit func(gitSetting)) error {
	text = strings.TrimPrefix(text, "\uFEFF")
	g := gitScanner{text: strings.ReplaceAll(text, "\r\n", "\n")}
	section := ""
	for g.pos < len(g.text) {
		switch c := g.next(); {
		case isBlank(c):
		case c == '#' || c == ';':
			g.skipLine()
		case c == '[':
			name, err := g.section()
			if err != nil {
				return err
			}
			section = name
		case isLetter(c):
			g.pos--
			s, err := g.setting()
			if err != nil {
				return err
			}
			s.section = section
			visit(s)
		default:
			return errGitSyntax
		}
	}
	return nil
}

type gitScanner struct {
	text string
	pos  int
}

// next returns the next character; the end of the text reads as line feeds.
func (g *gitScanner) next() byte {
	g.pos++
	if g.pos > len(g.text) {
		return '\n'
	}
	return g.text[g.pos-1]
}

func (g *gitScanner) skipLine() {
	for g.next() != '\n' {
	}
}

// section reads "core]", "diff.odt]" or `diff "odt"]`.
func (g *gitScanner) section() (string, error) {
	start := g.pos
	for {
		switch c := g.next(); {
		case c == ']':
			name, _, _ := strings.Cut(strings.ToLower(g.text[start:g.pos-1]), ".")
			return name, nil
		case c == '\n':
			return "", errGitSyntax
		case isBlank(c):
			name := strings.ToLower(g.text[start : g.pos-1])
			return name, g.subSection()
		case !isKeyChar(c) && c != '.':
			return "", errGitSyntax
		}
	}
}

// subSection reads the rest after the blank: blanks, a quoted name, "]".
func (g *gitScanner) subSection() error {
	c := g.next()
	for isBlank(c) && c != '\n' {
		c = g.next()
	}
	if c != '"' {
		return errGitSyntax
	}
	for {
		switch c := g.next(); c {
		case '\n':
			return errGitSyntax
		case '\\':
			if g.next() == '\n' {
				return errGitSyntax
			}
		case '"':
			if g.next() != ']' {
				return errGitSyntax
			}
			return nil
		}
	}
}

func (g *gitScanner) setting() (gitSetting, error) {
	start := g.pos
	c := g.next()
	for isKeyChar(c) {
		c = g.next()
	}
	s := gitSetting{key: strings.ToLower(g.text[start:min(g.pos-1, len(g.text))])}
	for c == ' ' || c == '\t' {
		c = g.next()
	}
	switch c {
	case '\n':
		s.value = "true" // a key alone is switched on
		return s, nil
	case '=':
		value, err := g.value()
		s.value = value
		return s, err
	}
	return s, errGitSyntax
}

func (g *gitScanner) value() (string, error) {
	var b strings.Builder
	quoted, comment := false, false
	for {
		c := g.next()
		switch {
		case c == '\n' && quoted:
			return "", errGitSyntax
		case c == '\n':
			return strings.TrimSpace(b.String()), nil
		case comment:
		case (c == '#' || c == ';') && !quoted:
			comment = true
		case c == '"':
			quoted = !quoted
		case c == '\\':
			if c = g.next(); c != '\n' { // at a line's end: the value goes on
				b.WriteByte(c)
			}
		default:
			b.WriteByte(c)
		}
	}
}

func isBlank(c byte) bool  { return strings.IndexByte(" \t\n\r\v\f", c) >= 0 }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isKeyChar(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' || c == '-' }
