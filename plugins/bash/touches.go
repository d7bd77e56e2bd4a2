package bash

import (
	"path"
	"strings"
)

// access is what a command does to a path.
type access string

const (
	read  access = "read"
	write access = "write"
	run   access = "run"
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
		t.operands()
	}
	cmd.touched = t.out
	return t.out
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

// removal adds paths that go away.
func (t *toucher) removal(words []Word, recursive bool) {
	for _, word := range words {
		t.put(touch{word: word, access: write, removes: true, recursive: recursive})
	}
}

// copies adds what cp, mv, install and ln do: sources into a destination.
func (t *toucher) copies(options []option, operands []Word) {
	dest := values(options, "-t", "--target-directory")
	if len(dest) == 0 && len(operands) > 1 {
		dest, operands = operands[len(operands)-1:], operands[:len(operands)-1]
	}
	moves := t.cmd.Name() == "mv"
	for _, src := range operands {
		if moves {
			t.put(touch{word: src, access: write, removes: true, recursive: true})
		} else {
			t.add(src, read)
		}
	}
	for _, d := range dest {
		t.add(d, write)
		for _, src := range operands {
			if !src.Literal || has(options, "-T", "--no-target-directory") {
				continue
			}
			inside := d
			inside.Text = strings.TrimSuffix(d.Text, "/") + "/" + path.Base(src.Text)
			inside.Glob = d.Glob || src.Glob
			inside.Brace = d.Brace || src.Brace
			t.put(touch{word: inside, access: write, derived: true})
		}
	}
}

// text are programs whose operands are no paths.
var textPrograms = map[string]bool{
	"echo": true, "printf": true, "true": true, "false": true, ":": true, "pwd": true, "date": true, "seq": true, "sleep": true, "expr": true,
	"export": true, "declare": true, "typeset": true, "local": true, "readonly": true, "unset": true, "set": true, "kill": true, "pkill": true, "killall": true, "ps": true, "which": true,
	"type": true, "whereis": true, "whoami": true, "id": true, "uname": true, "hostname": true, "basename": true, "dirname": true, "exit": true, "return": true,
	"npm": true, "pnpm": true, "yarn": true, "pip": true, "pip3": true, "docker": true, "kubectl": true, "gh": true, "apt": true, "apt-get": true, "brew": true,
	"eval": true, "alias": true, "trap": true, "let": true, "tr": true, "test": true, "[": true, "printenv": true, "env": true, "sudo": true, "xargs": true, "command": true, "man": true, "help": true, "ssh": true,
	"cd": true, "pushd": true, "jobs": true, "wait": true, "umask": true, "ulimit": true, "history": true, "systemctl": true, "service": true, "ping": true,
}

// patternFirst are programs whose first operand is a pattern or a script.
var patternFirst = map[string]string{
	"grep": "eAfBCmdD", "egrep": "efABCmdD", "fgrep": "efABCmdD", "zgrep": "efABCm", "rg": "efABCmgtTjMd", "ag": "ABCmG", "ack": "ABCm",
	"awk": "Fvf", "gawk": "Fvf", "mawk": "Fvf", "nawk": "Fvf", "jq": "fL", "yq": "", "sed": "efl", "gsed": "efl", "fd": "eEtdSx", "fdfind": "eEtdSx",
	"perl": "eEIM", "ruby": "eIr",
}

// operands adds what the arguments of the program touch.
func (t *toucher) operands() {
	name, args := t.cmd.Name(), t.cmd.Args()
	switch name {
	case "cd", "pushd":
		if dest, ok := cdTarget(t.cmd); ok {
			t.add(Word{Text: dest, Literal: true, Tilde: strings.HasPrefix(dest, "~")}, read)
		}
	case "rm", "rmdir", "unlink", "shred", "trash", "srm", "wipe":
		options, operands := arguments(args, "ns", "size", "iterations")
		t.removal(operands, has(options, "-r", "-R", "--recursive") || name == "shred")
	case "mv", "cp", "ln", "install", "gcp", "gmv", "link":
		options, operands := arguments(args, "tSmogZ", "target-directory", "suffix", "mode", "owner", "group", "context")
		if name == "install" && has(options, "-d", "--directory") {
			t.addAll(operands, write)
			return
		}
		t.copies(options, operands)
	case "touch", "mkdir", "truncate", "mkfifo", "tee", "mknod", "fallocate", "sponge", "setfattr", "chattr":
		options, operands := arguments(args, "tdrmsloZ", "date", "reference", "time", "mode", "size", "context")
		t.addAll(values(options, "--reference"), read)
		t.addAll(operands, write)
	case "chmod", "chown", "chgrp", "setfacl":
		options, operands := arguments(args, "", "reference", "from")
		recursive := has(options, "-R", "--recursive")
		if len(operands) > 0 && !has(options, "--reference") && !chmodFlag(args) {
			operands = operands[1:]
		}
		for _, o := range operands {
			t.put(touch{word: o, access: write, recursive: recursive})
		}
	case "dd":
		for _, a := range args {
			t.prefixed(a, "of=", write)
			t.prefixed(a, "if=", read)
		}
	case "find", "gfind":
		t.find(args)
	case "git":
		t.git()
	case "curl", "wget", "aria2c", "http", "https", "xh":
		t.download(name, args)
	case "tar", "bsdtar", "gtar", "unzip", "7z", "cpio", "gzip", "gunzip", "bzip2", "xz", "zstd", "patch", "zip":
		t.archive(name, args)
	default:
		t.others(name, args)
	}
}

