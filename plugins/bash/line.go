package bash

import (
	"path"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/inline"
	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// Limits of the analysis. A line beyond one of them is opaque.
const (
	maxBytes    = 64 << 10
	maxCommands = 256
	maxDepth    = 32
	// maxWords bounds the words of one command.
	maxWords = 4096
	// maxRedirects bounds the redirections of one command.
	maxRedirects = 64
	// maxNesting bounds the brackets open at once, maxOpeners the words opening a compound
	// command, before parsing: the parser's effort grows with the square of the nesting.
	maxNesting = 128
	maxOpeners = 256
	// maxDirs bounds the directories a command may be running in when an
	// earlier cd may or may not have worked.
	maxDirs = 16
)

// Setting is the context needed to read a line.
type Setting struct {
	Dialect Dialect
	// CWD is absolute, or empty when unknown; Home likewise.
	CWD, Home string
	// WorkingDirectories are absolute.
	WorkingDirectories []string
	// Dir is where the line starts, when the call names a directory of its own;
	// relative to CWD, empty for CWD itself.
	Dir string
}

// Line is an analysed command line.
type Line struct {
	Text    string
	Setting Setting
	// Commands are all simple commands, in the order of writing; an unwrapped command follows
	// its wrapper.
	Commands []*Command
	// Opaque says why the line cannot be analysed; empty when it can. Commands then holds the
	// parts understood, useful for deny rules only.
	Opaque string
	// Hidden names a construct with commands in Commands and an unknown effect on them (a
	// function, a coprocess, >(...), ...); else empty. Source: AgentScope's dynamic-content
	// check.
	Hidden string
	// HiddenCode means: Hidden runs code made by the line.
	HiddenCode bool
	// assigns means: a construct other than a command assigns a variable; tests: the line has a
	// test of the shell's own.
	assigns, tests bool
	// outputs reports whether a rule for edits covers the files written by redirections of a
	// command; nil without such a rule.
	outputs func(*Command) bool
	// copies means: a redirection of the line copies a descriptor (2>&1).
	copies bool
	// reasons counts the reasons for an opaque line, unclears those without a hidden command.
	reasons, unclears int
	// writtenTexts and unread are the results of written, once writtenRead.
	writtenTexts [][]string
	unread       bool
	writtenRead  bool
}

// Command is one simple command in normal form.
type Command struct {
	// Words are the program and its arguments, quotes removed.
	Words []Word
	// Assigns are the assignments before the program, or of export and its kin.
	Assigns   []Assign
	Redirects []Redirect
	// Dirs are the directories the command may run in, as text relative to the
	// call's cwd (empty = the cwd), absolute, or beginning with "~". Nil means
	// unknown.
	Dirs []string
	// Parent is the wrapper running this command; nil when the shell does.
	Parent *Command
	// Inner is the index in Words of the beginning of the command inside; 0 without one, or
	// with a script.
	Inner int
	// Offset is where this command begins in the words of its outermost wrapper;
	// -1 when it stands in a script given to one, 0 when it has no wrapper.
	Offset int
	// keyword means: the command is the shell's own word time; it runs the commands behind it
	// unchanged.
	keyword bool
	// Wraps means: the command runs another one in its arguments.
	Wraps bool
	// Piped means: another command's output is this one's input.
	Piped bool
	// Fed is the text of the commands with their output as this one's input.
	Fed string
	// Feeder is the simple command with its output as this one's input; nil for none or a
	// larger construct.
	Feeder *Command
	// Input is the text of a here-document or here-string for the command; nil without one.
	Input *Word
	// Source is the text of the command as written, without redirections.
	Source string
	// Inline means: an argument is code in some other language.
	Inline bool
	// inlineWhy and opens are the results of computes, once inlineRead.
	inlineRead bool
	inlineWhy  string
	opens      inline.Files
	// code are texts in other languages than the shell's.
	code []string
	// words are the texts of codeTexts, split, once split.
	words [][]string
	split bool
	// handedTo is the result of handed, once handedRead.
	handedTo   [][]Word
	handedRead bool
	// use is the command as its program reads it, once asked for.
	use *program.Use
	// joint and jointBase are the results of joined and joinedBase, once used.
	joint, jointBase string
	// plain are the command's plain words, without and with its first operand, once
	// asked for.
	plain []plainReading
	// touched are the paths the command touches, once asked for.
	touched []touch
	// Stdin means: the program reads its commands from its input: from the terminal unless the
	// input is piped or redirected.
	Stdin bool
}

// Word is one word of a command.
type Word = program.Word

// Assign is one variable assignment.
type Assign struct {
	Name  string
	Value Word
	// Appends means: the value is added to the one before.
	Appends bool
}

// Redirect is one redirection of a file or a network address.
type Redirect struct {
	Word  Word
	Write bool
	Read  bool
	// Append tells that what the file holds stays.
	Append bool
	// Descriptor is the descriptor opened for the file: 0, 1 or 2, other for any other, both
	// for 1 and 2 at once.
	Descriptor descriptor
}

// Name returns the program's name without its directory; empty for a bare
// assignment or redirection.
func (c *Command) Name() string {
	if len(c.Words) == 0 {
		return ""
	}
	if name := path.Base(c.Words[0].Text); c.Words[0].Text != "" {
		return name
	}
	return ""
}

// Args returns the words after the program.
func (c *Command) Args() []Word {
	if len(c.Words) == 0 {
		return nil
	}
	return c.Words[1:]
}

// Qualified reports whether the program was given with a directory.
func (c *Command) Qualified() bool {
	return len(c.Words) > 0 && strings.Contains(c.Words[0].Text, "/")
}

// texts returns the texts of words.
func texts(words []Word) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w.Text
	}
	return out
}

// opaque records the first reason why the line cannot be analysed.
func (l *Line) opaque(reason string) {
	l.reasons++
	if l.Opaque == "" {
		l.Opaque = reason
	}
}

// unclear is opaque for an unknown value, or an unknown definition in a file: the line shows
// all its commands. It asks as any other line, and a rule with the exact text allows it.
func (l *Line) unclear(reason string) {
	l.unclears++
	l.opaque(reason)
}

// Shut reports whether commands of the line may be out of sight. RATIONALE.md, "Which
// asks can no rule answer?".
func (l *Line) Shut() bool { return l.reasons > l.unclears || l.HiddenCode }

// hide records the first construct with commands out of sight.
func (l *Line) hide(what string) {
	if l.Hidden == "" {
		l.Hidden = what
	}
}
