package program

import (
	"slices"
	"strconv"
	"strings"
)

// printfActs refuses -v for its assignment, a format looking like an option, and numbers, as
// zsh evaluates them.
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
	numbers := numericFormat(list[0].Text)
	for _, o := range list[1:] {
		if numbers && (o.Computed || o.Literal && !numeral(o.Text)) || strings.Contains(o.Text, "[") && strings.ContainsAny(o.Text, "$`") {
			return "printf may evaluate " + o.Text
		}
	}
	return ""
}

// numericFormat reports whether a format takes numbers, evaluated by zsh: it has another
// conversion than those of texts, or a width from an argument.
func numericFormat(format string) bool {
	for {
		_, rest, found := strings.Cut(format, "%")
		if !found {
			return false
		}
		conversion := strings.TrimLeft(rest, "-+ #'0123456789.")
		if conversion == "" || strings.IndexByte("sqbc%", conversion[0]) < 0 {
			return true
		}
		format = conversion[1:]
	}
}

// numeral tells whether a text is a number, or a character by its quote.
func numeral(s string) bool {
	return strings.Trim(s, "0123456789.+-") == "" || strings.IndexByte("'\"", s[0]) >= 0
}

// testActs refuses operands evaluated by test: names of variables with subscripts, and in zsh
// the compared numbers.
func testActs(u *Use) string {
	if !allKnown(u.Operands) && !simpleTest(u.Operands) {
		return u.Program + " may take what it is given for an operator"
	}
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

// allKnown reports whether words are literal, or globs of files where they cannot be options.
func allKnown(list []Word) bool {
	return !slices.ContainsFunc(list, func(w Word) bool { return !w.Literal || w.Glob && !w.Quoted && strings.IndexAny(w.Text, "*?[{") == 0 })
}

// unaryTests and binaryTests are the operators of test without evaluation.
var (
	unaryTests  = []string{"-n", "-z", "-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h"}
	binaryTests = []string{"=", "==", "!=", "-nt", "-ot"}
)

// simpleTest reports whether operands form a single question: then no unknown word counts as an
// operator.
func simpleTest(list []Word) bool {
	if n := len(list); n > 0 && list[n-1].Literal && list[n-1].Text == "]" {
		list = list[:n-1]
	}
	if len(list) > 0 && list[0].Literal && list[0].Text == "!" {
		list = list[1:]
	}
	if slices.ContainsFunc(list, func(w Word) bool { return w.Splits || w.Output }) {
		return false
	}
	switch len(list) {
	case 1:
		return true
	case 2:
		return list[0].Literal && slices.Contains(unaryTests, list[0].Text)
	case 3:
		return list[1].Literal && slices.Contains(binaryTests, list[1].Text)
	}
	return false
}

// number tells whether s is a decimal number.
func number(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}

// numbersActs refuses other operands than numbers: zsh evaluates them.
func numbersActs(u *Use) string {
	for _, o := range u.Operands {
		if !number(o.Text) {
			return u.Program + " may evaluate " + o.Text
		}
	}
	return ""
}

// readActs requires variables of the line alone, and literal numbers.
func readActs(u *Use) string {
	for _, o := range u.Operands {
		if !OwnVariable(o.Text) {
			return "read sets " + o.Text
		}
	}
	for _, v := range u.Values("-n", "-N", "-t") {
		if v.Text == "" || strings.Trim(v.Text, "0123456789.") != "" {
			return "read may evaluate " + v.Text
		}
	}
	return ""
}

// jobsActs wants processes and jobs by their numbers.
func jobsActs(u *Use) string {
	for _, o := range u.Operands {
		if !number(strings.TrimPrefix(o.Text, "%")) {
			return u.Program + " may evaluate " + o.Text
		}
	}
	return ""
}

// maxSleep is the longest sleep, in seconds, that needs no approval.
const maxSleep = 600

// sleepActs requires a short time.
func sleepActs(u *Use) string {
	total := 0.0
	for _, o := range u.Operands {
		text := strings.TrimRight(o.Text, "smhd")
		n, err := strconv.ParseFloat(text, 64)
		unit, known := map[string]float64{"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}[o.Text[len(text):]]
		if err != nil || !known || text == "" || strings.Trim(text, "0123456789.") != "" {
			return u.Program + " takes " + o.Text + " for a time"
		}
		if u.Program == "usleep" {
			unit = 1e-6
		}
		if total += n * unit; total > maxSleep {
			return u.Program + " lasts for longer than ten minutes"
		}
	}
	return ""
}

// cdActs requires a known directory.
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

// shellSettings are the settings of "set -o" without influence on the meaning of commands.
var shellSettings = []string{"errexit", "nounset", "xtrace", "verbose", "pipefail", "noclobber", "errtrace", "noglob", "noexec"}

// setActs requires settings without influence on the meaning of commands. A bare set prints
// every variable, and their values may be secret.
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

// setAsks asks about switching off the history.
func setAsks(u *Use) string {
	if slices.ContainsFunc(u.Args(), func(w Word) bool { return w.Text == "history" }) {
		return "set switches the record of what is run on or off"
	}
	return historyVariables(u)
}

// historyVariables asks about the variables of the history.
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

// Unnamed reports whether the use would run a command missing from its words.
func (u *Use) Unnamed() bool {
	if u.Inner > 0 || len(u.Spans) > 0 || len(u.Scripts()) > 0 || u.asksVersion() {
		return false
	}
	return slices.ContainsFunc(u.form(), func(r role) bool { return r.Role == Command || r.Role == Joined })
}

// privileged asks about programs running others under another account.
func privileged(u *Use) string {
	if u.asksVersion() {
		return ""
	}
	return u.Program + " runs commands with other privileges"
}
