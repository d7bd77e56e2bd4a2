package bash

import (
	"cmp"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
	"github.com/callgate/callgate/sdk/go/tool"
)

// Marks tell the host what the paths and hosts of a call do not: which programs
// run, which processes, services and terminals are reached, which trees change.
// Only the protection of the gate itself reads them (threat T06), so that they
// may name too much; they must never leave anything out.

// maxMarks is under the host's bound (docs/abi.md), with room for the mark that
// says there were more.
const maxMarks = 2000

// maxProgramText bounds what is told of one program's arguments.
const maxProgramText = 1 << 10

// marker gathers the marks of a line.
type marker struct {
	d    *tool.Description
	line *Line
	cmd  *Command
}

func (m *marker) add(kind, value, access string) {
	if len(value) > maxTargetBytes || strings.ContainsRune(value, 0) || value == "" {
		value = tool.Unknown
	}
	mark := tool.Mark{Kind: kind, Value: strings.ToValidUTF8(value, "?"), Access: access}
	if slices.Contains(m.d.Marks, mark) {
		return
	}
	if len(m.d.Marks) < maxMarks {
		m.d.Marks = append(m.d.Marks, mark)
	} else if len(m.d.Marks) == maxMarks {
		m.d.Marks = append(m.d.Marks, tool.Mark{Kind: tool.Program, Value: tool.Unknown, Access: tool.Run})
	}
}

// command adds the marks of one command.
func (m *marker) command(cmd *Command) {
	m.cmd = cmd
	for _, t := range m.line.touches(cmd) {
		m.touched(t)
	}
	if len(cmd.Words) == 0 {
		return
	}
	m.program()
	m.nested()
	m.listed()
	m.trees()
	m.given()
	m.processes()
	m.services()
	m.terminals()
	m.endpoints()
}

// touched adds the trees that come with a touch, and bash's own network paths.
func (m *marker) touched(t touch) {
	if host, port, ok := networkAddress(t.path); ok {
		m.endpoint(host, port)
		return
	}
	switch {
	case t.path == "" || t.access != write, m.found(t.word):
	case t.spreads && m.recurses():
		m.add(tool.Tree, below(t.path), tool.Write)
	case t.recursive && m.cmd.Name() != "find" && m.cmd.Name() != "gfind":
		m.add(tool.Tree, t.path, tool.Write)
	}
}

// recurses tells whether a program that spreads files makes directories, too.
func (m *marker) recurses() bool {
	switch m.cmd.Name() {
	case "scp", "rsync":
		options, _ := arguments(m.cmd.Args(), "ePiloScFJBfM", "rsh", "exclude", "include", "filter", "files-from")
		return has(options, "-r", "-a", "--recursive", "--archive")
	}
	return true
}

// below is the pattern of everything under dir.
func below(dir string) string { return strings.TrimSuffix(dir, "/") + "/**" }

// escapeBlanks keeps a program's name one word.
var escapeBlanks = strings.NewReplacer("%", "%25", " ", "%20", "\t", "%09", "\n", "%0A", "\r", "%0D")

// program names the program with its arguments, so that the host can tell what
// reads from what acts. What is not plain text is "?".
func (m *marker) program() {
	parts := make([]string, 0, len(m.cmd.Words))
	size := 0
	for i, word := range m.cmd.Words {
		text := word.Text
		plain := word.Literal && !word.Glob && !word.Tilde && text != ""
		if i > 0 && (!plain || strings.ContainsAny(text, " \t\r\n")) {
			text = tool.Unknown
		}
		if size += len(text) + 1; size > maxProgramText {
			parts = append(parts, tool.Unknown)
			break
		}
		parts = append(parts, text)
	}
	dirs := []string{""}
	if m.cmd.Qualified() && len(m.cmd.Dirs) > 0 {
		dirs = m.cmd.Dirs
	}
	for _, dir := range dirs {
		first := parts[0]
		if m.cmd.Qualified() {
			first = joinDir(dir, pathText(m.cmd.Words[0]))
		}
		first = escapeBlanks.Replace(first)
		m.add(tool.Program, strings.Join(append([]string{first}, parts[1:]...), " "), tool.Run)
	}
	m.code()
}

