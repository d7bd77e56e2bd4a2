package ask

import (
	"context"
	"errors"
	"time"
)

// Streak counts the denials and time-outs in a row of one session.
type Streak struct {
	Session string `json:"session"`
	// Refusals is how many in a row; an approval sets it to 0.
	Refusals int `json:"refusals"`
	// PausedAt is when the session was paused; zero while it is not.
	PausedAt time.Time `json:"paused_at,omitzero"`
	// Why is set for a session stopped by Broker.Pause: then all its calls are denied, not only
	// asks.
	Why string `json:"why,omitempty"`
	// By is who ended the pause, for the store's record; it is not kept.
	By string `json:"by,omitempty"`
}

// Store keeps asks across restarts. Implementations are safe for concurrent use; when a method
// returns without error, its write is durable.
type Store interface {
	// InsertAsk keeps a new ask in state Queued or Shown. ErrDuplicateID when the ID is taken,
	// by any ask ever kept.
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
	// WaitingRevs are the ids of the same asks with Ask.Rev.
	WaitingRevs(ctx context.Context) (map[string]int64, error)
	// DeniedAsk returns the agent's latest ask with this digest that ended as Denied with
	// CauseAnswered at or after since; ErrUnknown when there is none.
	DeniedAsk(ctx context.Context, agent, digest string, since time.Time) (Ask, error)
	// SaveStreak replaces the streak of its session, and records when a pause begins or ends; a
	// streak with 0 refusals and no pause may be forgotten. Streaks returns all kept ones.
	SaveStreak(ctx context.Context, s Streak) error
	Streaks(ctx context.Context) ([]Streak, error)
}

// The errors a caller branches on.
var (
	// ErrUnknown: there is no such ask.
	ErrUnknown = errors.New("unknown ask")
	// ErrDuplicateID is a Store's answer to a used ID.
	ErrDuplicateID = errors.New("ask id is taken")
)
