package bash

import (
	"slices"
	"strings"
)

// interpreter programs read code from an option, a file or their input.
type interpreter struct {
	// code are the options whose value is code; module those whose value is a
	// module to run.
	code, module []string
	// values are other options that take a value.
	values []string
	// data is how many operands are no script but what the program opens.
	data int
}

var interpreters = map[string]interpreter{
	"python":     {code: []string{"-c"}, module: []string{"-m"}, values: []string{"-W", "-X"}},
	"node":       {code: []string{"-e", "--eval", "-p", "--print", "-pe"}, values: []string{"-r", "--require", "--import", "--loader"}},
	"deno":       {},
	"bun":        {code: []string{"-e", "--eval"}},
	"ruby":       {code: []string{"-e"}, values: []string{"-I", "-r"}},
	"perl":       {code: []string{"-e", "-E"}, values: []string{"-I"}},
	"php":        {code: []string{"-r", "-B", "-R", "-E"}, values: []string{"-d"}},
	"lua":        {code: []string{"-e"}, values: []string{"-l"}},
	"osascript":  {code: []string{"-e"}},
	"rscript":    {code: []string{"-e"}},
	"R":          {code: []string{"-e"}},
	"julia":      {code: []string{"-e", "--eval", "-E"}},
	"elixir":     {code: []string{"-e"}},
	"erl":        {code: []string{"-eval"}},
	"groovy":     {code: []string{"-e"}},
	"scala":      {code: []string{"-e"}},
	"tclsh":      {},
	"wish":       {},
	"expect":     {code: []string{"-c"}},
	"ghci":       {code: []string{"-e"}},
	"irb":        {},
	"ipython":    {code: []string{"-c"}, module: []string{"-m"}},
	"pwsh":       {code: []string{"-c", "-Command", "-EncodedCommand", "-command"}},
	"powershell": {code: []string{"-c", "-Command", "-EncodedCommand", "-command"}},
	"ed":         {},
	"ex":         {code: []string{"-c"}},
	"bc":         {},
	"dc":         {code: []string{"-e"}},
	"gdb":        {code: []string{"-ex"}},
	"psql":       {data: 2, code: []string{"-c", "--command", "-f", "--file", "-l", "--list"}, values: []string{"-h", "-p", "-U", "-d"}},
	"mysql":      {data: 1, code: []string{"-e", "--execute"}, values: []string{"-h", "-u", "-P", "-D"}},
	"sqlite3":    {data: 1},
	"mongosh":    {data: 1, code: []string{"--eval"}},
	"redis-cli":  {values: []string{"-h", "-p", "-a", "-n"}},
	"ftp":        {data: 2}, "telnet": {data: 2}, "sftp": {data: 2, code: []string{"-b"}},
}

// interpreterName folds versioned names: python3.12 is python.
func interpreterName(name string) string {
	base := strings.TrimRight(name, "0123456789.")
	switch base {
	case "python", "ruby", "perl", "php", "lua", "node", "tclsh", "irb", "ipython":
		return base
	case "nodejs":
		return "node"
	case "pypy":
		return "python"
	case "Rscript":
		return "rscript"
	}
	return name
}

func isInterpreter(name string) bool {
	_, ok := interpreters[interpreterName(name)]
	return ok
}

// editors are programs that take commands from the terminal and nothing else.
var editors = []string{"vim", "vi", "nvim", "view", "gvim", "emacs", "emacsclient", "nano", "pico", "micro", "helix", "hx", "joe", "mc", "ranger",
	"screen", "tmux", "top", "htop", "gitk", "lazygit", "mutt", "lynx", "w3m", "elinks"}

// interpreter finds out where an interpreter's code comes from.
func (w *walker) interpreter(cmd *Command) {
	spec := interpreters[interpreterName(cmd.Name())]
	args := cmd.Args()
	operands := 0
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case !args[i].Literal:
			operands++
		case slices.Contains(spec.code, t) || hasCodePrefix(spec.code, t):
			cmd.Inline = true
			return
		case slices.Contains(spec.module, t):
			return
		case slices.Contains(spec.values, t):
			i++
		case isVersionFlag(t):
			return
		case t == "-" || strings.HasPrefix(t, "/dev/stdin") || strings.HasPrefix(t, "/dev/fd/"):
			w.readsInput(cmd)
			return
		case !strings.HasPrefix(t, "-"):
			if operands++; operands > spec.data {
				return // a script, with its arguments
			}
		}
	}
	if operands <= spec.data {
		w.readsInput(cmd)
	}
}

// hasCodePrefix reports whether t carries code right behind a short option, or
// in a cluster ending in one (perl -pie, ruby -ne).
func hasCodePrefix(code []string, t string) bool {
	for _, c := range code {
		if strings.HasPrefix(c, "--") && strings.HasPrefix(t, c+"=") {
			return true
		}
		if len(c) == 2 && strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--") && strings.Contains(t[1:], c[1:]) {
			return true
		}
	}
	return false
}

func isVersionFlag(t string) bool {
	switch t {
	case "--version", "-V", "--help", "-h", "-version":
		return true
	}
	return t == "-v"
}

// unwrapShell walks the script of a shell.
func (w *walker) unwrapShell(cmd *Command) {
	args := cmd.Args()
	script := false
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		switch {
		case !args[i].Literal:
			w.line.opaque(cmd.Name() + " with arguments that are not literal")
			return
		case t == "--rcfile" || t == "--init-file" || t == "-o" || t == "+o" || t == "-O" || t == "+O":
			i++
		case isVersionFlag(t) && strings.HasPrefix(t, "--"):
			return
		case t == "--":
		case strings.HasPrefix(t, "--"):
		case strings.HasPrefix(t, "-") && len(t) > 1 || strings.HasPrefix(t, "+"):
			script = script || strings.HasPrefix(t, "-") && strings.Contains(t, "c")
			if strings.HasPrefix(t, "-") && strings.ContainsAny(t, "is") && !script {
				w.readsInput(cmd)
				return
			}
			if strings.HasPrefix(t, "-") && strings.HasSuffix(t, "o") {
				i++
			}
		case script:
			w.innerScript(cmd, args[i])
			if cmd.Name() == "fish" || cmd.Name() == "csh" || cmd.Name() == "tcsh" {
				w.line.opaque("a script in the language of " + cmd.Name())
			}
			return
		case t == "-" || strings.HasPrefix(t, "/dev/stdin") || strings.HasPrefix(t, "/dev/fd/"):
			w.readsInput(cmd)
			return
		default:
			return // a script file, with its arguments
		}
	}
	if script {
		return
	}
	w.readsInput(cmd)
}
