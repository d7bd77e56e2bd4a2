// Package command reads the text commands by which a person edits permission
// lists in a chat: /allow, /ask, /deny and /permission. Source: the vibing
// seed, "Slash Commands". The functions are pure; storing what they return and
// asking whether the person may do it is the caller's.
package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/callgate/callgate/engine"
)

// State is what commands read and change.
type State struct {
	Allow []string `json:"allow"`
	Ask   []string `json:"ask"`
	Deny  []string `json:"deny"`
	// Mode is the mode's name as it was given; empty when none was.
	Mode string `json:"mode,omitempty"`
}

// list returns the list a command is about.
func (s *State) list(name string) *[]string {
	switch name {
	case "/allow":
		return &s.Allow
	case "/ask":
		return &s.Ask
	case "/deny":
		return &s.Deny
	}
	return nil
}

// clone copies the state. An empty list is never nil, so that it is written as
// a list.
func (s State) clone() State {
	own := func(list []string) []string { return append([]string{}, list...) }
	return State{Allow: own(s.Allow), Ask: own(s.Ask), Deny: own(s.Deny), Mode: s.Mode}
}

// Run carries out one command. tools are the names that a person may give,
// canonical first; they are found without regard to case, and the content of a
// rule is kept as it was typed. It returns the state after the command, whether
// the command was understood, and what to tell the person; a command that was
// not understood changes nothing.
func Run(before State, text string, tools []string) (after State, ok bool, message string) {
	after = before.clone()
	name, arg, _ := strings.Cut(strings.TrimSpace(text), " ")
	arg = strings.TrimSpace(arg)
	var err error
	switch list := after.list(name); {
	case strings.ContainsFunc(text, unicode.IsControl):
		err = errors.New("a command is one line without control characters")
	case name == "/permission":
		message, err = after.setMode(arg)
	case list == nil:
		err = fmt.Errorf("unknown command %q: want /allow, /ask, /deny or /permission", name)
	case arg == "":
		message = show(name, *list)
	case strings.HasPrefix(arg, "-"):
		message, err = remove(name, list, arg[1:], tools)
	default:
		message, err = after.add(name, list, arg, tools)
	}
	if err != nil {
		return before.clone(), false, err.Error()
	}
	return after, true, message
}

func show(name string, list []string) string {
	if len(list) == 0 {
		return fmt.Sprintf("the %s list is empty", name[1:])
	}
	return fmt.Sprintf("the %s list: %s", name[1:], strings.Join(list, ", "))
}

// modeNames are the modes as clients spell them, for people.
var modeNames = []string{"default", "acceptEdits", "plan", "bypassPermissions", "trusted", "dontAsk"}

func (s *State) setMode(arg string) (string, error) {
	if arg == "" {
		return fmt.Sprintf("the mode is %s; it can be %s", s.modeName(), strings.Join(modeNames, ", ")), nil
	}
	if _, err := engine.ParseMode(arg); errors.Is(err, engine.ErrAutoReserved) {
		return "", err
	} else if err != nil {
		return "", fmt.Errorf("unknown mode %q: want one of %s", arg, strings.Join(modeNames, ", "))
	}
	s.Mode = arg
	return "the mode is now " + arg, nil
}

func (s *State) modeName() string {
	if s.Mode == "" {
		return engine.DefaultMode.String()
	}
	return s.Mode
}

func remove(name string, list *[]string, arg string, tools []string) (string, error) {
	if arg == "" {
		return "", fmt.Errorf("name what to remove: %s -Tool or %s -Tool(content)", name, name)
	}
	entry := arg
	if r, err := parse(arg, tools); err == nil {
		entry = r.text
	}
	i := slices.Index(*list, entry)
	if i < 0 {
		return fmt.Sprintf("%s was not on the %s list", entry, name[1:]), nil
	}
	*list = slices.Delete(*list, i, i+1)
	return fmt.Sprintf("removed %s from the %s list", entry, name[1:]), nil
}

func (s *State) add(name string, list *[]string, arg string, tools []string) (string, error) {
	r, err := parse(arg, tools)
	if err != nil {
		return "", err
	}
	if slices.Contains(*list, r.text) {
		return fmt.Sprintf("%s is on the %s list already%s", r.text, name[1:], s.shadows(name, r)), nil
	}
	*list = append(*list, r.text)
	return fmt.Sprintf("added %s to the %s list%s", r.text, name[1:], s.shadows(name, r)), nil
}

// shadows says which stricter or weaker entries of the same tool keep the new
// one from having the effect it reads like: deny, then ask, then allow. Source:
// design section 13, "ask or allow first".
func (s *State) shadows(name string, r entry) string {
	var notes []string
	note := func(format string, list []string) {
		if same := r.sameTool(list); len(same) > 0 {
			notes = append(notes, fmt.Sprintf(format, strings.Join(same, ", ")))
		}
	}
	if name != "/deny" {
		note("still denied because of the deny list: %s", s.Deny)
	}
	if name == "/allow" {
		note("still asked about because of the ask list: %s", s.Ask)
	}
	if name == "/ask" {
		note("asks although the allow list has %s", s.Allow)
	}
	if len(notes) == 0 {
		return ""
	}
	return "; note: " + strings.Join(notes, "; ")
}

// entry is one rule as a person typed it, with its tool's canonical name.
type entry struct {
	tool, text string
}

// sameTool returns the entries of a list that are about the same tool.
func (e entry) sameTool(list []string) []string {
	var out []string
	for _, text := range list {
		if r, err := engine.ParseRule(text); err == nil && r.Tool == e.tool {
			out = append(out, text)
		}
	}
	return out
}

// parse reads "Tool" or "Tool(content)".
func parse(text string, tools []string) (entry, error) {
	valid := strings.Join(tools, ", ")
	r, err := engine.ParseRule(text)
	if err != nil {
		return entry{}, fmt.Errorf("%w; the tools are %s", err, valid)
	}
	tool, ok := canonical(r.Tool, tools)
	if !ok {
		return entry{}, fmt.Errorf("unknown tool %q: want one of %s", r.Tool, valid)
	}
	content, hasContent := strings.CutPrefix(text, r.Tool)
	if hasContent && content == "()" {
		return entry{}, fmt.Errorf("%s has no content: write %s for every call of it; the tools are %s", text, tool, valid)
	}
	return entry{tool: tool, text: tool + content}, nil
}

// canonical finds a tool by a name typed by a person. A glob stands for itself
// when it names a known tool.
func canonical(name string, tools []string) (string, bool) {
	for _, t := range tools {
		if strings.EqualFold(t, name) {
			return t, true
		}
	}
	if strings.Trim(name, "*?") != "" && slices.ContainsFunc(tools, func(t string) bool { return engine.MatchName(name, t) }) {
		return name, true
	}
	return "", false
}
