package store

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/callgate/callgate/host/wire"

	"github.com/callgate/callgate/host/internal/store/mask"
)

// Outcome is the audit's column "decision". The zero value is refused for a decision.
type Outcome = wire.Outcome

// The outcomes; see wire.
const (
	Allowed      = wire.Allowed
	Denied       = wire.Denied
	AskApproved  = wire.AskApproved
	AskDenied    = wire.AskDenied
	AskTimeout   = wire.AskTimeout
	AskCancelled = wire.AskCancelled
)

// auditPatience is how long an audit row may take after its caller has left, and auditLimit how long
// in all: a disk that hangs must not hold a call forever.
const auditPatience, auditLimit = 10 * time.Second, time.Minute

// Lasting is the context of a write that its caller's leaving does not take back: it ends ten seconds
// after ctx, or a minute after its start. While the caller waits, a crowded disk is no
// reason to deny.
func Lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditLimit)
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(auditPatience, cancel) })
	return lasting, func() { stop(); cancel() }
}

// Event is the subject of an audit row.
type Event string

// The events. The store writes all but EventDecision itself, in the transaction of the recorded
// change.
const (
	EventDecision     Event = "decision"
	EventRuleAdded    Event = "rule_added"
	EventRuleExtended Event = "rule_extended" // a later expiry
	EventRuleRemoved  Event = "rule_removed"
	EventRuleExpired  Event = "rule_expired"
	EventSessionMode  Event = "session_mode"
	// EventSessionForkMode is about the mode of a session's interactive forks.
	EventSessionForkMode Event = "session_fork_mode"
	EventSessionPaused   Event = "session_paused"
	EventSessionResumed  Event = "session_resumed"
	EventSessionCleared  Event = "session_cleared"
	// EventSessionShell: an allowed call will change the shell kept by its client.
	EventSessionShell Event = "session_shell"
	// These two end asks; each ask's own row tells how.
	EventSessionInterrupted Event = "session_interrupted"
	EventSessionForkExit    Event = "session_fork_exit"
	// EventCallMismatch: a call ran with another input than the judged one, or unjudged, or denied.
	// Threat T08.
	EventCallMismatch Event = "call_mismatch"
	// These are about the hook of a client: calls no longer reach Callgate through it, and do again.
	EventHookUnjudged Event = "hook_unjudged"
	EventHookJudged   Event = "hook_judged"
	EventTokenCreated Event = "token_created"
	EventTokenRevoked Event = "token_revoked"
	// These are about the configuration file: a person accepted it, or it widens
	// nothing.
	EventConfigAccepted  Event = "config_accepted"
	EventConfigTightened Event = "config_tightened"
	// These are about tool modules: permissions from a person, a return to the previous version, a
	// removal; a failed change; and a change that is in force on every daemon of the store.
	EventModuleGranted    Event = "module_granted"
	EventModuleRolledBack Event = "module_rolled_back"
	EventModuleRemoved    Event = "module_removed"
	EventModuleUndone     Event = "module_undone"
	EventModuleShared     Event = "module_shared"
	// These are about the approver PIN.
	EventPINSet            Event = "pin_set"
	EventPINChanged        Event = "pin_changed"
	EventPINTried          Event = "pin_tried" // written before the PIN is looked at
	EventPINUnlocked       Event = "pin_unlocked"
	EventPINLocked         Event = "pin_locked"
	EventPINReset          Event = "pin_reset" // asked for; it takes effect later
	EventPINResetCancelled Event = "pin_reset_cancelled"
	// These are about people's passkeys, and the name under which the console answers.
	EventPasskeyAdded   Event = "passkey_added"
	EventPasskeyRevoked Event = "passkey_revoked"
	EventConsoleNamed   Event = "console_named"
	// These are about messages to people's browsers.
	EventPushKey     Event = "push_key"
	EventPushAdded   Event = "push_added"
	EventPushRemoved Event = "push_removed"
	// EventAuditPruned: the rows before a certain one are removed.
	EventAuditPruned Event = "audit_pruned"
	// These restate removed rows about things still in force.
	EventRuleKept    Event = "rule_kept"
	EventTokenKept   Event = "token_kept"
	EventSettingKept Event = "setting_kept"
	// EventRulesSuspended: a new module reads stored allow rules more widely than its predecessor,
	// so they are not used with it.
	EventRulesSuspended Event = "rules_suspended"
)

