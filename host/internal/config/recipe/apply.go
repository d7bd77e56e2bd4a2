package recipe

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/text/yamltext"
)

// Options tell for whom a recipe is applied.
type Options struct {
	// Agent is the agent's name; empty puts the settings into defaults and the
	// rules into the global ones.
	Agent string
	// WorkingDirectory fills the working directory of recipes with one, absolute or ~/...; when
	// empty they leave it to be set.
	WorkingDirectory string
}

// Apply puts a recipe into the configuration file named file, whose content is existing (empty for
// a new one). Every byte of it stays: lines are only added, and entries before the bracket of a
// collection in brackets. An existing key with another value is an error with its line; lists of
// rules are joined. It returns the new content and the difference, in unified form, empty without
// an addition. config.Parse accepts the result.
func Apply(file string, existing []byte, r Recipe, o Options) (updated []byte, diff string, err error) {
	return Merge(file, existing, r.fragment(o), "recipe "+r.Name)
}

// Merge is Apply for settings from elsewhere: fragment is a configuration as it would stand alone,
// without comments of its own before a key or a rule; errors call it what.
func Merge(file string, existing, fragment []byte, what string) (updated []byte, diff string, err error) {
	if _, err := config.Parse(file, existing, anyDirs); err != nil {
		return nil, "", fmt.Errorf("the file has errors already:\n%w", err)
	}
	m, err := newMerger(file, existing, fragment)
	if err != nil {
		return nil, "", err
	}
	if m.newRoot == nil {
		return existing, "", nil
	}
	if err := m.merge(); err != nil {
		return nil, "", err
	}
	updated = m.apply()
	if _, err := config.Parse(file, updated, anyDirs); err != nil {
		return nil, "", fmt.Errorf("%s does not fit into the file:\n%w", what, err)
	}
	if err := says(file, updated, fragment); err != nil {
		return nil, "", fmt.Errorf("%s does not fit into the file: %w", what, err)
	}
	return updated, m.diff(), nil
}

// says reports an error when a text lacks a part of the fragment: an entry was put in a wrong
// place.
func says(file string, text, fragment []byte) error {
	m, err := newMerger(file, text, fragment)
	if err == nil {
		err = m.merge()
	}
	if err == nil && len(m.added)+len(m.inserted) > 0 {
		err = errors.New("the entries were not found where they were added: write what is in brackets on lines of its own first")
	}
	return err
}

// anyDirs stand for the account's own: only the shape of the file matters here.
var anyDirs = config.Dirs{Home: "/", Config: "/", State: "/", Cache: "/"}

// Fragment returns the recipe as it would stand in an empty configuration file.
func (r Recipe) Fragment(o Options) string { return string(r.fragment(o)) }

func (r Recipe) fragment(o Options) []byte {
	body := withDirectory(r.body, o.WorkingDirectory)
	if o.Agent != "" {
		return []byte("agents:\n  " + yamltext.Key(o.Agent) + ":\n" + indent(body, 4))
	}
	settings, rules, found := strings.Cut(body, "rules:\n")
	var b bytes.Buffer
	if !found {
		return []byte("defaults:\n" + indent(settings, 2))
	}
	// A comment after the rules in a body belongs to the rules: they come last, except in recipes
	// without rules.
	b.WriteString("defaults:\n" + indent(settings, 2) + "rules:\n" + rules)
	return b.Bytes()
}

// withDirectory fills in the working directory, or takes its line out.
func withDirectory(body, directory string) string {
	if directory == "" {
		return strings.Replace(body, "working_directories: [DIRECTORY]\n", "", 1)
	}
	return strings.Replace(body, "[DIRECTORY]", "["+yamltext.Quote(directory)+"]", 1)
}

func indent(text string, by int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Repeat(" ", by) + line)
	}
	return b.String()
}
