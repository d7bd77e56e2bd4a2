package codex

import (
	"bytes"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/hook/runner"
)

// Verdict is Codex's reaction to a hook's outcome before a call. It was measured with version
// 0.169.0; unmeasured outcomes count as the worst consistent with it. Codex runs the call of every
// failed hook, and of a denial outside its schema.
func Verdict(o runner.Outcome) runner.Effect {
	switch {
	case o.Failed():
		return runner.Runs
	case o.Exit == runner.ExitDenied && len(bytes.TrimSpace(o.Stderr)) > 0:
		return runner.Blocked // with any stdout
	case o.Exit != 0:
		return runner.Runs
	}
	var doc struct {
		Specific struct {
			Event      string `json:"hookEventName"`
			Permission string `json:"permissionDecision"`
			Reason     string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if jsonv2.Unmarshal(o.Stdout, &doc, jsonv2.RejectUnknownMembers(true)) != nil || doc.Specific.Event != "PreToolUse" {
		return runner.Runs
	}
	switch {
	case doc.Specific.Permission == "": // no objection
		return runner.Allowed
	case doc.Specific.Permission == "deny" && doc.Specific.Reason != "":
		return runner.Blocked
	}
	return runner.Runs
}