// Row is one line of the audit. The caller fills in known fields; Append sets Seq, Prev and Hash,
// an absent Event (EventDecision) and an absent Time (now), and masks secrets in Action, Detail,
// RuleText, RuleSource and Input. Texts are cut to 64 KiB and made valid UTF-8 without NUL.
type Row struct {
	Seq  int64     `json:"seq"`
	Time time.Time `json:"timestamp"`
	// Event is the kind of row; Decision is set exactly for EventDecision.
	Event   Event  `json:"event"`
	Agent   string `json:"agent_name"`
	Session string `json:"session"`
	// User triggered the call, DecidedBy answered it: a person or a part of Callgate.
	User      string  `json:"user_id"`
	Tool      string  `json:"tool"`
	Action    string  `json:"action_string"`
	Decision  Outcome `json:"decision"`
	DecidedBy string  `json:"decided_by"`
	// Detail is the reason, for people.
	Detail string `json:"detail"`
	Stage  string `json:"stage"`
	Code   string `json:"code"`
	// RuleID and RuleText are of the deciding or changed rule.
	RuleID   string `json:"rule_id"`
	RuleText string `json:"rule_text"`
	// RuleSource is the rule's origin: its scope, and the file and line, the ask or the person; or
	// "profile NAME".
	RuleSource string `json:"rule_source"`
	// Module is the name and version of the judging module, and its digest.
	Module       string `json:"module"`
	ModuleDigest string `json:"module_digest"`
	// AskID is the ask answered by a person.
	AskID  string `json:"ask_id"`
	CallID string `json:"call_id"`
	// Digest is of the call (tool, input, cwd) or of the changed rule.
	Digest string `json:"digest"`
	// Input is the call's input; stored masked, cut to 64 KiB.
	Input   string        `json:"input"`
	Latency time.Duration `json:"latency_ns"`
	// Evidence is the signature of a person's device under an approval, as JSON: see package
	// passkey. It is stored as it is, at most 64 KiB; empty for every other row.
	Evidence string `json:"evidence,omitempty"`
	// Epoch is what Store.Epoch returned before the facts of a decision were gathered: the row is
	// stored on this state only, else ErrStale. 0 for a row that depends on no rule. Not stored.
	Epoch int64 `json:"-"`
	// Prev is the hash of the row before, Hash this row's.
	Prev Hash `json:"prev"`
	Hash Hash `json:"hash"`
}

// Hash is a SHA-256 sum, hex in JSON.
type Hash [32]byte

// String returns lower-case hex.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (h *Hash) UnmarshalText(text []byte) error {
	n, err := hex.Decode(h[:], text)
	if err == nil && n != len(h) {
		err = fmt.Errorf("hash of %d bytes: want %d", n, len(h))
	}
	return err
}

// maxText bounds each text of a row, in bytes.
const maxText = 64 << 10

// Append adds a row to the audit and returns it as stored. When it returns
// without error the row is on disk; on any error the caller denies the call.
func (s *Store) Append(ctx context.Context, r Row) (Row, error) {
	r, err := s.clean(r)
	if err != nil {
		return Row{}, fmt.Errorf("audit: %w", err)
	}
	run := func(_ context.Context, t *tx) error {
		t.chain.add(&r)
		return nil
	}
	if err := s.writer.do(ctx, &job{run: run, single: true, epoch: r.Epoch}); err != nil {
		return Row{}, fmt.Errorf("audit: %w", err)
	}
	return r, nil
}

// clean completes, checks and masks a row. Nothing unmasked goes further.
func (s *Store) clean(r Row) (Row, error) {
	if r.Event == "" {
		r.Event = EventDecision
	}
	if r.Event == EventDecision && !r.Decision.Valid() || r.Event != EventDecision && r.Decision != "" {
		return Row{}, fmt.Errorf("event %q with decision %q: a decision, and nothing else, has an outcome", r.Event, r.Decision)
	}
	if r.Time.IsZero() {
		r.Time = s.now()
	}
	if r.Evidence != "" && (len(r.Evidence) > maxText || !json.Valid([]byte(r.Evidence)) || !utf8.ValidString(r.Evidence)) {
		return Row{}, fmt.Errorf("evidence of %d bytes: want JSON of at most %d", len(r.Evidence), maxText)
	}
	r.Time = r.Time.UTC().Round(0)
	r.Input = cut(s.maskInput(cut(r.Input)))
	secrets := mask.Secrets(cut(r.Action)) // the reason may quote them by themselves
	r.Action = cut(s.maskAction(cut(r.Action)))
	for _, p := range []*string{&r.Detail, &r.RuleText, &r.RuleSource} {
		*p = cut(s.masker.Known(cut(*p), secrets))
	}
	for _, p := range []*string{&r.Agent, &r.Session, &r.User, &r.Tool, &r.DecidedBy, &r.Stage, &r.Code,
		&r.RuleID, &r.Module, &r.ModuleDigest, &r.CallID, &r.Digest, &r.AskID} {
		*p = cut(*p)
	}
	return r, nil
}

func (s *Store) maskInput(input string) string {
	if input == "" {
		return ""
	}
	return string(s.masker.JSON([]byte(input)))
}

// maskAction masks "tool:NAME:DETAIL". The detail of a tool without a description is its whole
// input: there member names reveal secrets too.
func (s *Store) maskAction(action string) string {
	if start := strings.Index(action, ":{"); start >= 0 && json.Valid([]byte(action[start+1:])) {
		return s.masker.Text(action[:start+1]) + string(s.masker.JSON([]byte(action[start+1:])))
	}
	return s.masker.Text(action)
}

// cut makes a text storable: valid UTF-8 without NUL, and not much longer than
// maxText, with dots where it was cut.
func cut(s string) string {
	if len(s) > maxText {
		end := maxText - len("...")
		for end > 0 && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end] + "..."
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.ReplaceAll(s, "\x00", "\uFFFD")
}
