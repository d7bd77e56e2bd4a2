package program

import (
	"slices"
	"strings"
)

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

// terminalAsks asks about a terminal that is opened for nobody's command.
func terminalAsks(u *Use) string {
	if u.asksVersion() || u.Inner > 0 || len(u.Operands) > 0 {
		return ""
	}
	return u.Program + " opens a terminal, which takes its commands from a person"
}

// screenAsks asks about a screen that takes over this terminal.
func screenAsks(u *Use) string {
	if u.asksVersion() || u.Inner > 0 || u.Has("-X", "-Q") || u.Has("-m") && u.Has("-d", "-D") {
		return ""
	}
	return "screen takes its commands from the terminal"
}

// tmuxAsks asks about a tmux that takes over this terminal.
func tmuxAsks(u *Use) string {
	if u.asksVersion() || len(u.Sub) > 0 && u.Inner > 0 || u.Has("-c") && len(u.Sub) == 0 {
		return ""
	}
	switch strings.Join(u.Sub, " ") {
	case "", "a", "at", "attach", "attach-session":
	case "new", "new-session":
		if slices.ContainsFunc(u.Options, func(o Option) bool { return o.Name == "-d" && o.At >= u.At }) {
			return ""
		}
	default:
		return ""
	}
	return "tmux takes its commands from the terminal"
}

// tmuxLists is a row of what tmux lists, when it is given no format that runs a
// command and no second command.
func tmuxLists(name, options string) Row {
	return unless(func(u *Use) string {
		if slices.ContainsFunc(u.Args(), func(w Word) bool { return strings.Contains(w.Text, "#(") || strings.Contains(w.Text, ";") }) {
			return "tmux with more than a question"
		}
		return ""
	}, naming(name, "s*", options))
}

// appleScriptAsks asks about AppleScript that runs a shell or types for a person.
func appleScriptAsks(u *Use) string {
	for _, code := range u.Code() {
		text := strings.ToLower(code.Text)
		for _, hard := range []string{"do shell script", "administrator privileges", "keystroke", "key code", "do script", "doshellscript"} {
			if strings.Contains(text, hard) {
				return "osascript runs a command or types for a person"
			}
		}
	}
	return ""
}
