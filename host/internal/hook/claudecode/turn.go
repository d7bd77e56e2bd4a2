package claudecode

import (
	"context"
	"time"

	"github.com/callgate/callgate/host/wire"
)

// turnPatience bounds the wait of a person's prompt for the daemon.
const turnPatience = 2 * time.Second

// turn reports a person's turn to the daemon. It ends every call of the session without a reported
// end: an interrupted one, or one denied by another hook. A failure is silent: then those calls
// count as open for ten minutes, and the prompt, unread, goes its way.
//
// SessionEnd would add nothing, because a resumed session begins with a prompt, and Stop does not
// come after an interruption, but does while tasks and sub-agents go on in the background.
func (h Hook) turn(ctx context.Context, p payload) Answer {
	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { _ = recover() }() // a process dying of it would block the prompt
		if daemon, err := h.Connect(); err == nil {
			_, _ = daemon.Finish(ctx, wire.Finished{AllEnded: true, Context: wire.CallContext{Session: string(p.Session), SubAgent: p.subAgent()}})
		}
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	return Answer{Event: UserPromptSubmit}
}
