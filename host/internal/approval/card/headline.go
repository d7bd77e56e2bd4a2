package card

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// verb is what a tool does, and the parameter that says to what.
type verb struct{ word, subject string }

// verbs are of the tools that the standard modules judge, by the names that clients
// give them. Of any other tool a card says that it is called, and by its name.
var verbs = map[string]verb{
	"Bash": {"Run?", "command"}, "bash": {"Run?", "command"}, "shell": {"Run?", "command"}, "exec_command": {"Run?", "command"},
	"run_shell_command": {"Run?", "command"}, "shell_command": {"Run?", "command"}, "local_shell": {"Run?", "command"},
	"Read": {"Read", "file_path"}, "Edit": {"Edit", "file_path"}, "MultiEdit": {"Edit", "file_path"}, "Write": {"Write", "file_path"},
	"NotebookEdit": {"Edit", "notebook_path"}, "Glob": {"Find", "pattern"}, "Grep": {"Search for", "pattern"}, "LS": {"List", "path"},
	"WebFetch": {"Fetch", ""}, "WebSearch": {"Search the web for", "query"},
}

// maxSubject is up to how many characters a text on one line stands in the headline, or
// beside its name.
const maxSubject = 80

// inline reports whether a text has its place on a line with others.
func inline(text string) bool {
	return text != "" && !strings.ContainsAny(text, "\n`") && utf8.RuneCountInString(text) <= maxSubject
}

// headline says what would happen, in the first words, and returns the parts of the
// call that it does not say.
func headline(a ask.Ask, in Input, at base) (Row, []Part) {
	v, known := verbs[a.Tool]
	if a.Input == nil || a.LongInput() {
		if !known {
			return Row{Pieces: called(a.Tool)}, in.rest(a, nil)
		}
		return Row{Pieces: []Piece{strong(v.word)}}, in.rest(a, nil)
	}
	if !known {
		pieces, said := called(a.Tool), []string(nil)
		if title, ok := in.only("title"); ok && inline(title) {
			pieces, said = append(pieces, own(" "), theirs(title)), []string{"title"}
		}
		return Row{Pieces: pieces}, in.rest(a, said)
	}
	pieces, said := []Piece{strong(v.word)}, []string(nil)
	if v.subject == "" {
		if host := onlyHost(a); host != "" {
			pieces = append(pieces, own(" "), theirs(host))
		}
		return Row{Pieces: pieces}, in.rest(a, nil)
	}
	text, ok := in.only(v.subject)
	if t := targetOf(a, text, at); ok && v.subject != "command" && t != nil {
		text = at.of(t.Resolved)
		if v.word == "Write" {
			pieces[0] = strong(map[bool]string{true: "Overwrite", false: "Create"}[t.Exists])
		}
	}
	if ok && inline(text) {
		pieces, said = append(pieces, own(" "), theirs(text)), []string{v.subject}
	}
	return Row{Pieces: pieces}, in.rest(a, said)
}

// called names a tool of which nothing more is known, and one of an MCP server by the
// two names that make it up, where there is one way to read them.
func called(tool string) []Piece {
	rest, isMCP := strings.CutPrefix(tool, "mcp__")
	server, name, ok := strings.Cut(rest, "__")
	if isMCP && ok && server != "" && name != "" && !strings.Contains(name, "__") && !strings.HasPrefix(name, "_") && !strings.HasPrefix(server, "_") {
		return []Piece{strong("Call"), own(" "), theirs(server), own(": "), theirs(name)}
	}
	return []Piece{strong("Call"), own(" "), theirs(tool)}
}

// onlyHost is the one host that a call reaches; empty for none or several.
func onlyHost(a ask.Ask) string {
	hosts := ""
	for _, t := range a.Targets {
		if t.Kind == "host" {
			if hosts != "" && hosts != t.Value {
				return ""
			}
			hosts = t.Value
		}
	}
	if !inline(hosts) {
		return ""
	}
	return hosts
}

// targetOf is the target that a path of the input means, where nothing about it is odd:
// then the path can be shown relative to the project.
func targetOf(a ask.Ask, text string, at base) *engine.Target {
	i := slices.IndexFunc(a.Targets, func(t engine.Target) bool { return text != "" && t.Value == text && plainTarget(t) && at.holds(t) })
	if i < 0 || path.Clean(text) != text {
		return nil
	}
	return &a.Targets[i]
}

