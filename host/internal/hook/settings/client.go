package settings

import (
	"bytes"
	"crypto/rand"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/text/shellword"
)

// Client is a client of agents with hooks at hooks.EVENT[].hooks[] of a JSON file. Its value is the
// word after "callgate hook". The zero value is Claude Code.
type Client string

// The clients.
const (
	ClaudeCode Client = "claude-code"
	Codex      Client = "codex"
	GeminiCLI  Client = "gemini-cli"
)

// BeforeTool is Gemini CLI's event before a call; Codex has PreToolUse.
const BeforeTool = "BeforeTool"

func (c Client) word() string {
	if c == "" {
		return string(ClaudeCode)
	}
	return string(c)
}

// Events are the client's events with Callgate's hook, in the order of writing.
func (c Client) Events() []string {
	switch c {
	case Codex:
		return []string{PreToolUse}
	case GeminiCLI:
		return []string{BeforeTool}
	}
	return Events()
}

// group are the members of a group of hooks before its list: the tools of it.
func (c Client) group(event string) string {
	if c == Codex || event == UserPromptSubmit {
		return "" // every tool, or about none
	}
	return `"matcher":"*",`
}

// handler is the entry of an event as JSON, in the order of writing.
func (e Entry) handler(event string) jsontext.Value {
	switch e.Client {
	case Codex:
		return slices.Concat([]byte(`{"type":"command","command":`), quoted(e.Line()), []byte(`,"timeout":`), strconv.AppendInt(nil, int64(e.seconds()), 10),
			[]byte(`,"statusMessage":`), quoted(StatusMessage), []byte("}"))
	case GeminiCLI:
		return slices.Concat([]byte(`{"type":"command","name":`), quoted(e.name), []byte(`,"command":`), quoted(e.Line()),
			[]byte(`,"timeout":`), strconv.AppendInt(nil, e.Timeout.Milliseconds(), 10), []byte("}"))
	}
	return e.claudeHandler(event)
}

// Allow is the client's answer that lets a call run, for a client with one event; empty for Claude
// Code.
func (c Client) Allow() string {
	switch c {
	case Codex:
		// Without a permissionDecision: Codex 0.169.0 counts an "allow" as a failed hook, and runs
		// the call as after any failed hook.
		return `{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`
	case GeminiCLI:
		return `{"decision":"allow"}`
	}
	return ""
}

// Line is the shell line of the hook for a client that runs a call when its hook fails. The line
// ends with code 0 only after the program has ended with code 0 and said Allow, which is then the
// whole of standard output. A missing program, a crash, a signal and any other answer end with code
// 2 and a text on standard error, because Codex runs the call of a code 2 without text, and Gemini
// CLI one with anything on standard output. RATIONALE.md, "Why is a hook's answer held back by a
// shell?".
func (e Entry) Line() string {
	return lineBegin + shellLine(append([]string{e.Binary}, e.Args()...)) + lineTest + `"$o" = ` + shellword.Quote(e.Client.Allow()) + lineEnd
}

// shellLine are words for a POSIX shell.
func shellLine(words []string) string {
	words = slices.Clone(words)
	for i, word := range words {
		words[i] = shellWord(word)
	}
	return strings.Join(words, " ")
}

// NotRun ends the text of every denial through Line.
const NotRun = "Callgate: the call did not run."

// The shell's part of a Line.
const (
	lineBegin = "o=$("
	lineTest  = ") && [ "
	lineEnd   = ` ] && printf %s "$o" && exit 0; echo "` + NotRun + `" >&2; exit 2`
)

// named gives the entry the name of the hook in the file, or a new one. Gemini CLI lets a project
// switch a hook off by its name, so a repository must not know it.
func (e *Entry) named(own []found) {
	if e.Client != GeminiCLI {
		return
	}
	for _, f := range own {
		if name, ok := f.d.str(f.node.member("name")); ok && name != "" {
			e.name = name
			return
		}
	}
	e.name = "callgate-" + rand.Text()
}

// bases are the texts of new managed files before the hook: for Claude Code against every other
// hook, for Gemini CLI against a project that switches hooks off.
func (c Client) bases() [][]byte {
	if c == GeminiCLI {
		return [][]byte{[]byte("{\n  \"hooksConfig\": {\n    \"enabled\": true\n  }\n}\n")}
	}
	return [][]byte{[]byte(alone)}
}

