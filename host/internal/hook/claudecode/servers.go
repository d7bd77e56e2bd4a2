package claudecode

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/wire"
)

// Servers are the places of the client's MCP server definitions. Their content narrows the client's
// word about a server and never widens it.
type Servers struct {
	// User are the possible files of the user's settings, ~/.claude.json. The project's are the
	// files .mcp.json in the call's directory and above it.
	User []string
	// Managed is the organisation's file, managed-mcp.json.
	Managed string
}

// maxServersFile bounds a file of definitions, in bytes: the user's holds the
// client's history as well.
const maxServersFile = 64 << 20

// definition is one definition of a server.
type definition struct {
	// source is the client's word for the place.
	source string
	// text is the place and the definition: the same command means another
	// program below another directory.
	text string
}

// identify finds the server behind a name. source is the client's word for its origin; empty
// without one, and then only a single defining place counts.
func (s Servers) identify(name, source, cwd string) *wire.Server {
	c := &wire.Server{Name: name, Source: word(source)}
	if c.Source == "enterprise" { // an older word
		c.Source = "managed"
	}
	found, err := s.definitions(name, cwd)
	if err != nil {
		c.Doubt = wire.DoubtUnreadable
		return c
	}
	switch {
	case source == "" && len(found) > 0:
		c.Source = found[0].source
	case source == "":
		c.Source = unknown
	}
	var texts []string
	for _, d := range found {
		if d.source == c.Source {
			texts = append(texts, d.text)
		}
	}
	switch {
	case len(texts) == 0 && keptInFiles[c.Source]:
		c.Doubt = wire.DoubtNotFound
		return c
	case len(texts) != len(found) || len(texts) > 1:
		c.Doubt = wire.DoubtClaimedTwice
	}
	if len(texts) > 0 {
		sum := sha256.Sum256([]byte(strings.Join(texts, "\n")))
		c.Definition = hex.EncodeToString(sum[:16])
	}
	return c
}

// keptInFiles are the sources with definitions in readable files. Others, such as plug-ins and
// servers for one run, are known by name and source alone.
var keptInFiles = map[string]bool{"user": true, "local": true, "project": true, "managed": true}

// unknown is the source of a server of unknown origin.
const unknown = "unknown"

// word is a source in the gate's form: an unfit word of the client becomes "unknown".
func word(source string) string {
	if len(source) > 32 || strings.ContainsFunc(source, func(r rune) bool { return (r < 'a' || 'z' < r) && r != '-' && r != '_' && (r < '0' || '9' < r) }) {
		return unknown
	}
	return source
}

// definitions finds every definition of a server, under each name with the same form in tools'
// names.
func (s Servers) definitions(name, cwd string) ([]definition, error) {
	var found []definition
	add := func(source, place string, servers map[string]jsontext.Value) {
		for key, value := range servers {
			if slices.Contains(spellings(key), name) {
				found = append(found, definition{source, place + " " + key + " " + string(value)})
			}
		}
	}
	above := directoriesAbove(cwd)
	type file struct {
		Servers map[string]jsontext.Value `json:"mcpServers"`
	}
	for _, path := range s.User {
		var user struct {
			file     `json:",inline"`
			Projects map[string]file `json:"projects"`
		}
		if err := readServers(path, &user); err != nil {
			return nil, err
		}
		add("user", "", user.Servers)
		for _, dir := range above {
			add("local", dir, user.Projects[dir].Servers)
		}
	}
	for _, dir := range above {
		var f file
		if err := readServers(filepath.Join(dir, ".mcp.json"), &f); err != nil {
			return nil, err
		}
		add("project", dir, f.Servers)
	}
	var managed file
	if err := readServers(s.Managed, &managed); err != nil {
		return nil, err
	}
	add("managed", "", managed.Servers)
	slices.SortFunc(found, func(a, b definition) int { return strings.Compare(a.source+a.text, b.source+b.text) })
	return slices.Compact(found), nil
}

// directoriesAbove are an absolute directory and all above it.
func directoriesAbove(dir string) []string {
	if !filepath.IsAbs(dir) {
		return nil
	}
	all := []string{filepath.Clean(dir)}
	for {
		above := filepath.Dir(all[len(all)-1])
		if above == all[len(all)-1] {
			return all
		}
		all = append(all, above)
	}
}

// readServers reads a file of definitions into v, each in one spelling; none for a missing file.
func readServers(path string, v any) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular(): // a pipe would be waited for
		return fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxServersFile+1))
	if err != nil {
		return err
	}
	if len(data) > maxServersFile {
		return fmt.Errorf("%s is larger than %d bytes", path, maxServersFile)
	}
	value := jsontext.Value(data)
	if err := value.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return jsonv2.Unmarshal(value, v)
}
