package bash

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
	"github.com/callgate/callgate/sdk/go/tool"
)

// Marks give the host more than the paths and hosts of a call: the programs to run, the
// processes, services and terminals reached, the trees changed, the words that may name a file
// or a host without a statement in a row. The protection of the gate itself reads them (threat
// T06), and so do deny and ask rules about files and hosts. They may name too much; they must
// never leave anything out.

// maxMarks is under the host's bound (docs/abi.md), with room for the mark of a cut list.
const maxMarks = 2000

// maxProgramText bounds the text of one program's arguments.
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
	m.assigned()
	if len(cmd.Words) == 0 {
		return
	}
	m.program()
	m.nested()
	m.listed()
	m.fed()
	m.trees()
	m.given()
	m.processes()
	m.services()
	m.terminals()
	m.endpoints()
}

// touched adds the trees of a touch, and bash's own network paths.
func (m *marker) touched(t touch) {
	if host, port, ok := networkAddress(t.path); ok {
		m.endpoint(host, port)
		return
	}
	part := path.Clean(t.word.Text) == "." && !t.recursive // something in it, named elsewhere
	if t.path == "" && t.access != run && !part && (t.access == write || len(m.cmd.Words) == 0 || m.cmd.Use().Shows()) {
		m.unplaced(t, string(t.access))
	}
	switch {
	case t.path == "" || t.access != write, m.found(t.word):
	case t.spreads && m.recurses():
		m.add(tool.Tree, below(t.path), tool.Write)
	case t.recursive && m.cmd.Name() != "find" && m.cmd.Name() != "gfind":
		m.add(tool.Tree, t.path, tool.Write)
	}
}

// unplaced adds a path in an unknown directory: it counts by its name.
func (m *marker) unplaced(t touch, access string) {
	if len(m.cmd.Dirs) == 0 && t.word.Literal && t.word.Text != "" {
		m.add(tool.Tree, tool.Unknown+"/"+t.word.Text, access)
	}
}

// recurses reports whether a program spreading files makes directories, too.
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

// program names the program with its arguments, so that the host can tell readers from the
// others. Words other than plain text become "?".
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

// codeTakers are programs with commands in arguments not parsed by this module.
var codeTakers = []string{
	"awk", "gawk", "mawk", "nawk", "vim", "vi", "nvim", "view", "gvim", "ex", "ed", "emacs", "emacsclient", "sed", "gsed", "ssh", "docker", "podman",
	"nerdctl", "socat", "ncat", "nc", "xterm", "gnome-terminal", "konsole", "alacritty", "kitty", "wezterm", "foot", "tar", "bsdtar", "zip", "rsync",
	"scp", "git", "gdb", "lldb", "man", "less", "crontab", "at", "batch", "systemd-run", "screen", "tmux", "zellij", "script", "dtach", "abduco",
	"bwrap", "proot", "unshare", "nsenter", "kubectl", "lxc", "machinectl", "launchctl", "osascript", "perl", "ruby", "python", "node", "php",
	"sqlite3", "duckdb", "psql", "mysql", "lua", "expect", "make", "gmake", "xdg-open", "open", "busctl", "gdbus", "dbus-send",
}

// code adds the arguments a program may take as commands.
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

// gitRuns reports whether git has a setting of its own on the line, possibly a command. Its
// other arguments are texts.
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