// chmodFlag reports whether a mode such as -x stands among the options, so that
// the first operand is already a file.
func chmodFlag(args []Word) bool {
	for _, a := range args {
		if len(a.Text) > 1 && a.Text[0] == '-' && strings.Trim(a.Text[1:], "rwxXst") == "" {
			return true
		}
	}
	return false
}

func (t *toucher) prefixed(word Word, prefix string, a access) {
	if rest, ok := strings.CutPrefix(word.Text, prefix); ok {
		word.Text = rest
		word.Tilde = strings.HasPrefix(rest, "~")
		t.add(word, a)
	}
}

func (t *toucher) find(args []Word) {
	deletes := false
	for i, a := range args {
		switch a.Text {
		case "-delete":
			deletes = true
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(args) {
				t.add(args[i+1], write)
			}
		case "-exec", "-execdir", "-ok", "-okdir":
			deletes = deletes || i+1 < len(args) && path.Base(args[i+1].Text) == "rm"
		}
	}
	starts := findStarts(args)
	if len(starts) == 0 {
		starts = []Word{{Text: ".", Literal: true}}
	}
	t.addAll(starts, read)
	if deletes {
		t.removal(starts, true)
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

func (t *toucher) git() {
	sub := gitSubcommand(t.cmd)
	for i, word := range t.cmd.Words {
		if i < sub && i+1 < len(t.cmd.Words) && word.Text == "-C" {
			t.add(t.cmd.Words[i+1], read)
		}
	}
	if sub >= len(t.cmd.Words) {
		return
	}
	rest := t.cmd.Words[sub+1:]
	options, operands := arguments(rest, "mFCco", "message", "file", "output", "format", "pretty", "author", "date", "grep", "since", "until", "work-tree")
	t.addAll(values(options, "--output"), write)
	switch t.cmd.Words[sub].Text {
	case "add", "diff", "show", "blame", "grep", "log", "cat-file", "ls-files", "archive", "apply", "am", "stash", "hash-object":
		t.addAll(operands, read)
	case "rm", "mv", "checkout", "restore", "clone", "init", "worktree":
		t.addAll(operands, write)
	}
}

// download adds the files that curl, wget and their like write.
func (t *toucher) download(name string, args []Word) {
	outs := []string{"-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--output-dir", "--stderr", "--etag-save", "--libcurl", "--hsts", "--alt-svc"}
	short := "oDcdFHXAbeuTKmwrxEQCtUzP"
	if name != "curl" {
		outs = []string{"-O", "--output-document", "-o", "--output-file", "-P", "--directory-prefix", "-a", "--append-output", "--save-cookies", "--out", "--dir", "-d", "--output", "--warc-file"}
		short = "OoPaUtTQiBDRAId"
	}
	var long []string
	for _, o := range outs {
		if l, ok := strings.CutPrefix(o, "--"); ok {
			long = append(long, l)
		}
	}
	options, _ := arguments(args, short, append(long, "data", "header", "request", "form", "user", "upload-file", "config", "url", "data-binary")...)
	t.addAll(values(options, outs...), write)
	for _, v := range values(options, "-d", "--data", "-F", "--form", "-T", "--upload-file", "-K", "--config", "--data-binary", "-b", "-i") {
		if at := strings.IndexByte(v.Text, '@'); at >= 0 {
			v.Text = v.Text[at+1:]
			t.add(v, read)
		} else if name == "curl" && v.Literal && has(options, "-T", "--upload-file", "-K", "--config") {
			t.add(v, read)
		}
	}
	if name == "curl" && has(options, "-O", "--remote-name", "-J", "--remote-name-all") || name != "curl" && len(values(options, outs...)) == 0 {
		t.add(Word{Text: ".", Literal: true}, write)
	}
}

// archive adds what packers read and write.
func (t *toucher) archive(name string, args []Word) {
	options, operands := arguments(args, "fCdopi", "file", "directory", "output", "input", "one-top-level")
	if strings.HasSuffix(name, "tar") && len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") && len(operands) > 1 {
		// tar's old form: letters without a dash, then their values.
		if strings.Contains(args[0].Text, "f") {
			options = append(options, option{name: "-f", value: operands[1], has: true})
		}
		for _, r := range args[0].Text {
			options = append(options, option{name: "-" + string(r)})
		}
		operands = operands[min(2, len(operands)):]
	}
	reads := strings.HasSuffix(name, "tar") && has(options, "-t", "--list") || name == "unzip" && has(options, "-l", "-v", "-t", "-Z")
	extracts := !reads && (strings.HasSuffix(name, "tar") && has(options, "-x", "--extract", "--get") || name == "unzip" || name == "cpio" || name == "7z" || name == "patch")
	into := values(options, "-C", "--directory", "-d", "--one-top-level")
	archive := values(options, "-f", "--file")
	switch {
	case reads:
		t.addAll(append(archive, operands...), read)
	case extracts:
		t.addAll(append(archive, operands...), read)
		if len(into) == 0 {
			into = []Word{{Text: ".", Literal: true}}
		}
		for _, dir := range into {
			t.put(touch{word: dir, access: write, spreads: true})
		}
	default:
		t.addAll(append(archive, values(options, "-o", "--output")...), write)
		t.addAll(operands, map[bool]access{true: read, false: write}[strings.HasSuffix(name, "tar")])
	}
}

// outputs are further options whose value is a file to be written.
var outputs = map[string][]string{
	"sort": {"-o", "--output"}, "tree": {"-o"}, "less": {"-o", "-O", "--log-file", "--LOG-FILE"}, "openssl": {"-out"}, "gpg": {"-o", "--output"},
	"ssh-keygen": {"-f"}, "gcc": {"-o"}, "cc": {"-o"}, "clang": {"-o"}, "g++": {"-o"}, "ffmpeg": {}, "pandoc": {"-o", "--output"}, "go": {"-o"},
	"base64": {"-o", "--output"}, "protoc": {"-o"}, "esbuild": {"--outfile", "--outdir"}, "tsc": {"--outFile", "--outDir"}, "rustc": {"-o"}, "ld": {"-o"},
	"strace": {"-o"}, "time": {"-o", "--output"}, "script": {}, "yq": {}, "jq": {}, "rsync": {}, "scp": {},
}

func (t *toucher) others(name string, args []Word) {
	if textPrograms[name] {
		return
	}
	values2 := "o"
	if _, ok := outputs[name]; !ok {
		values2 = ""
	}
	if short, ok := patternFirst[name]; ok {
		t.filter(name, args, short)
		return
	}
	options, operands := arguments(args, values2, "output", "outfile", "outdir", "log-file")
	t.addAll(values(options, outputs[name]...), write)
	if name == "openssl" || name == "ssh-keygen" {
		for i, a := range args {
			if (a.Text == "-out" || a.Text == "-keyout" || name == "ssh-keygen" && a.Text == "-f") && i+1 < len(args) {
				t.add(args[i+1], write)
			}
		}
	}
	switch name {
	case "uniq", "xxd":
		if len(operands) > 1 {
			t.addAll(operands[1:2], write)
			operands = operands[:1]
		}
	case "rsync", "scp", "ditto", "robocopy":
		if n := len(operands); n > 1 {
			t.put(touch{word: operands[n-1], access: write, spreads: true})
			operands = operands[:n-1]
		}
	case "split", "csplit":
		t.add(Word{Text: ".", Literal: true}, write)
	case "source", ".":
		t.addAll(operands[:min(1, len(operands))], run)
		return
	}
	if t.cmd.Wraps || t.cmd.Inline {
		return // its operands are a command or code
	}
	if (isShell(name) || isInterpreter(name)) && !t.cmd.Stdin && len(operands) > 0 {
		t.add(operands[0], run)
		operands = operands[1:]
	}
	t.addAll(operands, read)
}

// filter adds the files of programs whose first operand is a pattern, and the
// files that sed and perl edit in place.
func (t *toucher) filter(name string, args []Word, short string) {
	options, operands := arguments(args, short, "regexp", "file", "expression", "glob", "type", "max-count", "from-file")
	given := has(options, "-e", "--regexp", "--expression", "-E") && name != "jq" && name != "grep" || has(options, "-e", "--regexp")
	if !given && !has(options, "-f", "--file", "--from-file") && len(operands) > 0 {
		operands = operands[1:]
	}
	t.addAll(values(options, "-f", "--file", "--from-file"), read)
	inPlace := false
	switch name {
	case "sed", "gsed":
		inPlace = has(options, "-i", "--in-place") || sedInPlace(args)
	case "perl", "ruby":
		inPlace = has(options, "-i") || strings.Contains(strings.Join(texts(args), " "), " -i")
	case "yq":
		inPlace = has(options, "-i", "--inplace")
	case "awk", "gawk":
		inPlace = strings.Contains(strings.Join(texts(args), " "), "inplace")
	}
	if inPlace {
		t.addAll(operands, write)
		return
	}
	t.addAll(operands, read)
}
