package bash

import (
	"path"
	"slices"
	"strings"
)

// A line prepares later programs: by variables for loading or running other code, and by files
// from elsewhere. Threats T19 and T24.

// loaderVariables make programs load or run their value.
var loaderVariables = []string{
	"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "PS4", "ZDOTDIR", "FPATH", "fpath", "path", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_CONFIG", "GIT_CONFIG_GLOBAL",
	"GIT_CONFIG_SYSTEM", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "PYTHONSTARTUP", "PERL5OPT", "PERL5DB", "RUBYOPT", "PROMPT_COMMAND", "RUSTC_WRAPPER", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "BASH_FUNC",
}

// loadsOthers finds assignments that run programs other than those named.
func loadsOthers(cmd *Command) string {
	for _, a := range cmd.Assigns {
		value := a.Value.Text
		switch {
		case a.Name == "PATH":
			if dir := strangePlace(a.Value); dir != "" && !ownPath(cmd, a.Value) {
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

// programPlaces are directories for programs, changed only by the machine's owner, or a
// protected write.
var programPlaces = []string{"/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/Applications/", "/Library/"}

func inSystem(dir string) bool {
	dir = path.Clean(dir) + "/"
	return slices.ContainsFunc(programPlaces, func(place string) bool { return strings.HasPrefix(dir, place) })
}

// strangePlace returns the first directory of a PATH outside the machine's directories for
// programs.
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

// ownPath reports whether a PATH holds for one command alone and lists plain places,
// none of them open to everybody. Only a rule with the very text allows it.
// RATIONALE.md, "When may a rule hold a PATH?".
func ownPath(cmd *Command, value Word) bool {
	if cmd.Name() == "" || slices.Contains(declaring, cmd.Name()) || !value.Literal || value.Glob || value.Tilde {
		return false
	}
	return !slices.ContainsFunc(strings.Split(value.Text, ":"), func(dir string) bool {
		return !path.IsAbs(dir) || path.Clean(dir) != strings.TrimRight(dir, "/") || dir == "/" || slices.ContainsFunc(openPlaces, func(open string) bool { return within(path.Clean(dir), open) })
	})
}

// declaring are the commands whose assignments hold for what follows.
var declaring = []string{"export", "declare", "typeset", "local", "readonly", "integer", "float", "private"}

// runsWhatItFetched finds a program fetched and then run by the line itself.
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

// fetched reports whether runs may be a file made by a fetcher.
func fetched(made, runs touch) bool {
	into, file := path.Clean(made.path), path.Clean(runs.path)
	if into == file || made.spreads && (into == "." && !path.IsAbs(file) || within(file, into)) {
		return true
	}
	if made.cmd.Name() == "git" {
		return within(file, into)
	}
	// A name in the address: the file lies in the directory.
	return path.Dir(file) == into && slices.ContainsFunc(made.cmd.Args(), func(w Word) bool { return path.Base(w.Text) == path.Base(file) })
}
