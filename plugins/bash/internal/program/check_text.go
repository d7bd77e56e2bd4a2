package program

import (
	"slices"
	"strings"
)

// pagerCommand refuses a pager's first command, unless it is a place to go to: "+!COMMAND" runs
// one.
func pagerCommand(u *Use) string {
	for _, o := range u.Operands {
		if at, ok := strings.CutPrefix(o.Text, "+"); ok && strings.Trim(strings.TrimPrefix(at, "+"), "0123456789") != "" && at != "G" && at != "F" && at != "Gg" {
			return u.Program + " is given a command: " + o.Text
		}
	}
	return ""
}

// pagerAsks asks about a pager's first command if it may run a program.
func pagerAsks(u *Use) string {
	for _, o := range u.Operands {
		if strings.HasPrefix(o.Text, "+") && strings.ContainsAny(o.Text, "!|v") {
			return u.Program + " is given a command that may run a program: " + o.Text
		}
	}
	return ""
}

// batPages reports that bat would run its pager.
func batPages(u *Use) string {
	for _, v := range u.Values("--paging") {
		if v.Text != "never" && v.Text != "auto" {
			return "bat would run a pager"
		}
	}
	return ""
}

// jqReaches says where a jq filter reads besides its input.
func jqReaches(u *Use) string {
	for _, script := range u.With(Script) {
		if name := reaches(script.Text, "env", "ENV", "import", "include", "input_filename", "modulemeta", "get_search_list"); name != "" {
			return "this jq filter uses " + name
		}
	}
	return ""
}

// yqReaches says where a yq expression reads besides its input, in the languages of both
// programs of that name.
func yqReaches(u *Use) string {
	expressions := u.Values("--expression")
	rest := u.Operands
	if len(rest) > 0 && slices.Contains([]string{"e", "eval", "ea", "eval-all"}, rest[0].Text) {
		rest = rest[1:]
	}
	for _, o := range append(expressions, rest[:min(1, len(rest))]...) {
		for _, part := range []string{"env", "load", "eval", "system", "import", "include", "file", "modulemeta"} {
			if name := reachesPart(o.Text, part); name != "" {
				return "this yq expression uses " + name
			}
		}
	}
	return ""
}

// reaches returns the first of names used by text as a word of its own, not as the name of a
// field (.env).
func reaches(text string, names ...string) string {
	return uses(text, func(name string) bool { return slices.Contains(names, name) })
}

// reachesPart is reaches for every name with a part: operators have several spellings
// (load_str, loadstr, str_load).
func reachesPart(text, part string) string {
	return uses(text, func(name string) bool { return strings.Contains(strings.ToLower(name), part) })
}

func uses(text string, is func(string) bool) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
	for i := 0; i < len(text); {
		if strings.IndexByte(letters, text[i]) < 0 {
			i++
			continue
		}
		end := i + 1
		for end < len(text) && strings.IndexByte(letters+"0123456789", text[end]) >= 0 {
			end++
		}
		field := i > 0 && text[i-1] == '.' && (i == 1 || strings.IndexByte(".0123456789", text[i-2]) < 0)
		if name := text[i:end]; !field && is(name) {
			return name
		}
		i = end
	}
	return ""
}

// everyOperandRead takes each operand for a file to read.
func everyOperandRead(u *Use) []Touch {
	access := ReadAccess
	if u.Has("-i") {
		access = WriteAccess
	}
	var out []Touch
	for i, o := range u.Operands {
		a := access
		if i == 0 && len(u.Operands) > 1 {
			a = ReadAccess // the expression
		}
		out = append(out, Touch{Word: o, Access: a})
	}
	return out
}

// here is the working directory of a program.
func here() Word { return Word{Text: ".", Literal: true} }

// splitTouches are the file to split, and the place of its parts.
func splitTouches(u *Use) []Touch {
	var out []Touch
	for i, o := range u.Operands {
		if i != 1 {
			out = append(out, Touch{Word: o, Access: ReadAccess})
		}
		if i == 1 && u.Roles[i] == Text && !strings.HasPrefix(u.Program, "cs") && !strings.HasPrefix(u.Program, "gcs") {
			out = append(out, Touch{Word: o, Access: WriteAccess})
		}
	}
	return append(out, Touch{Word: here(), Access: WriteAccess})
}

// patchTouches are the files changed by patch: the named one, or any below its directory.
func patchTouches(u *Use) []Touch {
	var out []Touch
	for i, o := range u.Operands {
		access := ReadAccess
		if i == 0 && !u.Has("-o") {
			access = WriteAccess
		}
		out = append(out, Touch{Word: o, Access: access})
	}
	if len(u.Operands) == 0 && !u.Has("-d") {
		out = append(out, Touch{Word: here(), Access: WriteAccess, Spreads: true})
	}
	return out
}
