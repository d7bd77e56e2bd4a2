package claudecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// Outcome is how the process of a hook ended, as its client sees it.
type Outcome struct {
	// Exit is the exit code; 127 of a shell means the program is missing.
	Exit int
	// Signal is set when a signal ended it, TimedOut when its client's patience
	// did, NotStarted when there was nothing to start.
	Signal     bool
	TimedOut   bool
	NotStarted bool
	// Stdout and Stderr are its whole output.
	Stdout []byte
	Stderr []byte
}

// Effect is the client's reaction to an outcome.
type Effect uint8

// The effects. The zero value is the worst one for a gate before a call.
const (
	// Runs: the hook decided nothing. The client goes on by itself, as without a hook.
	Runs Effect = iota
	// Allowed: the call runs without a prompt.
	Allowed
	// Asks: the client asks its own user; without one it denies.
	Asks
	// Defers: a session without a person ends with the call undone.
	Defers
	// Blocked: the call does not run.
	Blocked
	// Told: the call has run, and the model reads the hook's words about it.
	Told
)

// String returns the effect in a word; Runs is in capitals because it is the one
// to look for.
func (e Effect) String() string {
	switch e {
	case Runs:
		return "RUNS"
	case Allowed:
		return "allowed"
	case Asks:
		return "asks"
	case Defers:
		return "defers"
	case Blocked:
		return "blocked"
	case Told:
		return "told"
	}
	return "RUNS"
}

// Verdict is Claude Code's reaction to a hook's outcome at an event; block is set for a hook with
// onFailure: "block". It was measured with version 2.1.329; unmeasured outcomes count as the worst
// consistent with it.
func Verdict(event Event, o Outcome, block bool) Effect {
	switch event {
	case PreToolUse:
		return verdictBefore(o, block)
	case PermissionRequest:
		// A failure counts as exit code 2 at most, without an effect here.
		if o.failed() || o.Exit != 0 {
			return Runs
		}
		d, _ := readOutput(o.Stdout, event)
		return permissionEffects[d.permission]
	case UserPromptSubmit:
		return verdictPrompt(o, block)
	}
	if !o.failed() && o.Exit == ExitDenied && len(bytes.TrimSpace(o.Stderr)) > 0 {
		return Told
	}
	return Runs
}

// failed reports whether there is no exit code of the hook's own.
func (o Outcome) failed() bool { return o.NotStarted || o.TimedOut || o.Signal }

func verdictBefore(o Outcome, block bool) Effect {
	failure := Runs
	if block {
		failure = Blocked
	}
	if o.failed() {
		return failure
	}
	if o.Exit == ExitDenied {
		return Blocked // with or without a reason, for any stdout
	}
	d, state := readOutput(o.Stdout, PreToolUse)
	switch {
	case state == sound && (d.permission == "deny" || d.legacy == "block"):
		return Blocked // with any other exit code as well
	case o.Exit != 0 || state == invalid:
		return failure
	case state == plainText:
		return Runs // onFailure does not cover it
	case d.permission != "":
		return toolEffects[d.permission]
	case d.legacy == "approve":
		return Allowed
	}
	return Runs
}

// verdictPrompt is about the person's prompt: Runs leaves it as it was typed.
func verdictPrompt(o Outcome, block bool) Effect {
	d, _ := readOutput(o.Stdout, UserPromptSubmit)
	switch {
	case block && (o.failed() || o.Exit != 0), !o.failed() && o.Exit == ExitDenied, d.legacy == "block":
		return Blocked
	case !o.failed() && len(bytes.TrimSpace(o.Stdout)) > 0:
		return Told // the model reads it beside the prompt
	}
	return Runs
}

var toolEffects = map[string]Effect{"allow": Allowed, "ask": Asks, "defer": Defers}

var permissionEffects = map[string]Effect{"allow": Allowed, "deny": Blocked}

// How the client reads stdout.
type reading uint8

const (
	plainText reading = iota // no JSON, or broken JSON: shown, decides nothing
	invalid                  // JSON refused by the client's validation
	sound
)

// said is an output's decision.
type said struct {
	permission string // of either event
	legacy     string // the older member "decision"
}

// readOutput reads stdout as the client does: one document beginning with "{".
func readOutput(stdout []byte, event Event) (said, reading) {
	text := bytes.TrimSpace(stdout)
	if len(text) == 0 || text[0] != '{' {
		return said{}, plainText
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	if dec.Decode(&raw) != nil {
		return said{}, plainText
	}
	if err := dec.Decode(new(json.RawMessage)); !errors.Is(err, io.EOF) {
		if err != nil {
			return said{}, plainText
		}
		return said{}, invalid
	}
	var doc struct {
		Decision string `json:"decision"`
		Specific *struct {
			Event      Event  `json:"hookEventName"`
			Permission string `json:"permissionDecision"`
			Decision   *struct {
				Behavior string `json:"behavior"`
			} `json:"decision"`
		} `json:"hookSpecificOutput"`
	}
	if json.Unmarshal(raw, &doc) != nil {
		return said{}, invalid
	}
	d := said{legacy: doc.Decision}
	if s := doc.Specific; s != nil {
		if s.Event != event {
			return said{}, invalid
		}
		d.permission = s.Permission
		if event == PermissionRequest && s.Decision != nil {
			d.permission = s.Decision.Behavior
		}
	}
	if !d.valid(event) {
		return said{}, invalid
	}
	return d, sound
}

// valid reports whether the words are those of the client's schema.
func (d said) valid(event Event) bool {
	words := []string{"", "allow", "deny", "ask", "defer"}
	if event == PermissionRequest {
		words = words[:3]
	}
	return slices.Contains(words, d.permission) && slices.Contains([]string{"", "approve", "block"}, d.legacy)
}
