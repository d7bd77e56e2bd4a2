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
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/gate"
)

// DefaultTimeout is the client's own limit for a hook whose settings name none.
const DefaultTimeout = 600 * time.Second

// Daemon is what the hook needs of the daemon. *api.Client is one.
type Daemon interface {
	// Check has a call decided. Whoever cancels ctx withdraws the call.
	Check(ctx context.Context, r gate.Request, progress func(api.Progress)) (gate.Result, error)
	// Finish tells that a call has ended.
	Finish(ctx context.Context, f gate.Finished) (gate.Matched, error)
}

// Hook answers one event of the client.
type Hook struct {
	// Connect finds the daemon. It is called once, when the payload has been read,
	// so that its failure is told in the form of the payload's event.
	Connect func() (Daemon, error)
	// Timeout is how long the client waits for its hook; 0 means DefaultTimeout.
	// The answer comes after four fifths of it at the latest: a client whose hook
	// is late runs the call.
	Timeout time.Duration
	// Agents is where the client keeps the files of its sub-agents.
	Agents Agents
	// Servers is where the client keeps the definitions of its MCP servers.
	Servers Servers
	// Plans are the directories of the plans that the client has its agent write in
	// mode plan, ~/.claude/plans.
	Plans Plans
}

// The reasons of a hook that is told to end. Who cancels the context of Run
// gives one as its cause.
var (
	// errLate: the client's time is nearly over.
	errLate = errors.New("nobody answered in the time that the hook has")
	// ErrEnded: the client ended the hook.
	ErrEnded = errors.New("the hook was told to end before the call was decided")
	// ErrClientGone: nobody reads the hook's answer any more.
	ErrClientGone = errors.New("the client is gone")
)

// Run reads a payload from in, has its call judged, and returns what to say. It
// returns when ctx ends or the time is over, whatever else is under way; the ask
// of the call is withdrawn then. It does not panic, and whatever goes wrong
// denies. in may still be read afterwards.
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
				done <- failed(known.of(), fmt.Errorf("the hook itself failed (%T)", p))
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

// failed is the answer when nobody judged or compared the call: one that has not
// run is denied, one that has run is told to the person.
func failed(event Event, why error) Answer {
	if event.after() {
		return Answer{Event: event, kind: warned, reason: sentence("Callgate could not compare this call with the one it judged: ", why.Error())}
	}
	return Deny(event, sentence("The call was denied: ", why.Error()))
}

// progress is how far an answer has come. Its methods are safe for concurrent
// use.
type progress struct {
	event   atomic.Pointer[Event]
	trouble atomic.Pointer[string]
}

// of is the event that is answered; empty as long as nobody knows.
func (k *progress) of() Event {
	if e := k.event.Load(); e != nil {
		return *e
	}
	return ""
}

// troubled notes what keeps the call from being decided; nil that nothing does.
func (k *progress) troubled(err error) {
	if err == nil {
		k.trouble.Store(nil)
		return
	}
	text := err.Error()
	k.trouble.Store(&text)
}

// ending is the reason of a hook that had to end.
func (k *progress) ending(cause error) error {
	if errors.Is(cause, context.Canceled) {
		cause = ErrEnded
	}
	if t := k.trouble.Load(); t != nil {
		return fmt.Errorf("%w; the daemon was out of reach meanwhile: %s", cause, *t)
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
		return Deny(event, notJudged(err))
	}
	request := p.request()
	request.Context.Server = p.server(h.Servers)
	if h.Plans.written(p) {
		request.Context.Mode = ""
	}
	if request.Context.Child, err = h.Agents.child(string(p.AgentType), string(p.CWD)); err != nil {
		return Deny(event, notJudged(err))
	}
	res, err := check(ctx, daemon, request, known)
	switch {
	case err != nil:
		return Deny(event, notJudged(err))
	case res.Decision.Behavior != engine.Allow:
		return Deny(event, denialText(res.Decision))
	}
	return allow(event, "Callgate: "+res.Decision.Reason)
}

// notJudged tells the model why nobody judged its call.
func notJudged(err error) string {
	return sentence("The call was denied because Callgate did not judge it: ", err.Error())
}

// sentence ends a text with one full stop.
func sentence(begin, end string) string { return begin + strings.TrimRight(end, ".\n ") + "." }

// denialText is what the model reads of a denial.
func denialText(d engine.Decision) string {
	switch {
	case d.Message != "":
		return d.Message
	case d.Reason != "":
		return sentence("The call was denied: ", d.Reason)
	}
	return "The call was denied."
}
