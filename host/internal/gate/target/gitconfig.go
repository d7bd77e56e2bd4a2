package target

import (
	"slices"
	"strings"
)

// gitSettings names the settings of a git configuration file that make git run a program, or
// read settings from elsewhere, as "section.key". An unparsable file is reported as such.
func gitSettings(text string) []string {
	var dirty []string
	err := parseGitConfig(text, func(s gitSetting) {
		if name := runsProgram(s); name != "" {
			dirty = append(dirty, name)
		}
	})
	if err != nil {
		dirty = append(dirty, "unreadable git config")
	}
	slices.Sort(dirty)
	return slices.Compact(dirty)
}

// programKeys are the settings with a value run by git, or handed to a shell, with commands
// that look read-only or with those beside them. Source: git-config(1), version 2.52.
var programKeys = map[string][]string{
	"core": {
		"alternaterefscommand", "askpass", "editor", "fsmonitor", "gitproxy", "hookspath", "pager", "sshcommand", "worktree",
	},
	"browser":     {"cmd", "path"},
	"credential":  {"helper"},
	"diff":        {"command", "external", "textconv"},
	"difftool":    {"cmd", "path"},
	"filter":      {"clean", "process", "smudge"},
	"gpg":         {"defaultkeycommand", "program"},
	"include":     {"path"},
	"includeif":   {"path"},
	"interactive": {"difffilter"},
	"man":         {"cmd", "path"},
	"merge":       {"driver"},
	"mergetool":   {"cmd", "path"},
	"remote":      {"receivepack", "uploadpack", "vcs"},
	"sequence":    {"editor"},
	"submodule":   {"update"},
	"tar":         {"command"},
	"trailer":     {"cmd", "command"},
	"uploadpack":  {"packobjectshook"},
	"url":         {"insteadof", "pushinsteadof"},
}

// runsProgram returns the name of a setting that runs something; "" for others. Keys chosen by
// people are left out: they are a stranger's text.
func runsProgram(s gitSetting) string {
	switch {
	case s.section == "alias", s.section == "pager":
		if !gitBool(s.value) {
			return s.section + ".*"
		}
		return ""
	case s.section == "core" && s.key == "fsmonitor" && gitBool(s.value):
		return "" // true is git's own daemon
	case s.section == "submodule" && !strings.Contains(s.value, "!"):
		return "" // a way to update, not a command
	case slices.Contains(programKeys[s.section], s.key):
		return s.section + "." + s.key
	}
	return ""
}

// gitBool reports whether a value is one of git's words for true and false.
func gitBool(value string) bool {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "true", "false", "yes", "no", "on", "off", "0", "1":
		return true
	}
	return false
}
