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

// Targets are the hosts of all texts that are an address as a whole, and of bare
// hosts in members that are named like addresses; and the absolute paths in members that are named like paths. A relative
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
	text = strings.TrimFunc(text, func(r rune) bool { return r <= ' ' || r == '\u00a0' })
	if strings.ContainsAny(text, " \t\r\n") && !isPathName(name) && !isAddressName(name) {
		return // prose, which may mention anything
	}
	if address, whole := addressOf(text); whole || isAddressName(name) {
		host, err := web.Host(address)
		if err == nil && (whole || strings.Contains(host, ".") || host == "localhost") {
			f.targets = append(f.targets, tool.Target{Kind: tool.Host, Value: host, Access: tool.Read})
			return
		}
		if f.unknown = f.unknown || whole; whole {
			return
		}
	}
	scheme, rest, _ := strings.Cut(text, ":")
	switch {
	case strings.EqualFold(scheme, "file") && strings.HasPrefix(rest, "/"):
		if after, ok := strings.CutPrefix(rest, "//"); ok {
			_, rest, _ = strings.Cut(after, "/")
			rest = "/" + rest
		}
		if end := strings.IndexAny(rest, "?#"); end >= 0 {
			f.unknown, rest = true, rest[:end]
		}
		decoded, err := url.PathUnescape(rest)
		if err != nil || decoded == "/" {
			f.unknown = true
			return
		}
		f.path(decoded)
	case isPathName(name) && (strings.HasPrefix(text, "/") || text == "~" || strings.HasPrefix(text, "~/")):
		f.path(text)
	}
}

// addressOf returns the address that a text is, as web.Host reads it: with what
// browsers and other clients repair in the slashes and around them, whatever the
// scheme by which a host is reached. Without such a scheme it is not whole, and an
// address only where one is expected.
func addressOf(text string) (address string, whole bool) {
	text = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(text)
	for {
		scheme, rest, found := strings.Cut(text, ":")
		scheme = strings.ToLower(scheme)
		switch {
		case found && wrapping[scheme]:
			text = rest
		case found && reaching[scheme]:
			return "https://" + strings.TrimLeft(rest, `/\`), true
		default:
			return "https://" + strings.TrimPrefix(text, "//"), false
		}
	}
}

// reaching are the schemes of addresses that lead to a host, wrapping those that
// stand before a whole address.
var (
	reaching = map[string]bool{"http": true, "https": true, "ws": true, "wss": true, "ftp": true, "ftps": true}
	wrapping = map[string]bool{"view-source": true, "blob": true, "filesystem": true, "feed": true, "url": true}
)

// isAddressName reports whether a member's name tells that its value is an
// address or a host: url, urls, href, hostname, domain, endpoint.
func isAddressName(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc([]string{"url", "uri", "href", "link", "host", "domain", "site", "origin", "endpoint", "address"}, func(word string) bool {
		return strings.Contains(lower, word)
	})
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
