package engine

import "encoding/json"

// Stage is the step of the design's table that decided.
type Stage string

// The stages, in the order of the table.
const (
	StageDenyRule  Stage = "deny_rule"
	StageAskRule   Stage = "ask_rule"
	StageReadOnly  Stage = "read_only"
	StageToolCheck Stage = "tool_check"
	StageAllowRule Stage = "allow_rule"
	StageMode      Stage = "mode"
	StageProfile   Stage = "profile"
	StageError     Stage = "error"
)

// Decision is the answer to a call. The zero value denies.
type Decision struct {
	Behavior Behavior `json:"behavior"`
	Stage    Stage    `json:"stage,omitempty"`
	// Code is a stable word for programs, one of the Code constants.
	Code string `json:"code,omitempty"`
	// Reason is for the person who is asked or reads the audit.
	Reason string `json:"reason,omitempty"`
	// Message is one clean sentence for the model; set on every denial.
	Message string `json:"message,omitempty"`
	// Offending are the parts of the call that the decision is about, such as the
	// commands of a line that no rule covers; empty when that is not known.
	Offending []string `json:"offending,omitempty"`
	// Permitted is what would be allowed: tools of the list that this one is not on,
	// or allow rules of this tool that do not match. Set only where it is known.
	Permitted []string `json:"permitted,omitempty"`
	// Rule is the rule that decided; nil when none did.
	Rule         *Rule `json:"rule,omitempty"`
	BypassImmune bool  `json:"bypass_immune,omitempty"`
	// SafetyCheck tells of an ask of a rule or a profile that the tool's own check would
	// have asked as well, immune, or could not say: who approves it approves that too.
	SafetyCheck bool `json:"safety_check,omitempty"`
	// Suggestions are rules that would answer the next such call, proven by
	// deciding again with them. Set only on asks.
	Suggestions []Suggestion `json:"suggestions,omitempty"`
	// Server is the identity of the MCP server that the call is put to; accepting a
	// suggestion keeps it with the rule. Set only on asks.
	Server string `json:"server,omitempty"`
	// SuggestionsNote says why there are none, and what would have to change.
	SuggestionsNote string `json:"suggestions_note,omitempty"`
	// ConvertedBy names why an ask became a denial (see the Code constants);
	// ConvertedFrom is the ask's own stage.
	ConvertedBy   string `json:"converted_by,omitempty"`
	ConvertedFrom Stage  `json:"converted_from,omitempty"`
	// Trace lists what each step saw, in order.
	Trace []Step `json:"trace,omitempty"`

	// tightens marks the ask of a profile that may not decide by itself.
	tightens bool
}

// Safety reports whether an ask is about a safety check, whatever asked first.
func (d Decision) Safety() bool { return d.BypassImmune || d.SafetyCheck }

// Step is one line of a trace.
type Step struct {
	// Step is the stage's word, or "suggest" and "convert" after the table.
	Step   string `json:"step"`
	Saw    string `json:"saw"`
	Result string `json:"result"`
}

// Suggestion is a rule that would let this very call run next time. Those of
// one Set belong together: only all of them cover the call.
type Suggestion struct {
	Tool        string   `json:"tool"`
	Content     *string  `json:"content"`
	Behavior    Behavior `json:"behavior"`
	Description string   `json:"description,omitempty"`
	Set         int      `json:"set"`
	// NearMisses are inputs that the rule must not match, as the module says. They
	// repeat the call's input and are not told or stored.
	NearMisses []json.RawMessage `json:"-"`
}

// The codes of decisions. They are part of the machine interface and never
// change their meaning.
const (
	CodeSelfProtection = "self_protection"  // would touch what decides about it
	CodeRuleMatched    = "rule_matched"     // a deny, ask or allow rule matched
	CodeDisallowed     = "disallowed"       // on disallowed_tools
	CodeNotInAllowlist = "not_in_allowlist" // outside allowed_tools
	CodeSkill          = "not_in_skill"     // outside an active skill's allowed-tools
	CodeReadOnly       = "read_only"        // proven to change nothing
	CodeMutation       = "mutation_in_explore"
	CodeToolAllow      = "tool_allow"
	CodeToolDeny       = "tool_deny"
	CodeSafety         = "safety_check" // a bypass-immune ask of the tool
	CodeToolAsk        = "tool_ask"     // a plain ask of the tool, in dont_ask
	CodeModeAsk        = "mode_ask"
	CodeModeAllow      = "mode_allow"
	CodeModeDeny       = "mode_deny"
	CodeProfile        = "profile"
	CodeToolError      = "tool_error"    // a verb failed or its module is missing
	CodeHostError      = "host_error"    // describe_call, targets, profile or store failed
	CodeUnsettled      = "unsettled"     // another call may change what the targets are
	CodeServer         = "mcp_server"    // a rule names the tool, and not this MCP server
	CodeShellChanged   = "shell_changed" // an earlier call changed the shell that runs this one
	CodeBackground     = "background"    // converted: nobody may be asked
	CodeResumed        = "resumed"       // converted: an ask rule in a resumed session
	CodeNoApprover     = "no_approver"
	CodeCallback       = "callback" // answered by the callback approver
)
