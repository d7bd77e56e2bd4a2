package claudecode

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/frontmatter"
	"github.com/callgate/callgate/host/gate"
)

// Agents tells where the client keeps the files of its sub-agents. What is found
// there only narrows what a sub-agent may do, so that it does not matter who may
// write it; what cannot be read denies.
type Agents struct {
	// User are the user's directories, ~/.claude/agents. The project's are the
	// directories .claude/agents in the call's directory and above it.
	User []string
}

// The bounds of a directory of agents: how many files of it are read, and how much of
// each, in bytes.
const (
	maxAgentFiles = 500
	maxAgentFile  = 1 << 20
)

// child is what the file of a sub-agent lets it do; nil for one without a file, as
// the client's own are. The file that counts is the project's nearest, then the
// user's, as with the client.
func (a Agents) child(name, cwd string) (*gate.ChildClaim, error) {
	if name == "" {
		return nil, nil //nolint:nilnil // the main agent is narrowed by nothing
	}
	var dirs []string
	for _, dir := range directoriesAbove(cwd) {
		dirs = append(dirs, filepath.Join(dir, ".claude", "agents"))
	}
	for _, dir := range append(dirs, a.User...) {
		claim, err := agentIn(dir, name)
		if err != nil || claim != nil {
			return claim, err
		}
	}
	return nil, nil //nolint:nilnil // the client's own sub-agents have no file
}

// agentIn looks for a sub-agent in a directory: the files whose front matter has its
// name, wherever below it and through links, as the client does. Of several each
// narrows, for which of them the client takes is not known. One that is its own, by
// its front matter or its file's name, and cannot be read is an error; others that
// cannot be read are other agents' business.
func agentIn(dir, name string) (*gate.ChildClaim, error) {
	l := agentLook{root: dir, name: name, left: maxAgentFiles, seen: map[string]bool{}}
	switch err := l.dir(dir); {
	case err != nil:
		return nil, err
	case l.found != nil:
		return l.found, nil
	}
	return nil, l.broken
}

// agentLook is one look through a directory of agents.
type agentLook struct {
	root, name string
	// left is how many more files and directories are read, seen are the directories
	// that were, as links lead to them.
	left int
	seen map[string]bool
	// found is what its files say, the one within the other; broken is the first that
	// could not be read.
	found  *gate.ChildClaim
	broken error
}

func (l *agentLook) dir(dir string) error {
	where, err := filepath.EvalSymlinks(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s cannot be read: %w", dir, err)
	case l.seen[where]:
		return nil
	}
	l.seen[where] = true
	info, err := os.Stat(where)
	if err != nil || !info.IsDir() {
		return err
	}
	entries, err := os.ReadDir(where)
	if err != nil {
		return fmt.Errorf("%s cannot be read: %w", dir, err)
	}
	for _, e := range entries {
		if err := l.entry(filepath.Join(dir, e.Name()), e); err != nil {
			return err
		}
	}
	return nil
}

func (l *agentLook) entry(path string, e fs.DirEntry) error {
	isDir, agent := e.IsDir(), strings.EqualFold(filepath.Ext(path), ".md")
	if e.Type()&fs.ModeSymlink != 0 {
		info, err := os.Stat(path)
		isDir = err == nil && info.IsDir()
	}
	if !isDir && !agent {
		return nil
	}
	if l.left--; l.left < 0 {
		return fmt.Errorf("%s holds more than %d agents and directories: remove some", l.root, maxAgentFiles)
	}
	if isDir {
		return l.dir(path)
	}
	byName := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) == l.name
	claim, is, err := agentFile(path, l.name)
	switch {
	case err != nil && (is || byName) && l.broken == nil:
		l.broken = err
	case err == nil && is:
		claim.Child, l.found = l.found, claim
	}
	return nil
}

// agentFile reads one file; is tells that it is the agent of that name, or seems to be
// although it cannot be read.
func agentFile(path, name string) (claim *gate.ChildClaim, is bool, err error) {
	text, err := readSmall(path)
	if err != nil {
		return nil, false, err
	}
	head, err := frontmatter.ClientAgent(text)
	if err != nil {
		return nil, names(text, name), fmt.Errorf("the sub-agent %q: %s: %w: mend the file, or remove it", name, path, err)
	}
	if head.Name != name {
		return nil, false, nil
	}
	claim = &gate.ChildClaim{Name: name, Mode: head.Mode, DisallowedTools: toolNames(head.Disallowed)}
	if head.Allowed != nil {
		claim.AllowedTools = toolNames(head.Allowed)
	}
	return claim, true, nil
}

// names reports whether a text that is no proper front matter has a line that the
// client, which reads it less strictly, may take for the name.
func names(text, name string) bool {
	for line := range strings.Lines(text) {
		key, value, found := strings.Cut(line, ":")
		if found && strings.Trim(key, " \t\"'") == "name" && strings.Contains(value, name) {
			return true
		}
	}
	return false
}

func readSmall(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // a pipe would be waited for
		return "", fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxAgentFile+1))
	switch {
	case err != nil:
		return "", err
	case len(data) > maxAgentFile:
		return "", fmt.Errorf("%s has more than %d bytes", path, maxAgentFile)
	}
	return string(data), nil
}

// toolNames are the tools of a list, without the patterns that the client puts
// behind some of them: Task(a, b), Bash(git:*).
func toolNames(list []string) []string {
	out := []string{}
	for _, text := range list {
		r, err := engine.ParseRule(text)
		if err != nil {
			continue // frontmatter has refused it
		}
		if !slices.Contains(out, r.Tool) {
			out = append(out, r.Tool)
		}
	}
	return out
}
