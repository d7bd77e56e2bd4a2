package engine

// Request is everything Decide looks at.
type Request struct {
	Call  *Call
	Entry Entry
	// Err is a failure the host met before deciding (describe_call, target
	// resolution, profile, store). It is final: deny rules still deny, and the
	// answer is otherwise the mode's error row.
	Err error
	// Protected says why the call would touch what decides about it (threat
	// T06); empty for every other call. Such a call is denied before all lists
	// and rules, in every mode.
	Protected string
	// Unsettled says why what the call touches may be something else when it runs
	// (threat T11); empty for every other call. Deny rules still deny; what would
	// be allowed is the mode's error row instead.
	Unsettled string
	// Rules are all that apply to the call's scopes and have not expired, in
	// any order; rules of other tools are skipped.
	Rules []Rule
	Lists Lists
	// Related are the synthetic calls through which deny and ask rules of file
	// and web tools hold for this call's targets (design section 3, cross-tool).
	Related []Related
	// Profile is what the agent's profile says of the call's actions; nil when
	// no profile is configured.
	Profile *ProfileAnswer
	// ResumeAsks is "deny" when ask rules in a resumed session are always
	// denied; otherwise they ask when an approver is attached.
	ResumeAsks string
}

// Lists are the tool lists of design section 3. Entries are tool names,
// aliases, or globs with a literal part.
type Lists struct {
	Disallowed []string
	// Allowed nil means no restriction; empty means that nothing is allowed.
	Allowed []string
	// IgnoreDenylist is respect_denylist: false. It lifts Disallowed, and only
	// in mode Trusted.
	IgnoreDenylist bool
	// Skills are the active skills' allowed-tools; all must allow. A nil slice
	// does not restrict.
	Skills map[string][]string
	// Children are the lists of the sub-agents that a call comes through, the
	// outermost first. They hold besides the others, and IgnoreDenylist lifts none.
	Children []ChildLists
}

// ChildLists are the tool lists of a sub-agent.
type ChildLists struct {
	// Name tells whose they are.
	Name       string
	Disallowed []string
	// Allowed nil means no restriction.
	Allowed []string
}

// Related is one synthetic call put to the owner of a target.
type Related struct {
	Entry Entry
	Call  *Call
	// Does says what the call does to the target, in words of the host: "reads
	// secrets/key". It becomes a part of the reason.
	Does string
	// Unknown marks that the call's targets cannot be named: each deny or ask
	// rule of the entry then counts as matched.
	Unknown bool
	// Wide marks that the call stands for many targets, a tree or a glob. Its tool
	// matches a deny rule only when that names all or a directory of them; what
	// the rule may name besides is found by trying it as an ask rule, and is then
	// asked about.
	Wide bool
}

// ProfileAnswer is a profile's verdict on all actions of a call.
type ProfileAnswer struct {
	Name     string
	Behavior Behavior
	// Action is the action string that decided.
	Action string
	// Pattern is the pattern that decided; empty for "nothing matched".
	Pattern string
	// Note says why the profile denies when it is not for want of a match.
	Note string
	// OnlyTightens marks an ask that may not decide by itself: it replaces what
	// the rest of the table would allow or ask, never a denial.
	OnlyTightens bool
}
