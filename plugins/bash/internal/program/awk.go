package program

import (
	"slices"
	"strings"
)

// awkActs says why an awk command does more than read and print.
func awkActs(u *Use) string {
	programs := u.With(Script)
	if len(programs) == 0 {
		return u.Program + " without a program among its arguments"
	}
	for _, p := range programs {
		if why := awkProgram(p.Text); why != "" {
			return "this awk program " + why
		}
	}
	return ""
}

// awkTouches are awk's files: the operands except NAME=value.
func awkTouches(u *Use) []Touch {
	access := ReadAccess
	for _, v := range u.Values("-i") {
		if strings.Contains(v.Text, "inplace") {
			access = WriteAccess
		}
	}
	var out []Touch
	for _, o := range u.With(Reads) {
		if name, _, assigns := strings.Cut(o.Text, "="); assigns && variable(name) {
			continue
		}
		out = append(out, Touch{Word: o, Access: access})
	}
	for _, p := range u.With(Script) {
		out = append(out, awkFiles(p)...)
	}
	return out
}

// awkFiles are the files read and written by an awk program itself: strings behind "<" and ">".
// Any other file is a word that can be anything.
func awkFiles(p Word) []Touch {
	r := &awkReader{s: p.Text, gathers: true}
	for r.i < len(r.s) {
		at := r.i
		if why := r.token(); why != "" && r.i == at {
			r.i++
		}
	}
	var out []Touch
	add := func(texts []string, a Access) {
		for _, text := range texts {
			if text == "-" || strings.HasPrefix(text, "/dev/std") {
				continue
			}
			out = append(out, Touch{Word: Word{Text: text, Literal: text != "" && p.Literal, Quoted: true}, Access: a})
		}
	}
	add(r.reads, ReadAccess)
	add(r.writes, WriteAccess)
	for i := range out {
		if !out[i].Word.Literal {
			out[i].Word.Text = p.Text
		}
	}
	return out
}

