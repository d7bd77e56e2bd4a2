package protect

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// harmlessCommands are the sub-commands of the daemon's program that read and need no
// authority.
var harmlessCommands = []string{"version", "help", "completion"}

// powers are its other sub-commands, as far as text is searched for them.
var powers = []string{
	"asks", "ask", "approve", "deny", "rules", "rule", "recipes", "recipe", "tools", "tool", "audit", "sessions", "session", "config", "serve", "service",
	"doctor", "check", "explain", "eval", "hook", "tokens", "token", "pin", "record", "demo", "unlock",
}

// orders reports whether words can only be the arguments of Callgate's program for an action
// reserved for people.
func orders(words []string) bool {
	return len(words) > 1 && slices.Contains(orderWords[words[0]], words[1])
}

// orderWords are those of its sub-commands, with theirs.
var orderWords = map[string][]string{
	"asks": {"approve", "deny", "watch"}, "rules": {"add", "remove"}, "tokens": {"create", "rotate", "revoke"}, "config": {"accept"}, "sessions": {"resume", "mode"},
	"pin": {"set", "unlock", "change", "reset"}, "hook": {"claude-code"}, "service": {"install", "uninstall"},
	"tool": {"add", "pin", "rollback", "remove"}, "store": {"migrate"},
}

// program judges a program to run, or text a program may take as commands.
func (j *judge) program(t engine.Target) string {
	if t.Access == "read" {
		return j.text(t.Value)
	}
	words := strings.Fields(t.Value)
	if len(words) == 0 || words[0] == unknown {
		return "the program it runs is unknown"
	}
	if words[0] == "[" {
		return "" // the test command, not an open glob
	}
	if strings.ContainsAny(words[0], "$`\\") && orders(words[1:]) {
		return "the program it runs is unknown (" + strings.Join(words[:3], " ") + ")"
	}
	if !j.isOurs(unescape.Replace(words[0])) || harmless(words[1:]) {
		return ""
	}
	return "it runs Callgate's own program (" + strings.Join(words[:min(len(words), 4)], " ") + ")"
}

const unknown = "?"

var unescape = strings.NewReplacer("%25", "%", "%20", " ", "%09", "\t", "%0A", "\n", "%0D", "\r")

// harmless reports whether the program's arguments only make it describe itself. A help flag
// behind another option could be that one's value.
func harmless(args []string) bool {
	if len(args) == 0 || slices.Contains(args, "--") || slices.Contains(args, unknown) {
		return false
	}
	if slices.Contains(harmlessCommands, args[0]) || args[0] == "--help" || args[0] == "-h" || args[0] == "--version" {
		return true
	}
	for i, a := range args {
		if strings.HasPrefix(a, "-") {
			return i > 0 && a == "--help" && i == len(args)-1
		}
	}
	return false
}

// isOurs reports whether a program is the daemon's: by its name in a shell's search, by its
// file, or by that file's content.
func (j *judge) isOurs(program string) bool {
	if !strings.Contains(program, "/") {
		name := fold(program)
		if mayBe(name, "callgate") || mayBe(name, hookProgram) || j.facts.Binary != "" && mayBe(name, fold(filepath.Base(j.facts.Binary))) {
			return true
		}
		for _, dir := range j.search {
			if j.sameBinary(dir + program) {
				return true
			}
		}
		return false
	}
	got, err := j.resolve([]engine.Target{{Kind: "tree", Value: program, Access: "run"}})
	if err != nil {
		return true
	}
	for _, form := range j.readings(got[0]) {
		parts := components(form)
		for _, p := range j.places {
			if within, _ := match(parts, p); within && p.program {
				return true
			}
		}
	}
	return got[0].Error == "" && got[0].Exists && (j.sameBinary(got[0].Resolved) || j.copyOfBinary(got[0].Resolved))
}

func (j *judge) sameBinary(p string) bool {
	if j.binary == nil {
		return false
	}
	return isFile(p, j.binary)
}

// copyOfBinary compares contents, but only of files of the same size.
func (j *judge) copyOfBinary(p string) bool {
	if j.binary == nil {
		return false
	}
	info, err := os.Stat(p)
	if err != nil || !info.Mode().IsRegular() || info.Size() != j.binary.Size() {
		return false
	}
	theirs, err := digest(p)
	if err != nil {
		return true // who cannot be read cannot be told from ours
	}
	ours, err := digest(j.facts.Binary)
	return err != nil || bytes.Equal(theirs, ours)
}

func digest(p string) ([]byte, error) {
	f, err := os.Open(p)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), err
}