// trees adds the paths changed, or read, with everything below them.
func (m *marker) trees() {
	name, args := m.cmd.Name(), m.cmd.Args()
	switch name {
	case "cp", "gcp", "mv", "gmv", "install", "ln", "link":
		m.copies(name, args)
	case "find", "gfind":
		m.finds(args)
	case "fd", "fdfind":
		m.foundBy(m.cmd.Use())
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
	if access == tool.Run && len(m.d.Marks) > maxMarks/2 {
		m.d.TargetsUnknown = true
		return
	}
	t := &toucher{cmd: m.cmd, set: m.line.Setting}
	t.addAll(words, read)
	for _, one := range t.out {
		switch {
		case one.path == "":
			m.d.TargetsUnknown = m.d.TargetsUnknown || access == tool.Run // a name in an unknown directory
			m.unplaced(one, access)
		default:
			m.add(tool.Tree, cmp.Or(strings.TrimSuffix(one.path, "/")+suffix, "/"), access)
		}
	}
}

// copies adds the trees copied whole, the destinations of links, and directories laid over
// others.
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

// finds adds the files removed or changed by find: only names permitted by its -name, when
// nothing widens that again.
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

// foundBy adds the files for the commands of fd: those in its start directories, for any
// pattern.
func (m *marker) foundBy(u *program.Use) {
	if len(u.Spans) == 0 && len(u.Scripts()) == 0 {
		return
	}
	accesses := []string{tool.Read}
	for _, span := range u.Spans {
		if !slices.Contains(readers, u.Words[span[0]].Text) {
			accesses = []string{tool.Read, tool.Write}
		}
	}
	suffix := ""
	if endings := names(u.Values("-e")); len(endings) == 1 {
		suffix = "/**/*." + endings[0]
	}
	for _, t := range u.Touches() {
		for _, access := range accesses {
			m.paths([]Word{t.Word}, access, suffix)
		}
	}
}

// readers are programs find may run on files without changing them.
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

// extracts adds the named members for tar to take out of an archive.
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

// maxGiven bounds the words of one command marked as given to it.
const maxGiven = 64

// given adds the possible names in the words of a command without a statement in a row, as
// paths it may read and change, and as hosts.
func (m *marker) given() {
	unsaid := m.cmd.Use().Unsaid()
	m.named(unsaid.Any, true)
	for _, word := range unsaid.Parts {
		if strings.ContainsAny(word.Text, " \t\n'\"") {
			m.quoted(word.Text)
		} else {
			m.named([]Word{word}, false)
		}
	}
	m.paths(unsaid.Changed, tool.Run, "")
	for _, script := range unsaid.Scripts {
		m.quoted(script.Text)
	}
	for _, word := range m.cmd.Args() {
		if slices.Contains([]string{"docker", "podman", "nerdctl"}, m.cmd.Name()) && strings.ContainsAny(word.Text, ":=") {
			m.mounted(word)
		}
	}
}

// assigned adds the values of variables: they may name files to read or write, and machines
// (TMPDIR=DIR, https_proxy=HOST).
func (m *marker) assigned() {
	for _, a := range m.cmd.Assigns {
		if !safeNames[a.Name] {
			m.named([]Word{a.Value}, true)
		}
	}
}

// fed adds the names in the program's input: for a list of files, and where the program's use
// of its input is unknown.
func (m *marker) fed() {
	u := m.cmd.Use()
	if ok, _ := u.ReadsOnly(); !u.Listing() && (ok || u.Program == "git") {
		return
	}
	if in := m.cmd.Input; in != nil && in.Literal {
		for line := range strings.Lines(in.Text) {
			if fields := strings.Fields(line); len(fields) <= maxFields {
				for _, field := range fields {
					m.named([]Word{{Text: field, Literal: true, Tilde: field[0] == '~'}}, true)
				}
			}
		}
	}
	if text, ok := said(m.cmd); ok {
		m.quoted(text)
		for _, field := range strings.FieldsFunc(escapedBlanks.Replace(text), betweenWords) {
			m.named([]Word{{Text: field, Literal: true, Tilde: field[0] == '~'}}, true)
		}
	}
}

// maxFields is the largest number of words in a line of names; a longer one is prose.
const maxFields = 3

// named adds the pieces of words as paths and as hosts. Without any, a word as a
// whole is a path only where it looks like one.
func (m *marker) named(words []Word, any bool) {
	for i, word := range words {
		if i >= maxGiven && !strings.Contains(word.Text, "/") {
			continue
		}
		for _, piece := range pieces(word) {
			if host, port, ok := networkAddress(piece.Text); ok {
				m.endpoint(host, port)
			}
			m.host(piece.Text)
			if strings.HasPrefix(piece.Text, "//") && !strings.HasPrefix(piece.Text, "///") || word.Quoted && !word.Glob && isPattern(piece.Text) {
				continue // of an address; a file's has three slashes
			}
			if any || piece.Text != word.Text || strings.Contains(piece.Text, "/") || strings.HasPrefix(piece.Text, ".") || piece.Tilde {
				m.paths([]Word{piece}, tool.Run, "")
			}
		}
	}
}

// isPattern reports whether a text in quotes, where the shell expands nothing, is a pattern or
// a program and no path: a glob sign stands in a part without a letter before it (.[], ^/.*). A
// rooted text, or one with part of a name, may be a path expanded by the program.
func isPattern(text string) bool {
	if rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "~"), "/"); ok {
		if first, _, _ := strings.Cut(rest, "/"); first != "" && !strings.ContainsAny(first, "*?[{\\(|^$") {
			return false
		}
	}
	for part := range strings.SplitSeq(text, "/") {
		at := strings.IndexAny(part, "*?[{")
		if at >= 0 && !strings.ContainsFunc(part[:at], func(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' }) {
			return true
		}
	}
	return false
}

// quoted adds the quoted parts in the text of a program, and those looking like a path.
func (m *marker) quoted(text string) {
	for i, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("'\"`", r) }) {
		if i%2 == 1 {
			m.named([]Word{{Text: part, Literal: true, Quoted: true}}, true)
		}
	}
	for _, part := range strings.FieldsFunc(text, betweenWords) {
		m.named([]Word{{Text: part, Literal: true, Quoted: true}}, false)
	}
}

// host adds a text if it can be the name or the address of a host.
func (m *marker) host(text string) {
	text, _, _ = strings.Cut(strings.TrimPrefix(text, "//"), "/")
	if len(m.d.Marks) > maxMarks/2 {
		m.d.TargetsUnknown = true
		return
	}
	plain := strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789.-_") == ""
	if plain && len(text) <= maxHost && (strings.Contains(strings.Trim(text, "."), ".") || text != "" && m.connects()) {
		m.endpoint(strings.TrimSuffix(strings.ToLower(text), "."), "0")
	}
}

// connects reports whether the program is made to talk to other machines.
func (m *marker) connects() bool {
	return slices.Contains(connectors, m.cmd.Name()) || len(m.cmd.Words) > 0 && m.cmd.Use().Connects()
}

// separators divide a word into pieces, each of them a possible path or host: NAME=PATH,
// HOST:PATH, user@HOST, type=bind,src=PATH.
const separators = "=:@,;{}|"

// pieces are a word and the part behind each separator in it, up to the next one and up to the
// end.
func pieces(word Word) []Word {
	if !word.Literal {
		return nil
	}
	var texts []string
	for rest := word.Text; ; {
		texts = append(texts, rest)
		at := strings.IndexAny(rest, separators)
		if at < 0 {
			break
		}
		texts = append(texts, rest[:at])
		rest = strings.TrimLeft(rest[at+1:], " ")
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

// mounted adds a volume of a container: it may read and change all of it.
func (m *marker) mounted(word Word) {
	for _, piece := range pieces(word) {
		source, _, _ := strings.Cut(piece.Text, ":")
		source, _, _ = strings.Cut(source, ",")
		if strings.HasPrefix(source, "/") || strings.HasPrefix(source, "~") || strings.HasPrefix(source, ".") {
			piece.Text = source
			m.paths([]Word{piece}, tool.Read, "/**")
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