// codeTakers are programs that take commands in arguments which this module
// does not read as such.
var codeTakers = []string{
	"awk", "gawk", "mawk", "nawk", "vim", "vi", "nvim", "view", "gvim", "ex", "ed", "emacs", "emacsclient", "sed", "gsed", "ssh", "docker", "podman",
	"nerdctl", "socat", "ncat", "nc", "xterm", "gnome-terminal", "konsole", "alacritty", "kitty", "wezterm", "foot", "tar", "bsdtar", "zip", "rsync",
	"scp", "git", "gdb", "lldb", "man", "less", "crontab", "at", "batch", "systemd-run", "screen", "tmux", "zellij", "script", "dtach", "abduco",
	"bwrap", "proot", "unshare", "nsenter", "kubectl", "lxc", "machinectl", "launchctl", "osascript", "perl", "ruby", "python", "node", "php",
	"sqlite3", "duckdb", "psql", "mysql", "lua", "expect", "make", "gmake", "xdg-open", "open", "busctl", "gdbus", "dbus-send",
}

// code adds the arguments that a program may take as commands.
func (m *marker) code() {
	name := m.cmd.Use().Program
	switch {
	case !slices.Contains(codeTakers, name), name == "git" && !m.gitRuns():
		return
	case strings.HasSuffix(name, "sed") && m.cmd.Use().Asked() == "", strings.HasSuffix(name, "awk") && reads(m.cmd):
		return // its script touches nothing, and its files are told as such
	}
	for _, a := range m.cmd.Args() {
		if strings.ContainsAny(a.Text, " \t\n!") {
			m.add(tool.Program, a.Text, tool.Read)
		}
	}
	m.add(tool.Program, strings.Join(texts(m.cmd.Args()), " "), tool.Read)
}

// gitRuns tells whether git is given a setting of its own, which may be a
// command. Its other arguments are texts.
func (m *marker) gitRuns() bool {
	for i, a := range m.cmd.Args() {
		if i >= gitSubcommand(m.cmd)-1 {
			break
		}
		if a.Text == "-c" || strings.HasPrefix(a.Text, "--config-env") || strings.HasPrefix(a.Text, "--exec-path") {
			return true
		}
	}
	sub := gitSubcommand(m.cmd)
	return sub < len(m.cmd.Words) && m.cmd.Words[sub].Text == "config"
}

// trees adds what changes, or is read, with everything below it.
func (m *marker) trees() {
	name, args := m.cmd.Name(), m.cmd.Args()
	switch name {
	case "cp", "gcp", "mv", "gmv", "install", "ln", "link":
		m.copies(name, args)
	case "find", "gfind":
		m.finds(args)
	case "git":
		m.gitTrees()
	case "chroot":
		if _, operands := arguments(args, "", "userspec", "groups"); len(operands) > 0 && operands[0].Text != "/" {
			m.paths(operands[:1], tool.Write, "/**")
		}
	case "xargs", "gxargs", "parallel":
		options, _ := arguments(args, "aEIiLnPsdj", "arg-file")
		m.paths(values(options, "-a", "--arg-file"), tool.Read, "")
	case "mount", "umount", "pivot_root", "fusermount", "overlayroot-chroot", "bindfs":
		_, operands := arguments(args, "oOtLUN", "options", "types")
		m.paths(operands, tool.Write, "")
	case "grep", "egrep", "fgrep", "rg", "ag", "ack", "tar", "bsdtar", "gtar", "zip", "7z", "rsync", "scp", "ugrep", "diff", "pax":
		m.reads(name, args)
	}
}

// paths adds words as trees, each as the command would reach it.
func (m *marker) paths(words []Word, access, suffix string) {
	t := &toucher{cmd: m.cmd}
	t.addAll(words, read)
	for _, one := range t.out {
		if one.path != "" {
			m.add(tool.Tree, cmp.Or(strings.TrimSuffix(one.path, "/")+suffix, "/"), access)
		}
	}
}

