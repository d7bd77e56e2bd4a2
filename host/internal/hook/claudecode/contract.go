package claudecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"io"
	"slices"
)

// Verdict is Claude Code's reaction to a hook's outcome at an event; block is set for a hook with
// onFailure: "block". It was measured with version 2.1.329; unmeasured outcomes count as the worst
// consistent with it.
func Verdict(event Event, o runner.Outcome, block bool) runner.Effect {
	switch event {
	case PreToolUse:
		return verdictBefore(o, block)
	case PermissionRequest:
		// A failure counts as exit code 2 at most, without an effect here.
		if o.Failed() || o.Exit != 0 {
			return runner.Runs
		}
		d, _ := readOutput(o.Stdout, event)
		return permissionEffects[d.permission]
	case UserPromptSubmit:
		return verdictPrompt(o, block)
	}
	if !o.Failed() && o.Exit == ExitDenied && len(bytes.TrimSpace(o.Stderr)) > 0 {
		return runner.Told
	}
	return runner.Runs
}

func verdictBefore(o runner.Outcome, block bool) runner.Effect {
	failure := runner.Runs
	if block {
		failure = runner.Blocked
	}
	if o.Failed() {
		return failure
	}
	if o.Exit == ExitDenied {
		return runner.Blocked // with or without a reason, for any stdout
	}
	d, state := readOutput(o.Stdout, PreToolUse)
	switch {
	case state == sound && (d.permission == "deny" || d.legacy == "block"):
		return runner.Blocked // with any other exit code as well
	case o.Exit != 0 || state == invalid:
		return failure
	case state == plainText:
		return runner.Runs // onFailure does not cover it
	case d.permission != "":
		return toolEffects[d.permission]
	case d.legacy == "approve":
		return runner.Allowed
	}
	return runner.Runs
}

// verdictPrompt is about the person's prompt: runner.Runs leaves it as it was typed.
func verdictPrompt(o runner.Outcome, block bool) runner.Effect {
	d, _ := readOutput(o.Stdout, UserPromptSubmit)
	switch {
	case block && (o.Failed() || o.Exit != 0), !o.Failed() && o.Exit == ExitDenied, d.legacy == "block":
		return runner.Blocked
	case !o.Failed() && len(bytes.TrimSpace(o.Stdout)) > 0:
		return runner.Told // the model reads it beside the prompt
	}
	return runner.Runs
}

var toolEffects = map[string]runner.Effect{"allow": runner.Allowed, "ask": runner.Asks, "defer": runner.Defers}

var permissionEffects = map[string]runner.Effect{"allow": runner.Allowed, "deny": runner.Blocked}

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
