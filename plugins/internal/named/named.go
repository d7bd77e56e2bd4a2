// Package named finds the paths and hosts in the input of an unknown tool, so deny and ask rules
// for files and hosts hold for its calls, too. It gives no allowance. RATIONALE.md, "Why is every
// text of an unknown tool's input looked at?".
package named

import (
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/plugins/web"
	"github.com/callgate/callgate/sdk/go/tool"
)

// most bounds the targets of one call, below the host's own bound.
const most = 200

// deepest bounds how far JSON within texts is looked into.
const deepest = 8

// Targets are the paths and hosts in any text of an input, in any member and at any depth: values
// and names of members, elements of lists, JSON within a text, and the parts of a text around "=",
// "," and ";". A relative path is taken from the current directory and from the first working
// directory. A sentence may mention anything, so it counts only in a member for commands. reads
// means the tool only reads; otherwise a path is written as well. unknown means there are more
// targets than listed, or an unreadable address or path.
func Targets(c tool.Context, raw json.RawMessage, reads bool) (targets []tool.Target, unknown bool) {
	f := finder{accesses: []string{tool.Read, tool.Write}, seen: map[tool.Target]bool{}}
	if reads {
		f.accesses = f.accesses[:1]
	}
	f.bases = append(f.bases, c.CWD)
	if len(c.WorkingDirectories) > 0 && c.WorkingDirectories[0] != c.CWD {
		f.bases = append(f.bases, c.WorkingDirectories[0])
	}
	f.value("", jsontext.Value(raw), 0)
	return f.targets, f.unknown
}

type finder struct {
	accesses []string
	// bases are the possible starting directories of a relative path.
	bases   []string
	targets []tool.Target
	seen    map[tool.Target]bool
	unknown bool
}

// add takes a target up, once.
func (f *finder) add(t tool.Target) {
	switch {
	case f.seen[t]:
	case len(f.targets) == most:
		f.unknown = true
	default:
		f.seen[t] = true
		f.targets = append(f.targets, t)
	}
}

// value looks into a value of a named member.
func (f *finder) value(name string, v jsontext.Value, depth int) {
	switch v.Kind() {
	case '{':
		var members map[string]jsontext.Value
		_ = jsonv2.Unmarshal(v, &members) // cannot fail: the input was decoded before
		for _, key := range slices.Sorted(maps.Keys(members)) {
			f.whole("", key, depth)
			f.value(key, members[key], depth)
		}
	case '[':
		var items []jsontext.Value
		_ = jsonv2.Unmarshal(v, &items) // as above
		for _, item := range items {
			f.value(name, item, depth)
		}
	case '"':
		unquoted, _ := jsontext.AppendUnquote(nil, v) // as above
		f.whole(name, string(unquoted), depth)
	}
}

// whole looks at a whole text. It may be JSON itself.
func (f *finder) whole(name, text string, depth int) {
	text = trim(text)
	if inner := jsontext.Value(text); depth < deepest && (strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")) && inner.IsValid() {
		f.value(name, inner, depth+1)
		return
	}
	f.text(name, text)
}

func trim(text string) string {
	return strings.TrimFunc(text, func(r rune) bool { return r <= ' ' || r == '\u00a0' })
}

// text looks at a text of a named member.
func (f *finder) text(name, text string) {
	if strings.ContainsAny(text, " \t\r\n") && !isPathName(name) && !isAddressName(name) {
		if isCommandName(name) {
			for _, word := range strings.Fields(text) {
				f.word("", strings.Trim(word, "'\"`()<>|&;"))
			}
		}
		return // prose: it may mention anything
	}
	f.word(name, text)
}

// word looks at a text of one name, and at the parts of a text with several.
func (f *finder) word(name, text string) {
	if f.host(name, text) || f.file(name, text) {
		return
	}
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("=,;", r) }) {
		if part != text && (f.host("", part) || f.file("", part)) {
			continue
		}
		for _, end := range strings.FieldsFunc(part, func(r rune) bool { return r == '@' || r == ':' }) {
			if end != text && (strings.HasPrefix(end, "/") || strings.HasPrefix(end, "~/")) {
				f.file("", end)
			}
		}
	}
}

// host adds the host of an address; whole means the text is one and nothing else.
func (f *finder) host(name, text string) (whole bool) {
	address, reaches := addressOf(text)
	if !reaches {
		address, whole = otherAddress(text)
	}
	if !reaches && !whole && !isAddressName(name) && !likeHost(text) {
		return false
	}
	host, err := web.Host(address)
	switch {
	case err == nil && (reaches || whole || strings.Contains(host, ".") || host == "localhost"):
		f.add(tool.Target{Kind: tool.Host, Value: host, Access: tool.Read})
		whole = whole || isAddressName(name)
	case reaches:
		f.unknown = true
	}
	return reaches || whole
}

