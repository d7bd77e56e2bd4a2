package ask

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/wire"
)

// Ask is a call that waits, or waited, for a human. It is plain data: a Store
// may keep it as JSON beside the columns it searches by.
type Ask struct {
	// ID is short and typable, see NewID. The broker sets it.
	ID string `json:"id"`
	// Token is the name of the check token, never its secret. With Session,
	// CallID and Digest it is what an approval belongs to.
	Token string `json:"token"`
	Agent string `json:"agent"`
	// SubAgent is the client's own name for the part of the agent that calls.
	SubAgent string `json:"sub_agent,omitempty"`
	Session  string `json:"session"`
	// User is who triggered the call.
	User   string `json:"user,omitempty"`
	CallID string `json:"call_id"`
	// Digest is the lower-case hex SHA-256 over the canonical tool, input and
	// cwd, given by the caller.
	Digest string `json:"digest"`
	Tool   string `json:"tool"`
	// Input is the raw JSON input; null once the ask has ended.
	Input json.RawMessage `json:"input,omitempty"`
	CWD   string          `json:"cwd,omitempty"`
	// Decision is why it asks, with the suggestions an answer may accept.
	Decision engine.Decision `json:"decision"`
	Targets  []engine.Target `json:"targets,omitempty"`
	// Effects are what the call does, in fixed kinds; their words are those of
	// engine.EffectLines.
	Effects []engine.Effect `json:"effects,omitempty"`
	// Identities are what stood at the cwd and then, in their order, at Targets when
	// the ask was made; an approval holds for these only.
	Identities []Identity `json:"identities,omitempty"`
	// Action is the action string by which profiles judge the call.
	Action       string      `json:"action,omitempty"`
	ModuleDigest string      `json:"module_digest,omitempty"`
	Kind         engine.Kind `json:"kind,omitempty"`
	ProjectRoot  string      `json:"project_root,omitempty"`
	// Repository is the repository the project is a work tree of: rules accepted for the project
	// hold in all of its work trees. Empty for any other project.
	Repository string `json:"repository,omitempty"`
	// TakesInput tells that an approval may change the input.
	TakesInput bool `json:"takes_input,omitempty"`
	// Folder is the project folder that an approval may trust; nil where none is offered.
	Folder *Folder `json:"folder,omitempty"`
	// Approvers say who may answer, as the operator said it when the ask was made or,
	// where that is stricter, at an approval; nil for everybody who reaches it.
	Approvers approvers.Policy `json:"approvers,omitempty"`
	// Votes are the approvals so far, and at last all that counted, the latest last:
	// one of each person.
	Votes []Answer `json:"votes,omitempty"`
	// Undelivered are the surfaces that could not show the card, by name, sorted. Empty
	// once each of them could.
	Undelivered []string `json:"undelivered,omitempty"`
	// Away tells that no client waits for the answer, as after a restart: an approval counts
	// if the same call comes back.
	Away bool `json:"away,omitempty"`
	// Changed says, for an ask that follows an approval whose second decision
	// came out otherwise, what differs; one line each, empty on a first ask.
	Changed []string `json:"changed,omitempty"`

	// Timeout is how long the ask stays visible; 0 means the broker's default.
	Timeout time.Duration `json:"timeout,omitempty"`
	// CallerDeadline is when the caller stops listening; zero means never.
	CallerDeadline time.Time `json:"caller_deadline,omitzero"`

	CreatedAt time.Time `json:"created_at"`
	// ShownAt and Deadline are zero while the ask is queued. Deadline is
	// ShownAt + Timeout, but never after CallerDeadline.
	ShownAt  time.Time `json:"shown_at,omitzero"`
	Deadline time.Time `json:"deadline,omitzero"`

	State State `json:"state"`
	// Cause says how the ask ended; empty while it waits.
	Cause   Cause     `json:"cause,omitempty"`
	EndedAt time.Time `json:"ended_at,omitzero"`
	// Answer is set when a person (or a settled rule) answered.
	Answer *Answer `json:"answer,omitempty"`
	// UsedAt is when the approval was handed to its call; an approval is used
	// once. Zero while unused.
	UsedAt time.Time `json:"used_at,omitzero"`

	// Node is the daemon where the call waits, by its id; empty where one daemon has the store.
	Node string `json:"-"`
	// Rev is the number of changes in the store. A change of another one is refused.
	Rev int64 `json:"-"`
}

// Identity is what stands at one place. The zero Identity is nothing.
type Identity struct {
	// File is the device and the number of the file; empty when nothing is there.
	File string `json:"file,omitempty"`
	// Content is, for what a call runs, the SHA-256 of the file or, where that is
	// not taken, its size and time and why.
	Content string `json:"content,omitempty"`
	// Error says why it could not be looked at: then it equals nothing, itself
	// neither.
	Error string `json:"error,omitempty"`
}

