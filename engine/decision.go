package engine

import "encoding/json"

// Stage is the deciding step of the table.
type Stage string

// The stages, in the order of the table.
const (
	StageDenyRule  Stage = "deny_rule"  // deny rules, tool lists, self-protection
	StageAskRule   Stage = "ask_rule"   // ask rules
	StageReadOnly  Stage = "read_only"  // the tool's read-only check
	StageToolCheck Stage = "tool_check" // the tool's permission check
	StageAllowRule Stage = "allow_rule" // allow rules
	StageMode      Stage = "mode"       // the mode, when nothing else decided
	StageProfile   Stage = "profile"    // the agent's profile
	StageError     Stage = "error"      // a check failed: ask or deny, never allow
)

// Decision is the answer to a call. The zero value denies.
type Decision struct {
	Behavior Behavior `json:"behavior"`
	Stage    Stage    `json:"stage,omitempty"`
	// Code is a stable word for programs, one of the Code constants.
	Code string `json:"code,omitempty"`
	// Reason is for the approver and the audit's reader.
	Reason string `json:"reason,omitempty"`
	// Message is one clean sentence for the model; set on every denial.
	Message string `json:"message,omitempty"`
	// Offending are the parts of the call the decision is about, such as a line's commands without
	// a rule; empty when unknown.
	Offending []string `json:"offending,omitempty"`
	// Permitted are allowed alternatives: tools of the list this one is missing on, or allow rules
	// of this tool without a match. Set only where known.
	Permitted []string `json:"permitted,omitempty"`
	// Rule is the deciding rule; nil for none.
	Rule         *Rule `json:"rule,omitempty"`
	BypassImmune bool  `json:"bypass_immune,omitempty"`
	// SafetyCheck marks an ask of a rule or a profile where the tool's own check would have asked
	// as well, immune, or could not answer: an approval covers both. RATIONALE.md, "Why does an ask
	// rule not hide a safety check?".
	SafetyCheck bool `json:"safety_check,omitempty"`
	// SafetyReason has the tool's words about a safety check where another step asked first, for
	// the approver. Empty where Reason has them, and where the check gave none.
	SafetyReason string `json:"safety_reason,omitempty"`
	// Suggestions are rules able to answer the next such call, proven by deciding again with them.
	// Set only on asks.
	Suggestions []Suggestion `json:"suggestions,omitempty"`
	// Server is the identity of the call's MCP server; accepting a suggestion keeps it with the
	// rule. Set only on asks.
	Server string `json:"server,omitempty"`
	// SuggestionsNote says why there are none, and names the needed change.
	SuggestionsNote string `json:"suggestions_note,omitempty"`
	// ConvertedBy names why an ask became a denial (see the Code constants);
	// ConvertedFrom is the ask's own stage.
	ConvertedBy   string `json:"converted_by,omitempty"`
	ConvertedFrom Stage  `json:"converted_from,omitempty"`
	// Trace lists the input of each step, in order.
	Trace []Step `json:"trace,omitempty"`
}

// Safety reports whether an ask is about a safety check, no matter which step asked first.
func (d Decision) Safety() bool { return d.BypassImmune || d.SafetyCheck }

// SafetyWords are the tool's words about a safety check, whichever step asked first; empty without
// any.
func (d Decision) SafetyWords() string {
	if d.BypassImmune && d.Stage == StageToolCheck {
		return d.Reason
	}
	return d.SafetyReason
}

// Step is one line of a trace.
type Step struct {
	// Step is the stage's word, or "suggest" and "convert" after the table.
	Step   string `json:"step"`
	Saw    string `json:"saw"`
	Result string `json:"result"`
}

// Suggestion is a rule to let this very call run next time. Those of one Set belong together: only
// all of them cover the call.
type Suggestion struct {
	Tool        string   `json:"tool"`
	Content     *string  `json:"content"`
	Behavior    Behavior `json:"behavior"`
	Description string   `json:"description,omitempty"`
	Set         int      `json:"set"`
	// Covers is the part of the call the rule is for, quoted by Offending alone; empty where the
	// content shows it. It repeats the call's input.
	Covers string `json:"-"`
	// NearMisses are inputs the rule must not match, from the module. They repeat the call's input
	// and are neither shown nor stored.
	NearMisses []json.RawMessage `json:"-"`
}

// The codes of decisions. They are part of the machine interface and never
// change their meaning.
const (
	CodeSelfProtection   = "self_protection"     // would change or read Callgate's own files, process or settings
	CodeRuleMatched      = "rule_matched"        // a deny, ask or allow rule matched
	CodeDisallowed       = "disallowed"          // the tool is on disallowed_tools
	CodeNotInAllowlist   = "not_in_allowlist"    // the tool is not on allowed_tools
	CodeSkill            = "not_in_skill"        // the tool is not among an active skill's allowed-tools
	CodeReadOnly         = "read_only"           // the call provably changes nothing
	CodeMutation         = "mutation_in_explore" // mode explore denies a call with a possible change
	CodeToolAllow        = "tool_allow"          // the tool's check allows the call
	CodeToolDeny         = "tool_deny"           // the tool's check denies the call
	CodeSafety           = "safety_check"        // a safety check of the tool; no allow rule skips it
	CodeToolAsk          = "tool_ask"            // a plain ask of the tool, denied in dont_ask
	CodeTrustedFolder    = "trusted_folder"      // the call stays in a folder trusted by a person
	CodeModeAsk          = "mode_ask"            // no rule decides, and the mode asks
	CodeModeAllow        = "mode_allow"          // no rule decides, and the mode allows
	CodeModeDeny         = "mode_deny"           // no rule decides, and the mode denies
	CodeProfile          = "profile"             // the agent's profile asks or denies
	CodeToolError        = "tool_error"          // a tool module failed or is missing
	CodeHostError        = "host_error"          // describe_call, targets, profile or store failed
	CodeStoreUnavailable = "store_unavailable"   // the store does not answer, or takes no changes
	CodeUnsettled        = "unsettled"           // a concurrent call may change the call's targets
	CodeServer           = "mcp_server"          // the rule is for another MCP server of this name
	CodeShellChanged     = "shell_changed"       // an earlier call changed this call's shell
	CodeBackground       = "background"          // an ask in a background session, denied
	CodeResumed          = "resumed"             // an ask rule in a resumed session, denied
	CodeNoApprover       = "no_approver"         // an ask while no approver is connected, denied
	CodeCallback         = "callback"            // the callback approver decided
)