// copies adds what is copied whole, what a link stands for, and where
// directories are laid over others.
func (m *marker) copies(name string, args []Word) {
	options, operands := arguments(args, "tSmogZ", "target-directory", "suffix", "mode", "owner", "group", "context")
	dest := values(options, "-t", "--target-directory")
	if len(dest) == 0 && len(operands) > 1 {
		dest, operands = operands[len(operands)-1:], operands[:len(operands)-1]
	}
	switch name {
	case "ln", "link":
		// A link made here and used in the same line would not be resolved.
		m.paths(operands, tool.Write, "")
		if has(options, "-n", "-h", "-T", "--no-dereference", "--no-target-directory") {
			m.paths(dest, tool.Write, "")
		}
		return
	case "cp", "gcp", "install":
		m.paths(operands, tool.Read, "")
		if has(options, "-s", "--symbolic-link", "-l", "--link") {
			m.paths(operands, tool.Write, "")
		}
	}
	moves := name == "mv" || name == "gmv"
	if !moves && !has(options, "-r", "-R", "-a", "--recursive", "--archive") {
		return
	}
	for _, d := range dest {
		if has(options, "-T", "--no-target-directory", "--exchange") {
			m.paths([]Word{d}, tool.Write, "/**")
			continue
		}
		for _, src := range operands {
			inside := d
			inside.Text = strings.TrimSuffix(d.Text, "/") + "/" + program.LastName(src.Text)
			inside.Glob, inside.Brace, inside.Literal = d.Glob || src.Glob, d.Brace || src.Brace, d.Literal && src.Literal
			m.paths([]Word{inside}, tool.Write, "/**")
		}
	}
}

// finds adds what find takes away or changes: only names that its -name lets
// through, when nothing widens that again.
func (m *marker) finds(args []Word) {
	acts, widened, tests := false, false, false
	var names, paths []string
	for i, a := range args {
		switch a.Text {
		case "-delete", "-exec", "-execdir", "-ok", "-okdir":
			acts = true
		case "-o", "-or", "!", "-not", ",":
			widened = true
		case "-name", "-iname":
			if i+1 < len(args) && args[i+1].Literal {
				names = append(names, args[i+1].Text)
			}
		case "-path", "-ipath", "-wholename", "-iwholename":
			tests = true
			if i+1 < len(args) && args[i+1].Literal {
				paths = append(paths, strings.TrimPrefix(strings.TrimPrefix(args[i+1].Text, "*/"), "./"))
			}
		case "-type", "-newer", "-mtime", "-size", "-regex", "-empty", "-mmin", "-perm", "-user", "-maxdepth", "-mindepth":
			tests = true
		}
	}
	if !acts {
		return
	}
	suffix := ""
	switch {
	case len(names) > 0 && !widened:
		suffix = "/**/" + names[0]
	case tests:
		suffix = "/**"
	}
	starts := findStarts(args)
	if len(starts) == 0 {
		starts = []Word{{Text: ".", Literal: true}}
	}
	accesses := []string{tool.Read}
	if m.findChanges(args) {
		accesses = append(accesses, tool.Write)
	}
	for _, access := range accesses {
		m.paths(starts, access, suffix)
		for _, p := range paths {
			m.paths(starts, access, "/**/"+p)
		}
	}
}

// readers are the programs that find may run on files without changing them.
var readers = []string{"grep", "egrep", "fgrep", "cat", "head", "tail", "ls", "wc", "file", "stat", "echo", "md5sum", "sha256sum", "du", "basename", "dirname", "test"}

func (m *marker) findChanges(args []Word) bool {
	for i, a := range args {
		switch a.Text {
		case "-delete":
			return true
		case "-exec", "-execdir", "-ok", "-okdir":
			if i+1 >= len(args) || !slices.Contains(readers, args[i+1].Text) {
				return true
			}
		}
	}
	return false
}

// extracts adds the members that tar is told to take out of an archive.
func (m *marker) extracts(args []Word) {
	if len(args) < 2 {
		return
	}
	options, operands := arguments(args, "fCIbTX", "file", "directory", "exclude", "files-from", "exclude-from")
	old := !strings.HasPrefix(args[0].Text, "-") && strings.Contains(args[0].Text, "x")
	if old {
		operands = operands[min(2, len(operands)):]
	} else if !has(options, "-x", "--extract", "--get") {
		return
	}
	for _, member := range operands {
		if strings.Trim(member.Text, "./") != "" {
			m.paths([]Word{member}, tool.Write, "")
		}
	}
}

