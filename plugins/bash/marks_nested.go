package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// textTakers are programs taking prose; it may begin like a command.
var textTakers = []string{
	"gh", "glab", "hub", "tea", "jira", "mail", "notify-send", "say", "wall", "logger", "slack", "curl", "http", "claude", "codex", "gemini", "mkdir", "touch",
}

// lookers are programs without commands among their words.
var lookers = []string{
	"cat", "head", "tail", "less", "more", "bat", "batcat", "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ls", "ll", "dir", "stat", "file", "wc", "diff", "cmp",
	"md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "b2sum", "sort", "uniq", "cut", "awk", "gawk", "mawk", "sed", "gsed", "jq", "yq", "find", "fd", "tree", "du", "df",
	"xxd", "od", "hexdump", "strings", "test", "[", "cd", "pushd", "popd", "readlink", "realpath", "dirname", "basename", "nl", "tac", "rev", "column", "comm", "join", "paste",
	"fold", "fmt", "base64", "echo", "printf", "which", "type", "command", "whereis", "cp", "ldd", "nm", "objdump", "readelf", "lsof", "pwd", "namei", "getfacl", "yamllint",
	"git", "man", "for", "export", "sudo", "env", "xargs", "time", "nice", "nohup", "timeout", "kill", "pkill", "killall", "strace", "ltrace", "gdb", "ln", "scp", "rsync", "tar",
}

// nested adds the pairs of words a program may run although it is not known to run others: two
// arguments, the beginning of one, that of a variable. The host looks for its own program's
// name among them.
func (m *marker) nested() {
	for _, a := range m.cmd.Assigns {
		m.begins(a.Value)
	}
	m.begins(m.cmd.Words[0]) // as npm exec -c takes it
	if name := m.cmd.Name(); m.cmd.Wraps || slices.Contains(textTakers, name) || slices.Contains(lookers, name) {
		return
	}
	args := m.cmd.Args()
	for _, a := range args {
		if _, means, ok := strings.Cut(a.Text, "="); ok && m.cmd.Name() == "alias" && a.Literal {
			m.add(tool.Program, means, tool.Run)
		}
	}
	for i, a := range args[:min(len(args), maxGiven)] {
		m.begins(a)
		if i+1 < len(args) && bare(a) && bare(args[i+1]) && lower(args[i+1].Text) {
			m.add(tool.Program, a.Text+" "+args[i+1].Text, tool.Read)
		}
	}
}

// begins adds the first two words of a text, be it the value of an option.
func (m *marker) begins(word Word) {
	text := word.Text
	if strings.HasPrefix(text, "-") {
		_, text, _ = strings.Cut(text, "=")
	}
	if fields := strings.Fields(text); len(fields) > 1 && lower(fields[1]) {
		m.add(tool.Program, fields[0]+" "+fields[1], tool.Read)
	}
}

// bare tells whether a word is one plain word, and no option.
func bare(word Word) bool {
	return word.Literal && !word.Glob && word.Text != "" && !strings.HasPrefix(word.Text, "-") && !strings.ContainsAny(word.Text, " \t\r\n")
}

// lower tells whether a text looks like a sub-command's name.
func lower(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// listers are programs that only repeat their arguments.
var listers = []string{"echo", "printf", "basename", "dirname", "wc"}

// listed adds the words a command takes from the output of those before it: file names behind
// xargs, and commands for an editor or an interpreter.
func (m *marker) listed() {
	name := m.cmd.Name()
	if m.cmd.Fed == "" {
		return
	}
	if name == "ed" || name == "red" || name == "ex" || m.cmd.Stdin {
		m.add(tool.Program, m.cmd.Fed, tool.Read)
	}
	if !m.gathered() || slices.Contains(listers, name) {
		return
	}
	said := strings.FieldsFunc(m.cmd.Fed, func(r rune) bool { return r <= ' ' || strings.ContainsRune("'\"`;|&()<>=,", r) })
	for i, text := range said[:min(len(said), 4*maxGiven)] {
		if i == 0 || !strings.Contains(text, "/") && !strings.HasPrefix(text, ".") && !strings.HasPrefix(text, "~") {
			continue
		}
		m.paths([]Word{{Text: text, Literal: true, Tilde: strings.HasPrefix(text, "~")}}, tool.Run, "")
	}
}

// gathered tells whether another program adds arguments to the command.
func (m *marker) gathered() bool {
	for p := m.cmd.Parent; p != nil; p = p.Parent {
		if name := p.Name(); name == "xargs" || name == "gxargs" || name == "parallel" {
			return true
		}
	}
	return false
}

// found reports whether a word stands for find's results; the marks of find itself cover these.
func (m *marker) found(word Word) bool {
	p := m.cmd.Parent
	return word.Text == "{}" && p != nil && (p.Name() == "find" || p.Name() == "gfind")
}
