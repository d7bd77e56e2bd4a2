package bash

import (
	"path"
	"slices"
	"strings"
)

// code returns the texts among the arguments of cmd that some other program
// will run or read as code: what no shell grammar can read, but where a deny
// rule's words may still be looked for.
func (c *Command) codeTexts() []string {
	args := texts(c.Args())
	name := c.Name()
	switch {
	case c.Inline:
		return args
	case name == "ssh", name == "mosh", name == "rsh", slices.Contains(editors, name), name == "at", name == "expect":
		return args
	case strings.HasSuffix(name, "awk") && !awkReads(c, nil, nil), (name == "sed" || name == "gsed") && !readSed(c.Args()).harmless():
		return args
	}
	options, ok := codeOptions[name]
	if !ok {
		return nil
	}
	var out []string
	for i, a := range args {
		for _, o := range options {
			switch {
			case a == o && i+1 < len(args):
				out = append(out, args[i+1])
			case strings.HasPrefix(a, o) && len(a) > len(o):
				out = append(out, a[len(o):])
			}
		}
	}
	return out
}

// codeOptions are options whose value is a program or a command to run.
var codeOptions = map[string][]string{
	"tar":   {"--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command", "--info-script", "--new-volume-script", "-F"},
	"rsync": {"-e", "--rsh", "--rsync-path"}, "scp": {"-S", "-o"}, "sftp": {"-S", "-o"},
	"rg": {"--pre", "--hostname-bin"}, "sort": {"--compress-program"}, "ag": {"--pager"}, "ack": {"--pager"}, "less": {"+"}, "more": {"+"}, "man": {"--pager", "-P"},
	"git": {"-c", "--upload-pack", "--receive-pack", "-O", "--open-files-in-pager", "--exec", "-x", "--config-env", "ext::"},
	"go":  {"-exec", "-toolexec", "-vettool"},
	"zip": {"-TT"}, "gdb": {"-ex"}, "vagrant": {"-c"}, "make": {"SHELL=", "--eval"}, "npm": {"--script-shell", "--call", "-c"}, "docker": {"--entrypoint"},
	"wget": {"--use-askpass"}, "split": {"--filter"}, "csplit": {}, "strace": {"-e"}, "ip": {"exec"}, "screen": {"-X"}, "tmux": {}, "fzf": {"--preview", "--bind"},
}

// mentioned reports whether the words of a deny rule occur in code that cmd
// hands to another program.
func mentioned(r *rule, cmd *Command) bool {
	words := r.words
	if r.kind == globRule {
		words = strings.Fields(strings.Split(r.text, "*")[0])
	}
	if len(words) == 0 {
		return false
	}
	for _, text := range cmd.codeTexts() {
		tokens := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune(" \t\n\"'`()[]{};&|<>,=!$:", c) })
		at := slices.IndexFunc(tokens, func(token string) bool { return path.Base(token) == words[0] })
		if at < 0 {
			continue
		}
		if !slices.ContainsFunc(words[1:], func(w string) bool { return !slices.Contains(tokens[at:], w) }) {
			return true
		}
	}
	return false
}
