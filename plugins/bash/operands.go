package bash

import (
	"strings"
)

// textPrograms are programs whose operands are no paths.
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
	if short, ok := patternFirst[name]; ok {
		t.filter(name, args, short)
		return
	}
	options, operands := arguments(args, "o", "output", "outfile", "outdir", "log-file")
	outs, known := outputs[name]
	if !known {
		outs = []string{"-o", "--output", "--outfile", "--outdir"} // what they mean to most programs
	}
	t.addAll(values(options, outs...), write)
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