// OwnOf reports whether the hook is Callgate's for this client: in exec form, through a shell, or
// as a Line.
func (h Hook) OwnOf(c Client) bool {
	if h.Type != "command" {
		return false
	}
	words := h.Program()
	if words == nil {
		words = shellWords(h.Command)
	}
	return len(words) > 2 && ownProgram(words[0]) && words[1] == "hook" && words[2] == c.word()
}

// lineWords are the words of a Line's program; nil for another line.
func lineWords(line string) []string {
	inner, _, found := strings.Cut(strings.TrimPrefix(line, lineBegin), lineTest)
	if !found || !strings.HasPrefix(line, lineBegin) {
		return nil
	}
	var words []string
	var word []byte
	in, quote := false, false
	for i := 0; i < len(inner); i++ {
		switch b := inner[i]; {
		case b == '\'':
			quote, in = !quote, true
		case b == '\\' && !quote && i+1 < len(inner):
			i++
			word, in = append(word, inner[i]), true
		case b == ' ' && !quote:
			if in {
				words, word, in = append(words, string(word)), nil, false
			}
		default:
			word, in = append(word, b), true
		}
	}
	if in {
		words = append(words, string(word))
	}
	return words
}

// Program is the program and the arguments of a hook: those of its members, or those within a
// Line; nil for another shell line.
func (h Hook) Program() []string {
	if h.Exec {
		return append([]string{h.Command}, h.Args...)
	}
	return lineWords(h.Command)
}

// Exact reports whether starting the hook starts its Program and nothing else: in exec form, or as a
// Line to the byte.
func (h Hook) Exact(c Client) bool {
	if h.Exec {
		return true
	}
	words := lineWords(h.Command)
	return len(words) > 0 && h.Command == lineBegin+shellLine(words)+lineTest+`"$o" = `+shellword.Quote(c.Allow())+lineEnd
}

// With is the hook with another program in the place of its own: all around it, such as the shell's
// part of a Line, stays. ok is false for a shell line that is no Line.
func (h Hook) With(words []string) (_ Hook, ok bool) {
	if h.Exec {
		h.Command, h.Args = words[0], words[1:]
		return h, true
	}
	_, end, found := strings.Cut(strings.TrimPrefix(h.Command, lineBegin), lineTest)
	if !found || !strings.HasPrefix(h.Command, lineBegin) {
		return h, false
	}
	h.Command = lineBegin + shellLine(words) + lineTest + end
	return h, true
}

// Place finds Callgate's hook of an event in a text: its number among the groups of the event, and
// in the group. ok is false without one.
func (c Client) Place(file string, text []byte, event string) (h Hook, group, at int, ok bool, err error) {
	own, err := (&editor{c, file, text}).own(event)
	if err != nil || len(own) == 0 {
		return Hook{}, 0, 0, false, err
	}
	return own[0].hook, own[0].group, own[0].at, true, nil
}

// Edit changes a client's file that holds no hooks of this form, in one step, with its mode, owner
// and links kept; a new file is private, or for every account with scope Managed. change gets its
// text, nil without a file, and returns the new one; nil removes the file. dry changes nothing.
func Edit(path string, scope Scope, dry bool, change func(text []byte) ([]byte, error)) (Result, error) {
	t, err := openTarget(path)
	if err != nil {
		return Result{}, err
	}
	t.shared = scope == Managed
	var before []byte
	if t.info != nil {
		before = append([]byte{}, t.text...)
	}
	after, err := change(before)
	r := t.result(Change{})
	switch {
	case err != nil:
		return Result{}, err
	case (before == nil) == (after == nil) && bytes.Equal(before, after):
		return r, nil
	case dry:
		r.Text = string(after)
		return r, nil
	case after == nil:
		r.Deleted, err = true, t.delete()
	default:
		err = t.write(after)
	}
	r.Written = err == nil
	return r, err
}

// Read reads one file of a client: its hooks, with their lines. A missing file has none.
func (c Client) Read(path string, scope Scope) File { return readFile(place{scope: scope, path: path}) }
