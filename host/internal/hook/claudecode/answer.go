package claudecode

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/callgate/callgate/host/internal/hook/runner"
)

// The exit codes of the contract.
const (
	exitTaken   = 0 // the client reads stdout
	exitWarning = 1 // the client shows stderr to the person and goes on
	// ExitDenied blocks the call; the model reads stderr.
	ExitDenied = 2
)

// Answer is the hook's answer to its client. The zero value denies.
type Answer struct {
	// Event is the answered event; empty when the payload has none.
	Event Event
	kind  kind
	// reason is for the model, or for the person of a warning.
	reason string
	// input is what an allowed call runs with instead; nil for its own.
	input json.RawMessage
}

// kind is the effect of an answer.
type kind uint8

const (
	denied      kind = iota
	allowed          // the call may run
	noObjection      // nothing to say about an ended call
	warned           // the call has ended and could not be compared
)

// Deny is the denial of an event.
func Deny(event Event, reason string) Answer { return Answer{Event: event, reason: reason} }

// allow lets a call run; only an event before the call can.
func allow(event Event, reason string) Answer {
	if !event.before() {
		return Deny(event, "the hook would allow a call that its client did not ask about")
	}
	return Answer{Event: event, kind: allowed, reason: reason}
}

// Give writes the answer and returns the exit code. A failed write denies.
//
// A denial before the call is exit code 2 and its reason on stderr: this blocks with any stdout.
// The client puts the hook's command line, with the place of its token, before a reason from
// stderr, for the model to read. So the reason is on stdout as well, in the client's own form, and
// the client takes it unchanged.
func (a Answer) Give(stdout, stderr io.Writer) int {
	switch {
	case a.Event == UserPromptSubmit:
		return exitTaken // it is the person's turn: nothing is blocked, nothing said
	case a.kind == noObjection && a.Event.after():
		return exitTaken
	case a.kind == allowed && a.Event.before(), a.kind == denied && a.Event == PermissionRequest:
		body, err := a.document()
		if err == nil {
			_, err = stdout.Write(body)
		}
		if err == nil {
			return exitTaken
		}
		a = Deny(a.Event, "the answer could not be written: "+err.Error())
	}
	_, _ = io.WriteString(stderr, runner.Clean(a.reason)+"\n") // there is nowhere left to say it
	if a.kind == denied && a.Event == PreToolUse {
		if body, err := a.document(); err == nil {
			_, _ = stdout.Write(body) // stderr has said it
		}
	}
	if a.kind == warned && a.Event.after() {
		return exitWarning
	}
	return ExitDenied
}

// document is the one JSON document of an answer.
func (a Answer) document() ([]byte, error) {
	out := output{Specific: specific{Event: a.Event}}
	switch {
	case a.Event == PreToolUse && a.kind == allowed:
		out.Specific.Permission, out.Specific.Reason, out.Specific.Input = "allow", runner.Clean(a.reason), a.input
	case a.Event == PreToolUse && a.kind == denied:
		out.Specific.Permission, out.Specific.Reason = "deny", runner.Clean(a.reason)
	case a.Event == PermissionRequest && a.kind == allowed:
		out.Specific.Decision = &decision{Behavior: "allow"}
	case a.Event == PermissionRequest && a.kind == denied:
		out.Specific.Decision = &decision{Behavior: "deny", Message: runner.Clean(a.reason)}
	default:
		return nil, errors.New("this answer has no document")
	}
	return json.Marshal(out)
}

type output struct {
	Specific specific `json:"hookSpecificOutput"`
}

type specific struct {
	Event      Event  `json:"hookEventName"`
	Permission string `json:"permissionDecision,omitempty"`
	Reason     string `json:"permissionDecisionReason,omitempty"`
	// Input is the complete input: the client takes nothing of the old one.
	Input    json.RawMessage `json:"updatedInput,omitempty"`
	Decision *decision       `json:"decision,omitempty"`
}

type decision struct {
	Behavior string `json:"behavior"`
	Message  string `json:"message,omitempty"`
}
