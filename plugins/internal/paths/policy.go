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

// Policy knows the paths protected from writing and the paths of secrets: the tables, with the
// operator's additions and removals. It is made for one call, and is the same for every tool.
type Policy struct {
	context tool.Context
	adds    adds
	// broken says why the operator's words cannot be read. Everything is then
	// protected, and secret.
	broken error
}

// adds are the members of a tool's config about paths. Each is a list of globs, read like a rule's
// content: those of Protected and Secret as a deny rule's, those of Unprotected and NotSecret as an
// allow rule's.
type adds struct {
	Protected   []string `json:"protected"`
	Unprotected []string `json:"unprotected"`
	Secret      []string `json:"secret"`
	NotSecret   []string `json:"not_secret"`
}

// ConfigHelp describes, for a tool's rule help, the members of its config about paths.
const ConfigHelp = `The operator's config names further paths that a person must see written (protected) or read (secret), and lifts those that come along (unprotected, not_secret): lists of such globs.`

var (
	protectedTable = index(protectedGroups)
	secretTable    = index(secretGroups)
)

// NewPolicy returns the policy of a call, from its tool's config.
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

// ProtectedPath is Protected for one form: a clean path, absolute where possible, with a shell's
// globs for everything they can match.
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

// HarmlessDevice reports whether a path is a writable device, such as /dev/null.
func HarmlessDevice(p string) bool { return harmlessDevices[p] }

// belowExempt returns the path as seen from its working directory, when the directory itself lies
// in a protected one: a project may live in ~/.config/nvim, and be worked on.
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

// Secret reports whether the place is, or lies in, a store of keys, credentials or tokens. Reading
// one is not read-only. Both forms count.
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

// SecretBelow reports whether a search of everything below a place is known to read secrets: of a
// home directory or one above, of the system's configuration, and of parts of a home directory with
// a known store. A project may hold secrets too, and is searched all day. hidden means the search
// looks into files and directories with a leading dot.
func (p *Policy) SecretBelow(place Place, hidden bool) bool {
	return p.secretBelow(place.Lexical, hidden) || p.secretBelow(place.Resolved, hidden)
}

func (p *Policy) secretBelow(form string, hidden bool) bool {
	s := take(form, p.context.Home)
	if p.broken != nil || s.absolute && s.segments[0] == "" || secretTable.parts.below(s, hidden) != nil {
		return true
	}
	names := len(s.segments)
	if everything(s.segments[names-1]) {
		names-- // all of a system's tree is this tree
	}
	if s.absolute && slices.ContainsFunc(systemTrees, func(tree []string) bool { return names == len(tree) && s.leads(0, tree) == len(tree) }) {
		return true
	}
	return hidden && s.absolute && len(s.segments) <= len(s.home) && s.leads(0, s.home) >= len(s.segments)
}

// systemTrees hold secrets of the system, or of every user.
var systemTrees = [][]string{{"etc"}, {"root"}, {"home"}, {"users"}, {"proc"}, {"dev"}, {"run"}, {"var"}, {"var", "run"}, {"var", "lib"}, {"private"}, {"private", "etc"}, {"private", "var"}}

// SeeksSecret reports whether a glob of a search names secrets, as "**/.env*" and "**/.ssh/*" do. A
// glob for ordinary names, possible for a secret too, as "*.json", does not. RATIONALE.md, "Why
// does a glob in the middle of a path count as the secret it may name?".
func (p *Policy) SeeksSecret(glob string) bool {
	texts, err := expandBraces(glob)
	if err != nil || p.broken != nil {
		return true
	}
	for _, text := range texts {
		if secretTable.parts.holds(take(text, ""), anyGroup) != nil || p.seeksAdded(plainer.Replace(text)) {
			return true
		}
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

// seeksAdded reports whether a search's glob without its wildcards is, in one of its possible
// starting directories, a secret named by the operator.
func (p *Policy) seeksAdded(plain string) bool {
	if strings.Trim(plain, "/") == "" || len(p.adds.Secret) == 0 {
		return false
	}
	return slices.ContainsFunc(append([]string{p.context.CWD}, p.context.WorkingDirectories...), func(dir string) bool {
		return dir != "" && p.added(p.adds.Secret, path.Join(dir, plain))
	})
}

// plainer takes the wildcards out of a glob.
var plainer = strings.NewReplacer("*", "", "?", "", "[", "", "]", "", `\`, "")

// added reports whether one of the operator's globs names the path, in any
// spelling.
func (p *Policy) added(globs []string, form string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		place := Place{Lexical: form, Resolved: form}
		return Matches(tool.Deny, tool.Rule{Content: glob}, p.context, place) || !everything(path.Base(form)) && Matches(tool.Ask, tool.Rule{Content: glob}, p.context, place)
	})
}

// everything reports whether a name is a glob for every file; it is judged as its directory.
func everything(name string) bool {
	return strings.Contains(name, "*") && strings.Trim(name, "*?") == ""
}

// lifted reports whether one of the operator's globs names the path exactly.
func (p *Policy) lifted(globs []string, form string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool {
		return Matches(tool.Allow, tool.Rule{Content: glob}, p.context, Place{Lexical: form, Resolved: form})
	})
}
