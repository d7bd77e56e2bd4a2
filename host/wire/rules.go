package wire

import "github.com/callgate/callgate/engine"

// Lists are the rules of one place as texts, for text commands.
type Lists struct {
	Allow []string `json:"allow"`
	Ask   []string `json:"ask"`
	Deny  []string `json:"deny"`
	// Mode is the mode's name as it was given; empty when none was.
	Mode string `json:"mode,omitempty"`
	// Profile is the profile as /permissions shows it; no command changes it.
	Profile string `json:"profile,omitempty"`
}

// CommandResult is the result of a text command.
type CommandResult struct {
	// OK reports whether it was understood; otherwise nothing changed.
	OK      bool     `json:"ok"`
	Message string   `json:"message"`
	Notes   []string `json:"notes,omitempty"`
	// Lists are those of Scope and ScopeKey after it.
	Lists Lists `json:"lists"`
	// Mode is their mode.
	Mode     string       `json:"mode"`
	Scope    engine.Scope `json:"scope"`
	ScopeKey string       `json:"scope_key,omitempty"`
	// Added and Removed are the stored and deleted rules.
	Added   []engine.Rule `json:"added,omitempty"`
	Removed []engine.Rule `json:"removed,omitempty"`
}

// ListResult is the result for a chat's lists.
type ListResult struct {
	Session string `json:"session"`
	// Mode is the session's own; empty for the agent's.
	Mode string `json:"mode,omitempty"`
	// Added and Removed are the stored and deleted rules; the rest were in force already.
	Added   []engine.Rule `json:"added"`
	Removed []engine.Rule `json:"removed"`
	// Notes describe limits of a rule, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

// RuleChangeResult is the result for several rules.
type RuleChangeResult struct {
	// Rules are the added ones, in their order.
	Rules []PlannedRule `json:"rules"`
	// Removed are the deleted rules.
	Removed []engine.Rule `json:"removed"`
	// Stored is false for a dry run.
	Stored bool `json:"stored"`
}

// PlannedRule is one of several rules.
type PlannedRule struct {
	// Rule is the rule as stored, or as it would be.
	Rule engine.Rule `json:"rule"`
	// Exists means it is there already, and so is not stored again.
	Exists bool `json:"exists"`
	// Notes describe its limits, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

// ClearResult counts the dropped records of a session.
type ClearResult struct {
	Asks   int `json:"asks"`
	Grants int `json:"grants"`
}
