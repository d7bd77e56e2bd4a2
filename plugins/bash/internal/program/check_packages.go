package program

import (
	"slices"
	"strings"
)

// nothingNamed accepts a command that lists when it is given nothing.
func nothingNamed(u *Use) string {
	if len(u.Operands) > 0 {
		return u.Command() + " " + u.Operands[0].Text + " runs code of the project"
	}
	return ""
}

// needs is a judge that wants one of the options, by the names of the row.
func needs(options ...string) func(*Use) string {
	return func(u *Use) string {
		if u.Has(options...) {
			return ""
		}
		return u.Command() + " without " + strings.Join(options[:min(3, len(options))], " or ") + " may change something"
	}
}

// usualToolchain refuses cargo +NAME, which may fetch another toolchain first.
func usualToolchain(u *Use) string {
	if slices.ContainsFunc(u.Words[1:u.At], func(w Word) bool { return strings.HasPrefix(w.Text, "+") }) {
		return "cargo with a toolchain of its own may install it"
	}
	return ""
}

// rustcPrints wants questions about the compiler, and nothing to compile.
func rustcPrints(u *Use) string {
	if len(u.Operands) > 0 || !u.Has("-V", "--print", "--explain") {
		return "rustc compiles"
	}
	return ""
}

// goEnvPrints refuses what looks like a setting.
func goEnvPrints(u *Use) string {
	if slices.ContainsFunc(u.Operands, func(w Word) bool { return strings.Contains(w.Text, "=") }) {
		return "go env with a value sets it"
	}
	return ""
}

// pacmanQueries wants -Q, with which -s and -i look at what is installed.
func pacmanQueries(u *Use) string {
	if !u.Has("-Q") {
		return "pacman without -Q may change something"
	}
	return ""
}

// goModFile wants go.mod left as it is.
func goModFile(u *Use) string {
	for _, mode := range u.Values("-mod") {
		if mode.Text != "readonly" && mode.Text != "vendor" {
			return u.Command() + " -mod=" + mode.Text + " may write go.mod"
		}
	}
	return ""
}

// rpmQueries wants -q, and a format that runs nothing.
func rpmQueries(u *Use) string {
	for _, format := range u.Values("--qf") {
		if strings.Contains(format.Text, "%(") {
			return "rpm with the format " + format.Text + " may run a program"
		}
	}
	return needs("-q")(u)
}
