package ask

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/callgate/callgate/engine"
)

// Ask is a call that waits, or waited, for a human. It is plain data: a Store
// may keep it as JSON beside the columns it searches by.
type Ask struct {
	// ID is short and typable, see NewID. The broker sets it.
	ID string `json:"id"`
	// Token is the name of the check token, never its secret. With Session,
	// CallID and Digest it is what an approval belongs to.
	Token   string `json:"token"`
	Agent   string `json:"agent"`
	Session string `json:"session"`
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
	// Action is the action string of design section 5.
	Action       string      `json:"action,omitempty"`
	ModuleDigest string      `json:"module_digest,omitempty"`
	Kind         engine.Kind `json:"kind,omitempty"`
	ProjectRoot  string      `json:"project_root,omitempty"`
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
}

// Key is what a returning client is recognised by.
type Key struct {
	Token   string
	Session string
	CallID  string
}

// Key returns the ask's key.
func (a Ask) Key() Key { return Key{Token: a.Token, Session: a.Session, CallID: a.CallID} }

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
	CauseAnswered  Cause = "answered"
	CauseSettled   Cause = "settled" // covered by a rule that was accepted on another card
	CauseTimeout   Cause = "timeout"
	CauseInterrupt Cause = "interrupt"
	CauseForkExit  Cause = "fork_exit"
	CauseClear     Cause = "clear"
	CauseCaller    Cause = "caller_left" // the last waiter's context ended
	CauseNoSurface Cause = "no_surface"  // no surface could show the card
	CauseError     Cause = "error"       // the store failed
)

// The causes of a denial without a card. Such a denial is not stored as an ask;
// the caller audits it.
const (
	CauseFlood    Cause = "too_many_waiting"
	CauseRepeated Cause = "denied_before"
	CausePaused   Cause = "session_paused"
	CauseReused   Cause = "call_id_reused" // same call id, other digest: report it
)

// Verdict is what a person says. The zero value denies.
type Verdict uint8

// The verdicts.
const (
	Deny Verdict = iota
	Approve
)

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
	// Scope and ExpiresAt are for the stored rules; an empty Scope means the
	// Gate's default.
	Scope     engine.Scope `json:"scope,omitempty"`
	ExpiresAt time.Time    `json:"expires_at,omitzero"`
	Reason    string       `json:"reason,omitempty"`
	// By names the approver, Surface where they answered ("terminal").
	By      string `json:"by"`
	Surface string `json:"surface,omitempty"`
	// Confirmed tells that the person confirmed a second time; needed to
	// approve what Ask.NeedsConfirmation names.
	Confirmed bool      `json:"confirmed,omitempty"`
	At        time.Time `json:"at,omitzero"`
}

// Streak counts the denials and time-outs in a row of one session.
type Streak struct {
	Session string `json:"session"`
	// Refusals is how many in a row; an approval sets it to 0.
	Refusals int `json:"refusals"`
	// PausedAt is when the session was paused; zero while it is not.
	PausedAt time.Time `json:"paused_at,omitzero"`
}

// Store keeps asks across restarts. Implementations are safe for concurrent
// use; when a method returns without error, what it wrote is durable.
type Store interface {
	// InsertAsk keeps a new ask in state Queued or Shown. ErrDuplicateID when
	// the ID is taken, by any ask ever kept.
	InsertAsk(ctx context.Context, a Ask) error
	// CompareAndSetAsk replaces the ask of next.ID by next if its stored state
	// is from, and reports whether it did. An unknown ID is ErrUnknown. When
	// next has ended its Input is nil: the raw input must be gone from the
	// store, not only from the row's view.
	CompareAndSetAsk(ctx context.Context, from State, next Ask) (bool, error)
	// UseAsk sets UsedAt of an approved, unused ask and reports whether it did.
	UseAsk(ctx context.Context, id string, at time.Time) (bool, error)
	// Ask returns one ask; ErrUnknown when there is none.
	Ask(ctx context.Context, id string) (Ask, error)
	// LastAsk returns the ask inserted last under key, ended or not; ErrUnknown
	// when there is none.
	LastAsk(ctx context.Context, key Key) (Ask, error)
	// WaitingAsks returns all asks in state Queued or Shown in the order of
	// their insertion.
	WaitingAsks(ctx context.Context) ([]Ask, error)
	// DeniedAsk returns the latest ask of the agent with this digest that ended
	// as Denied with CauseAnswered at or after since; ErrUnknown when there is
	// none.
	DeniedAsk(ctx context.Context, agent, digest string, since time.Time) (Ask, error)
	// SaveStreak replaces the streak of its session; one with 0 refusals and no
	// pause may be forgotten. Streaks returns all that are kept.
	SaveStreak(ctx context.Context, s Streak) error
	Streaks(ctx context.Context) ([]Streak, error)
}

// The errors a caller branches on.
var (
	// ErrUnknown: there is no such ask.
	ErrUnknown = errors.New("unknown ask")
	// ErrDuplicateID is a Store's answer to an ID that is taken.
	ErrDuplicateID = errors.New("ask id is taken")
)
