package bash

import (
	"path"
	"strings"

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
	// maxNesting bounds the brackets open at once, maxOpeners the words that
	// open a compound command, before the text is given to the parser, whose
	// effort grows with the square of the nesting.
	maxNesting = 128
	maxOpeners = 256
	// maxDirs bounds the directories a command may be running in when an
	// earlier cd may or may not have worked.
	maxDirs = 4
)

// Setting is what surrounds a line and is needed to read it.
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
	// Commands are all simple commands, in the order in which they are written;
	// an unwrapped command follows its wrapper.
	Commands []*Command
	// Opaque says why the line cannot be analysed; empty when it can. Commands
	// then holds what was understood, which is useful for deny rules only.
	Opaque string
	// Hidden names the construct that runs commands out of plain sight
	// (substitution, loop, subshell, ...); empty for plain lists and pipelines.
	// Source: the AgentScope seed's dynamic-content check.
	Hidden string
	// reasons counts why the line is opaque.
	reasons int
	// writtenWords is what written returns, once writtenRead.
	writtenWords []string
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
	// Parent is the wrapper that runs this command; nil when the shell does.
	Parent *Command
	// Inner is the index in Words at which the command this one wraps begins;
	// 0 when it wraps none or wraps a script.
	Inner int
	// Offset is where this command begins in the words of its outermost wrapper;
	// -1 when it stands in a script given to one, 0 when it has no wrapper.
	Offset int
	// keyword tells that the command is the shell's own word time, which runs the
	// commands behind it as they are.
	keyword bool
	// Wraps tells that the command runs another one given in its arguments.
	Wraps bool
	// Piped tells that another command's output is this one's input.
	Piped bool
	// Fed is the text of the commands whose output is this one's input.
	Fed string
	// Input is what a here-document or here-string gives the command to read; nil
	// without one.
	Input *Word
	// Source is the text of the command as written, without redirections.
	Source string
	// Inline tells that an argument is code in some other language.
	Inline bool
	// code are texts in languages that are not the shell's.
	code []string
	// words are the texts that codeTexts gives, split, once split.
	words [][]string
	split bool
	// handedTo is what handed returns, once handedRead.
	handedTo   [][]Word
	handedRead bool
	// use is the command as its program reads it, once asked for.
	use *program.Use
	// joint and jointBase are what joined and joinedBase give, once asked for.
	joint, jointBase string
	// touched are the paths the command touches, once asked for.
	touched []touch
	// Stdin tells that the program reads its commands from its input: from
	// whoever sits at the terminal unless the input is piped or redirected.
	Stdin bool
}

// Word is one word of a command.
type Word = program.Word

// Assign is one variable assignment.
type Assign struct {
	Name  string
	Value Word
}

// Redirect is one redirection that touches a file or a network address.
type Redirect struct {
	Word  Word
	Write bool
	Read  bool
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

// hide records the first construct that runs commands out of sight.
func (l *Line) hide(what string) {
	if l.Hidden == "" {
		l.Hidden = what
	}
}
