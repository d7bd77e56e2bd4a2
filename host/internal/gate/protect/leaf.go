package protect

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// Bounds on the values of an input for single inspection.
const (
	maxLeaves = 4096
	maxLeaf   = 4096
)

// leaf is one value of a call's input: a text or a number.
type leaf struct {
	member string // the innermost member's name
	text   string
}

// commandMembers are the usual names of a command in a tool's input, argumentMembers those of
// its arguments.
var (
	commandMembers  = []string{"command", "commands", "cmd", "script", "code", "argv", "shell", "exec", "program", "executable", "bash", "source"}
	argumentMembers = []string{"args", "arguments", "parameters", "params"}
)

// takingAway are words in the names of tools that move or remove trees.
var takingAway = []string{"move", "rename", "delete", "remove", "rm", "trash", "unlink", "copy", "sync", "extract", "unzip", "replace"}

// leaves judges a call without named targets: every text of its input that leads into a
// protected place or names the endpoint denies, and a command in it is searched as a text.
func (j *judge) leaves() string {
	all, err := leavesOf(j.call.Input)
	if err != nil {
		return "Callgate cannot read its input: " + err.Error()
	}
	tool := strings.ToLower(j.call.Tool)
	above := slices.ContainsFunc(takingAway, func(word string) bool { return strings.Contains(tool, word) })
	port, here := false, false
	access := "write"
	if reads(tool) {
		access = "read"
	}
	ours := j.ports()
	var command, arguments []string
	var paths []engine.Target
	for _, l := range all {
		switch member := strings.ToLower(l.member); {
		case slices.Contains(commandMembers, member):
			command = append(command, l.text)
		case slices.Contains(argumentMembers, member):
			arguments = append(arguments, l.text)
		}
		port = port || slices.Contains(ours, normalPort(l.text))
		here = here || l.text != "" && l.text != unknown && l.text != "*" && !strings.ContainsAny(l.text, " \n") && j.here(strings.ToLower(l.text))
		if why := j.leaf(l.text, access, &paths); why != "" {
			return why
		}
	}
	if port && here {
		return "it names Callgate's own port, " + strings.Join(ours, " or ")
	}
	if why := j.lead(paths, above); why != "" {
		return why
	}
	return j.text(strings.Join(append(command, arguments...), " "))
}

// leaf judges one text as an address, and adds it to the paths when it can be
// one.
func (j *judge) leaf(text, access string, paths *[]engine.Target) string {
	if text == "" || len(text) > maxLeaf || strings.ContainsAny(text, "\n\r\x00") {
		return ""
	}
	if j.prose(text) {
		return ""
	}
	if access == "write" || hostPort().MatchString(text) {
		if why := j.token(text); why != "" {
			return why
		}
	}
	text = strings.TrimPrefix(text, "file://")
	if !strings.Contains(text, "://") && strings.Count(text, " ") <= 8 {
		*paths = append(*paths, engine.Target{Kind: "tree", Value: text, Access: access})
	}
	return ""
}

// lead judges texts taken as paths. With above, parents of protected places count, too.
func (j *judge) lead(paths []engine.Target, above bool) string {
	targets, why := j.resolved(paths)
	if why != "" {
		return why
	}
	for _, t := range targets {
		if !above {
			t.Kind = "path"
		}
		if why := j.target(t); why != "" {
			return why
		}
	}
	return ""
}

// prose reports whether a text cannot be a path: it begins with words, and no directory has
// that name.
func (j *judge) prose(text string) bool {
	first, _, deep := strings.Cut(text, "/")
	if !deep || !strings.Contains(first, " ") || strings.ContainsAny(first[:1], "~$%.") || strings.ContainsAny(text, "\\") || strings.Contains(text, "..") || strings.Contains(text, "://") {
		return false
	}
	_, err := os.Lstat(filepath.Join(j.call.Context.CWD, first))
	return errors.Is(err, os.ErrNotExist)
}

// readingTools are names of reading tools, as widely used MCP servers have them. The operator
// chose the server; any other name may write.
var readingTools = []string{
	"read_file", "read_text_file", "read_media_file", "read_multiple_files", "get_file_info", "get_file_contents", "list_directory", "list_directory_with_sizes", "directory_tree", "search_files",
	"get-library-docs", "query-docs", "resolve-library-id",
}

func reads(tool string) bool {
	return strings.HasPrefix(tool, "mcp__") && slices.Contains(readingTools, tool[strings.LastIndex(tool, "__")+2:])
}

var errTooMany = errors.New("the input has too many values")

// leavesOf lists the texts and numbers of an input, in order.
func leavesOf(input json.RawMessage) ([]leaf, error) {
	dec := json.NewDecoder(bytes.NewReader(input))
	dec.UseNumber()
	var out []leaf
	var stack []level
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) && len(stack) == 0 {
			return out, nil
		}
		if err != nil {
			return nil, errors.New("the input is not JSON")
		}
		top := len(stack) - 1
		if text, isText := token.(string); isText && top >= 0 && stack[top].object && !stack[top].valued {
			stack[top].member, stack[top].valued = text, true
			continue
		}
		member := ""
		if top >= 0 {
			member, stack[top].valued = stack[top].member, false
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				stack = append(stack, level{object: v == '{', member: member})
			} else {
				stack = stack[:top]
			}
			continue
		case string:
			out = append(out, leaf{member, v})
		case json.Number:
			out = append(out, leaf{member, v.String()})
		}
		if len(out) > maxLeaves {
			return nil, errTooMany
		}
	}
}

// level is one open object or list; a list's values go by the name of its member.
type level struct {
	object, valued bool
	member         string
}
