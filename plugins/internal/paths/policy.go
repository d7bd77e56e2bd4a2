package paths

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/sdk/go/tool"
)

// Policy says which paths are protected from being written and which hold
// secrets: the tables, and what the operator adds to them and takes away. It is
// made for one call, and one policy is the same for every tool.
type Policy struct {
	context tool.Context
	adds    adds
	// broken says why the operator's words cannot be read. Everything is then
	// protected, and secret.
	broken error
}

// adds are the members of a tool's config that speak of paths. Each is a list of
// globs, read as the content of a rule is: those of Protected and Secret as a
// deny rule's, those of Unprotected and NotSecret as an allow rule's.
type adds struct {
	Protected   []string `json:"protected"`
	Unprotected []string `json:"unprotected"`
	Secret      []string `json:"secret"`
	NotSecret   []string `json:"not_secret"`
}

// ConfigHelp says, for a tool's rule help, what its config may say of paths.
const ConfigHelp = `The operator's config names further paths that a person must see written (protected) or read (secret), and lifts those that come along (unprotected, not_secret): lists of such globs.`

var (
	protectedTable = index(protectedGroups)
	secretTable    = index(secretGroups)
)

// NewPolicy returns the policy of a call, from the config its tool is given.
func NewPolicy(config json.RawMessage, c tool.Context) *Policy {
	p := &Policy{context: c}
	if len(config) == 0 {
		return p
	}
	if err := jsonv2.Unmarshal(config, &p.adds, jsonv2.MatchCaseInsensitiveNames(true)); err != nil {
		p.broken = errors.New("the tool's configuration cannot be read")
		return p
	}
	for _, list := range []struct {
		name  string
		globs []string
	}{{"protected", p.adds.Protected}, {"unprotected", p.adds.Unprotected}, {"secret", p.adds.Secret}, {"not_secret", p.adds.NotSecret}} {
		for _, glob := range list.globs {
			if _, err := compile(glob, tool.Rule{Root: "/"}, tool.Context{Home: "/"}, tool.Deny); err != nil {
				p.broken = fmt.Errorf("the configuration's %s %q is no glob", list.name, glob)
			}
		}
	}
	return p
}

// Protected says why a place must not be written without a person's word, or
// "". Both forms count.
func (p *Policy) Protected(place Place) string {
	if why := p.ProtectedPath(place.Lexical); why != "" {
		return why
	}
	if place.Resolved != place.Lexical {
		if why := p.ProtectedPath(place.Resolved); why != "" {
			return why
		}
	}
	if place.bare != "" && !p.lifted(p.adds.Unprotected, place.Resolved) {
		first, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(place.Resolved, place.bare), "/"), "/")
		if gitFiles[foldName(first)] {
			return "a git directory"
		}
	}
	return ""
}

// ProtectedPath is Protected for one form: a clean path, absolute where that is
// known, in which a shell's globs stand for what they can match.
func (p *Policy) ProtectedPath(form string) string {
	if p.broken != nil {
		return "kept, because " + p.broken.Error()
	}
	s := take(form, p.context.Home)
	switch {
	case harmlessDevices[form]:
		return ""
	case protectedTable.find(s, func(g *group) bool { return g.own }) != nil:
		return "Callgate's own"
	case p.added(p.adds.Protected, form):
		return "protected by the operator"
	case p.lifted(p.adds.Unprotected, form):
		return ""
	}
	if g := protectedTable.find(s, func(g *group) bool { return g.always }); g != nil {
		return g.reason
	}
	if below, ok := p.belowExempt(form); ok {
		s = take(below, "")
	}
	if g := protectedTable.find(s, func(*group) bool { return true }); g != nil {
		return g.reason
	}
	if slices.ContainsFunc(s.aliases[len(s.aliases)-1], environmentFile) {
		return "a file of credentials"
	}
	if gitDirectory(s) {
		return "a git directory"
	}
	return ""
}

// HarmlessDevice reports whether a path is a device that may be written, such as
// /dev/null.
func HarmlessDevice(p string) bool { return harmlessDevices[p] }

