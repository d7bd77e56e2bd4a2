package bash

import "slices"

// Dialect is the shell that will read the line. It is the operator's setting
// (design section 12).
type Dialect string

// The dialects. Unknown means "one of bash, dash and zsh, the worst of them".
const (
	Unknown Dialect = ""
	Bash    Dialect = "bash"
	Sh      Dialect = "sh"
	Zsh     Dialect = "zsh"
	Fish    Dialect = "fish"
	Pwsh    Dialect = "pwsh"
	Cmd     Dialect = "cmd"
)

// parseDialect reads the operator's word. An unknown word is Unknown when it is
// empty, and otherwise a shell that nobody here can read.
func parseDialect(s string) Dialect {
	switch d := Dialect(s); d {
	case Unknown, Bash, Sh, Zsh, Fish, Pwsh, Cmd:
		return d
	}
	return Dialect("other")
}

// analysed reports whether lines of this dialect can be read at all.
func (d Dialect) analysed() bool {
	switch d {
	case Unknown, Bash, Sh, Zsh:
		return true
	}
	return false
}

// onlyBash reports whether constructs of bash alone mean what bash says.
func (d Dialect) onlyBash() bool { return d == Bash }

// dialectOf returns the dialect of a script that the program name is given. What
// sh is differs from machine to machine, and so does the shell that su, watch
// and others run.
func dialectOf(name string) Dialect {
	switch name {
	case "bash":
		return Bash
	case "zsh":
		return Zsh
	}
	return Unknown
}

// shells are the programs whose code is read as a command line.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh"}

func isShell(name string) bool { return slices.Contains(shells, name) }

// foreign are shells whose language is not read here.
var foreign = []string{"fish", "csh", "tcsh", "nu", "elvish", "xonsh", "pwsh", "powershell", "rc", "es"}