// lookers are programs that do nothing to a file but read it; whatever another
// program is given, it may write.
var lookers = []string{
	"cat", "head", "tail", "less", "more", "bat", "batcat", "grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "ls", "ll", "dir", "stat", "file", "wc", "diff", "cmp",
	"md5sum", "sha1sum", "sha256sum", "sha512sum", "cksum", "b2sum", "sort", "uniq", "cut", "awk", "gawk", "mawk", "sed", "gsed", "jq", "yq", "find", "fd", "tree", "du", "df",
	"xxd", "od", "hexdump", "strings", "test", "[", "cd", "pushd", "popd", "readlink", "realpath", "dirname", "basename", "nl", "tac", "rev", "column", "comm", "join", "paste",
	"fold", "fmt", "base64", "echo", "printf", "which", "type", "command", "whereis", "cp", "ldd", "nm", "objdump", "readelf", "lsof", "pwd", "namei", "getfacl", "yamllint",
	"git", "man", "for", "export", "sudo", "env", "xargs", "time", "nice", "nohup", "timeout", "kill", "pkill", "killall", "strace", "ltrace", "gdb", "ln", "scp", "rsync", "tar",
}

// maxGiven bounds the words of one command that are told as given to it.
const maxGiven = 64

// given adds what a program that is not known to only read is given: each word,
// and what stands behind "=", "@" and ":" in one.
func (m *marker) given() {
	name := m.cmd.Name()
	if m.cmd.Wraps && m.cmd.Inner == 0 || slices.Contains(lookers, name) && name != "env" && name != "sudo" {
		return
	}
	words := m.cmd.Args()
	if m.cmd.Inner > 0 && m.cmd.Inner <= len(m.cmd.Words) {
		words = m.cmd.Words[1:m.cmd.Inner]
	}
	for i, word := range words {
		if i >= maxGiven && !strings.Contains(word.Text, "/") {
			continue
		}
		m.paths(pieces(word), tool.Run, "")
		if slices.Contains([]string{"docker", "podman", "nerdctl"}, name) && strings.ContainsAny(word.Text, ":=") {
			m.mounted(word)
		}
	}
}

// pieces are the parts of a word that can be paths.
func pieces(word Word) []Word {
	if !word.Literal {
		return nil
	}
	texts := []string{word.Text}
	for _, separator := range []string{"=", "@", ":", ","} {
		if _, rest, ok := strings.Cut(word.Text, separator); ok {
			texts = append(texts, rest)
		}
	}
	if before, _, ok := strings.Cut(texts[len(texts)-1], ":"); ok {
		texts = append(texts, before)
	}
	var out []Word
	for _, text := range texts {
		if len(text) > 2 && text[0] == '-' && (text[1] == 'o' || strings.IndexByte("/~.", text[2]) >= 0) {
			text = text[2:] // the value of a short option, in the same word
		}
		if text == "" || strings.HasPrefix(text, "-") || len(text) > maxTargetBytes {
			continue
		}
		piece := word
		piece.Text, piece.Tilde = text, strings.HasPrefix(text, "~")
		out = append(out, piece)
	}
	return out
}

// mounted adds what a container is given as a volume: it may change all of it.
func (m *marker) mounted(word Word) {
	for _, piece := range pieces(word) {
		source, _, _ := strings.Cut(piece.Text, ":")
		source, _, _ = strings.Cut(source, ",")
		if strings.HasPrefix(source, "/") || strings.HasPrefix(source, "~") || strings.HasPrefix(source, ".") {
			piece.Text = source
			m.paths([]Word{piece}, tool.Write, "/**")
		}
	}
}

// findStarts returns the operands of find before its expression.
func findStarts(args []Word) []Word {
	for i, a := range args {
		switch a.Text {
		case "-H", "-L", "-P":
			continue
		}
		if strings.HasPrefix(a.Text, "-") || a.Text == "(" || a.Text == "!" {
			return withoutFlags(args[:i])
		}
	}
	return withoutFlags(args)
}

func withoutFlags(args []Word) []Word {
	var out []Word
	for _, a := range args {
		if !strings.HasPrefix(a.Text, "-") {
			out = append(out, a)
		}
	}
	return out
}

// reads reports whether a command only reads, as far as its words say.
func reads(cmd *Command) bool {
	ok, _ := cmd.Use().ReadsOnly()
	return ok
}
