package claudecode

import (
	"context"
	"encoding/json"

	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/wire"
)

// finish reports the call's end. If the call differs from the judged one, the model reads so; if
// the daemon is unreachable, the person reads so, and nothing else can be done: the call has run.
// Threat T08.
func finish(ctx context.Context, d runner.Daemon, connected error, p payload) Answer {
	event := p.event()
	if connected != nil {
		return failed(event, connected)
	}
	f := wire.Finished{CallID: string(p.CallID), Tool: string(p.Tool), Input: json.RawMessage(p.Input), Context: p.claim(), Failed: event == PostToolUseFailure}
	switch m, err := runner.Finish(ctx, d, f); {
	case err != nil:
		return failed(event, err)
	case m.Match:
		return Answer{Event: event, kind: noObjection}
	default:
		return Deny(event, mismatch(m))
	}
}

// mismatch lets the model know the call differs from the judged one.
func mismatch(m wire.FinishResult) string {
	if m.Reason == "" {
		return "Callgate: the call that ran differs from the call that was checked."
	}
	return runner.Sentence("Callgate: the call that ran differs from the call that was checked: ", m.Reason)
}
