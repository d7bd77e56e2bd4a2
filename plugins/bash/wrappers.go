package bash

import (
	"slices"
	"strings"
)

// unwrapOld adds the commands that cmd runs on behalf of its arguments.
func (w *walker) unwrapOld(cmd *Command) {
	name := cmd.Name()
	switch name {
	case "man":
		w.unwrapOption(cmd, "P", "pager")
		return
	case "at", "batch", "crontab", "make", "gmake":
		w.readsScript(cmd)
	}
}

// readsScript handles programs that read a list of commands from their input.
func (w *walker) readsScript(cmd *Command) {
	name := cmd.Name()
	fromInput := name == "at" || name == "batch" || slices.ContainsFunc(cmd.Args(), func(a Word) bool { return a.Text == "-" })
	if name == "crontab" && w.stdin == nil && !cmd.Piped {
		fromInput = false
	} else if name == "crontab" {
		fromInput = true
	}
	if fromInput && !slices.ContainsFunc(cmd.Args(), func(a Word) bool { return a.Text == "-l" || a.Text == "-c" || a.Text == "-q" }) {
		cmd.Stdin = true
		w.line.opaque(name + " runs whatever its input says")
	}
}

func (w *walker) unwrapOption(cmd *Command, short, long string) {
	args := cmd.Args()
	for i, a := range args {
		switch {
		case (a.Text == "-"+short || a.Text == "--"+long) && i+1 < len(args):
			w.innerScript(cmd, args[i+1])
		case strings.HasPrefix(a.Text, "--"+long+"="):
			a.Text = strings.TrimPrefix(a.Text, "--"+long+"=")
			w.innerScript(cmd, a)
		case strings.HasPrefix(a.Text, "-"+short) && len(a.Text) > 2:
			a.Text = a.Text[2:]
			w.innerScript(cmd, a)
		}
	}
}

// gitGlobals are git's own options that take a value as the next word.
var gitGlobals = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env", "--attr-source"}

// gitSubcommand returns the index of the sub-command word of a git command.
func gitSubcommand(cmd *Command) int {
	for i := 1; i < len(cmd.Words); i++ {
		t := cmd.Words[i].Text
		if slices.Contains(gitGlobals, t) {
			i++
			continue
		}
		if !strings.HasPrefix(t, "-") {
			return i
		}
	}
	return len(cmd.Words)
}