// Folder is a project folder that a card offers to trust for the ask's agent.
type Folder struct {
	// Path is the folder, absolute and resolved.
	Path string `json:"path"`
	// File tells it from another directory that may stand there when the answer comes.
	File string `json:"file"`
	// Access are what it may be trusted for: each of them would have allowed the call.
	Access []wire.FolderAccess `json:"access"`
}

// offers reports whether the card offers to trust its folder for this.
func (a Ask) offers(access wire.FolderAccess) bool {
	return access != "" && a.Folder != nil && !a.Long() && slices.Contains(a.Folder.Access, access)
}

// The size up to which a card shows a call whole. A longer one is shown in
// part, says so, and can be approved only once and after a confirmation.
const (
	MaxShownBytes   = 4096
	MaxShownLines   = 100
	MaxShownTargets = 20
)

// Project is the place of rules accepted for the project: its repository, else its root.
func (a Ask) Project() string { return cmp.Or(a.Repository, a.ProjectRoot) }

// Long reports whether a card cannot show the call whole: its input or its
// targets.
func (a Ask) Long() bool { return len(a.Targets) > MaxShownTargets || a.LongInput() }

// LongInput reports whether a card cannot show the input whole. What counts is
// what the card shows: texts as they decode, and the lines they, their members
// and elements take. So the answer does not depend on how the JSON is written.
func (a Ask) LongInput() bool {
	size, lines := extent(a.Input)
	return size > MaxShownBytes || lines > MaxShownLines
}

// NeedsConfirmation reports whether every approval must be confirmed by the
// ask's id: a card that is not shown whole, or a safety check.
func (a Ask) NeedsConfirmation() bool { return a.Long() || a.Decision.Safety() }

// WantsID reports whether this answer counts only with the ask's id typed: an
// approval that NeedsConfirmation, or one that stores a rule for longer than the
// session, trusts a folder, or allows every call of a tool that may run code or
// reach a host.
func (a Ask) WantsID(answer Answer) bool {
	return answer.Verdict == Approve && (a.NeedsConfirmation() || answer.lasting() || a.OpensTool(answer))
}

// lasting reports whether the answer widens for longer than the session.
func (a Answer) lasting() bool { return a.accepts() && !a.ForSession && a.Scope != engine.Session }

// fileTools only read or write files of the machine: a grant for all calls of one
// runs no code and reaches no host. RATIONALE.md, "Why does a grant for a whole tool
// want a second confirmation?".
var fileTools = []string{"Read", "Edit", "Write", "MultiEdit", "NotebookRead", "NotebookEdit", "Glob", "Grep", "LS", "TodoRead", "TodoWrite"}

// OpensTool reports whether an answer allows every call of a tool that may run code
// or reach a host.
func (a Ask) OpensTool(answer Answer) bool {
	if answer.WholeTool {
		return !slices.Contains(fileTools, a.Tool)
	}
	return slices.ContainsFunc(a.Decision.Suggestions, func(s engine.Suggestion) bool {
		r := engine.Rule{Tool: s.Tool, Content: s.Content}
		return slices.Contains(answer.Sets, s.Set) && s.Behavior == engine.Allow && r.WholeTool() && !slices.Contains(fileTools, s.Tool)
	})
}

// Key is what a returning client is recognised by.
type Key struct {
	Token   string
	Session string
	CallID  string
}

// Key returns the ask's key.
func (a *Ask) Key() Key { return Key{Token: a.Token, Session: a.Session, CallID: a.CallID} }

// State is where an ask is in its life. The zero value is no state at all and
// nothing treats it as an approval.
type State string

// The states. An ask moves from Queued to Shown and from either to one of the
// four ends; an end is final.
const (
	Queued    State = "queued"
	Shown     State = "shown"
	Approved  State = "approved"
	Denied    State = "denied"
	TimedOut  State = "timed_out"
	Cancelled State = "cancelled"
)

// Waiting reports whether the state is Queued or Shown.
func (s State) Waiting() bool { return s == Queued || s == Shown }

// Cause says how an ask ended, or why a call was refused without a card.
type Cause string

