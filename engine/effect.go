package engine

import (
	"fmt"
	"slices"
	"strings"
)

// EffectKind is a kind of thing that a call does. The kinds are fixed, so that rules
// and cards can name them.
type EffectKind string

// The kinds that a module may say. The comment tells what Value is.
const (
	Shows              EffectKind = "shows"               // a path, a store or "environment": its content reaches the model or a program that prints
	Takes              EffectKind = "takes"               // a source of text by strangers: page, issue, mail, clone
	Reaches            EffectKind = "reaches"             // a host
	Publishes          EffectKind = "publishes"           // a place that others see: a remote, a gist, a registry
	Installs           EffectKind = "installs"            // REGISTRY:PACKAGE
	Deletes            EffectKind = "deletes"             // a path
	Overwrites         EffectKind = "overwrites"          // a path whose content is replaced
	ChangesPermissions EffectKind = "changes_permissions" // a path
	Tests              EffectKind = "tests"               // the name of a test runner or suite
	Runs               EffectKind = "runs"                // a path of code of the project, or Unreadable
)

// The kinds that only the host says, of resolved paths.
const (
	Configures EffectKind = "configures" // a path of CI, hooks, and settings of agents and builds
	Secret     EffectKind = "secret"     // a path of a key, a credential or variables; how "send": a call that sends reads it
)

// Unreadable is the value of Runs for code that cannot be read beforehand. Such a
// call may have every effect.
const Unreadable = "unreadable"

// Environment is the value of Shows for the variables of the process.
const Environment = "environment"

// Store begins the value of Shows for a store of secrets that is no file, "store:gh".
const Store = "store:"

// effectHows are the kinds that a module may say, and the words for how.
var effectHows = map[EffectKind][]string{
	Shows: nil, Takes: nil, Reaches: {"get", "send"}, Publishes: {"public", "force"}, Installs: nil,
	Deletes: {"tree", "glob"}, Overwrites: nil, ChangesPermissions: nil, Tests: {"decisive"}, Runs: nil,
}

// EffectKinds are the kinds that a rule may name, in the order of a card: the gravest
// first.
var EffectKinds = []EffectKind{Secret, Publishes, Deletes, Reaches, Configures, ChangesPermissions, Installs, Overwrites, Runs, Takes, Shows, Tests}

// Effect is one thing that a call does to one object. It may tighten a decision and
// never loosens one. RATIONALE.md, "What may an effect decide?".
type Effect struct {
	Kind  EffectKind `json:"kind"`
	Value string     `json:"value"`
	// How is a word that only some kinds have; empty where nothing is known.
	How string `json:"how,omitempty"`
	// Certain is false where the module names more than the call may do.
	Certain bool `json:"certain"`
	// Resolved is a path with links followed; empty where the value is no path, and
	// where it could not be resolved. The host fills it.
	Resolved string `json:"resolved,omitempty"`
	// Recoverable tells of a path that is deleted or overwritten whether version
	// control has its content. The host fills it.
	Recoverable Recoverable `json:"recoverable,omitempty"`
}

// Recoverable tells whether version control has the content of a file.
type Recoverable string

// The answers; the empty text means that the host cannot tell.
const (
	RecoverableYes Recoverable = "yes" // tracked and unchanged
	RecoverableNo  Recoverable = "no"  // some of it is not tracked, or changed
)

// Check says what is wrong with an effect that a module named; nil when nothing is.
func (e Effect) Check() error {
	hows, known := effectHows[e.Kind]
	switch {
	case !known:
		return fmt.Errorf("kind: %q: want one of shows, takes, reaches, publishes, installs, deletes, overwrites, changes_permissions, tests, runs", clipped(string(e.Kind)))
	case e.How != "" && !slices.Contains(hows, e.How):
		return fmt.Errorf("how: %q: want %s", clipped(e.How), wantHow(e.Kind, hows))
	case e.Value == "" || len(e.Value) > MaxEffectValue || strings.ContainsRune(e.Value, 0):
		return fmt.Errorf("value: want 1 to %d bytes without NUL, got %d", MaxEffectValue, len(e.Value))
	}
	return nil
}

// MaxEffectValue is how long the value of an effect may be, in bytes.
const MaxEffectValue = 4 << 10

func wantHow(kind EffectKind, hows []string) string {
	if len(hows) == 0 {
		return "none for " + string(kind)
	}
	return strings.Join(hows, " or ") + ", or none"
}

// clipped bounds a foreign text in an error.
func clipped(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "..."
	}
	return s
}

// IsPath reports whether the value of such an effect is a path.
func (e Effect) IsPath() bool {
	switch e.Kind {
	case Deletes, Overwrites, ChangesPermissions, Configures:
		return true
	case Shows:
		return e.Value != Environment && !strings.HasPrefix(e.Value, Store)
	case Secret:
		return !strings.HasPrefix(e.Value, Store)
	case Runs:
		return e.Value != Unreadable
	}
	return false
}

// effectPrefix begins the tool name of a rule about effects: "effect:publishes",
// "effect:reaches(api.example)".
const effectPrefix = "effect:"

// IsEffectName reports whether a tool name of a rule, in any case, means an effect
// and not a tool.
func IsEffectName(name string) bool {
	return len(name) >= len(effectPrefix) && strings.EqualFold(name[:len(effectPrefix)], effectPrefix)
}

// effectKind is the kind that the tool name of a rule about effects names.
func effectKind(name string) EffectKind { return EffectKind(strings.ToLower(name[len(effectPrefix):])) }

// CheckEffect says why a rule about an effect cannot be one; nil for every rule about a
// tool. An effect may deny and ask, and never allow.
func (r Rule) CheckEffect() error {
	switch {
	case !IsEffectName(r.Tool):
		return nil
	case !slices.Contains(EffectKinds, effectKind(r.Tool)):
		return fmt.Errorf("rule %q: %q is not an effect: want effect: and one of %s", r.String(), clipped(string(effectKind(r.Tool))), kindList())
	case r.Behavior != Deny && r.Behavior != Ask:
		return fmt.Errorf("rule %q: a rule about an effect cannot %s: want deny or ask", r.String(), r.Behavior)
	case len(r.Match)+len(r.NotMatch) > 0:
		return fmt.Errorf("rule %q: a rule about an effect has no examples: leave match and not_match out", r.String())
	}
	return nil
}

func kindList() string {
	names := make([]string, len(EffectKinds))
	for i, k := range EffectKinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}
