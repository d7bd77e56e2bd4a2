// Package servers rewrites the list of MCP servers in a client's file, so that each server starts
// behind the proxy, and undoes it. It changes those bytes alone: comments, order and blanks stay,
// and undoing restores the text to the byte.
//
// It may import package mcp and text; the CLI calls it.
package servers

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/callgate/callgate/host/internal/mcp"
)

// Client is a client's way of listing its servers.
type Client struct {
	// Name is the client's word on the command line.
	Name string
	// member holds the servers in the file.
	member string
	// joined means that the command and its arguments are one array.
	joined bool
	// place is the file below a home directory.
	place func(home, system string) string
}

// Clients are the known ones.
func Clients() []Client {
	return []Client{
		{Name: "claude-code", member: "mcpServers", place: func(home, _ string) string { return filepath.Join(home, ".claude.json") }},
		{Name: "claude-desktop", member: "mcpServers", place: func(home, system string) string {
			switch system {
			case "darwin":
				return filepath.Join(home, "Library", "Application Support", "Claude", "claude_desktop_config.json")
			case "windows":
				return filepath.Join(home, "AppData", "Roaming", "Claude", "claude_desktop_config.json")
			}
			return filepath.Join(home, ".config", "Claude", "claude_desktop_config.json")
		}},
		{Name: "gemini-cli", member: "mcpServers", place: func(home, _ string) string { return filepath.Join(home, ".gemini", "settings.json") }},
		{Name: "opencode", member: "mcp", joined: true, place: func(home, _ string) string {
			return filepath.Join(home, ".config", "opencode", "opencode.json")
		}},
	}
}

// File is the client's usual file for an account; system is a GOOS.
func (c Client) File(home, system string) string { return c.place(home, system) }

// Change is an edit of a client's file. Servers are in the order of the file.
type Change struct {
	Text []byte `json:"-"`
	// Changed are the servers put behind the proxy, or taken from behind it; Same those that were
	// so before.
	Changed []string `json:"changed"`
	Same    []string `json:"same,omitempty"`
	// Skipped says for a server why it was left alone.
	Skipped map[string]string `json:"skipped,omitempty"`
}

// Proxy is the proxy's command: the program, and the arguments for a server before "--".
type Proxy struct {
	Binary string
	Args   func(server string) []string
}

// Wrap puts each server of a text behind the proxy: before its command, or as a bridge to its address.
func (c Client) Wrap(text []byte, p Proxy) (Change, error) {
	return c.edit(text, func(name string, e entry) ([]splice, string) {
		if err := mcp.CheckName(name); err != nil {
			return nil, err.Error()
		}
		if e.whole != nil {
			return c.bridge(e, p.Binary, p.Args(name)), ""
		}
		return e.wrap(p.Binary, p.Args(name)), ""
	}, false)
}

// Unwrap takes each server behind the proxy out again.
func (c Client) Unwrap(text []byte) (Change, error) {
	return c.edit(text, func(_ string, e entry) ([]splice, string) { return e.unwrap(), "" }, true)
}

// edit changes the servers that are behind the proxy, or are not.
func (c Client) edit(text []byte, change func(name string, e entry) ([]splice, string), behind bool) (Change, error) {
	out := Change{Text: text, Changed: []string{}, Skipped: map[string]string{}}
	root, err := parse(text)
	if err != nil {
		return out, err
	}
	list := root.member(c.member)
	if list == nil {
		return out, nil
	}
	if list.kind != '{' {
		return out, fmt.Errorf("%s: want an object", c.member)
	}
	var all []splice
	for _, it := range list.items {
		e, why := c.entry(text, it.value)
		switch {
		case why != "":
			if !behind {
				out.Skipped[it.name] = why
			}
		case e.behind() != behind:
			if !behind {
				out.Same = append(out.Same, it.name)
			}
		default:
			s, why := change(it.name, e)
			if why != "" {
				out.Skipped[it.name] = why
				continue
			}
			all = append(all, s...)
			out.Changed = append(out.Changed, it.name)
		}
	}
	slices.SortStableFunc(all, func(a, b splice) int { return b.from - a.from }) // from the end
	for _, s := range all {
		out.Text = slices.Concat(out.Text[:s.from], s.with, out.Text[s.to:])
	}
	return out, nil
}

// splice replaces text[from:to].
type splice struct {
	from, to int
	with     []byte
}

// entry is one server.
type entry struct {
	text []byte
	// whole is the entry of a server over HTTP, and original its text before it was put behind the
	// proxy; nil for a server that is started by a command.
	whole    *node
	original []byte
	// words are the command and its arguments, or the arguments alone with a command beside them.
	words []*node
	// array holds words; nil when a server has no member args.
	array *node
	// command is the member beside args; nil when both are one array.
	command *node
	// before is where the member command begins, empty where the arguments' member begins.
	before, argsBegin int
	args              []string
}

// entry reads a server; why says why it is left alone.
func (c Client) entry(text []byte, n *node) (e entry, why string) {
	e.text = text
	command := n.member("command")
	if command == nil {
		return c.remote(text, n)
	}
	if original := c.bridged(text, n); original != nil {
		return entry{text: text, whole: n, original: original}, ""
	}
	e.array = command
	if !c.joined {
		e.command, e.array = command, n.member("args")
		e.before = n.items[n.index("command")].start
		if e.command.kind != '"' {
			return e, "its command is no string"
		}
	}
	if e.array == nil {
		return e, ""
	}
	if e.array.kind != '[' {
		return e, "its arguments are no array"
	}
	if !c.joined {
		e.argsBegin = n.items[n.index("args")].start
	}
	for _, it := range e.array.items {
		if it.value.kind != '"' {
			return e, "an argument is no string"
		}
		e.words = append(e.words, it.value)
		e.args = append(e.args, it.value.str(text))
	}
	if c.joined && len(e.words) == 0 {
		return e, "its command is empty"
	}
	return e, ""
}