// file adds a path: a file's address, an absolute path, one below the home directory, or a likely
// relative one. It reports whether the text is surely a path.
func (f *finder) file(name, text string) bool {
	scheme, rest, _ := strings.Cut(text, ":")
	switch {
	case strings.EqualFold(scheme, "file") && strings.HasPrefix(rest, "/"):
		f.fileAddress(rest)
		return true
	case strings.HasPrefix(text, "/"):
		f.path("/" + strings.TrimLeft(text, "/"))
		return true
	case text == "~", strings.HasPrefix(text, "~/"):
		f.path(text)
		return true
	case strings.HasPrefix(text, "~") && isPathName(name):
		f.unknown = true // another user's home
		return true
	case isPathName(name) && text != "", likeFile(text):
		f.relative(text)
	}
	return false
}

// fileAddress adds the path after "file:".
func (f *finder) fileAddress(rest string) {
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
}

// relative adds a path from each possible starting directory, as an absolute one, because the tool
// may mean another machine.
func (f *finder) relative(text string) {
	if len(text) > 1024 || paths.Check(text) != nil {
		return
	}
	for _, base := range f.bases {
		if base != "" {
			f.path(path.Join(base, text))
		}
	}
}

func (f *finder) path(value string) {
	for _, access := range f.accesses {
		target, ok := paths.Target(value, access)
		if !ok {
			f.unknown = true
			return
		}
		f.add(target)
	}
}

// likeFile reports whether a text looks like the path of a file: with a slash, hidden,
// or with an extension.
func likeFile(text string) bool {
	if strings.ContainsAny(text, ":@=,;") || strings.HasPrefix(text, "-") {
		return false
	}
	dot := strings.LastIndexByte(text, '.')
	return strings.Contains(strings.Trim(text, "/"), "/") || len(text) > 1 && dot == 0 || dot > 0 && 1 <= len(text)-dot-1 && len(text)-dot-1 <= 8
}

// likeHost reports whether a text looks like an address without a scheme: a host with a
// dot, then a slash or a port.
func likeHost(text string) bool {
	end := strings.IndexAny(text, "/:")
	return end > 0 && strings.Contains(strings.Trim(text[:end], "."), ".") && !strings.ContainsAny(text[:end], "@=,;")
}

// otherAddress is the address of a host in the schemes and forms of other programs:
// ssh://ann@host/x, postgres://host/db, git@host:path.
func otherAddress(text string) (address string, whole bool) {
	scheme, rest, found := strings.Cut(text, "://")
	switch {
	case found && scheme != "" && !strings.EqualFold(scheme, "file") && !strings.ContainsAny(scheme, "/?#@ "):
	case strings.Contains(text, "@") && strings.Contains(text, ":") && strings.Index(text, "@") < strings.Index(text, ":") && !strings.ContainsAny(text[:strings.Index(text, ":")], "/ "):
		rest, _, _ = strings.Cut(text, ":")
	default:
		return "https://" + strings.TrimPrefix(text, "//"), false
	}
	authority := rest
	if end := strings.IndexAny(authority, "/?#"); end >= 0 {
		authority = authority[:end]
	}
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	host, _, _ := strings.Cut(authority, ",") // several hosts: the first; the others are parts of the text
	return "https://" + host, host != ""
}

// addressOf returns a text's address, as web.Host reads it: with the repairs of browsers and other
// clients in the slashes and around them, and any scheme for reaching a host. Without such a scheme
// it is not whole, and an address only where one is expected.
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

// reaching are the schemes of addresses leading to a host, wrapping those in front of a whole
// address.
var (
	reaching = map[string]bool{"http": true, "https": true, "ws": true, "wss": true, "ftp": true, "ftps": true}
	wrapping = map[string]bool{"view-source": true, "blob": true, "filesystem": true, "feed": true, "url": true}
)

// isAddressName reports whether a member's name is one for an address or a host: url, urls, href,
// hostname, domain, endpoint.
func isAddressName(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc([]string{"url", "uri", "href", "link", "host", "domain", "site", "origin", "endpoint", "address"}, func(word string) bool {
		return strings.Contains(lower, word)
	})
}

// isCommandName reports whether a member's name is one for a command line or code.
func isCommandName(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc([]string{"command", "cmd", "script", "shell", "exec", "code", "args", "argv"}, func(word string) bool {
		return strings.Contains(lower, word)
	})
}

// isPathName reports whether a member's name is one for a path: path, file_path, sourceFile,
// outputDir, destination.
func isPathName(name string) bool {
	lower := strings.ToLower(name)
	return slices.ContainsFunc([]string{"path", "file", "dir", "folder", "source", "dest", "src", "dst", "root", "cwd", "uri"}, func(word string) bool {
		return strings.Contains(lower, word)
	})
}
