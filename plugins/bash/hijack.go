package bash

import (
	"path"
	"slices"
	"strings"
)

// What a line sets up for the programs that it or a later one runs: variables by
// which other code is loaded or run, and files that come from elsewhere. Threats
// T19 and T24.

// loaderVariables make programs load or run what their value names.
var loaderVariables = []string{
	"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "PS4", "ZDOTDIR", "FPATH", "fpath", "path", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_CONFIG", "GIT_CONFIG_GLOBAL",
	"GIT_CONFIG_SYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "PYTHONSTARTUP", "PERL5OPT", "PERL5DB", "RUBYOPT", "PROMPT_COMMAND", "RUSTC_WRAPPER", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "BASH_FUNC",
}

// loadsOthers finds assignments by which programs other than those named run.
func loadsOthers(cmd *Command) string {
	for _, a := range cmd.Assigns {
		value := a.Value.Text
		switch {
		case a.Name == "PATH":
			if dir := strangePlace(a.Value); dir != "" {
				return "with PATH=" + value + " programs are taken from " + dir
			}
		case a.Name == "ENV" && strings.Contains(value, "/"), slices.Contains(loaderVariables, a.Name), strings.HasPrefix(a.Name, "DYLD_"), strings.HasPrefix(a.Name, "GIT_CONFIG_KEY_"), strings.HasPrefix(a.Name, "BASH_FUNC_"):
			if value != "" || !a.Value.Literal {
				return a.Name + " makes programs load or run " + value
			}
		case a.Name == "NODE_OPTIONS" && (!a.Value.Literal || strings.Contains(value, "-r") || strings.Contains(value, "import") || strings.Contains(value, "loader")):
			return "NODE_OPTIONS makes node load " + value
		case holdsCommand(a.Name) && !plainCommand(a.Name, a.Value):
			return a.Name + " makes programs run " + value
		}
	}
	return ""
}

// plainCommand reports whether the value of a variable names an ordinary program,
// with plain options.
func plainCommand(variable string, value Word) bool {
	words := strings.Fields(value.Text)
	if !value.Literal || strings.ContainsAny(value.Text, ";|&$()<>`\\\"'{}!\n") {
		return false
	}
	if len(words) == 0 {
		return true
	}
	dir, name := path.Split(words[0])
	return (dir == "" || inSystem(dir)) && (variable == "SHELL" || !isShell(name))
}

// programPlaces are directories that hold programs and that only the machine's
// owner, or a protected write, changes.
var programPlaces = []string{"/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/Applications/", "/Library/"}

func inSystem(dir string) bool {
	dir = path.Clean(dir) + "/"
	return slices.ContainsFunc(programPlaces, func(place string) bool { return strings.HasPrefix(dir, place) })
}

// strangePlace returns the first directory of a PATH that programs of the machine
// do not come from.
func strangePlace(value Word) string {
	for _, dir := range strings.Split(value.Text, ":") {
		switch {
		case dir == "$PATH" || dir == "${...}" && slices.Contains(value.Vars, "PATH"), strings.HasPrefix(dir, "/") && !strings.ContainsAny(dir, "$`*") && inSystem(dir):
		case dir == "":
			return "the current directory"
		default:
			return dir
		}
	}
	return ""
}

// runsWhatItFetched finds a program that the line itself brings from elsewhere and
// then runs.
func (c *call) runsWhatItFetched() string {
	var made []touch
	for _, cmd := range c.line.Commands {
		for _, t := range c.line.touches(cmd) {
			if t.access != run || t.path == "" {
				continue
			}
			for _, m := range made {
				if fetched(m, t) {
					return cmd.label() + " runs " + t.word.Text + ", which " + m.cmd.Name() + " brings from elsewhere"
				}
			}
		}
		if len(cmd.Words) == 0 || !cmd.Use().Fetches() {
			continue
		}
		for _, t := range c.line.touches(cmd) {
			if t.access == write && t.path != "" {
				made = append(made, t)
			}
		}
	}
	return ""
}

// fetched reports whether what runs may be what a fetcher made.
func fetched(made, runs touch) bool {
	into, file := path.Clean(made.path), path.Clean(runs.path)
	if into == file || made.spreads && (into == "." && !path.IsAbs(file) || within(file, into)) {
		return true
	}
	if made.cmd.Name() == "git" {
		return within(file, into)
	}
	// A name that the address gives: it lies in the directory.
	return path.Dir(file) == into && slices.ContainsFunc(made.cmd.Args(), func(w Word) bool { return path.Base(w.Text) == path.Base(file) })
}
