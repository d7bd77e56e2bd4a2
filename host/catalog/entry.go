package catalog

import (
	"context"
	"encoding/json"

	"github.com/callgate/callgate/engine"
)

// Entry is one tool as Lookup finds it. Copies may be changed freely.
type Entry struct {
	engine.Entry
	// Module and Version are the module's own words; File is where it came from.
	Module  string
	Version string
	File    string
	// Digest is the sha256 of the module's bytes, in hex.
	Digest      string
	InputSchema json.RawMessage
	RuleHelp    string
	Summary     string
	EditsFiles  bool
	ReadOnly    bool
	// Embedded tells that the module comes with the binary.
	Embedded bool

	describer *adapter
}

// ShellParts are the parts of a shell's state that a call may change: where the
// shell stands; and its variables, aliases, functions, options and the like.
var ShellParts = []string{"directory", "environment"}

// Description is what a module says a call is. The texts are untrusted words
// without control characters (Preview keeps its line feeds and tabs).
type Description struct {
	// Action is "tool:<name>:<detail>", Actions one per part of a compound
	// call; both empty when the module gives none.
	Action  string
	Actions []string
	Title   string
	Preview string
	// Language names the preview's syntax.
	Language string
	// Targets are what the call touches, not yet resolved.
	Targets        []engine.Target
	TargetsUnknown bool
	// Analysed: the actions say all that the call does.
	Analysed bool
	// Unread: the module, which names the actions of all inputs that it can read,
	// named none. The host notes it.
	Unread bool
	// Moves: the call may change the current directory or links.
	Moves bool
	// ChangesShell: what the call may change of the shell that runs it, of
	// ShellParts.
	ChangesShell []string
	// Marks are what only the protection of the gate itself looks at, by the
	// kinds that engine.Target names.
	Marks []engine.Target
}

// Describe asks the module what the call touches. Without a describe_call of
// its module the Description is empty. On an error nothing is known of the
// call, and the error belongs into engine.Request.Err.
func (e Entry) Describe(ctx context.Context, call *engine.Call) (Description, error) {
	if e.describer == nil {
		return Description{}, e.Err
	}
	return e.describer.describe(ctx, call)
}

// Info is one tool for lists and inspection.
type Info struct {
	Name         string          `json:"name"`
	Aliases      []string        `json:"aliases,omitempty"`
	Module       string          `json:"module"`
	Version      string          `json:"version"`
	File         string          `json:"file"`
	Embedded     bool            `json:"embedded"`
	Digest       string          `json:"digest"`
	Size         int             `json:"size"`
	Summary      string          `json:"summary,omitempty"`
	RuleHelp     string          `json:"rule_help,omitempty"`
	RuleExamples []Example       `json:"rule_examples,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema,omitempty"`
	ReadOnly     bool            `json:"read_only"`
	EditsFiles   bool            `json:"edits_files"`
	MayAllow     bool            `json:"may_allow"`
	MayReadOnly  bool            `json:"may_read_only"`
	// Limits are what the tool's module may use; none when it cannot run.
	Limits []Limit `json:"limits,omitempty"`
	// State says how its module's file stands.
	State Standing `json:"state,omitempty"`
	// Fallback marks the tool that answers for names nobody claims.
	Fallback bool `json:"fallback,omitempty"`
	// Error says why calls of this name fail; empty when all is well.
	Error string `json:"error,omitempty"`
}

// Names are the tool's own name, then its aliases.
func (i Info) Names() []string { return append([]string{i.Name}, i.Aliases...) }

// Problem is something wrong with a module.
type Problem struct {
	// File is the module's file, or the directory's name.
	File string
	Err  error
}

// String implements fmt.Stringer.
func (p Problem) String() string { return p.File + ": " + p.Err.Error() }
