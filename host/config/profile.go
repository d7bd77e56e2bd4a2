package config

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/internal/spelling"
	"github.com/callgate/callgate/host/internal/strictyaml"
)

// Profile is what an agent may do, as patterns over action strings
// (tool:NAME:DETAIL), with the meaning of Python's re.fullmatch. An action that no
// pattern matches is denied.
type Profile struct {
	// Allow are patterns of the actions that nobody needs to see. It beats ask.
	Allow []string `yaml:"allow"`
	// Ask are patterns of the actions that a person is asked about.
	Ask []string `yaml:"ask"`
	// Deny are patterns of the actions that are denied, whatever the others say.
	Deny []string `yaml:"deny"`
}

// ProfileChoice says which profile an agent has: the name of one, or its lists
// in place.
type ProfileChoice struct {
	// Name is a preset's, or one of profiles; empty where the lists stand in place.
	Name string
	// Lists are those that stand in place of a name; nil beside a name.
	Lists *Profile

	own *AgentProfile
}

// UnmarshalText implements encoding.TextUnmarshaler. Whether there is a profile of
// that name is told by [Config.Problems], and not here: an agent with a profile that
// does not exist is denied everything, which keeps the rest of the file in force.
func (c *ProfileChoice) UnmarshalText(text []byte) error {
	if err := checkProfileName(string(text)); err != nil {
		return err
	}
	c.Name = string(text)
	return nil
}

// Mapped takes the lists in place of a name.
func (c *ProfileChoice) Mapped() any {
	c.Lists = &Profile{}
	return c.Lists
}

// maxProfileName bounds the name of a profile, in bytes.
const maxProfileName = 64

func checkProfileName(name string) error {
	if name == "" || len(name) > maxProfileName || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f || r == ':' }) {
		return fmt.Errorf("%q is not a profile's name: want 1 to %d bytes without blanks and colons", name, maxProfileName)
	}
	return nil
}

// presets are the profiles that are built in, compiled once for all
// configurations.
var presets = sync.OnceValue(func() map[string]*AgentProfile {
	out := map[string]*AgentProfile{}
	for _, name := range profile.Presets() {
		lists, err := profile.Preset(name)
		if err == nil {
			out[name], err = NewAgentProfile(name, lists)
		}
		if err != nil {
			panic("config: the preset " + name + ": " + err.Error())
		}
	}
	return out
})

// profiles compiles the profiles of the file, each once.
func (ck *checker) profiles(c *Config) {
	c.named = make(map[string]*AgentProfile, len(c.Profiles))
	for _, name := range sortedKeys(c.Profiles) {
		field := "profiles." + name
		if err := checkProfileName(name); err != nil {
			ck.add("profiles", "%v", err)
			continue
		}
		if presets()[name] != nil {
			ck.add(field, "%s is a preset and cannot be written anew: choose another name", name)
			continue
		}
		c.named[name] = ck.compile(name, c.Profiles[name], field)
	}
}

// profile compiles a profile that stands in place of a name.
func (ck *checker) profile(choice *ProfileChoice, field string) {
	if choice != nil && choice.Lists != nil {
		choice.own = ck.compile(field, *choice.Lists, field)
	}
}

// placed is an error of a pattern that knows where in its profile that stands.
type placed interface {
	error
	Place() (list string, index int)
}

func (ck *checker) compile(name string, p Profile, field string) *AgentProfile {
	out, err := NewAgentProfile(name, profile.Profile{Name: name, Allow: p.Allow, Ask: p.Ask, Deny: p.Deny})
	for _, e := range apart(err) {
		at := field
		if here, ok := errors.AsType[placed](e); ok {
			list, i := here.Place()
			at = fmt.Sprintf("%s.%s[%d]", field, list, i)
		}
		ck.add(at, "%v", e)
	}
	return out
}

// apart are the errors that err joins.
func apart(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // the outermost alone joins
		return many.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// Profile returns the profile of that name: a preset, one of the file, or one that
// denies everything and says that there is none.
func (c *Config) Profile(name string) *AgentProfile {
	if p := presets()[name]; p != nil {
		return p
	}
	if p := c.named[name]; p != nil {
		return p
	}
	return missingProfile(name, c.ProfileNames())
}

// profileOf is what an agent's profile is; nil for none.
func (c *Config) profileOf(own Settings) *AgentProfile {
	choice := own.Profile
	if choice == nil {
		choice = c.Defaults.Profile
	}
	switch {
	case choice == nil:
		return nil
	case choice.Lists != nil:
		return choice.own
	}
	return c.Profile(choice.Name)
}

// Problems lists what a file says that can be read and yet cannot be meant: the
// agents whose profile does not exist, which are denied everything. Each is a
// *strictyaml.Error with its place.
func (c *Config) Problems() []error {
	var out []error
	c.eachChoice(func(choice *ProfileChoice, field, whom string) {
		if choice.Lists != nil {
			return
		}
		if p := c.Profile(choice.Name); p.Missing() != "" {
			out = append(out, c.problem(field, "%s: %s is denied everything until it is written, or another named", p.Missing(), whom))
		}
	})
	return out
}

// eachChoice visits each choice of a profile, with its place and who has it.
func (c *Config) eachChoice(visit func(choice *ProfileChoice, field, whom string)) {
	if c.Defaults.Profile != nil {
		visit(c.Defaults.Profile, "defaults.profile", "every agent without a profile of its own")
	}
	for _, name := range sortedKeys(c.Agents) {
		if choice := c.Agents[name].Profile; choice != nil {
			visit(choice, "agents."+name+".profile", "agent "+name)
		}
	}
}

func (c *Config) problem(field, format string, args ...any) error {
	return &strictyaml.Error{File: c.File, Position: c.places.Of(field), Field: field, Msg: fmt.Sprintf(format, args...)}
}

// missingProfile denies everything.
func missingProfile(name string, names []string) *AgentProfile {
	p, err := NewAgentProfile(name, profile.Profile{Name: name})
	if err != nil {
		panic("config: a profile without patterns: " + err.Error())
	}
	p.missing = fmt.Sprintf("there is no profile %q", name) + strings.TrimSuffix(spelling.Hint(name, names), "?")
	return p
}

// Profile returns the stricter of two profiles of that name.
func (c *Combination) Profile(name string) *AgentProfile {
	return stricterProfile(c.accepted.Profile(name), c.next.Profile(name))
}

// profiles compares the profiles of both files by name: one that no agent has
// today may be given to one without the file.
func (d *differences) profiles() {
	for _, name := range either(d.c.accepted.Profiles, d.c.next.Profiles) {
		was, force, will := d.c.accepted.Profile(name), d.c.Profile(name), d.c.next.Profile(name)
		d.unless(force.Canonical() == will.Canonical(), "profiles."+name, was, will)
	}
}

// sameProfile compares an agent's. Where it has the same one by name, profiles tells
// the difference.
func (d *differences) sameProfile(was, force, will *AgentProfile) bool {
	if _, named := d.c.next.Profiles[will.Name()]; named && was.Name() == will.Name() {
		return true
	}
	return force.Canonical() == will.Canonical()
}
