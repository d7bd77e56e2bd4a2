package claudecode

import (
	"context"
	"time"

	"github.com/callgate/callgate/host/gate"
)

// turnPatience bounds what a person's prompt waits for the daemon.
const turnPatience = 2 * time.Second

// turn tells the daemon that a person has taken the turn, which ends every call of
// the session that the client told no end of: one that was interrupted, or that
// another hook denied. Whatever goes wrong is not told: then those calls count as
// open for ten minutes, and the prompt, which is not read, goes its way.
//
// SessionEnd would add nothing, because a session that is resumed begins with a
// prompt, and Stop does not come after an interruption, but does while tasks and
// sub-agents go on in the background.
func (h Hook) turn(ctx context.Context, p payload) Answer {
	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // a process that dies of it would block the prompt
		if daemon, err := h.Connect(); err == nil {
			_, _ = daemon.Finish(ctx, gate.Finished{AllEnded: true, Context: gate.Claim{Session: string(p.Session), SubAgent: p.subAgent()}})
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return Answer{Event: UserPromptSubmit}
}
