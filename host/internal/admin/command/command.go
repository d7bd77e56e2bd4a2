// Package command reads the text commands for a person's permission lists: /allow, /ask, /deny,
// /permission, /permissions and /help. Source: docs/seeds.md, "Slash Commands". There is one reader
// for chat, command line, HTTP and `callgate eval`; it is pure: the caller stores its result and
// checks the person's right.
package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/callgate/callgate/engine"
)

// State is the input and output of commands.
type State struct {
	Allow []string `json:"allow"`
	Ask   []string `json:"ask"`
	Deny  []string `json:"deny"`
	// Mode is the mode's name as it was given; empty when none was.
	Mode string `json:"mode,omitempty"`
	// Profile is the profile as /permissions shows it; no command changes it.
	Profile string `json:"profile,omitempty"`
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

// clone copies the state. An empty list is never nil, because nil is written differently.
func (s State) clone() State {
	own := func(list []string) []string { return append([]string{}, list...) }
	return State{Allow: own(s.Allow), Ask: own(s.Ask), Deny: own(s.Deny), Mode: s.Mode, Profile: s.Profile}
}

// Answer is the result of a command.
type Answer struct {
	// State is the state after it: the one before, unless the command changed it.
	State
	// OK reports whether the command was understood.
	OK bool
	// Message is for the person, one sentence or a list. Notes describe limits of a new rule, one
	// sentence each; Text has both.
	Message string
	Notes   []string
}

// Text is the message with the notes behind it.
func (a Answer) Text() string {
	if len(a.Notes) == 0 {
		return a.Message
	}
	return a.Message + "; note: " + strings.Join(a.Notes, "; ")
}

// maxText bounds a command, in bytes. A rule's content may have 64 KiB.
const maxText = 65 << 10

// Run carries out one command. An unknown command changes nothing.
func Run(before State, text string, k Known) Answer {
	a := Answer{State: before.clone(), OK: true}
	name, arg, _ := strings.Cut(strings.TrimSpace(text), " ")
	arg = strings.TrimSpace(arg)
	var err error
	switch list := a.list(name); {
	case len(text) > maxText:
		err = fmt.Errorf("a command has at most %d bytes", maxText)
	case strings.ContainsFunc(text, unicode.IsControl):
		err = errors.New("a command is one line without control characters")
	case name == "/permission":
		a.Message, err = a.setMode(arg)
	case name == "/permissions" && arg == "":
		a.Message = a.overview()
	case name == "/help":
		a.Message = Help
	case name == "/permissions":
		err = errors.New("/permissions takes nothing: /permission MODE changes the mode, /allow, /ask and /deny the lists")
	case list == nil:
		err = unknownCommand(name)
	case arg == "":
		a.Message = show(name, *list)
	case arg[0] == '-':
		a.Message, err = remove(name, list, strings.TrimSpace(arg[1:]), k)
	default:
		err = a.add(name, list, arg, k)
	}
	if err != nil {
		return Answer{State: before.clone(), Message: err.Error()}
	}
	return a
}

// Unseen reports whether a rule holds invisible or misleading characters: a person who pastes it
// would store another rule than the visible one.
func Unseen(rule string) bool {
	return strings.ContainsFunc(rule, func(r rune) bool { return !unicode.IsPrint(r) })
}

func show(name string, list []string) string {
	if len(list) == 0 {
		return fmt.Sprintf("the %s list is empty", name[1:])
	}
	return fmt.Sprintf("the %s list: %s", name[1:], strings.Join(list, ", "))
}

// overview is the whole state, in the order of evaluation.
func (s *State) overview() string {
	profile := s.Profile
	if profile == "" {
		profile = "none"
	}
	return strings.Join([]string{
		show("/deny", s.Deny), show("/ask", s.Ask), show("/allow", s.Allow),
		"the mode is " + s.modeName(), "the profile is " + profile,
		"deny comes before ask, ask before allow, and the mode decides the rest",
	}, "\n")
}

// modeNames are the modes as clients spell them, for people.
var modeNames = []string{"default", "acceptEdits", "plan", "bypassPermissions", "trusted", "dontAsk"}

// Modes are the names for /permission, as clients spell them.
func Modes() []string { return slices.Clone(modeNames) }

func (s *State) setMode(arg string) (string, error) {
	if arg == "" {
		return fmt.Sprintf("the mode is %s; it can be %s", s.modeName(), strings.Join(modeNames, ", ")), nil
	}
	if _, err := engine.ParseMode(arg); errors.Is(err, engine.ErrAutoReserved) {
		return "", fmt.Errorf("%w; the modes are %s", err, strings.Join(modeNames, ", "))
	} else if err != nil {
		return "", fmt.Errorf("unknown mode %q%s: want one of %s", arg, meant(arg, modeNames), strings.Join(modeNames, ", "))
	}
	arg = clientsSpelling(arg)
	if s.Mode == arg {
		return "the mode is " + arg + " already", nil
	}
	s.Mode = arg
	return "the mode is now " + arg, nil
}

// clientsSpelling is a known mode's name as clients spell it: files with it are read
// by more than Callgate.
func clientsSpelling(name string) string {
	meant, err := engine.ParseMode(name)
	for _, known := range modeNames {
		if mode, knownErr := engine.ParseMode(known); err == nil && knownErr == nil && mode == meant {
			return known
		}
	}
	return name
}

func (s *State) modeName() string {
	if s.Mode == "" {
		return engine.DefaultMode.String()
	}
	return s.Mode
}

// remove removes every occurrence of a rule from a list. It also finds an entry exactly as typed,
// so an entry of a removed tool can go, too. An unknown name is refused: after a typing error the
// person must not believe the rule is gone.
func remove(name string, list *[]string, arg string, k Known) (string, error) {
	if arg == "" {
		return "", fmt.Errorf("name what to remove: %s -Tool or %s -Tool(content)", name, name)
	}
	entry := arg
	if !slices.Contains(*list, arg) {
		r, err := k.parse(arg)
		if err != nil {
			return "", err
		}
		entry = r.String()
	}
	same := func(text string) bool { return text == entry || k.same(text, entry) }
	kept := slices.DeleteFunc(slices.Clone(*list), same)
	n := len(*list) - len(kept)
	*list = kept
	switch n {
	case 0:
		return fmt.Sprintf("%s was not on the %s list%s", entry, name[1:], k.rest(entry, kept)), nil
	case 1:
		return fmt.Sprintf("removed %s from the %s list%s", entry, name[1:], k.rest(entry, kept)), nil
	}
	return fmt.Sprintf("removed %s from the %s list, where it stood %d times%s", entry, name[1:], n, k.rest(entry, kept)), nil
}

func (a *Answer) add(name string, list *[]string, arg string, k Known) error {
	if Unseen(arg) {
		return fmt.Errorf("the rule holds characters that cannot be seen, or that turn the text around: %+q; type it anew", arg)
	}
	arg, exact := strings.CutPrefix(arg, exactly)
	r, found, err := k.read(strings.TrimSpace(arg))
	if err != nil {
		return err
	}
	if err := r.Behavior.UnmarshalText([]byte(name[1:])); err != nil {
		return err
	}
	if !found {
		note, err := k.custom(r, exact)
		if err != nil {
			return err
		}
		a.Notes = append(a.Notes, note)
	}
	if k.Try != nil {
		if err := k.Try(r); err != nil {
			return err
		}
	}
	text := r.String()
	if slices.ContainsFunc(*list, func(other string) bool { return other == text || k.same(other, text) }) {
		a.Message = fmt.Sprintf("%s is on the %s list already", text, name[1:])
	} else {
		if covered := k.covered(r, *list); covered != "" {
			a.Notes = append(a.Notes, fmt.Sprintf("it changes nothing: %s is on the list already", covered))
		}
		*list = append(*list, text)
		a.Message = fmt.Sprintf("added %s to the %s list", text, name[1:])
	}
	a.Notes = append(a.Notes, k.Order(r, a.State)...)
	return nil
}
