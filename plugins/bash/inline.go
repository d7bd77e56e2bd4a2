package bash

import (
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/inline"
)

// isolated are options of python that run nothing and keep the search path of modules.
var isolated = []string{"-c", "-u", "-B", "-I", "-E", "-s", "-S", "-O", "-q"}

// computes reports whether the command is Python on the line that only computes, prints, and
// reads its input and named files, or writes such files; why is the reason for a no.
// RATIONALE.md, "Which Python only reads?".
func (c *Command) computes() (files inline.Files, why string) {
	if c.inlineRead {
		return c.opens, c.inlineWhy
	}
	c.inlineRead = true
	c.inlineWhy = c.Name() + " runs code"
	u := c.Use()
	if !c.Inline || u.Program != "python" && u.Program != "python3" || len(c.code) != 1 || c.Stdin {
		return inline.Files{}, c.inlineWhy
	}
	for _, o := range u.Options {
		if !o.Known || !slices.Contains(isolated, o.Name) || o.Name == "-c" && (!o.Value.Literal || o.Value.Glob) {
			return inline.Files{}, c.inlineWhy
		}
	}
	given := u.Has("-c")
	if !given && (c.Input == nil || !c.Input.Literal || len(u.Operands) > 1 || len(u.Operands) == 1 && u.Operands[0].Text != "-") {
		return inline.Files{}, c.inlineWhy
	}
	files, why = inline.Python(c.code[0])
	if why != "" {
		why = c.Name() + " runs code: " + why
	}
	c.opens, c.inlineWhy = files, why
	return files, why
}

// dataFiles are endings of files never imported by Python.
var dataFiles = []string{".txt", ".md", ".rst", ".log", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".yaml", ".yml", ".toml", ".xml", ".html", ".css", ".svg", ".out", ".patch", ".diff", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".go", ".rs", ".java", ".sql", ".sh"}

// makesModules reports whether the line writes a file for Python to import later.
func (l *Line) makesModules() bool {
	return slices.ContainsFunc(l.Commands, func(cmd *Command) bool {
		return slices.ContainsFunc(l.touches(cmd), func(t touch) bool {
			return t.access == write && !l.harmless(t.path) && (t.path == "" || !slices.Contains(dataFiles, path.Ext(t.path)))
		})
	})
}

// shadows begins the host's fact about a directory with a file shadowing a module of Python.
const shadows = "python module "

// shadowed implements surroundings.shadowed. Without the host's word it is.
func (c *call) shadowed(cmd *Command) bool {
	dirs := gitDirs(cmd)
	for _, dir := range dirs {
		found := c.at(dir, read)
		if len(found) == 0 || found[0].Error != "" || found[0].Repo != nil && slices.ContainsFunc(found[0].Repo.Dirty, func(s string) bool { return strings.HasPrefix(s, shadows) }) {
			return true
		}
	}
	return len(dirs) == 0
}
