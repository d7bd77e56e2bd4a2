package paths

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/sdk/go/tool"
)

// Place is a path in the two forms that count: the kernel's destination, and the text's own. Both
// are clean and absolute.
type Place struct {
	Resolved string
	Lexical  string
	// Inside is the working directory containing both; empty when none does, or when the call's use
	// of this path is unproven.
	Inside string
	// Directory means the path was written with a slash at its end.
	Directory bool
	// Tree means the path includes everything below it. Its last names may be globs, "src/**/*.go",
	// for a part of it.
	Tree bool
	// bare is the git repository of plain files around the place, if any.
	bare string
}

// Locate finds the host's facts about the path value of a call. The error says why the path cannot
// be judged; it never means "no such file".
func Locate(c tool.Context, value string) (Place, error) {
	if err := Check(value); err != nil {
		return Place{}, err
	}
	for _, t := range c.Targets {
		if t.Kind != tool.Path && t.Kind != tool.Tree || t.Value != value {
			continue
		}
		return Found(t)
	}
	return Place{}, fmt.Errorf("%s was not resolved", value)
}

// Found returns the host's place for a path.
func Found(t tool.Target) (Place, error) {
	switch {
	case t.Error != "":
		return Place{}, fmt.Errorf("%s: %s", t.Value, t.Error)
	case t.Resolved == "" || t.Lexical == "":
		return Place{}, fmt.Errorf("%s was not resolved", t.Value)
	}
	p := Place{Resolved: path.Clean(t.Resolved), Lexical: path.Clean(t.Lexical), Directory: strings.HasSuffix(t.Value, "/"), Tree: t.Kind == tool.Tree}
	if !t.Claimed {
		p.Inside = t.Inside
	}
	if t.Repo != nil && slices.Contains(t.Repo.Dirty, bareRepository) {
		p.bare = t.Repo.Root
	}
	return p, errors.Join(Check(p.Resolved), checkAlias(p.Lexical), checkAlias(p.Resolved))
}

// bareRepository is the host's sign for a directory of plain files as a git repository. Source:
// host/internal/gate/target.
const bareRepository = "bare git directory"

// Target names a path for the host to resolve; false when the host would refuse
// it as one.
func Target(value, access string) (tool.Target, bool) {
	if value == "" || len(value) > 4096 || strings.ContainsRune(value, 0) {
		return tool.Target{}, false
	}
	return tool.Target{Kind: tool.Path, Value: value, Access: access}, true
}

// Check refuses paths with several readings: with control characters or invalid UTF-8, with a
// backslash or an escape for a slash or dot, with blanks around, too long, or under another user's
// home name.
func Check(value string) error {
	switch {
	case value == "":
		return errors.New("the path is empty")
	case len(value) > 4096:
		return errors.New("the path is longer than 4096 bytes")
	case HasControl(value):
		return errors.New("the path holds a control character")
	case strings.ContainsRune(value, '\uFFFD'):
		return errors.New("the path is not text")
	case strings.TrimSpace(value) != value:
		return errors.New("the path has blanks around it")
	case strings.Contains(value, `\`):
		return errors.New("the path holds a backslash")
	case len(value) >= 5 && strings.EqualFold(value[:5], "file:"):
		return errors.New("the path is an address")
	case strings.HasPrefix(value, "~") && value != "~" && !strings.HasPrefix(value, "~/"):
		return errors.New("the path is in another user's home")
	}
	lower := strings.ToLower(value)
	for _, escape := range []string{"%2e", "%2f", "%5c", "%00"} {
		if strings.Contains(lower, escape) {
			return fmt.Errorf("the path holds the escape %s", escape)
		}
	}
	return nil
}

// Hidden reports whether an unknown member of an input may name one more path or address; then the
// call's targets are unknown. unknown are the members' names, raw is the input.
func Hidden(unknown []string, raw json.RawMessage) bool {
	if len(unknown) == 0 {
		return false
	}
	var members map[string]any
	if err := jsonv2.Unmarshal(raw, &members); err != nil {
		return true
	}
	return slices.ContainsFunc(unknown, func(name string) bool { return leads(path.Base(name)) || leadsInside(members[name]) })
}

// leads reports whether a member's name is one for a path or an address, or for a group of members.
func leads(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc(leading, func(word string) bool { return strings.Contains(lower, word) })
}

var leading = []string{
	"path", "file", "dir", "folder", "target", "dest", "dst", "src", "source", "root", "base", "cwd", "location", "uri", "url", "href", "host", "domain",
	"server", "proxy", "link", "address", "endpoint", "__proto__", "prototype", "constructor",
}

// leadsInside looks for such names in a value, and for texts in the form of paths or addresses.
func leadsInside(value any) bool {
	switch value := value.(type) {
	case string:
		return strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~") || strings.Contains(value, "../") || strings.Contains(value, "://") || strings.Contains(value, `\`)
	case map[string]any:
		for name, inner := range value {
			if leads(name) || leadsInside(inner) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, leadsInside)
	}
	return false
}

// HasControl reports whether s holds a control character, tab and line feed
// included: no path or host has one by accident.
func HasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || 0x7f <= r && r <= 0x9f || r == '\u2028' || r == '\u2029' })
}

// checkAlias refuses paths with a different meaning in each process.
func checkAlias(p string) error {
	names := strings.Split(strings.TrimPrefix(p, "/"), "/")
	if names[0] == "dev" && len(names) > 1 && (names[1] == "fd" || strings.HasPrefix(names[1], "std")) {
		return fmt.Errorf("%s means another file to each process", p)
	}
	if names[0] != "proc" {
		return nil
	}
	for _, name := range names[1:] {
		switch name {
		case "cwd", "root", "fd", "map_files", "exe", "task", "self", "thread-self":
			return fmt.Errorf("%s means another file to each process", p)
		}
	}
	return nil
}

// within reports whether p is dir or lies below it.
func within(dir, p string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}
