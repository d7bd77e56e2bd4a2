package bash

import "strings"

func (c *Command) oldCode() []string {
	if rowed(c.Use()) {
		return nil
	}
	args, name := texts(c.Args()), c.Name()
	if name == "ssh" || name == "mosh" || name == "rsh" {
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
