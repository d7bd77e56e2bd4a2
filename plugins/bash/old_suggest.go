package bash

// noPrefix are programs for which a prefix would be broader than it looks:
// their second word is an option or a file, or code.
var noPrefix = map[string]bool{
	"rm": true, "rmdir": true, "mv": true, "cp": true, "mkdir": true, "touch": true, "ln": true, "chmod": true, "chown": true, "chgrp": true, "install": true, "tee": true, "truncate": true,
	"kill": true, "pkill": true, "killall": true, "find": true, "fd": true, "curl": true, "wget": true, "ssh": true, "scp": true, "rsync": true, "tar": true, "unzip": true, "zip": true,
	"sed": true, "awk": true, "perl": true, "export": true, "declare": true, "typeset": true, "sleep": true, "dd": true, "shred": true, "unlink": true, "patch": true, "openssl": true, "read": true, "unset": true,
	"cat": true, "grep": true, "sort": true, "uniq": true, "jq": true, "yq": true, "test": true, "printf": true, "echo": true, "cd": true, "pushd": true, "git-shell": true, "at": true, "batch": true, "nc": true, "ncat": true, "socat": true, "crontab": true, "history": true, "local": true, "readonly": true,
}

func oldNamed(cmd *Command) int {
	if cmd.Wraps || noPrefix[cmd.Name()] {
		return 0
	}
	return 2
}

// runsProject are programs whose commands run what the project says.
var runsProject = map[string]bool{
	"npm": true, "pnpm": true, "yarn": true, "make": true, "cargo": true, "go": true, "mvn": true, "gradle": true, "rake": true, "bundle": true, "uv": true, "poetry": true, "npx": true, "just": true, "task": true, "tox": true, "mix": true, "dotnet": true,
}
