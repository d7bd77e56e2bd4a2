package ask

import (
	"errors"
	"fmt"
	"time"
)

// The broker's own errors, for branching with errors.Is.
var (
	// ErrSettled: the ask has ended; errors.As gives the *SettledError.
	ErrSettled = errors.New("ask has ended")
	// ErrNotShown: the ask is still queued; its card was never shown.
	ErrNotShown = errors.New("ask is queued: answer the one before it first")
	// ErrNotSeen: others were shown the card that ResolveCovered would end, this approver was not.
	ErrNotSeen = errors.New("this ask was shown to other approvers only")
	// ErrUnconfirmed: the approval has to be confirmed by the ask's id, see
	// Ask.WantsID.
	ErrUnconfirmed = errors.New("this approval has to be confirmed by typing the ask's id")
	// ErrBadAnswer: the answer asks for something this ask does not offer.
	ErrBadAnswer = errors.New("answer does not fit the ask")
	// ErrNotPaused: Resume of a running session.
	ErrNotPaused = errors.New("session is not paused")
	// ErrClosed: the broker was closed; waiting asks stay in the store.
	ErrClosed = errors.New("ask broker is closed")
)

// SettledError tells a late or second answer who was first.
type SettledError struct {
	// Ask is the ask as it ended, without its input.
	Ask Ask
}

// Error implements error.
func (e *SettledError) Error() string {
	text := fmt.Sprintf("ask %s: already %s", e.Ask.ID, stateWords[e.Ask.State])
	if a := e.Ask.Answer; a != nil {
		text += " by " + a.By
		if a.Surface != "" {
			text += " in " + a.Surface
		}
	}
	if !e.Ask.EndedAt.IsZero() {
		text += " at " + e.Ask.EndedAt.UTC().Format(time.RFC3339)
	}
	return text
}

// Is makes errors.Is(err, ErrSettled) true.
func (e *SettledError) Is(target error) bool { return target == ErrSettled }

var stateWords = map[State]string{
	Approved: "approved", Denied: "denied", TimedOut: "timed out", Cancelled: "cancelled",
}
