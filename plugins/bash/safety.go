package bash

import (
	"path"
	"slices"
	"strings"
)

// danger returns why the line always needs a person, for any rules; empty when it does not.
// Source: docs/seeds.md, "Built-in Checks", and the attacks of docs/security.md.
func (c *call) danger() string {
	if reason := c.runsWhatItFetched(); reason != "" {
		return reason
	}
	touched := 0
	for _, cmd := range c.line.Commands {
		if reason := c.dangerOf(cmd); reason != "" {
			return reason
		}
		touched += len(c.line.touches(cmd))
	}
	if touched > maxTargets {
		return "the command touches more files than can be checked"
	}
	return ""
}

func (c *call) dangerOf(cmd *Command) string {
	checks := []func(*Command) string{hidesHistory, loadsOthers}
	if cmd.Name() != "" {
		checks = append(checks, asked, listedRemoval, interactive)
	}
	for _, check := range checks {
		if reason := check(cmd); reason != "" {
			return reason
		}
	}
	for _, t := range c.line.touches(cmd) {
		if t.access != write {
			continue
		}
		if t.path == "" && t.word.Computed {
			return cmd.label() + " changes " + t.word.Text + ", a place that other commands of the line tell"
		}
		if reason := c.removal(t); reason != "" {
			return reason
		}
		if c.unresolved(t) && !c.line.harmless(t.path) {
			return cmd.label() + " changes " + t.word.Text + ", and where that leads cannot be told"
		}
		if why := c.protects(t); why != "" {
			return cmd.label() + " changes " + t.word.Text + ", which is " + why
		}
	}
	return ""
}

func (c *Command) label() string {
	if name := c.Name(); name != "" {
		return name
	}
	return "a redirection"
}

// asked returns the reason for a person in the program's row.
func asked(cmd *Command) string { return cmd.Use().Asked() }

// hidesHistory finds assignments that change the shell's history.
func hidesHistory(cmd *Command) string {
	for _, a := range cmd.Assigns {
		if strings.HasPrefix(a.Name, "HIST") {
			return a.Name + " changes the record of what is run"
		}
	}
	return ""
}

// listedRemoval refuses a recursive removal of a list from another program.
func listedRemoval(cmd *Command) string {
	if cmd.Name() != "rm" || cmd.Parent == nil {
		return ""
	}
	if cmd.Parent.Use().Row().Adds && cmd.Use().Deep() {
		return cmd.Parent.Name() + " rm -r removes whatever it is given"
	}
	return ""
}

// interactive names programs taking their commands from the terminal or from a pipe (threat
// T23).
func interactive(cmd *Command) string {
	name := cmd.Name()
	switch {
	case cmd.Stdin && cmd.Piped:
		return name + " runs whatever another command prints"
	case cmd.Stdin:
		return name + " takes its commands from its input: nobody can see them beforehand"
	case isShell(name) && slices.ContainsFunc(cmd.Args(), func(w Word) bool { return w.Text == "-i" }):
		return name + " -i takes its commands from the terminal"
	}
	return ""
}

// removal returns why removing (or changing all of) t is dangerous.
func (c *call) removal(t touch) string {
	name := t.cmd.Name()
	if !t.removes && !t.recursive {
		return ""
	}
	if t.path == "" {
		if t.recursive && name != "mv" {
			return name + " removes " + t.word.Text + ", which can be anything"
		}
		return ""
	}
	for _, p := range c.forms(t) {
		all := false
		for allFiles(path.Base(p)) && t.word.Glob {
			p, all = path.Dir(p), true
		}
		switch {
		case p == "/" || p == "." && c.set.CWD == "":
			return name + " would remove the root of the file system"
		case path.Dir(p) == "/":
			return name + " would remove " + p + ", directly below the root"
		case c.set.Home != "" && within(c.set.Home, p), p == "~":
			return name + " would remove the home directory"
		case all && path.IsAbs(t.path):
			return name + " would remove everything in " + p
		}
		if name == "find" || name == "fd" {
			continue // it removes the selection of its tests
		}
		for _, wd := range append(slices.Clone(c.set.WorkingDirectories), c.set.CWD) {
			if wd != "" && within(wd, p) {
				return name + " would remove the working directory " + wd
			}
		}
	}
	if t.recursive && name == "rm" && c.outside(t) {
		if t.cmd.Use().Has("-f") {
			return "rm -rf outside the working directories"
		}
	}
	return ""
}

// allFiles reports whether a name is a glob for every file.
func allFiles(name string) bool {
	return name != "" && strings.Trim(name, "*?.[]!{},") == "" && strings.ContainsAny(name, "*?")
}

// within reports whether child is parent or lies below it.
func within(child, parent string) bool {
	return child == parent || parent == "/" || strings.HasPrefix(child, parent+"/")
}
