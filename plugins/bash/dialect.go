package bash

import "slices"

// Dialect is the shell reading the line, a setting of the operator.
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

// parseDialect reads the operator's word. An empty word is Unknown; any other unknown word is a
// shell beyond our grammar.
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

// onlyBash reports whether constructs of bash alone have bash's meaning.
func (d Dialect) onlyBash() bool { return d == Bash }

// dialectOf returns the dialect of a script for the program name. sh differs from machine to
// machine, and so does the shell started by su, watch and others.
func dialectOf(name string) Dialect {
	switch name {
	case "bash":
		return Bash
	case "zsh":
		return Zsh
	}
	return Unknown
}

// shells are the programs with code in our grammar.
var shells = []string{"sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh"}

func isShell(name string) bool { return slices.Contains(shells, name) }

// foreign are shells with another language.
var foreign = []string{"fish", "csh", "tcsh", "nu", "elvish", "xonsh", "pwsh", "powershell", "rc", "es"}
