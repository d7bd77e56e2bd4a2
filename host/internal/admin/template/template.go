// Package template holds ready-made sets of rules, to be stored in one go. Source: docs/seeds.md,
// "2. Approval Templates". A template stores rules: people list and remove them one by one. A
// recipe (package recipe) changes the configuration file, for settings other than rules: modes,
// directories, limits.
package template

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/text/didyoumean"
)

//go:embed templates/*.yaml
var files embed.FS

// Names are the templates in the order of their listing.
var Names = []string{"safe-dev", "read-only-review", "node", "python", "go", "no-destruction", "no-secrets"}

// Template is one set of rules.
type Template struct {
	// Name is its name on the command line.
	Name string `json:"name" yaml:"-"`
	// Title is a few words, Description the facts to know before using it.
	Title       string `json:"title" yaml:"title"`
	Description string `json:"description" yaml:"description"`
	Rules       []Rule `json:"rules" yaml:"rules"`
}

// Rule is one rule of a template.
type Rule struct {
	// Rule is the text form.
	Rule     string `json:"rule" yaml:"rule"`
	Behavior string `json:"behavior" yaml:"behavior"`
	// Note describes its effect.
	Note     string   `json:"note" yaml:"note"`
	Match    []string `json:"match" yaml:"match"`
	NotMatch []string `json:"not_match" yaml:"not_match"`
}

// Engine is the rule as the engine knows it, without a scope.
func (r Rule) Engine() (engine.Rule, error) {
	out, err := engine.ParseRule(r.Rule)
	if err != nil {
		return out, err
	}
	out.Behavior, err = engine.ParseBehavior(r.Behavior)
	out.Reason, out.Match, out.NotMatch = r.Note, r.Match, r.NotMatch
	return out, err
}

// SourcePrefix begins the Source of a stored rule of a template.
const SourcePrefix = "template:"

// Source is the Source of the template's rules when they are stored.
func (t Template) Source() string { return SourcePrefix + t.Name }

// All are the templates in the order of their listing.
func All() []Template {
	out := make([]Template, len(Names))
	for i, name := range Names {
		out[i] = read(name)
	}
	return out
}

// Find returns the named template; the error suggests a similar name, or lists all names.
func Find(name string) (Template, error) {
	for _, known := range Names {
		if name == known {
			return read(name), nil
		}
	}
	if near := didyoumean.Nearest(name, Names); near != "" {
		return Template{}, fmt.Errorf("unknown template %q: did you mean %s?", name, near)
	}
	return Template{}, fmt.Errorf("unknown template %q: want one of %s", name, strings.Join(Names, ", "))
}

func read(name string) Template {
	data, err := files.ReadFile(path.Join("templates", name+".yaml"))
	t := Template{Name: name}
	if err == nil {
		err = yaml.UnmarshalWithOptions(data, &t, yaml.Strict())
	}
	if err != nil {
		panic(fmt.Sprintf("template %s: %v", name, err)) // our own file
	}
	return t
}
