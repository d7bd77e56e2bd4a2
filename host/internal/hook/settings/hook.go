package settings

import (
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/text/shellword"
)

// The events of Claude Code with Callgate's hook.
const (
	PreToolUse         = "PreToolUse"
	PermissionRequest  = "PermissionRequest"
	PostToolUse        = "PostToolUse"
	PostToolUseFailure = "PostToolUseFailure"
	UserPromptSubmit   = "UserPromptSubmit"
)

// Events are those events in the order of writing.
func Events() []string {
	return []string{PreToolUse, PermissionRequest, PostToolUse, PostToolUseFailure, UserPromptSubmit}
}

// Hook is one hook as a settings file holds it.
type Hook struct {
	// Event is the moment of its run, Matcher its tools ("", "*": all).
	Event   string `json:"event"`
	Matcher string `json:"matcher,omitempty"`
	// Type is command, http, mcp_tool, prompt or agent.
	Type string `json:"type"`
	// Command is the program; Args its arguments. Without the member args the
	// client gives Command to a shell, and Exec is false.
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Exec    bool     `json:"exec,omitempty"`
	// URL is an http hook's.
	URL string `json:"url,omitempty"`
	// If narrows the hook to calls matching a permission rule.
	If string `json:"if,omitempty"`
	// Timeout is after how long the client gives it up; 0 is the client's
	// default of ten minutes.
	Timeout time.Duration `json:"timeout,omitempty"`
	// OnFailure "block" makes the client block the call when the hook cannot
	// start, is too late, or ends with another code than 0 or 2.
	OnFailure     string `json:"on_failure,omitempty"`
	StatusMessage string `json:"status_message,omitempty"`
	// Async and Once hooks are not waited for, or run one time only: no gate.
	Async bool `json:"async,omitempty"`
	Once  bool `json:"once,omitempty"`
	// Scope and File are where it is from, Line where in the file.
	Scope Scope  `json:"scope"`
	File  string `json:"file"`
	Line  int    `json:"line"`
}

// Own reports whether the hook is Callgate's for Claude Code.
func (h Hook) Own() bool { return h.OwnOf(ClaudeCode) }

// String is the hook's command, on one line, for people.
func (h Hook) String() string {
	switch {
	case h.URL != "":
		return h.Type + " " + h.URL
	case h.Exec:
		return strings.Join(append([]string{h.Command}, h.Args...), " ")
	case h.Command != "":
		return h.Command
	}
	return h.Type
}

// All reports whether the hook runs for every tool call.
func (h Hook) All() bool {
	return allTools(h.Matcher) && h.If == "" && !h.Async && !h.Once
}

// allTools reports whether a matcher lets every tool through.
func allTools(matcher string) bool { return matcher == "" || matcher == "*" || matcher == ".*" }

// Flag returns the value of one of the hook's arguments, as --name VALUE or
// --name=VALUE.
func (h Hook) Flag(name string) (value string, ok bool) {
	args := h.Args
	if words := lineWords(h.Command); !h.Exec && len(words) > 0 {
		args = words[1:]
	}
	for i, arg := range args {
		if arg == "--"+name && i+1 < len(args) {
			return args[i+1], true
		}
		if v, found := strings.CutPrefix(arg, "--"+name+"="); found {
			return v, true
		}
	}
	return "", false
}

// shellWords splits a shell command at blanks and removes plain quotes: enough to recognise a line
// copied from our documents.
func shellWords(line string) []string {
	words := strings.Fields(line)
	for i, w := range words {
		words[i] = strings.Trim(w, `"'`)
	}
	return words
}

// HookProgram is the name of the program beside callgate for the hook alone.
const HookProgram = "callgate-hook"

// IsHookProgram reports whether a file has the name of the program for the hook alone.
func IsHookProgram(path string) bool { return programName(path) == HookProgram }

// ownProgram reports whether a file has the name of a program of ours.
func ownProgram(path string) bool {
	return programName(path) == "callgate" || IsHookProgram(path)
}

func programName(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	return strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".exe")
}

// Entry is Callgate's hook as it is installed.
type Entry struct {
	// Client is the hook's client; empty for Claude Code.
	Client Client
	// name is Gemini CLI's name of the hook.
	name string
	// Binary is the absolute path of the program, callgate or [HookProgram].
	Binary string
	// Endpoint is where the daemon answers, as unix:/path or http://address.
	Endpoint string
	// TokenFile is the absolute path of the agent's token.
	TokenFile string
	// Timeout is the client's deadline for one call, at least a second; the hook
	// denies before it ends.
	Timeout time.Duration
	// DaemonUID is the account the daemon must run as; nil: the caller's own or
	// root.
	DaemonUID *int
	// Alone makes a managed settings file of InstallFile stop every other hook; it is no part of
	// the entry.
	Alone bool
}

// StatusMessage is a client's text while a call waits.
const StatusMessage = "Callgate: waiting for a decision"

// promptSeconds is the client's deadline at UserPromptSubmit: the person waits
// for it, and nothing is judged there.
const promptSeconds = 10

// Args are the arguments of the installed command.
func (e Entry) Args() []string { return e.args(e.seconds()) }

func (e Entry) args(seconds int) []string {
	args := append([]string{"hook", e.Client.word()}, "--endpoint", e.Endpoint, "--token-file", e.TokenFile, "--timeout", strconv.Itoa(seconds)+"s")
	if e.DaemonUID != nil {
		args = append(args, "--daemon-uid", strconv.Itoa(*e.DaemonUID))
	}
	return args
}

// ManagedCommand is the command, for root's shell, to install binary as the hook of the whole
// machine, for the same daemon as a hook with args. It uses none of root's own places for anything
// args name.
func ManagedCommand(binary string, args []string) string {
	words := []string{binary, "hook", ClaudeCode.word(), "--install", "--managed"}
	if len(args) > 1 && args[0] == "hook" {
		words[2] = args[1]
	}
	for _, name := range []string{"endpoint", "token-file", "daemon-uid"} {
		if value, given := (Hook{Args: args}).Flag(name); given {
			words = append(words, "--"+name, value)
		}
	}
	return shellLine(words)
}

// shellWord writes a word as one literal word of a POSIX shell.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-./:@%+,", r)
	}
	if word != "" && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return shellword.Quote(word)
}

func (e Entry) seconds() int { return int(e.Timeout / time.Second) }

// check refuses entries unable to start, or to block.
func (e Entry) check() error {
	switch {
	case !filepath.IsAbs(e.Binary):
		return entryError("the program's path is not absolute: " + strconv.Quote(e.Binary))
	case !ownProgram(e.Binary):
		return entryError("the program has the name " + strconv.Quote(programName(e.Binary)) + ", so it could not be recognized later; rename the file to callgate")
	case e.Endpoint == "" || e.TokenFile == "":
		return entryError("the endpoint and the token file are required")
	case runtime.GOOS != "windows" && !filepath.IsAbs(e.TokenFile):
		return entryError("the token file's path is not absolute: " + strconv.Quote(e.TokenFile))
	case e.Timeout < time.Second || e.Timeout > 24*time.Hour || e.Timeout%time.Second != 0:
		return entryError("time-out " + e.Timeout.String() + ": want whole seconds, 1s to 24h")
	}
	return nil
}

type entryError string

// Error implements error.
func (e entryError) Error() string { return "the hook cannot be installed: " + string(e) }
