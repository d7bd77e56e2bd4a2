package claudecode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/wire"
)

// DefaultTimeout is the client's own limit for a hook without one in its settings.
const DefaultTimeout = 600 * time.Second

// Daemon is the hook's view of the daemon. *caller.Caller is one.
type Daemon interface {
	// Check has a call decided. Cancelling ctx withdraws the call.
	Check(ctx context.Context, r wire.Request, progress func(protocol.Progress)) (wire.Result, error)
	// Finish reports a call's end.
	Finish(ctx context.Context, f wire.Finished) (wire.FinishResult, error)
}

// Hook answers one event of the client.
type Hook struct {
	// Connect finds the daemon. It is called once, after the payload, so its failure has the form
	// of the payload's event.
	Connect func() (Daemon, error)
	// Timeout is the client's limit for its hook; 0 means DefaultTimeout. The answer comes after
	// four fifths of it at the latest: after a late hook a client runs the call.
	Timeout time.Duration
	// Agents is where the client keeps the files of its sub-agents.
	Agents Agents
	// Servers is where the client keeps the definitions of its MCP servers.
	Servers Servers
	// Plans are the directories for the agent's plans in the client's mode plan, ~/.claude/plans.
	Plans Plans
	// Settings are the files in which the client may have other hooks, for a directory in
	// which it runs; nil where they are not known: then no input is changed.
	Settings func(dir string) *settings.Settings
}

// The reasons for an early end of a hook. The caller cancels the context of Run with one as its
// cause.
var (
	// errLate: the client's time is nearly over.
	errLate = errors.New("no decision in time")
	// ErrEnded: the client ended the hook.
	ErrEnded = errors.New("the hook was stopped before the call was decided")
	// ErrClientGone: the hook's answer has no reader any more.
	ErrClientGone = errors.New("the client has ended")
)

// Run reads a payload from in, has its call judged, and returns the answer. It returns when ctx
// ends or the time is over, in any state; the ask of the call is withdrawn then. It does not panic,
// and every failure denies. in may still be read afterwards.
func (h Hook) Run(ctx context.Context, in io.Reader) Answer {
	limit := h.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	limit -= limit / 5 // threat T09
	late := fmt.Errorf("%w (%s)", errLate, limit.Round(time.Millisecond))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	var known progress
	done := make(chan Answer, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- failed(known.of(), fmt.Errorf("the hook crashed (%T)", p))
			}
		}()
		done <- h.answer(ctx, in, &known)
	}()
	select {
	case a := <-done:
		return a
	case <-ctx.Done():
		return failed(known.of(), known.ending(context.Cause(ctx)))
	}
}

// failed is the answer when the call was not checked or compared: a call before its run is denied,
// one after it is reported to the person.
func failed(event Event, why error) Answer {
	if event.after() {
		return Answer{Event: event, kind: warned, reason: sentence("Callgate could not compare this call with the one it checked: ", why.Error())}
	}
	return Deny(event, notChecked(why))
}

// progress is how far an answer has come. Its methods are safe for concurrent
// use.
type progress struct {
	event   atomic.Pointer[Event]
	trouble atomic.Pointer[string]
}

// of is the answered event; empty while unknown.
func (k *progress) of() Event {
	if e := k.event.Load(); e != nil {
		return *e
	}
	return ""
}

// troubled records the obstacle to the call's decision; nil for none.
func (k *progress) troubled(err error) {
	if err == nil {
		k.trouble.Store(nil)
		return
	}
	text := err.Error()
	k.trouble.Store(&text)
}

// ending is the reason of an early end.
func (k *progress) ending(cause error) error {
	if errors.Is(cause, context.Canceled) {
		cause = ErrEnded
	}
	if t := k.trouble.Load(); t != nil {
		return fmt.Errorf("%w; the daemon was not reachable meanwhile: %s", cause, *t)
	}
	return cause
}

// answer reads, judges and answers.
func (h Hook) answer(ctx context.Context, in io.Reader, known *progress) Answer {
	data, tooLarge := read(in)
	p, err := parse(data)
	event := p.event()
	if !event.known() {
		event = ""
	}
	known.event.Store(&event)
	if tooLarge != nil {
		err = tooLarge
	}
	if err != nil {
		return failed(event, err)
	}
	if event == UserPromptSubmit {
		return h.turn(ctx, p)
	}
	daemon, err := h.Connect()
	switch {
	case event.after():
		return finish(ctx, daemon, err, p)
	case err != nil:
		return Deny(event, notChecked(err))
	}
	request := p.request()
	request.Context.Server = p.server(h.Servers)
	request.TakesInput = h.takesInput(p)
	if h.Plans.written(p) {
		request.Context.Mode = ""
	}
	if request.Context.Child, err = h.Agents.child(string(p.AgentType), string(p.CWD)); err != nil {
		return Deny(event, notChecked(err))
	}
	res, err := check(ctx, daemon, request, known)
	switch {
	case err != nil:
		return Deny(event, notChecked(err))
	case res.Decision.Behavior != engine.Allow:
		return Deny(event, denialText(res.Decision))
	}
	if res.Input != nil && !request.TakesInput {
		return Deny(event, notChecked(errors.New("the daemon changed the input of a call that takes no other")))
	}
	a := allow(event, "Callgate: "+res.Decision.Reason)
	a.input = res.Input
	return a
}

// takesInput reports whether the client runs the call with another input on our word: at
// PreToolUse, and where nothing else may change the input after us. The hook that ends
// last wins there. RATIONALE.md, "When may a person change an input?".
func (h Hook) takesInput(p payload) bool {
	return p.event() == PreToolUse && h.Settings != nil && h.Settings(string(p.CWD)).Alone()
}

// notChecked tells the model why its call was not checked, and whether to retry.
func notChecked(err error) string {
	text := sentence("Denied: Callgate could not check this call: ", err.Error())
	switch {
	case errors.Is(err, errTooLarge):
		return text // it names the fix
	case errors.Is(err, caller.ErrNoDaemon):
		return sentence("Denied: ", err.Error()) + " Ask the user to run this command. Do not retry before that."
	case errors.Is(err, errLate):
		return text + " Do not retry until an approver is available."
	case busy(err) || lost(err):
		return text + " You may retry once, after a few seconds."
	}
	return text + ` Do not retry. Ask the user to run "callgate doctor".`
}

// sentence ends a text with one full stop.
func sentence(begin, end string) string { return begin + strings.TrimRight(end, ".\n ") + "." }

// denialText is the model's text of a denial.
func denialText(d engine.Decision) string {
	switch {
	case d.Message != "":
		return d.Message
	case d.Reason != "":
		return sentence("Denied: ", d.Reason)
	}
	return "Denied by Callgate."
}
