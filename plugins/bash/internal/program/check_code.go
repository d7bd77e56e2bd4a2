package program

import "strings"

// interactiveShell asks about a shell that a person types into.
func interactiveShell(u *Use) string {
	if u.Has("-i") {
		return u.Program + " -i takes its commands from the terminal"
	}
	return ""
}

// editorAsks asks about editors and their like, which take commands from the
// terminal whatever else they are given.
func editorAsks(u *Use) string {
	if u.asksVersion() {
		return ""
	}
	return u.Program + " takes its commands from the terminal"
}

// scriptTouches are the script that is run, or the files that code given on the
// line is run over: with -i it changes them.
func scriptTouches(u *Use) []Touch {
	var out []Touch
	for i, r := range u.Roles {
		touch := Touch{Word: u.Operands[i], Access: ReadAccess}
		switch {
		case r == Runs:
			touch.Access = RunAccess
		case u.Has("-i"):
			touch.Access = WriteAccess
		case r == Text && strings.HasPrefix(touch.Word.Text, "-"):
			continue
		}
		out = append(out, touch)
	}
	return out
}
