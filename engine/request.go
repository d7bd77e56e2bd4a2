package engine

// Request is everything Decide looks at.
type Request struct {
	Call  *Call
	Entry Entry
	// Err is a failure the host met before deciding (describe_call, target
	// resolution, profile, store). It is final: deny rules still deny, and the
	// answer is otherwise the mode's error row.
	Err error
	// Protected says why the call would touch files or settings behind its own decision (threat
	// T06); empty for every other call. Such a call is denied before all lists and rules, in every
	// mode.
	Protected string
	// Unsettled says why the call's targets may differ when it runs (threat T11); empty for every
	// other call. Deny rules still deny; an allow becomes the mode's error row.
	Unsettled string
	// Rules are all unexpired rules for the call's scopes, in any order; rules of other tools are
	// skipped.
	Rules []Rule
	Lists Lists
	// Words are those of the call's module about rules with a content for it; nil when any can match.
	// Decide asks the module about no other, and About leaves the others out. They hold for every
	// call that is decided with Rules.
	Words *RuleWords
	// Related are synthetic calls of file and web tools on this call's targets: their deny and ask
	// rules hold for it through these. RATIONALE.md, "Why are deny and ask rules of Read, Write,
	// Edit and WebFetch tried on Bash calls?".
	Related []Related
	// Effects are the call's effects, named by its module and completed by the host. Only rules
	// about effects decide by them.
	Effects []Effect
	// EffectsUnsaid means the module does not name effects: the call may have others than Effects.
	EffectsUnsaid bool
	// Profile is the answer of the agent's profile to the call's actions; nil without a profile. It
	// only limits: an Allow changes nothing, an Ask replaces an allow or ask from the rest of the
	// table, and everything else denies.
	Profile *ProfileAnswer
	// Reads and Edits are the call in folders a person trusted the agent to read in, and to edit
	// in; nil where there are none. They decide only calls asked about for want of a rule.
	Reads, Edits *InFolders
	// ResumeAsks is "deny" when ask rules in a resumed session are always
	// denied; otherwise they ask when an approver is attached.
	ResumeAsks string
	// Bare leaves out the suggestions of an ask: the decision is the same, and the tool is asked less.
	Bare bool
}

// InFolders is a call as it is with trusted folders as its only working directories.
type InFolders struct {
	// Directories are the folders, absolute and resolved.
	Directories []string
	// Targets are the call's, resolved with these directories.
	Targets []Target
}

// Lists name the tools an agent may use at all. Entries are tool names, aliases, or globs with a
// literal part.
type Lists struct {
	Disallowed []string
	// Allowed nil means no restriction; empty allows nothing.
	Allowed []string
	// IgnoreDenylist is respect_denylist: false. It lifts Disallowed, and only
	// in mode Trusted.
	IgnoreDenylist bool
	// Skills are the active skills' allowed-tools; all must allow. A nil slice
	// does not restrict.
	Skills map[string][]string
	// Children are the lists of the sub-agents above a call, the outermost first. They hold besides
	// the others, and IgnoreDenylist lifts none.
	Children []ChildLists
}

// ChildLists are the tool lists of a sub-agent.
type ChildLists struct {
	// Name is their owner.
	Name       string
	Disallowed []string
	// Allowed nil means no restriction.
	Allowed []string
}

// Related is one synthetic call put to the owner of a target.
type Related struct {
	Entry Entry
	Call  *Call
	// Does is the call's action on the target, in words of the host: "reads secrets/key". It
	// becomes a part of the reason.
	Does string
	// Unknown marks that the call's targets cannot be named: each deny or ask rule of the entry
	// then counts as matched.
	Unknown bool
	// Reads marks that the call does nothing with the target that a call of Entry, which only
	// reads, would not do: see walk.matchReads.
	Reads bool
	// Wide marks a call with many targets, a tree or a glob. Its tool matches a deny rule only if
	// the rule names all or a directory of them; other possible matches are found by trying it as
	// an ask rule, and then it asks.
	Wide bool
}

// ProfileAnswer is a profile's verdict on all actions of a call.
type ProfileAnswer struct {
	Name     string
	Behavior Behavior
	// Action is the deciding action string.
	Action string
	// Pattern is the deciding pattern; empty for "nothing matched".
	Pattern string
	// Note says why the profile denies when it is not for want of a match.
	Note string
}
