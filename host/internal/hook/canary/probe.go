package canary

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/wire"
)

// State is what became of a canary.
type State string

// The states. Judged and Held are as they should be; after every other one calls run unjudged, or
// none runs.
const (
	// Judged: the client does what the daemon decided.
	Judged State = "judged"
	// Held: the daemon asks a person, and the hook holds the call.
	Held State = "held"
	// Unseen: the client blocks the call, but the daemon did not decide it.
	Unseen State = "unseen"
	// Unjudged: the client runs the call without a decision, or against it.
	Unjudged State = "unjudged"
	// Unread: the client allows or blocks the call, and the decision cannot be read here.
	Unread State = "unread"
)

// Alarming reports whether calls run unjudged, or none runs.
func (s State) Alarming() bool { return s == Unseen || s == Unjudged }

// The canaries of Probe.
const (
	Denied   = "denied"
	Harmless = "harmless"
)

// Result is what became of one canary.
type Result struct {
	// Client is a word of settings.Client, File the place of its hook.
	Client string `json:"client"`
	File   string `json:"file"`
	// Canary is Denied or Harmless, Session the canary's in the audit.
	Canary  string `json:"canary"`
	Session string `json:"session"`
	State   State  `json:"state"`
	// Effect is the client's reaction, Text both in words.
	Effect string `json:"effect"`
	Text   string `json:"text"`
}

// Decision finds the daemon's decision of the only call of a session; ok is false when it has seen
// none. A nil Decision cannot look.
type Decision func(ctx context.Context, session string) (outcome wire.Outcome, ok bool)

// heldPatience is how long a harmless call may wait for a person before the canary withdraws it.
const heldPatience = 5 * time.Second

// Probe sends two calls through an installed hook: one to write to the hook's token or, without one,
// to state, the state directory, which every mode denies; and one without an effect. Each takes wait
// at most. No client runs either of them.
func (c Client) Probe(ctx context.Context, h settings.Hook, dir, state string, wait time.Duration, find Decision) []Result {
	session := c.Session()
	return []Result{
		c.ProbeDenied(ctx, h, dir, state, wait, find),
		c.result(ctx, h, Harmless, session, c.Start(ctx, h, dir, c.Harmless(session, dir), min(wait, heldPatience)), find),
	}
}

// ProbeDenied is the first call of Probe alone: it never asks a person.
func (c Client) ProbeDenied(ctx context.Context, h settings.Hook, dir, state string, wait time.Duration, find Decision) Result {
	file, given := h.Flag("token-file")
	if !given {
		file = state
	}
	session := c.Session()
	return c.result(ctx, h, Denied, session, c.Start(ctx, h, dir, c.Write(session, dir, file), wait), find)
}

// result compares a client's reaction with the daemon's decision.
func (c Client) result(ctx context.Context, h settings.Hook, name, session string, o runner.Outcome, find Decision) Result {
	effect := c.Verdict(h, o)
	r := Result{Client: string(c.Word), File: h.File, Canary: name, Session: session, State: Judged, Effect: effect.String()}
	what := map[string]string{Denied: "a call that Callgate denies", Harmless: "a harmless call"}[name]
	r.Text = fmt.Sprintf("%s: the hook %s; %s", what, Ending(o), c.Reaction(effect))
	if find == nil {
		if r.State = Unread; effect != runner.Blocked && (name == Denied || effect != runner.Allowed) {
			r.State = Unjudged
		}
		return r
	}
	outcome, seen := find(ctx, session)
	allowed := outcome == wire.Allowed || outcome == wire.AskApproved
	switch {
	case o.TimedOut && name == Harmless:
		r.State, r.Effect, r.Text = Held, string(Held), what+": the daemon asks a person, and the hook holds the call"
	case effect == runner.Blocked && !seen:
		r.State, r.Text = Unseen, r.Text+". The daemon did not see the call, so every call is blocked"
	case !seen:
		r.State, r.Text = Unjudged, r.Text+". The daemon did not see the call"
	case (effect == runner.Allowed) != allowed || effect != runner.Allowed && effect != runner.Blocked:
		r.State, r.Text = Unjudged, fmt.Sprintf("%s, but the daemon's decision was %s", r.Text, outcome)
	case name == Denied && allowed:
		r.State, r.Text = Unjudged, r.Text+": Callgate's own files are not protected"
	}
	return r
}

// Ending says how the hook's process ended.
func Ending(o runner.Outcome) string {
	switch {
	case o.NotStarted:
		return "cannot be started"
	case o.TimedOut:
		return "takes too long"
	case o.Signal:
		return "ends with a signal"
	}
	text := fmt.Sprintf("exits with code %d", o.Exit)
	if line, _, _ := strings.Cut(strings.TrimSpace(string(o.Stderr)), "\n"); line != "" {
		text += fmt.Sprintf(" and prints %q", shortened(line))
	}
	return text
}

func shortened(line string) string {
	const most = 240
	if r := []rune(line); len(r) > most {
		return string(r[:most]) + "…"
	}
	return line
}

// Reaction says what the client does.
func (c Client) Reaction(e runner.Effect) string {
	switch e {
	case runner.Blocked:
		return c.Title + " blocks the call"
	case runner.Allowed:
		return c.Title + " runs the call as allowed"
	case runner.Runs:
		return c.Title + " RUNS the call, as if no hook were installed"
	}
	return c.Title + " does not block the call: " + e.String()
}
