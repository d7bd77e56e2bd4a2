package program

import (
	"slices"
	"strings"
)

// sedScripts are the scripts of a sed command, and its files. BSD's -i takes the next word, so
// in "sed -i ” SCRIPT FILE" the second operand is the script.
func sedScripts(u *Use) (scripts, files []Word) {
	scripts = append(u.Values("-e"), u.With(Script)...)
	files = u.With(Reads)
	if sedInPlace(u) && len(u.Values("-e")) == 0 && len(scripts) == 1 && scripts[0].Text == "" && len(files) > 0 {
		scripts, files = append(scripts, files[0]), files[1:]
	}
	return scripts, files
}

func sedInPlace(u *Use) bool { return u.Has("-i", "-I") }

// sedActs says why a sed command does more than print.
func sedActs(u *Use) string {
	if sedInPlace(u) {
		return "sed -i changes files"
	}
	return sedAsks(u)
}

// sedAsks says why a person must see a sed command: its scripts are not known to
// leave files and programs alone. Source: AgentScope's sed constraints.
func sedAsks(u *Use) string {
	const why = "this sed script may write files or run commands"
	if u.asksVersion() || u.Has("--help", "--version") {
		return ""
	}
	scripts, _ := sedScripts(u)
	if len(scripts) == 0 || slices.ContainsFunc(u.Options, func(o Option) bool { return !o.Known || o.spec.is(acts) }) {
		return why
	}
	for _, script := range scripts {
		text, known := sedText(script)
		if !known || !sedScript(text) {
			return why
		}
	}
	return ""
}

// sedText returns the text of a script. A number in the place of an arithmetic expansion reads
// like any other.
func sedText(script Word) (text string, known bool) {
	if script.Sums && !script.Splits {
		return strings.ReplaceAll(script.Text, Sum, "1"), true
	}
	return script.Text, script.Literal
}

// sedTouches are sed's files, changed under -i, and those named in its scripts.
func sedTouches(u *Use) []Touch {
	scripts, files := sedScripts(u)
	access := ReadAccess
	if sedInPlace(u) {
		access = WriteAccess
	}
	var out []Touch
	for _, file := range files {
		out = append(out, Touch{Word: file, Access: access})
	}
	for _, script := range scripts {
		if script.Literal && !sedScript(script.Text) {
			out = append(out, sedFiles(script)...)
		}
	}
	return out
}

// sedFiles are the files read and written by a script's commands r, R, w, W and the flag w; for
// an unknown script, one that can be any.
func sedFiles(script Word) []Touch {
	var out []Touch
	name := func(s string, a Access) (rest string) {
		text, rest, _ := strings.Cut(s, "\n")
		if text = strings.TrimLeft(text, " \t"); text != "" && !strings.HasPrefix(text, "/dev/std") {
			out = append(out, Touch{Word: Word{Text: text, Literal: true, Quoted: true}, Access: a})
		}
		return rest
	}
	unknown := append(out, Touch{Word: Word{Text: script.Text}, Access: WriteAccess})
	for s := script.Text; ; {
		s = strings.TrimLeft(s, " \t\n;}")
		if s == "" {
			return out
		}
		rest, ok := sedAddress(s)
		if !ok {
			return unknown
		}
		if rest = strings.TrimLeft(rest, "! \t"); rest == "" {
			return unknown
		}
		switch rest[0] {
		case '{':
			s = rest[1:]
		case 'w', 'W':
			s = name(rest[1:], WriteAccess)
		case 'r', 'R':
			s = name(rest[1:], ReadAccess)
		case 'a', 'i', 'c':
			line, after, more := strings.Cut(rest, "\n")
			for more && strings.HasSuffix(line, "\\") {
				line, after, more = strings.Cut(after, "\n")
			}
			s = after
		default:
			if s, ok = sedFunction(rest); !ok {
				return unknown
			}
			if rest[0] == 's' && strings.HasPrefix(s, "w") {
				s = name(s[1:], WriteAccess)
			} else if s = strings.TrimLeft(s, " \t"); s != "" && strings.IndexByte(";\n}", s[0]) < 0 {
				return unknown
			}
		}
	}
}

