package modules

import (
	"errors"
	"fmt"
	"regexp"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

// Described is a module's description of itself: the answer of describe. Its texts are untrusted
// words, one line each.
type Described struct {
	ABI     int               `json:"abi"`
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Summary string            `json:"summary"`
	Tools   []ToolDescription `json:"tools"`
}

// ToolDescription is one tool of a Described, as docs/abi.md gives its members.
type ToolDescription struct {
	Name        string         `json:"name"`
	Aliases     []string       `json:"aliases"`
	InputSchema jsontext.Value `json:"input_schema"`
	ReadOnly    bool           `json:"read_only"`
	EditsFiles  bool           `json:"edits_files"`
	// AlwaysChanges: check_read_only never counts as true.
	AlwaysChanges bool               `json:"always_changes"`
	RuleHelp      string             `json:"rule_help"`
	RuleExamples  []wire.RuleExample `json:"rule_examples"`
}

// The caps of a description.
const (
	abiVersion  = 1
	maxTools    = 64
	maxAliases  = 64
	maxExamples = 256
	maxText     = 2 << 10
	maxSchema   = 256 << 10
)

var (
	moduleName = form{regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`), 64}
	toolName   = form{regexp.MustCompile(`^[A-Za-z0-9_*?][A-Za-z0-9_.:/*?-]*$`), 128}
)

// ParseDescription reads the answer of describe. The error names the wrong member.
func ParseDescription(data []byte) (d Described, err error) {
	if err := decode(data, &d); err != nil {
		return Described{}, err
	}
	switch {
	case d.ABI != abiVersion:
		return Described{}, fmt.Errorf("abi: got %d, this host speaks %d", d.ABI, abiVersion)
	case !moduleName.MatchString(d.Name):
		return Described{}, fmt.Errorf("name: %q: want letters, digits, dots, dashes, at most 64", clean(d.Name))
	case d.Version == "" || len(d.Version) > 64 || clean(d.Version) != d.Version:
		return Described{}, fmt.Errorf("version: %q: want a word of at most 64 bytes", clean(d.Version))
	case len(d.Tools) == 0 || len(d.Tools) > maxTools:
		return Described{}, fmt.Errorf("tools: got %d, want 1 to %d", len(d.Tools), maxTools)
	}
	d.Summary = clean(d.Summary)
	seen := map[string]bool{}
	for i := range d.Tools {
		if err := d.Tools[i].check(seen); err != nil {
			return Described{}, fmt.Errorf("tools[%d]: %w", i, err)
		}
	}
	return d, nil
}

// check judges one tool; seen are the names of the module so far.
func (t *ToolDescription) check(seen map[string]bool) error {
	if len(t.Aliases) > maxAliases {
		return fmt.Errorf("aliases: %d: at most %d", len(t.Aliases), maxAliases)
	}
	for _, name := range t.Names() {
		if !toolName.MatchString(name) {
			return fmt.Errorf("name %q: want letters, digits and _.:/-, with * and ? in globs, at most 128", clean(name))
		}
		if literal(name) == 0 {
			return fmt.Errorf("name %q: %w", name, engine.ErrBareStar)
		}
		if seen[name] {
			return fmt.Errorf("name %q: twice in one module", name)
		}
		seen[name] = true
	}
	if len(t.InputSchema) > maxSchema || len(t.InputSchema) > 0 && t.InputSchema.Kind() != '{' {
		return fmt.Errorf("input_schema of %s: want an object of at most %d bytes", t.Name, maxSchema)
	}
	t.RuleHelp = clean(t.RuleHelp)
	if len(t.RuleExamples) > maxExamples {
		return fmt.Errorf("rule_examples of %s: %d: at most %d", t.Name, len(t.RuleExamples), maxExamples)
	}
	for i, e := range t.RuleExamples {
		if b, err := engine.ParseBehavior(e.Behavior); err != nil || b == engine.Passthrough {
			return fmt.Errorf("rule_examples[%d].behavior of %s: %q: want allow, deny or ask", i, t.Name, clean(e.Behavior))
		}
	}
	return nil
}

// Names are the tool's own name, then its aliases.
func (t *ToolDescription) Names() []string { return append([]string{t.Name}, t.Aliases...) }

// names are all declared names, globs as well.
func (d *Described) names() (names []string) {
	for _, t := range d.Tools {
		names = append(names, t.Names()...)
	}
	return names
}

// errNotObject refuses an answer of null, a list or a bare value.
var errNotObject = errors.New("want a JSON object")

// decode reads one answer of a guest: one JSON object, names case-sensitive and
// once each, nothing unknown, nothing after it, valid UTF-8.
func decode(data []byte, into any) error {
	if jsontext.Value(data).Kind() != '{' {
		return errNotObject
	}
	if err := jsonv2.Unmarshal(data, into, jsonv2.RejectUnknownMembers(true)); err != nil {
		return errors.New(clean(err.Error()))
	}
	return nil
}

// clean makes a module's text one harmless line of at most 2 KiB.
func clean(text string) string { return sandbox.Clean(text, maxText) }

// DescriptionDigest is the sha256, in hex, of a describe answer: of the canonical form of its JSON
// (RFC 8785) without the member version, because a new version needs no new grant. Errors come from
// ParseDescription.
func DescriptionDigest(raw []byte) (string, error) {
	if _, err := ParseDescription(raw); err != nil {
		return "", err
	}
	var members map[string]jsontext.Value
	if err := jsonv2.Unmarshal(raw, &members); err != nil {
		return "", err
	}
	delete(members, "version")
	declared, err := jsonv2.Marshal(members)
	if err != nil {
		return "", err
	}
	canonical := jsontext.Value(declared)
	if err := canonical.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return "", err
	}
	return sandbox.Digest(canonical), nil
}
