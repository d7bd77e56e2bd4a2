// Package named finds the paths and hosts that the input of a tool names which
// nobody knows, so that deny and ask rules for files and hosts hold for its
// calls, too (design section 3, "Cross-tool"). It gives no allowance.
package named

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/plugins/web"
	"github.com/callgate/callgate/sdk/go/tool"
)

// most bounds the targets of one call.
const most = 64

// Targets are the hosts of all texts that are an http or https address as a
// whole, and the absolute paths in members that are named like paths. A relative
// path is none: it may be one of another machine, or of a repository.
// reads tells that the tool only reads; otherwise a path is written as well.
// unknown tells that there are more targets than are listed, or an address that
// cannot be read.
func Targets(raw json.RawMessage, reads bool) (targets []tool.Target, unknown bool) {
	f := finder{reads: reads}
	f.value("", jsontext.Value(raw))
	if len(f.targets) > most {
		return f.targets[:most], true
	}
	return f.targets, f.unknown
}

type finder struct {
	reads   bool
	targets []tool.Target
	unknown bool
}

// value looks into a value that stands under a member's name.
func (f *finder) value(name string, v jsontext.Value) {
	if len(f.targets) > most {
		return
	}
	switch v.Kind() {
	case '{':
		var members map[string]jsontext.Value
		_ = jsonv2.Unmarshal(v, &members) // cannot fail: the input was decoded before
		for _, key := range sorted(members) {
			f.value(key, members[key])
		}
	case '[':
		var items []jsontext.Value
		_ = jsonv2.Unmarshal(v, &items) // as above
		for _, item := range items {
			f.value(name, item)
		}
	case '"':
		text, _ := jsontext.AppendUnquote(nil, v) // as above
		f.text(name, string(text))
	}
}

func sorted(members map[string]jsontext.Value) []string {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (f *finder) text(name, text string) {
	scheme, rest, _ := strings.Cut(text, "://")
	switch scheme = strings.ToLower(scheme); {
	case strings.ContainsAny(text, " \t\n") && !isPathName(name):
	case scheme == "http" || scheme == "https":
		host, err := web.Host(text)
		if err != nil {
			f.unknown = true
			return
		}
		f.targets = append(f.targets, tool.Target{Kind: tool.Host, Value: host, Access: tool.Read})
	case scheme == "file":
		_, path, ok := strings.Cut(rest, "/") // after the host
		if decoded, err := url.PathUnescape(path); ok && err == nil {
			f.path("/" + decoded)
		} else {
			f.unknown = true
		}
	case isPathName(name) && (strings.HasPrefix(text, "/") || text == "~" || strings.HasPrefix(text, "~/")):
		f.path(text)
	}
}

func (f *finder) path(value string) {
	accesses := []string{tool.Read, tool.Write}
	if f.reads {
		accesses = accesses[:1]
	}
	for _, access := range accesses {
		target, ok := paths.Target(value, access)
		if !ok {
			f.unknown = true
			return
		}
		f.targets = append(f.targets, target)
	}
}

// isPathName reports whether a member's name tells that its value is a path:
// path, file_path, sourceFile, outputDir, destination.
func isPathName(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc([]string{"path", "file", "dir", "folder", "source", "dest", "src", "dst", "root", "cwd", "uri"}, func(word string) bool {
		return strings.Contains(lower, word)
	})
}