// sedScript reports whether a script only prints, deletes, substitutes, branches and quits,
// without naming a file or running a command. Unknown commands are not harmless (AgentScope
// refuses more, never less).
func sedScript(s string) bool {
	grouped := false
	for {
		s = strings.TrimLeft(s, " \t\n;}")
		if s == "" {
			return true
		}
		rest, ok := sedAddress(s)
		if !ok {
			return false
		}
		if after, negated := strings.CutPrefix(rest, "!"); negated {
			if rest == s {
				return false // nothing is negated: another sed may read it in another way
			}
			rest = strings.TrimLeft(after, " \t")
		}
		if rest == "" {
			return false
		}
		if rest == s && !grouped && (rest[0] == '{' || rest[0] == 'd') {
			return false // for no line in particular: AgentScope's tests ask
		}
		if rest[0] == '{' {
			grouped, s = true, rest[1:]
			continue
		}
		rest, ok = sedFunction(rest)
		if !ok {
			return false
		}
		rest = strings.TrimLeft(rest, " \t")
		if rest != "" && strings.IndexByte(";\n}", rest[0]) < 0 {
			return false
		}
		s = rest
	}
}

// sedAddress skips an address or a pair of them.
func sedAddress(s string) (rest string, ok bool) {
	for n := 0; n < 2; n++ {
		switch {
		case s != "" && (s[0] >= '0' && s[0] <= '9' || n == 1 && strings.IndexByte("+~", s[0]) >= 0):
			s = strings.TrimLeft(s[1:], "0123456789~")
		case strings.HasPrefix(s, "$"):
			s = s[1:]
		case strings.HasPrefix(s, "/"):
			if s, ok = sedPattern(s[1:], '/', true); !ok {
				return "", false
			}
			s = strings.TrimLeft(s, "I")
		default:
			return s, n == 0
		}
		s = strings.TrimLeft(s, " \t")
		if n == 0 && strings.HasPrefix(s, ",") {
			s = strings.TrimLeft(s[1:], " \t")
			continue
		}
		return s, true
	}
	return s, true
}

// sedPattern skips to behind the next unescaped delimiter. In a regular expression a delimiter
// between brackets is an ordinary character. A sed with its end there would have an open
// bracket and refuse the script.
func sedPattern(s string, delimiter byte, regex bool) (rest string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '\n':
			return "", false
		case regex && s[i] == '[':
			end := bracketEnd(s, i)
			if end < 0 {
				return "", false
			}
			i = end
		case s[i] == delimiter:
			return s[i+1:], true
		}
	}
	return "", false
}

// bracketEnd returns where the bracket expression beginning at s[i] ends, or -1.
func bracketEnd(s string, i int) int {
	i++
	if i < len(s) && s[i] == '^' {
		i++
	}
	if i < len(s) && s[i] == ']' {
		i++
	}
	for ; i < len(s); i++ {
		switch {
		case s[i] == ']':
			return i
		case s[i] == '\n' || s[i] == '\\' && i+1 < len(s) && s[i+1] == ']':
			return -1 // the two readings of \] end in different places
		case s[i] == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			end := strings.Index(s[i+2:], string(s[i+1])+"]")
			if end < 0 {
				return -1
			}
			i += 2 + end + 1
		}
	}
	return -1
}

const sedLabel = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// sedFunction skips one harmless command: p, d, =, q, h, n and their like, branches and labels,
// y///, and s/// with harmless flags. A label read to the end of the line by BSD's sed hides
// commands, and adds none.
func sedFunction(s string) (rest string, ok bool) {
	switch s[0] {
	case 'p', 'd', 'D', 'P', '=', 'n', 'N', 'h', 'H', 'g', 'G', 'x', 'z', 'l':
		return s[1:], true
	case 'q', 'Q':
		return strings.TrimLeft(strings.TrimLeft(s[1:], " "), "0123456789"), true
	case ':', 'b', 't', 'T':
		return strings.TrimLeft(strings.TrimLeft(s[1:], " "), sedLabel), true
	case 's', 'y':
		if len(s) < 2 || strings.IndexByte("/|#,:@!%_;", s[1]) < 0 {
			return "", false
		}
		rest, ok = sedPattern(s[2:], s[1], s[0] == 's')
		if !ok {
			return "", false
		}
		rest, ok = sedPattern(rest, s[1], false)
		if !ok {
			return "", false
		}
		if s[0] == 's' {
			rest = strings.TrimLeft(rest, "gpiImM0123456789")
		}
		return rest, true
	}
	return "", false
}
