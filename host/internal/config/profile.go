package config

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/internal/text/didyoumean"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// Profile limits an agent's actions by patterns over action strings (tool:NAME:DETAIL), with the
// meaning of Python's re.fullmatch. An action without a matching pattern is denied.
type Profile struct {
	// Allow are patterns of the actions left to the mode and the rules. It beats ask.
	Allow []string `yaml:"allow"`
	// Ask are patterns of the actions for a person's decision.
	Ask []string `yaml:"ask"`
	// Deny are patterns of always denied actions.
	Deny []string `yaml:"deny"`
}

// ProfileChoice is an agent's profile: the name of one, or its lists in place.
type ProfileChoice struct {
	// Name is a preset's, or one of profiles; empty where the lists stand in place.
	Name string
	// Lists are the lists in place of a name; nil beside a name.
	Lists *Profile

	own *AgentProfile
}

// UnmarshalText implements encoding.TextUnmarshaler. An unknown name is reported by
// [Config.Problems], and not here: an agent with an unknown profile is denied everything, and the
// rest of the file stays in force.
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

// String is the name, or the lists as the file has them.
func (c *ProfileChoice) String() string {
	if c.Lists != nil {
		return text(reflect.ValueOf(*c.Lists))
	}
	return c.Name
}

// maxProfileName bounds the name of a profile, in bytes.
const maxProfileName = 64

func checkProfileName(name string) error {
	if name == "" || len(name) > maxProfileName || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r == 0x7f || r == ':' }) {
		return fmt.Errorf("%q is not a profile name; want 1 to %d bytes without blanks and colons", name, maxProfileName)
	}
	return nil
}

// presets are the built-in profiles, compiled once for all configurations.
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
			ck.add(field, "%s is a preset and cannot be redefined; choose another name", name)
			continue
		}
		c.named[name] = ck.compile(name, c.Profiles[name], field)
	}
}

// profile compiles a profile given in place of a name.
func (ck *checker) profile(choice *ProfileChoice, field string) {
	if choice != nil && choice.Lists != nil {
		choice.own = ck.compile(field, *choice.Lists, field)
	}
}

// placed is an error of a pattern with its place in the profile.
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

// apart are the errors joined in err.
func apart(err error) []error {
	if many, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // the outermost alone joins
		return many.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// Profile returns the named profile: a preset, one of the file, or one denying everything with a
// note that it does not exist.
func (c *Config) Profile(name string) *AgentProfile {
	if t := c.tightened; t != nil {
		return stricterProfile(t.accepted.Profile(name), t.file.Profile(name))
	}
	if p := presets()[name]; p != nil {
		return p
	}
	if p := c.named[name]; p != nil {
		return p
	}
	return missingProfile(name, c.ProfileNames())
}

// profileOf is an agent's profile; nil for none.
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

// Problems lists well-formed but certainly unintended settings: agents with an unknown profile, and
// so denied everything. Each is a *strictyaml.Error with its place.
func (c *Config) Problems() []error {
	var out []error
	c.eachChoice(func(choice *ProfileChoice, field, whom string) {
		if choice.Lists != nil {
			return
		}
		if p := c.Profile(choice.Name); p.Missing() != "" {
			out = append(out, c.problem(field, "%s; %s is denied everything until the profile exists or another one is set", p.Missing(), whom))
		}
	})
	return out
}

// eachChoice visits each choice of a profile, with its place and who has it.
func (c *Config) eachChoice(visit func(choice *ProfileChoice, field, whom string)) {
	if c.Defaults.Profile != nil {
		visit(c.Defaults.Profile, "defaults.profile", "every agent without its own profile")
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
	p.missing = fmt.Sprintf("unknown profile %q", name) + strings.TrimSuffix(didyoumean.Hint(name, names), "?")
	return p
}
