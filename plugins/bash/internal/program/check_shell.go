package program

import (
	"slices"
	"strings"
)

// printfActs refuses -v, which assigns, a format that could be an option, and
// numbers that zsh evaluates.
func printfActs(u *Use) string {
	list := u.Operands
	if len(list) > 0 && list[0].Text == "--" {
		list = list[1:]
	} else if len(list) > 0 && (!list[0].Literal || strings.HasPrefix(list[0].Text, "-")) {
		return "printf with an option can set variables"
	}
	if len(list) == 0 {
		return ""
	}
	if !list[0].Literal {
		return "printf is given " + list[0].Text + " for a format"
	}
	for _, o := range list[1:] {
		if strings.Contains(o.Text, "[") && strings.ContainsAny(o.Text, "$`") {
			return "printf may evaluate " + o.Text
		}
	}
	return ""
}

// testActs refuses what test evaluates: names of variables with subscripts, and
// in zsh the numbers it compares.
func testActs(u *Use) string {
	for i, o := range u.Operands {
		switch t := o.Text; {
		case t == "-v" || t == "-R" || strings.Contains(t, "["):
			return u.Program + " evaluates what it is given"
		case slices.Contains([]string{"-eq", "-ne", "-lt", "-le", "-gt", "-ge"}, t):
			if i == 0 || i+1 >= len(u.Operands) || !number(u.Operands[i-1].Text) || !number(u.Operands[i+1].Text) {
				return u.Program + " may evaluate what it compares"
			}
		case t == "-t" && i+1 < len(u.Operands) && u.Operands[i+1].Text != "]" && !number(u.Operands[i+1].Text):
			return u.Program + " may evaluate what it compares"
		}
	}
	return ""
}

// number tells whether s is a decimal number.
func number(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// numbersActs refuses operands that are no numbers: zsh evaluates them.
func numbersActs(u *Use) string {
	for _, o := range u.Operands {
		if !number(o.Text) {
			return u.Program + " may evaluate " + o.Text
		}
	}
	return ""
}

// cdActs wants a directory that can be named.
func cdActs(u *Use) string {
	if len(u.Operands) == 0 && u.Program == "pushd" {
		return "pushd goes to a directory that is not named"
	}
	for _, o := range u.Operands {
		if o.Glob || o.Text == "" || o.Text[0] == '-' || o.Text[0] == '+' {
			return u.Program + " goes to a directory that is not named"
		}
	}
	return ""
}

// shellSettings are the settings of "set -o" that change nothing about what
// commands mean.
var shellSettings = []string{"errexit", "nounset", "xtrace", "verbose", "pipefail", "noclobber", "errtrace", "noglob", "noexec"}

// setActs wants settings that change nothing about what commands mean. Without
// any, set prints every variable, and what they hold may be secret.
func setActs(u *Use) string {
	if len(u.Words) == 1 {
		return "set prints every variable"
	}
	if len(u.Operands) > 0 {
		return "set changes the arguments of this shell"
	}
	for i, word := range u.Words {
		if (strings.HasPrefix(word.Text, "-") || strings.HasPrefix(word.Text, "+")) && strings.HasSuffix(word.Text, "o") {
			if i+1 >= len(u.Words) {
				continue // it lists the settings
			}
			if !slices.Contains(shellSettings, u.Words[i+1].Text) {
				return "set -o " + u.Words[i+1].Text + " changes how commands are read"
			}
		} else if strings.HasPrefix(word.Text, "+o") || strings.HasPrefix(word.Text, "-o") {
			return "set " + word.Text + " is not known to only set"
		}
	}
	return ""
}

// setAsks asks about switching off the record of what is run.
func setAsks(u *Use) string {
	if slices.ContainsFunc(u.Args(), func(w Word) bool { return w.Text == "history" }) {
		return "set switches the record of what is run on or off"
	}
	return historyVariables(u)
}

// historyVariables asks about the variables that rule that record.
func historyVariables(u *Use) string {
	for _, w := range u.Args() {
		if strings.HasPrefix(w.Text, "HIST") {
			return u.Program + " switches off the record of what is run"
		}
	}
	return ""
}

func historyAsks(u *Use) string {
	for _, w := range u.Args() {
		if strings.HasPrefix(w.Text, "-") {
			return "history " + w.Text + " changes the record of what was run"
		}
	}
	return ""
}

// Unnamed tells whether the use would run a command that is not among its words.
func (u *Use) Unnamed() bool {
	if u.Inner > 0 || len(u.Spans) > 0 || len(u.Scripts()) > 0 || u.asksVersion() {
		return false
	}
	return slices.ContainsFunc(u.form(), func(r role) bool { return r.Role == Command || r.Role == Joined })
}

// privileged asks about programs that run others as somebody else.
func privileged(u *Use) string {
	if u.asksVersion() {
		return ""
	}
	return u.Program + " runs commands with other privileges"
}
