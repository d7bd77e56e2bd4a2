package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// Tool is the engine's view of a tool: the four verbs. An implementation returns an error for
// anything but a sound answer (trap, time-out, bad output); the engine then treats the verb's
// answer as the worst. It must be safe for concurrent use.
type Tool interface {
	CheckPermissions(ctx context.Context, call *Call) (Verdict, error)
	CheckReadOnly(ctx context.Context, call *Call) (ReadOnly, error)
	// MatchRule gets all rules of one stage at once, because an allow needs every part of a
	// compound call covered by some rule, and returns the indices of the deciding rules; none means
	// no match.
	MatchRule(ctx context.Context, call *Call, behavior Behavior, rules []RuleText) ([]int, error)
	GenerateSuggestions(ctx context.Context, call *Call) ([]SuggestedRule, error)
}

// RuleText is a tool's view of a rule.
type RuleText struct {
	Content string `json:"content"`
	// Root anchors relative path patterns. Empty means the first working
	// directory.
	Root string `json:"root,omitempty"`
}

// Verdict is a tool's own opinion of a call.
type Verdict struct {
	Behavior Behavior `json:"behavior"`
	// Message is for the model, Reason for the person; both are the module's
	// words and therefore untrusted text.
	Message string `json:"message,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// BypassImmune makes an ask survive allow rules and modes other than bypass.
	BypassImmune bool `json:"bypass_immune,omitempty"`
}

// ReadOnly is a tool's answer whether a call changes nothing.
type ReadOnly struct {
	ReadOnly bool   `json:"read_only"`
	Reason   string `json:"reason,omitempty"`
}

// SuggestedRule is one rule content proposed by a tool for a call; a nil Content proposes the whole
// tool.
type SuggestedRule struct {
	Content     *string `json:"content"`
	Description string  `json:"description,omitempty"`
	// Covers is the part of the call the rule is for, such as one command of a line; empty where
	// Content shows it.
	Covers string `json:"covers,omitempty"`
	// NearMisses are inputs, JSON objects, close to the call's; the rule must not match them. They
	// are the module's word until they are tested.
	NearMisses []json.RawMessage `json:"near_misses,omitempty"`
}

// Entry is one tool as the catalogue knows it.
type Entry struct {
	// Name is canonical; Aliases are other names of the same tool.
	Name    string
	Aliases []string
	Tool    Tool
	// Own means Name and Aliases are the tool's own names, and not matched by a glob or the
	// fallback: an allow rule may spell them in any case.
	Own bool
	// MayAllow and MayReadOnly are the operator's grants: without them the
	// tool's own allow is a passthrough and its read_only false.
	MayAllow    bool
	MayReadOnly bool
	// Err is set when the module claiming this name could not be loaded; every verb then counts as
	// an error.
	Err error
}

// Names returns the names for this entry in rules and lists, for a call under the name called.
func (e Entry) Names(called string) []string {
	return e.appendNames(make([]string, 0, len(e.Aliases)+2), called) // and room for one more
}

// appendNames adds the names of Names.
func (e Entry) appendNames(names []string, called string) []string {
	names = append(append(names, e.Name), e.Aliases...)
	if called != "" && !MatchName(called, names...) {
		names = append(names, called)
	}
	return names
}

// meant reports whether the rule speaks of the entry; names are those of Names.
// Without a call no allow rule does.
func (e Entry) meant(r *Rule, call *Call, names []string) bool {
	if r.Behavior == Allow {
		return call != nil && r.Source != SourceProjectFile && (e.permits(r.Tool, names) || wholeServer(r.Tool, call)) && permitsServer(r, call) == ""
	}
	return meansName(r.Tool, names) || call != nil && meansServer(r.Tool, call.Tool)
}

// permits reports whether a name or glob typed by a person lets the entry through; names are those
// of Names. The tool's own names may be typed in any case; others, and globs, are meant exactly,
// because another server's tool may differ by case alone (threat T26).
func (e Entry) permits(pattern string, names []string) bool {
	if MatchName(pattern, names...) {
		return true
	}
	typed := func(name string) bool { return strings.EqualFold(pattern, name) }
	return e.Own && !strings.ContainsAny(pattern, "*?") && (typed(e.Name) || slices.ContainsFunc(e.Aliases, typed))
}