// behind reports whether the server is behind the proxy.
func (e entry) behind() bool {
	if e.whole != nil {
		return e.original != nil
	}
	args, program := e.args, ""
	switch {
	case e.command != nil:
		program = e.command.str(e.text)
	case len(args) > 0:
		program, args = args[0], args[1:]
	}
	i := slices.Index(args, "--")
	base := strings.TrimSuffix(filepath.Base(program), ".exe")
	return base == "callgate" && len(args) > 0 && args[0] == "mcp" && i > 0 && i+1 < len(args) && slices.Contains(args[:i], "--server")
}

// wrap puts the proxy before the command.
func (e entry) wrap(binary string, args []string) []splice {
	words := append(slices.Clone(args), "--")
	if e.command == nil {
		at := e.words[0].start
		return []splice{{at, at, append(quoted(append([]string{binary}, words...)), ", "...)}}
	}
	with := append(append(quoted(words), ", "...), e.text[e.command.start:e.command.end]...)
	program := splice{e.command.start, e.command.end, quote(binary)}
	switch {
	case e.array == nil:
		return []splice{{e.before, e.before, slices.Concat([]byte(`"args": [`), with, []byte("], "))}, program}
	case len(e.words) == 0:
		at := e.array.start + 1
		return []splice{{at, at, append([]byte(" "), with...)}, program} // the blank tells it from a member of ours
	}
	at := e.words[0].start
	return []splice{{at, at, append(with, ", "...)}, program}
}

// unwrap undoes wrap.
func (e entry) unwrap() []splice {
	if e.whole != nil {
		return []splice{{e.whole.start, e.whole.end, e.original}}
	}
	i := slices.Index(e.args, "--") + 1 // the original command, by behind
	if e.command == nil {
		return []splice{{e.words[0].start, e.words[i].start, nil}}
	}
	program := splice{e.command.start, e.command.end, e.text[e.words[i].start:e.words[i].end]}
	if i+1 < len(e.words) {
		return []splice{{e.words[0].start, e.words[i+1].start, nil}, program}
	}
	begin := e.array.start + 1
	if e.words[0].start == begin && e.array.end < e.before && string(e.text[e.array.end:e.before]) == ", " {
		return []splice{{e.argsBegin, e.before, nil}, program} // wrap made the member
	}
	return []splice{{begin, e.words[i].end, nil}, program}
}

// quoted are strings of an array, without its brackets.
func quoted(words []string) []byte {
	var out []byte
	for i, w := range words {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(out, quote(w)...)
	}
	return out
}

func quote(s string) []byte {
	out, _ := jsontext.AppendQuote(nil, s) // paths and names are UTF-8; anything else is replaced
	return out
}

// node is one value: text[start:end].
type node struct {
	start, end int
	kind       jsontext.Kind
	items      []item
}

// item is a member of an object, or an element of an array; start is where it begins.
type item struct {
	name  string
	start int
	value *node
}

func (n *node) index(name string) int {
	if n == nil || n.kind != '{' {
		return -1
	}
	return slices.IndexFunc(n.items, func(it item) bool { return it.name == name })
}

// member is a member's value; nil when there is none.
func (n *node) member(name string) *node {
	if i := n.index(name); i >= 0 {
		return n.items[i].value
	}
	return nil
}

// str decodes a string.
func (n *node) str(text []byte) string {
	s, _ := jsontext.AppendUnquote(nil, text[n.start:n.end]) // the parser has read it
	return string(s)
}

// parse reads a JSON object that may have comments and trailing commas, each name once in an
// object.
func parse(text []byte) (*node, error) {
	plain, err := hujson.Standardize(bytes.Clone(text)) // it keeps every byte at its place
	if err != nil {
		return nil, err
	}
	in := jsontext.NewDecoder(bytes.NewReader(plain))
	root, err := value(in, 0)
	if err != nil {
		return nil, err
	}
	if root.kind != '{' {
		return nil, errors.New("want a JSON object")
	}
	return root, nil
}

// maxDepth bounds how deep values nest.
const maxDepth = 200

func value(in *jsontext.Decoder, depth int) (*node, error) {
	kind := in.PeekKind()
	if depth > maxDepth {
		return nil, errors.New("nested too deeply")
	}
	if kind != '{' && kind != '[' {
		v, err := in.ReadValue()
		end := int(in.InputOffset())
		return &node{start: end - len(v), end: end, kind: kind}, err
	}
	if _, err := in.ReadToken(); err != nil {
		return nil, err
	}
	n := &node{start: int(in.InputOffset()) - 1, kind: kind}
	for in.PeekKind() != '}' && in.PeekKind() != ']' {
		var it item
		if kind == '{' {
			raw, err := in.ReadValue()
			if err != nil {
				return nil, err
			}
			it.start = int(in.InputOffset()) - len(raw)
			name, err := jsontext.AppendUnquote(nil, raw)
			if err != nil {
				return nil, err
			}
			it.name = string(name)
		}
		v, err := value(in, depth+1)
		if err != nil {
			return nil, err
		}
		if it.value = v; kind == '[' {
			it.start = v.start
		}
		n.items = append(n.items, it)
	}
	_, err := in.ReadToken()
	n.end = int(in.InputOffset())
	return n, err
}
