package program

import (
	"slices"
	"strings"
)

// interactiveShell asks about a shell reading from a person.
func interactiveShell(u *Use) string {
	if u.Has("-i") {
		return u.Program + " -i takes its commands from the terminal"
	}
	return ""
}

// editorAsks asks about editors and their like: they always take commands from the terminal.
func editorAsks(u *Use) string {
	if u.asksVersion() {
		return ""
	}
	return u.Program + " takes its commands from the terminal"
}

// scriptTouches are the script, or the files processed by code on the line: -i changes them.
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

// terminalAsks asks about a terminal opened without a command.
func terminalAsks(u *Use) string {
	if u.asksVersion() || u.Inner > 0 || len(u.Operands) > 0 {
		return ""
	}
	return u.Program + " opens a terminal, which takes its commands from a person"
}

// screenAsks asks about a screen taking over this terminal.
func screenAsks(u *Use) string {
	if u.asksVersion() || u.Inner > 0 || u.Has("-X", "-Q") || u.Has("-m") && u.Has("-d", "-D") {
		return ""
	}
	return "screen takes its commands from the terminal"
}

// tmuxAsks asks about a tmux taking over this terminal.
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

// tmuxLists is a row of a listing tmux command.
func tmuxLists(name, options string) Row { return unless(tmuxMore, naming(name, "s*", options)) }

// tmuxMore refuses a format with a command, and a second command.
func tmuxMore(u *Use) string {
	if slices.ContainsFunc(u.Args(), func(w Word) bool { return strings.Contains(w.Text, "#(") || strings.Contains(w.Text, ";") }) {
		return "tmux with more than a question"
	}
	return ""
}

// appleScriptAsks asks about AppleScript running a shell or typing for a person.
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

// pythonChooses are the choices of a module known as a program (python -m pytest -c FILE).
func pythonChooses(u *Use) []int {
	for _, o := range u.Options {
		if o.Name != "-m" || !o.Has {
			continue
		}
		from := o.At + 1
		if from >= len(u.Words) || u.Words[from].Text != o.Value.Text {
			from = o.At // -mpytest
		}
		inner := Read(append([]Word{o.Value}, u.Words[from+1:]...))
		var out []int
		for _, choice := range inner.Choices() {
			if choice.Kind != Reached && (choice.Kind != Placed || Strays(choice.Value.Text)) {
				out = append(out, from+choice.At)
			}
		}
		return out
	}
	return nil
}
