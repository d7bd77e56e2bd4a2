package bash

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// access is a command's use of a path.
type access = program.Access

const (
	read  = program.ReadAccess
	write = program.WriteAccess
	run   = program.RunAccess
)

// touch is one path touched by a command.
type touch struct {
	cmd  *Command
	word Word
	// path is the path as written, joined with the directory the command runs
	// in; empty when it cannot be told.
	path   string
	access access
	// removes means: the path itself is removed; recursive: everything below it is, too.
	removes, recursive bool
	// derived means: the path is not written on the line as such (the file made by cp inside a
	// directory).
	derived bool
	// spreads means: the command makes files of any name inside the path.
	spreads bool
	// redirected means: a redirection opens the path, for any use by the program.
	redirected bool
	// rooted means: the path is relative to the root of a repository.
	rooted bool
	// start means: the program goes to the path before it reads others.
	start bool
}

// touches returns the paths touched by cmd, redirections included.
func (l *Line) touches(cmd *Command) []touch {
	if cmd.touched != nil {
		return cmd.touched
	}
	t := &toucher{cmd: cmd, set: l.Setting, out: []touch{}}
	for _, r := range cmd.Redirects {
		if r.Read {
			t.put(touch{word: r.Word, access: read, redirected: true})
		}
		if r.Write {
			t.put(touch{word: r.Word, access: write, redirected: true})
		}
	}
	if len(cmd.Words) > 0 {
		if cmd.Qualified() {
			t.add(cmd.Words[0], run)
		}
		t.named()
		if files, why := cmd.computes(); why == "" {
			for _, file := range files.Read {
				t.add(Word{Text: file, Literal: true, Quoted: true}, read)
			}
			for _, file := range files.Written {
				t.add(Word{Text: file, Literal: true, Quoted: true}, write)
			}
		}
	}
	cmd.touched = t.out
	return t.out
}

// named adds the paths in the words of the command.
func (t *toucher) named() {
	u := t.cmd.Use()
	switch {
	case changesDir(t.cmd.Name()):
		if dest, ok := cdTarget(t.cmd); ok {
			t.add(Word{Text: dest, Literal: true, Tilde: strings.HasPrefix(dest, "~")}, read)
		}
	default:
		for _, one := range u.Touches() {
			if one.Here && t.cmd.Piped && u.Deep() && !u.Has("-r", "-R") {
				continue // rg and its like then search their input
			}
			t.put(touch{word: one.Word, access: one.Access, removes: one.Removes, recursive: one.Recursive, derived: one.Derived, spreads: one.Spreads, rooted: one.Rooted, start: one.Start})
		}
	}
}

// toucher gathers touches of one command.
type toucher struct {
	cmd *Command
	set Setting
	out []touch
}

func (t *toucher) add(word Word, a access) { t.put(touch{word: word, access: a}) }

func (t *toucher) addAll(words []Word, a access) {
	for _, word := range words {
		t.add(word, a)
	}
}

func (t *toucher) put(one touch) {
	one.cmd = t.cmd
	if one.access == read && (one.word.Output || !one.redirected && len(t.cmd.Words) > 0 && (one.word.Plain && t.cmd.Use().Program == "git" || one.word.Files && !one.word.Literal && !t.cmd.Use().Shows())) {
		return // output of commands on the line, revisions of git, files shown by facts alone
	}
	if !one.word.Literal || len(t.cmd.Dirs) == 0 {
		absolute := strings.HasPrefix(one.word.Text, "/") || one.word.Tilde
		if !one.word.Literal || !absolute {
			t.out = append(t.out, one)
			return
		}
	}
	alternatives := []string{pathText(one.word)}
	if one.word.Brace {
		if alternatives = expandBraces(alternatives[0]); alternatives == nil {
			t.out = append(t.out, one)
			return
		}
	}
	for _, dir := range t.from(one) {
		for _, p := range alternatives {
			one.path = joinDir(dir, p)
			if one.path == "" {
				one.path = "."
			}
			t.out = append(t.out, one)
		}
	}
}

// from are the possible base directories of a path of the command: where it runs, where options
// lead it first (git -C DIR), and for a path relative to the root of a repository the
// directories above those.
func (t *toucher) from(one touch) []string {
	dirs := t.cmd.Dirs
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	if one.redirected || one.start || len(t.cmd.Words) == 0 {
		return dirs
	}
	if into := t.cmd.Use().Starts(); len(into) > 0 && t.cmd.Inner == 0 {
		dirs = slices.Concat(dirs, gitDirs(t.cmd))
	}
	if one.rooted {
		for _, dir := range slices.Clone(dirs) {
			dirs = append(dirs, t.above(dir)...)
		}
	}
	return dirs
}

// above are the directories above dir inside a working directory.
func (t *toucher) above(dir string) []string {
	var out []string
	for at := path.Dir(t.set.absolute(cmp.Or(dir, "."))); len(out) < maxAbove; at = path.Dir(at) {
		if !slices.ContainsFunc(t.set.WorkingDirectories, func(wd string) bool { return within(at, wd) }) {
			break
		}
		out = append(out, at)
	}
	return out
}

// maxAbove is how many directories up the root of a repository is looked for.
const maxAbove = 6