// stringAt returns the string at the beginning of s and the rest; ok is false for a string with
// escapes or within a larger expression.
func stringAt(s string) (text, rest string, ok bool) {
	s = strings.TrimLeft(s, " \t")
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	end := awkString(s, 0)
	if end < 0 {
		return "", s, false
	}
	text, rest = s[1:end-1], s[end:]
	return text, rest, !strings.Contains(text, `\`) && strings.IndexByte(";})\n>|", strings.TrimLeft(rest+"\n", " \t")[0]) >= 0
}

// variable tells whether s is the name of a variable.
func variable(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

// awkActing are words that run programs, read files missing on the command line, or reach
// things by their names.
var awkActing = []string{"system", "ENVIRON", "ARGV", "ARGC", "SYMTAB", "FUNCTAB", "extension", "include", "load", "namespace", "eval"}

// awkKeywords are words in front of an expression: a slash behind them begins a regular
// expression.
var awkKeywords = []string{"print", "printf", "return", "in", "else", "do", "exit", "if", "while", "for", "case", "switch", "BEGIN", "END", "delete", "func", "function", "next", "nextfile", "break", "continue", "default", "getline"}

// awkSlash is the meaning of a slash at a place.
type awkSlash byte

const (
	regexSlash awkSlash = iota
	divisionSlash
	unclearSlash // awks differ, or the reader below cannot tell
)

// awkReader reads an awk program token by token.
type awkReader struct {
	s     string
	i     int
	slash awkSlash
	// parens are the open parentheses: whether each follows if, while or for.
	parens []bool
	// printing means: a print statement began at so many parentheses, so that ">" is no
	// comparison.
	printing   bool
	printDepth int
	// keyword is the keyword just read, if, while or for.
	keyword bool
	// gathers notes the files in reads and writes; an empty name is an unknown file.
	gathers       bool
	reads, writes []string
}

// awkProgram says why a program may write, run or read more than its input; empty when it only
// computes and prints. Doubt is a reason, too.
func awkProgram(s string) string {
	r := &awkReader{s: s}
	for r.i < len(s) {
		if why := r.token(); why != "" {
			return why
		}
	}
	return ""
}

func (r *awkReader) token() string {
	c := r.s[r.i]
	keyword := r.keyword
	r.keyword = false
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		r.i++
		r.keyword = keyword
		return ""
	case c == '\n' || c == ';' || c == '{' || c == '}':
		return r.separator(c)
	case c == '#':
		if end := strings.IndexByte(r.s[r.i:], '\n'); end >= 0 {
			r.i += end
		} else {
			r.i = len(r.s)
		}
		return ""
	case c == '"':
		end := awkString(r.s, r.i)
		if end < 0 {
			return "has a string that does not end"
		}
		r.i, r.slash = end, divisionSlash
		return ""
	case c == '/':
		return r.slashes()
	case c == '(':
		r.parens = append(r.parens, keyword)
		r.slash = regexSlash
	case c == ')':
		if len(r.parens) == 0 {
			return "has a parenthesis too many"
		}
		last := len(r.parens) - 1
		r.slash = divisionSlash
		if r.parens[last] {
			r.slash = unclearSlash
		}
		r.parens = r.parens[:last]
	case c == ']':
		r.slash = divisionSlash
	case c == '|':
		if !strings.HasPrefix(r.s[r.i:], "||") {
			return "uses a pipe"
		}
		r.i++
		r.slash = regexSlash
	case c == '>':
		return r.greater()
	case strings.HasPrefix(r.s[r.i:], "++") || strings.HasPrefix(r.s[r.i:], "--"):
		r.i++
		r.slash = unclearSlash
	case c >= '0' && c <= '9' || c == '.':
		r.i++
		for r.i < len(r.s) && strings.IndexByte("0123456789.", r.s[r.i]) >= 0 {
			r.i++
		}
		r.slash = divisionSlash
		return ""
	case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
		return r.name()
	case c == '\\' && strings.HasPrefix(r.s[r.i:], "\\\n"):
		r.i++
	case strings.IndexByte("$!~+-*%^=?:,&<[", c) >= 0:
		if text, _, ok := stringAt(r.s[r.i+1:]); c == '<' && r.gathers && ok {
			r.reads = append(r.reads, text)
		}
		r.slash = regexSlash
	default:
		return "uses " + string(c)
	}
	r.i++
	return ""
}

// separator ends a statement, unless a line feed stands where one goes on.
func (r *awkReader) separator(c byte) string {
	r.i++
	switch {
	case (c == '{' || c == '}') && len(r.parens) > 0:
		return "has braces inside parentheses"
	case c == '\n' && (len(r.parens) > 0 || r.slash == regexSlash):
		return ""
	case len(r.parens) > 0:
		r.slash = regexSlash
		return ""
	}
	r.printing, r.slash = false, regexSlash
	return ""
}

// slashes reads a division or a regular expression.
func (r *awkReader) slashes() string {
	switch r.slash {
	case divisionSlash:
		r.i++
		r.slash = regexSlash
		return ""
	case unclearSlash:
		return "has a slash that awks read differently"
	}
	for r.i++; r.i < len(r.s); r.i++ {
		switch r.s[r.i] {
		case '\\':
			r.i++
		case '\n':
			return "has a regular expression that does not end"
		case '[':
			end := bracketEnd(r.s, r.i)
			if end < 0 || slashIn(r.s[r.i:end]) {
				return "has a bracket that awks read differently"
			}
			r.i = end
		case '/':
			r.i++
			r.slash = divisionSlash
			return ""
		}
	}
	return "has a regular expression that does not end"
}

// slashIn reports whether a bracket expression holds an unescaped slash.
func slashIn(s string) bool {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '/':
			return true
		}
	}
	return false
}

// greater reads ">": a comparison, or where print writes.
func (r *awkReader) greater() string {
	r.i++
	r.slash = regexSlash
	if !r.printing || len(r.parens) > r.printDepth {
		return ""
	}
	rest := strings.TrimLeft(strings.TrimPrefix(r.s[r.i:], ">"), " \t")
	for _, target := range []string{`"/dev/stderr"`, `"/dev/stdout"`} {
		if after, ok := strings.CutPrefix(rest, target); ok && strings.IndexByte(";}\n", strings.TrimLeft(after+"\n", " \t")[0]) >= 0 {
			r.i = len(r.s) - len(after)
			r.slash = divisionSlash
			return ""
		}
	}
	if r.gathers {
		text, _, ok := stringAt(rest)
		if !ok {
			text = ""
		}
		r.writes = append(r.writes, text)
		r.i = len(r.s) - len(rest)
	}
	return "writes to a file"
}

func (r *awkReader) name() string {
	start := r.i
	for r.i < len(r.s) && (r.s[r.i] == '_' || r.s[r.i] >= 'a' && r.s[r.i] <= 'z' || r.s[r.i] >= 'A' && r.s[r.i] <= 'Z' || r.s[r.i] >= '0' && r.s[r.i] <= '9') {
		r.i++
	}
	name := r.s[start:r.i]
	switch {
	case slices.Contains(awkActing, name):
		return "uses " + name
	case name == "getline":
		if rest := strings.TrimLeft(r.s[r.i:], " \t"); rest != "" && strings.IndexByte(";}\n", rest[0]) < 0 {
			return "uses getline"
		}
	case name == "print" || name == "printf":
		r.printing, r.printDepth = true, len(r.parens)
	case name == "length":
		r.slash = unclearSlash
		return ""
	case name == "if" || name == "while" || name == "for" || name == "switch":
		r.keyword = true
	}
	r.slash = divisionSlash
	if slices.Contains(awkKeywords, name) {
		r.slash = regexSlash
	}
	return ""
}

// awkString returns the index behind the string beginning at s[i], or -1.
func awkString(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
			if i < len(s) && s[i] == '\n' {
				return -1
			}
		case '\n':
			return -1
		case '"':
			return i + 1
		}
	}
	return -1
}