// belowExempt returns the path as seen from the working directory that holds it,
// when that directory itself lies in something protected: a project may live in
// ~/.config/nvim, and be worked on.
func (p *Policy) belowExempt(form string) (string, bool) {
	for _, dir := range p.context.WorkingDirectories {
		dir = path.Clean(dir)
		if dir == "/" || form == dir || !within(dir, form) {
			continue
		}
		s := take(dir, p.context.Home)
		if protectedTable.find(s, func(*group) bool { return true }) != nil || slices.ContainsFunc(s.segments, isGitName) {
			return form[len(dir)+1:], true
		}
	}
	return "", false
}

// Secret reports whether the place is, or lies in, what holds keys, credentials
// or tokens. Reading one is not read-only. Both forms count.
func (p *Policy) Secret(place Place) bool {
	return p.SecretPath(place.Lexical) || place.Resolved != place.Lexical && p.SecretPath(place.Resolved)
}

// SecretPath is Secret for one form (see ProtectedPath).
func (p *Policy) SecretPath(form string) bool {
	if p.broken != nil {
		return true
	}
	s := take(form, p.context.Home)
	switch {
	case harmlessDevices[form], randomDevices[form]:
		return false
	case secretTable.find(s, func(g *group) bool { return g.own }) != nil, p.added(p.adds.Secret, form):
		return true
	case p.lifted(p.adds.NotSecret, form):
		return false
	}
	return secret(s)
}

// SecretBelow reports whether a search of all that lies below a place is known
// to read secrets: of a home directory or what holds one, of the system's
// configuration, and of such parts of a home directory that hold a known store. A
// project may hold secrets too, and is searched all day.
func (p *Policy) SecretBelow(place Place) bool {
	return p.secretBelow(place.Lexical) || p.secretBelow(place.Resolved)
}

func (p *Policy) secretBelow(form string) bool {
	form = Fold(form)
	home := Fold(strings.TrimSuffix(p.context.Home, "/"))
	if p.broken != nil || form == "/" || systemTrees[form] || home != "" && within(form, home) {
		return true
	}
	rest, ok := strings.CutPrefix(form, home+"/")
	if home == "" || !ok {
		return false
	}
	first, _, _ := strings.Cut(rest, "/")
	return slices.ContainsFunc(secretTable.parts[first], func(known part) bool {
		return known.where == anywhere && strings.HasPrefix(known.text, rest+"/") && known.text != rest+"/"
	})
}

// systemTrees hold secrets of the system, or of every user.
var systemTrees = names("/etc", "/root", "/home", "/users", "/proc", "/dev", "/run", "/var", "/var/run", "/private", "/private/etc", "/private/var")

// SeeksSecret reports whether a glob of a search names secrets, as "**/.env*"
// and "**/.ssh/*" do. A glob for ordinary names that a secret may have too, as
// "*.json", does not.
func (p *Policy) SeeksSecret(glob string) bool {
	texts, err := expandBraces(glob)
	if err != nil || p.broken != nil {
		return true
	}
	for _, text := range texts {
		for _, segment := range strings.Split(text, "/") {
			if plain := plainer.Replace(segment); plain != "" && !example(plain) && (secret(take(plain, "")) || secret(take(plain+"/x", ""))) {
				return true
			}
			if first := strings.IndexAny(segment, `*?[\`); first > 2 || first > 0 && segment[0] == '.' {
				if secret(take(segment, "")) {
					return true
				}
			}
		}
	}
	return false
}

// plainer takes the wildcards out of a glob.
var plainer = strings.NewReplacer("*", "", "?", "", "[", "", "]", "", `\`, "")

// added reports whether one of the operator's globs names the path, in any
// spelling.
func (p *Policy) added(globs []string, form string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		return Matches(tool.Deny, tool.Rule{Content: glob}, p.context, Place{Lexical: form, Resolved: form})
	})
}

// lifted reports whether one of the operator's globs names the path exactly.
func (p *Policy) lifted(globs []string, form string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		return Matches(tool.Allow, tool.Rule{Content: glob}, p.context, Place{Lexical: form, Resolved: form})
	})
}