// The causes of an ask's end.
const (
	CauseAnswered  Cause = "answered"    // an approver answered
	CauseCovered   Cause = "settled"     // a rule accepted on another card covers the call
	CauseTimeout   Cause = "timeout"     // the deadline passed
	CauseInterrupt Cause = "interrupt"   // the session was interrupted
	CauseForkExit  Cause = "fork_exit"   // the fork ended
	CauseClear     Cause = "clear"       // the session was cleared
	CauseCaller    Cause = "caller_left" // the last waiter's context ended
	CauseNoSurface Cause = "no_surface"  // no surface could show the card
	CauseError     Cause = "error"       // the store failed
	// CauseCardChanged: the card was changed after it was posted, so no answer to it
	// counts. Threat T27.
	CauseCardChanged Cause = "card_changed"
)

// The causes of a denial without a card. Such a denial is not stored as an ask;
// the caller audits it.
const (
	CauseFlood    Cause = "too_many_waiting" // the session or agent has too many pending asks
	CauseRepeated Cause = "denied_before"    // a person denied the same call a short time ago
	CausePaused   Cause = "session_paused"   // three refusals in a row paused the session
	CauseStopped  Cause = "session_stopped"  // a changed call stopped the session (Broker.Pause)
	CauseReused   Cause = "call_id_reused"   // same call id, other digest: report it
)

// Verdict is what a person says. The zero value denies.
type Verdict uint8

// The verdicts.
const (
	Deny Verdict = iota
	Approve
)

// String returns "approve" or "deny"; an unknown value reads "deny".
func (v Verdict) String() string {
	if v == Approve {
		return "approve"
	}
	return "deny"
}

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. On an unknown word it
// returns an error and leaves Deny behind.
func (v *Verdict) UnmarshalText(text []byte) error {
	*v = Deny
	switch string(text) {
	case "approve":
		*v = Approve
	case "deny":
	default:
		return fmt.Errorf("unknown verdict %q: want approve or deny", text)
	}
	return nil
}

// Answer is one person's answer to one ask.
type Answer struct {
	Verdict Verdict `json:"verdict"`
	// Sets are the suggestion sets accepted (engine.Suggestion.Set); none means
	// "once".
	Sets []int `json:"sets,omitempty"`
	// ForSession limits the accepted rules to the session; WholeTool asks for
	// a session grant on the whole tool instead of a suggestion.
	ForSession bool `json:"for_session,omitempty"`
	WholeTool  bool `json:"whole_tool,omitempty"`
	// Folder trusts the ask's folder for the agent, from now on, instead of storing a rule.
	Folder wire.FolderAccess `json:"folder,omitempty"`
	// Scope and ExpiresAt are for the stored rules; an empty Scope means the
	// Gate's default.
	Scope     engine.Scope `json:"scope,omitempty"`
	ExpiresAt time.Time    `json:"expires_at,omitzero"`
	Reason    string       `json:"reason,omitempty"`
	// Together is the place of this answer, from 1, among those that one person gave to
	// several asks at once, each by its id; 0 for an answer of its own. Such an answer
	// reaches a queued ask as well, and approves no ask that needs its own answer.
	// RATIONALE.md, "What do several asks answered at once share?".
	Together int `json:"together,omitempty"`
	// Input is the whole input that the call is to run with in place of its own. It is
	// never stored, because it may hold secrets; Edited tells that there was one.
	Input  json.RawMessage `json:"-"`
	Edited bool            `json:"edited,omitempty"`
	// By names the approver, Surface where they answered ("terminal").
	By      string `json:"by"`
	Surface string `json:"surface,omitempty"`
	// Roles and Administrator are of By, as they were at the answer.
	Roles         []string `json:"roles,omitempty"`
	Administrator bool     `json:"administrator,omitempty"`
	// Origin is where in a chat it was given; nil for an answer of no chat.
	Origin *Origin `json:"origin,omitempty"`
	// Assertion is the person's device's answer to a challenge, not yet verified: the Gate turns it
	// into Proof, or refuses the answer.
	Assertion json.RawMessage `json:"-"`
	// Proof is the verified signature of the person's device under this approval, as JSON: see
	// package passkey. Only the Gate sets it.
	Proof json.RawMessage `json:"proof,omitempty"`
	// Policy is what the operator says of who may answer when the answer comes. It
	// counts besides Ask.Approvers.
	Policy approvers.Policy `json:"-"`
	// ConfirmID is the ask's id as the person typed it, where Ask.WantsID.
	ConfirmID string    `json:"confirm_id,omitempty"`
	At        time.Time `json:"at,omitzero"`
}

// AnswerResult is what an answer did.
type AnswerResult struct {
	Ask Ask `json:"ask"`
	// Rules are the rules that were stored.
	Rules []engine.Rule `json:"rules,omitempty"`
	// AlsoAnswered are the other asks that the rules cover.
	AlsoAnswered []string `json:"also_answered,omitempty"`
	// Notes tell what the person should know, one sentence each.
	Notes []string `json:"notes,omitempty"`
}
