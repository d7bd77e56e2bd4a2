package bash

import "strings"

// noPrefix are programs for which a prefix would be broader than it looks:
// their second word is an option or a file, or code.
var noPrefix = map[string]bool{
	"rm": true, "rmdir": true, "mv": true, "cp": true, "mkdir": true, "touch": true, "ln": true, "chmod": true, "chown": true, "chgrp": true, "install": true, "tee": true, "truncate": true,
	"kill": true, "pkill": true, "killall": true, "find": true, "fd": true, "curl": true, "wget": true, "ssh": true, "scp": true, "rsync": true, "tar": true, "unzip": true, "zip": true,
	"sed": true, "awk": true, "perl": true, "export": true, "declare": true, "typeset": true, "sleep": true, "dd": true, "shred": true, "unlink": true, "patch": true, "openssl": true, "read": true, "unset": true,
	"cat": true, "grep": true, "sort": true, "uniq": true, "jq": true, "yq": true, "test": true, "printf": true, "echo": true, "cd": true, "pushd": true, "git-shell": true, "at": true, "batch": true, "nc": true, "ncat": true, "socat": true, "crontab": true, "history": true, "local": true, "readonly": true,
}

// wrapperPrefix are the wrappers whose rule may name what they run.
var wrapperPrefix = map[string]bool{"xargs": true, "npx": true, "bunx": true}

func oldNamed(cmd *Command) int {
	if isShell(cmd.Name()) || isInterpreter(cmd.Name()) || noPrefix[cmd.Name()] {
		return 0
	}
	n := 2
	if cmd.Wraps {
		if cmd.Inner == 0 || !(wrapperPrefix[cmd.Name()] && cmd.Inner == 1 || runners[cmd.Name()] != nil && cmd.Inner == 2) {
			return 0
		}
		n = cmd.Inner + 1
		inner := &Command{Words: cmd.Words[cmd.Inner:]}
		if name := inner.Name(); isShell(name) || isInterpreter(name) || wrappers[name].skip > 0 || isWrapper(name) || name == "find" ||
			len(inner.Words) > 1 && strings.HasPrefix(inner.Words[1].Text, "-") && noPrefix[name] || inner.Qualified() {
			return 0
		}
	} else if isWrapper(cmd.Name()) {
		return 0
	}
	return n
}

func isWrapper(name string) bool {
	_, ok := wrappers[name]
	return ok && !wrapperPrefix[name] || name == "eval" || name == "watch" || name == "flock"
}

// runsProject are programs whose commands run what the project says.
var runsProject = map[string]bool{
	"npm": true, "pnpm": true, "yarn": true, "make": true, "cargo": true, "go": true, "mvn": true, "gradle": true, "rake": true, "bundle": true, "uv": true, "poetry": true, "npx": true, "just": true, "task": true, "tox": true, "mix": true, "dotnet": true,
}
