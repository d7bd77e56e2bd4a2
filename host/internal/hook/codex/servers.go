package codex

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/wire"
)

// mcpPrefix begins the names of MCP tools: mcp__SERVER__TOOL.
const mcpPrefix = "mcp__"

// Servers are the directories of the account's configuration, ~/.codex. A project's is the
// directory .codex where the call runs or above. Their content narrows.
type Servers struct{ User []string }

// maxConfig bounds a config.toml, in bytes.
const maxConfig = 4 << 20

// server identifies the server of a tool's name. Where the name has several readings, a configured
// server decides; without one, nil: then only rules with effect in every reading count.
func (s Servers) server(tool, cwd string) *wire.Server {
	defined, err := s.defined(cwd)
	rest := tool[len(mcpPrefix):]
	var name string
	for n := range defined {
		if after, ok := strings.CutPrefix(rest, n+"__"); ok && after != "" {
			if name != "" {
				return nil
			}
			name = n
		}
	}
	if name == "" {
		n, after, ok := strings.Cut(rest, "__")
		if !ok || n == "" || after == "" || strings.Contains(after, "__") || after[0] == '_' {
			return nil
		}
		name = n
	}
	found := runner.Identify(name, defined[name], "")
	if err != nil {
		found.Doubt = wire.DoubtUnreadable
	}
	return found
}

// defined are the definitions by their names as they stand in tools' names.
func (s Servers) defined(cwd string) (map[string][]runner.Definition, error) {
	out := map[string][]runner.Definition{}
	var errs error
	add := func(source, dir string) {
		path := filepath.Join(dir, configFile)
		data, err := readConfig(path)
		var file struct {
			Servers map[string]any `toml:"mcp_servers"`
		}
		if err == nil {
			err = toml.Unmarshal(data, &file)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = errors.Join(errs, err)
		}
		for name, value := range file.Servers {
			text, err := json.Marshal(value) // its members are sorted
			errs = errors.Join(errs, err)
			if source == "project" {
				text = append([]byte(dir+" "), text...) // the same command means another program there
			}
			form := runner.InToolName(name)
			out[form] = append(out[form], runner.Definition{Source: source, Text: name + " " + string(text)})
		}
	}
	seen := map[string]bool{}
	for _, dir := range s.User {
		seen[dir] = true
		add("user", dir)
	}
	for dir := cwd; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		if own := filepath.Join(dir, ".codex"); !seen[own] {
			add("project", own)
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return out, errs
}

func readConfig(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxConfig:
		return nil, errors.New(path + ": not a regular file of at most 4 MiB")
	}
	return os.ReadFile(path)
}