// plainTarget is a path of which there is nothing to say but where it is.
func plainTarget(t engine.Target) bool {
	return t.Kind == "path" && t.Error == "" && t.Resolved != "" && (t.Lexical == "" || t.Lexical == t.Resolved) &&
		!t.Claimed && (t.Repo == nil || len(t.Repo.Dirty) == 0) && (t.Exists || t.Access == "write")
}

// only is the text of a parameter that there is once.
func (in Input) only(name string) (string, bool) {
	text, n := "", 0
	for _, m := range in.list {
		if m.name == name || m.name == name+jsonSuffix {
			n++
			text = m.text
		}
	}
	return text, n == 1 && slices.ContainsFunc(in.list, func(m member) bool { return m.name == name })
}

// rest are the parts of a call that its headline does not say.
func (in Input) rest(a ask.Ask, said []string) []Part {
	switch {
	case a.Input == nil:
		parts := []Part{{Text: "the input is no longer kept", Gap: true}}
		if a.Action != "" {
			parts = append(parts, Part{Name: "action", Text: short(a.Action)})
		}
		return parts
	case a.LongInput():
		return cutParts(in.text)
	case len(in.list) == 0:
		return []Part{{Text: "no parameters", Gap: true}}
	}
	v := verbs[a.Tool]
	var parts []Part
	var last []Part // what is written, in one block, behind what else there is
	if old, before := in.only("old_string"); before && v.word == "Edit" {
		if text, after := in.only("new_string"); after {
			last = append(last, Part{Text: difference(old, text), Block: true})
			said = append(said, "old_string", "new_string")
		}
	}
	if text, ok := in.only("content"); ok && v.word == "Write" {
		last = append(last, Part{Text: fileText(text), Block: true})
		said = append(said, "content")
	}
	if text, ok := in.only("command"); ok && v.subject == "command" && !slices.Contains(said, "command") {
		parts = append(parts, Part{Text: Visible(text), Block: true})
		said = append(said, "command")
	}
	for _, m := range in.list {
		if slices.Contains(said, m.name) {
			continue
		}
		name, laidOut := strings.CutSuffix(m.name, jsonSuffix)
		parts = append(parts, Part{Name: name, JSON: laidOut, Text: Visible(m.text), Block: m.text != "" && !inline(m.text), Small: v.word != "" || len(said) > 0})
	}
	if len(last) == 1 && v.word == "Write" && slices.ContainsFunc(parts, func(p Part) bool { return p.Block }) {
		last[0].Name = "content" // which of the blocks it is
	}
	return append(parts, last...)
}

// difference is one block of an edit: what goes behind "- ", what comes behind "+ ",
// and the lines at both ends that stay behind two blanks. Both texts can be read off it:
// a line feed at the end of one begins a line without letters.
func difference(old, new string) string {
	a, b := linesOf(old), linesOf(new)
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	tail := 0
	for tail < len(a)-same && tail < len(b)-same && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []string
	add := func(mark string, lines []string) {
		for _, l := range lines {
			out = append(out, mark+l)
		}
	}
	add("  ", a[:same])
	add("- ", a[same:len(a)-tail])
	add("+ ", b[same:len(b)-tail])
	add("  ", a[len(a)-tail:])
	return strings.Join(out, "\n")
}

func linesOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(Visible(text), "\n")
}

// The marks of a file's end. Visible escapes them in any text. RATIONALE.md, "Why does a card
// mark a missing line feed and not the last one?".
const (
	noFeed   = string(openMark) + "no line feed at the end" + string(closeMark)
	onlyFeed = string(openMark) + "one line feed" + string(closeMark)
)

// fileText is Visible for what a file is to have: the line feed that ends its last line
// is not marked, and that there is none is.
func fileText(text string) string {
	body, ends := strings.CutSuffix(text, "\n")
	switch {
	case text == "":
		return ""
	case !ends:
		return Visible(text) + noFeed
	case body == "":
		return onlyFeed
	}
	return Visible(body)
}
