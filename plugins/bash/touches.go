package bash

import (
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// access is what a command does to a path.
type access = program.Access

const (
	read  = program.ReadAccess
	write = program.WriteAccess
	run   = program.RunAccess
)

// touch is one path that a command touches.
type touch struct {
	cmd  *Command
	word Word
	// path is the path as written, joined with the directory the command runs
	// in; empty when it cannot be told.
	path   string
	access access
	// removes tells that the path itself goes away; recursive that everything
	// below does, too.
	removes, recursive bool
	// derived tells that the path is not written on the line as such (the file
	// that cp makes inside a directory).
	derived bool
	// spreads tells that the command makes files of any name inside the path.
	spreads bool
}

// touches returns the paths that cmd touches, redirections included.
func (l *Line) touches(cmd *Command) []touch {
	if cmd.touched != nil {
		return cmd.touched
	}
	t := &toucher{cmd: cmd, out: []touch{}}
	for _, r := range cmd.Redirects {
		if r.Read {
			t.add(r.Word, read)
		}
		if r.Write {
			t.add(r.Word, write)
		}
	}
	if len(cmd.Words) > 0 {
		if cmd.Qualified() {
			t.add(cmd.Words[0], run)
		}
		t.named()
	}
	cmd.touched = t.out
	return t.out
}

// named adds what the words of the command name.
func (t *toucher) named() {
	u := t.cmd.Use()
	switch {
	case changesDir(t.cmd.Name()):
		if dest, ok := cdTarget(t.cmd); ok {
			t.add(Word{Text: dest, Literal: true, Tilde: strings.HasPrefix(dest, "~")}, read)
		}
	default:
		for _, one := range u.Touches() {
			t.put(touch{word: one.Word, access: one.Access, removes: one.Removes, recursive: one.Recursive, derived: one.Derived, spreads: one.Spreads})
		}
	}
}

// toucher gathers touches of one command.
type toucher struct {
	cmd *Command
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
	dirs := t.cmd.Dirs
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		for _, p := range alternatives {
			one.path = joinDir(dir, p)
			if one.path == "" {
				one.path = "."
			}
			t.out = append(t.out, one)
		}
	}
}
