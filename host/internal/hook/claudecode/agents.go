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
	"github.com/callgate/callgate/host/internal/config/frontmatter"
	"github.com/callgate/callgate/host/wire"
)

// Agents are the places of the client's sub-agent files. Their content only narrows a sub-agent's
// permissions, so their authors do not matter; an unreadable one denies.
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

// child are a sub-agent's permissions from its file; nil for one without a file, such as the
// client's own. The project's nearest file counts, then the user's, as with the client.
func (a Agents) child(name, cwd string) (*wire.Child, error) {
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

// agentIn looks for a sub-agent in a directory: the files with its name in their front matter, at
// any depth and through links, as the client does. Each of several narrows, because the client's
// choice is unknown. An unreadable one with its name, in the front matter or the file name, is an
// error; other unreadable ones are other agents' business.
func agentIn(dir, name string) (*wire.Child, error) {
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
	// left is the number of further files and directories to read, seen are the visited
	// directories, because links lead to them.
	left int
	seen map[string]bool
	// found is the content of its files, the one within the other; broken is the first unreadable
	// one.
	found  *wire.Child
	broken error
}

func (l *agentLook) dir(dir string) error {
	where, err := filepath.EvalSymlinks(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("cannot read %s: %w", dir, err)
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
		return fmt.Errorf("cannot read %s: %w", dir, err)
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
		return fmt.Errorf("%s contains more than %d agents and directories; remove some", l.root, maxAgentFiles)
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

// agentFile reads one file; is reports whether it is the named agent, or seems to be although
// unreadable.
func agentFile(path, name string) (claim *wire.Child, is bool, err error) {
	text, err := readSmall(path)
	if err != nil {
		return nil, false, err
	}
	head, err := frontmatter.ClientAgent(text)
	if err != nil {
		return nil, names(text, name), fmt.Errorf("the sub-agent %q: %s: %w; fix the file, or remove it", name, path, err)
	}
	if head.Name != name {
		return nil, false, nil
	}
	claim = &wire.Child{Name: name, Mode: head.Mode, DisallowedTools: toolNames(head.Disallowed)}
	if head.Allowed != nil {
		claim.AllowedTools = toolNames(head.Allowed)
	}
	return claim, true, nil
}

// names reports whether a text without proper front matter has a line the client, a less strict
// reader, may take for the name.
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
		return "", fmt.Errorf("%s is not a regular file", path)
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
		return "", fmt.Errorf("%s is larger than %d bytes", path, maxAgentFile)
	}
	return string(data), nil
}

// toolNames are the tools of a list, without the client's patterns behind some of them: Task(a, b),
// Bash(git:*).
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
