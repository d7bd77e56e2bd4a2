package protocol

import (
	"encoding/json"
	"time"

	"github.com/callgate/callgate/engine"
)

// RuleChange is several rules to store and stored ones to delete, all or none.
type RuleChange struct {
	Rules  []NewRule `json:"rules"`
	Remove []string  `json:"remove,omitempty"`
	// Source says where the rules come from, as template:NAME or import:NAME.
	Source string `json:"source,omitempty"`
	// DryRun only returns the effect.
	DryRun bool `json:"dry_run,omitempty"`
}

// NewRule is a rule as it is sent: either its text form or tool and content.
type NewRule struct {
	// Rule is the text form, "Tool" or "Tool(content)".
	Rule    string  `json:"rule,omitempty"`
	Tool    string  `json:"tool,omitempty"`
	Content *string `json:"content,omitempty"`
	// Behavior is allow, deny or ask.
	Behavior *engine.Behavior `json:"behavior"`
	// Scope is global when absent.
	Scope     engine.Scope `json:"scope,omitempty"`
	ScopeKey  string       `json:"scope_key,omitempty"`
	ExpiresAt time.Time    `json:"expires_at,omitzero"`
	Reason    string       `json:"reason,omitempty"`
	Match     []string     `json:"match,omitempty"`
	NotMatch  []string     `json:"not_match,omitempty"`
}

// RuleList are the rules chosen by a filter.
type RuleList struct {
	Rules []engine.Rule `json:"rules"`
	// Unused tells, by id, why stored rules are not used with the modules there are.
	Unused map[string]string `json:"unused,omitempty"`
	// Shadowed tells, by id, which other rule leaves a rule without an effect of its own.
	Shadowed map[string]string `json:"shadowed,omitempty"`
	// Uses are, by id, the rules that decided a call; the others never did.
	Uses map[string]RuleUse `json:"uses,omitempty"`
}

// RuleUse is how often a rule decided a call, and when it did last.
type RuleUse struct {
	Count int64     `json:"count"`
	Last  time.Time `json:"last"`
}

// AddedRule is a rule as it was stored.
type AddedRule struct {
	Rule engine.Rule `json:"rule"`
	// Notes describe limits of the rule, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

// RuleTest asks whether a rule matches a call.
type RuleTest struct {
	Rule NewRule `json:"rule"`
	// Tool is the name the agent would use; empty means the rule's.
	Tool  string          `json:"tool,omitempty"`
	Input json.RawMessage `json:"input"`
	CWD   string          `json:"cwd,omitempty"`
	Home  string          `json:"home,omitempty"`
	// WorkingDirectories are absolute.
	WorkingDirectories []string `json:"working_directories,omitempty"`
}

// RuleMatch tells whether a rule matches a call.
type RuleMatch struct {
	Match bool `json:"match"`
}

// RuleSimulation is a change of the rules to be tried on past calls; see RuleChange.
type RuleSimulation struct {
	Rules  []NewRule `json:"rules,omitempty"`
	Remove []string  `json:"remove,omitempty"`
	// Days bounds the calls, from 1 to 365; 0 means 7.
	Days int `json:"days,omitempty"`
	// Rows is how many of the changed calls are returned, up to 1,000; 0 means 100.
	Rows int `json:"rows,omitempty"`
	// Seconds bounds the time for deciding calls again, up to 600; 0 means 60.
	Seconds int `json:"seconds,omitempty"`
}
