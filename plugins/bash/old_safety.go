package bash

import (
	"slices"
	"strings"
)

func oldAdds(name string) bool { return name == "xargs" || name == "gxargs" || name == "parallel" }

func privilege(cmd *Command) string {
	switch name := cmd.Name(); name {
	case "sudo", "doas", "su", "pkexec", "runuser", "run0", "sudoedit", "gosu", "su-exec", "nsenter", "chroot", "visudo", "usermod", "useradd", "adduser", "passwd", "chsh":
		return name + " runs commands with other privileges"
	}
	return ""
}

func disks(cmd *Command) string {
	name := cmd.Name()
	switch {
	case name == "dd", name == "fdisk", name == "sfdisk", name == "cfdisk", name == "parted", name == "gdisk", name == "wipefs", name == "blkdiscard", name == "mkswap", name == "format",
		name == "diskutil", name == "cryptsetup", name == "hdparm", strings.HasPrefix(name, "mkfs"):
		return name + " writes to disks"
	case name == "crontab" && !slices.Contains(texts(cmd.Args()), "-l"):
		return "crontab changes what runs later"
	}
	return ""
}

// modes looks for permissions that open a file to everybody or give it its
// owner's power, and for ownership changes of whole trees.
func modes(cmd *Command) string {
	switch cmd.Name() {
	case "chown", "chgrp":
		options, _ := arguments(cmd.Args(), "")
		if has(options, "-R", "--recursive") {
			return cmd.Name() + " -R changes the owner of a whole tree"
		}
	case "chmod":
		for _, a := range cmd.Args() {
			if worldMode(a.Text) {
				return "chmod " + a.Text + " opens files to everybody or lets them run with their owner's power"
			}
		}
	}
	return ""
}

func worldMode(mode string) bool {
	if mode != "" && len(mode) <= 5 && strings.Trim(mode, "01234567") == "" && len(mode) >= 3 {
		last, special := mode[len(mode)-1], mode[:len(mode)-3]
		return (last-'0')&2 != 0 || strings.Trim(special, "01") != ""
	}
	for _, clause := range strings.Split(mode, ",") {
		who, perms, ok := strings.Cut(clause, "+")
		if !ok {
			who, perms, ok = strings.Cut(clause, "=")
		}
		if !ok || strings.Trim(who, "ugoa") != "" || strings.Trim(perms, "rwxXst") != "" {
			continue
		}
		if strings.Contains(perms, "s") || strings.ContainsAny(who, "oa") && strings.Contains(perms, "w") {
			return true
		}
	}
	return false
}

func signals(cmd *Command) string {
	switch cmd.Name() {
	case "kill", "pkill", "killall":
		for i, a := range cmd.Args() {
			t := strings.ToUpper(a.Text)
			if t == "-9" || t == "-KILL" || t == "-SIGKILL" || (t == "-S" || t == "--SIGNAL") && i+1 < len(cmd.Args()) && strings.HasSuffix(strings.ToUpper(cmd.Args()[i+1].Text), "9") {
				return cmd.Name() + " " + a.Text + " ends processes without letting them clean up"
			}
			if cmd.Name() == "kill" && (a.Text == "-1" || a.Text == "1") && i > 0 {
				return "kill " + a.Text + " ends every process"
			}
		}
	}
	return ""
}

// tampering finds commands that hide what was run.
func tampering(cmd *Command) string {
	args := texts(cmd.Args())
	switch name := cmd.Name(); {
	case name == "history" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") }):
		return "history " + args[0] + " changes the record of what was run"
	case (name == "unset" || name == "export" || name == "set") && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "HIST") || a == "history" }):
		return name + " switches off the record of what is run"
	case (name == "auditctl" || name == "journalctl" && slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "--vacuum") })):
		return name + " changes the machine's logs"
	}
	return ""
}

// gitRunKeys are configuration keys by which git runs programs or sends data
// elsewhere; a trailing dot means a whole section, a leading one any section.
var gitRunKeys = []string{
	"core.fsmonitor", "core.hookspath", "core.pager", "core.editor", "core.sshcommand", "core.askpass", "core.gitproxy", "core.alternaterefscommand", "core.attributesfile", "core.worktree",
	"alias.", "diff.", "filter.", "merge.", "credential.", "gpg.", "include.", "includeif.", "url.", "pager.", "protocol.", "sequence.editor", "interactive.difffilter", "man.", "browser.",
	"mergetool.", "difftool.", "uploadpack.", "remote.", "submodule.", "init.templatedir", "sendemail.", "tar.", "http.proxy", "http.sslverify", "web.", "instaweb.", "trailer.", "commit.template", "fsmonitor.", "user.signingkey",
}

func gitRuns(key string) bool {
	key = strings.ToLower(key)
	for _, k := range gitRunKeys {
		if key == k || strings.HasSuffix(k, ".") && strings.HasPrefix(key, k) {
			return true
		}
	}
	return false
}

// gitTampering finds ways to make git run something else.
func gitTampering(cmd *Command) string {
	if cmd.Name() != "git" {
		return ""
	}
	sub := gitSubcommand(cmd)
	for i, w := range cmd.Words[:min(sub, len(cmd.Words))] {
		switch {
		case w.Text == "-c" && i+1 < len(cmd.Words):
			if key, _, _ := strings.Cut(cmd.Words[i+1].Text, "="); gitRuns(key) || !cmd.Words[i+1].Literal {
				return "git -c " + key + " can make git run a program"
			}
		case strings.HasPrefix(w.Text, "--config-env"), strings.HasPrefix(w.Text, "--exec-path="):
			return "git " + w.Text + " can make git run a program"
		}
	}
	if sub >= len(cmd.Words) {
		return ""
	}
	if cmd.Words[sub].Text == "config" {
		return gitConfigWrite(cmd, sub)
	}
	for _, w := range cmd.Words[sub+1:] {
		switch {
		case strings.HasPrefix(w.Text, "ext::"), strings.HasPrefix(w.Text, "--upload-pack"), strings.HasPrefix(w.Text, "--receive-pack"), strings.HasPrefix(w.Text, "--template="):
			return "git with " + w.Text + " runs a program"
		}
	}
	return ""
}

func gitConfigWrite(cmd *Command, sub int) string {
	if configReads(cmd, nil, nil) {
		return ""
	}
	for _, w := range cmd.Words[sub+1:] {
		if gitRuns(w.Text) || !w.Literal {
			return "git config " + w.Text + " can make git run a program"
		}
	}
	return ""
}

// sedWrites refuses sed scripts that are not known to leave files and programs
// alone. Source: the AgentScope seed's sed constraints.
func sedWrites(cmd *Command) string {
	switch cmd.Name() {
	case "sed", "gsed":
	default:
		return ""
	}
	if len(cmd.Args()) == 1 && strings.HasPrefix(cmd.Args()[0].Text, "--") {
		return ""
	}
	if s := readSed(cmd.Args()); !s.harmless() {
		return "this sed script may write files or run commands"
	}
	return ""
}
