package claudecode

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
)

// DefaultTimeout is the client's own limit for a hook without one in its settings.
const DefaultTimeout = 600 * time.Second

// Hook answers one event of the client.
type Hook struct {
	// Connect finds the daemon. It is called once, after the payload, so its failure has the form
	// of the payload's event.
	Connect func() (runner.Daemon, error)
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

// Run reads a payload from in, has its call judged, and returns the answer. It returns when ctx
// ends or the time is over, in any state; the ask of the call is withdrawn then. It does not panic,
// and every failure denies. in may still be read afterwards.
func (h Hook) Run(ctx context.Context, in io.Reader) Answer {
	limit := h.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	var known progress
	return runner.Within(ctx, limit, &known.Progress,
		func(ctx context.Context) Answer { return h.answer(ctx, in, &known) },
		func(err error) Answer { return failed(known.of(), err) })
}

// failed is the answer when the call was not checked or compared: a call before its run is denied,
// one after it is reported to the person.
func failed(event Event, why error) Answer {
	if event.after() {
		return Answer{Event: event, kind: warned, reason: runner.Sentence("Callgate could not compare this call with the one it checked: ", why.Error())}
	}
	return Deny(event, runner.NotChecked(why))
}

// progress is how far an answer has come. Its methods are safe for concurrent
// use.
type progress struct {
	runner.Progress
	event atomic.Pointer[Event]
}

// of is the answered event; empty while unknown.
func (k *progress) of() Event {
	if e := k.event.Load(); e != nil {
		return *e
	}
	return ""
}

// answer reads, judges and answers.
func (h Hook) answer(ctx context.Context, in io.Reader, known *progress) Answer {
	data, tooLarge := runner.Read(in)
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
		return Deny(event, runner.NotChecked(err))
	}
	request := p.request()
	request.Context.Server = p.server(h.Servers)
	request.TakesInput = h.takesInput(p)
	if h.Plans.written(p) {
		request.Context.Mode = ""
	}
	if request.Context.Child, err = h.Agents.child(string(p.AgentType), string(p.CWD)); err != nil {
		return Deny(event, runner.NotChecked(err))
	}
	res, err := runner.Check(ctx, daemon, request, &known.Progress)
	switch {
	case err != nil:
		return Deny(event, runner.NotChecked(err))
	case res.Decision.Behavior != engine.Allow:
		return Deny(event, runner.Denial(res.Decision))
	}
	if res.Input != nil && !request.TakesInput {
		return Deny(event, runner.NotChecked(errors.New("the daemon changed the input of a call that takes no other")))
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
