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

// agentIn looks for a sub-agent in a directory: the file whose front matter has its
// name, wherever below it. A file by that name whose front matter cannot be read is
// an error; others that cannot be read are other agents' business.
func agentIn(dir, name string) (*gate.ChildClaim, error) {
	left := maxAgentFiles
	var found *gate.ChildClaim
	var broken error
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("%s cannot be read: %w", path, err)
		case e.IsDir() || !strings.EqualFold(filepath.Ext(path), ".md"):
			return nil
		}
		if left--; left < 0 {
			return fmt.Errorf("%s holds more than %d agents: remove some", dir, maxAgentFiles)
		}
		byName := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) == name
		claim, is, err := agentFile(path, name)
		switch {
		case err != nil && byName && broken == nil:
			broken = err
		case is && found == nil:
			found = claim
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		return found, nil
	}
	return nil, broken
}

// agentFile reads one file; is tells that it is the agent of that name.
func agentFile(path, name string) (claim *gate.ChildClaim, is bool, err error) {
	text, err := readSmall(path)
	if err != nil {
		return nil, false, err
	}
	head, err := frontmatter.ClientAgent(text)
	if err != nil {
		return nil, false, fmt.Errorf("the sub-agent %q: %s: %w: mend the file, or remove it", name, path, err)
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
