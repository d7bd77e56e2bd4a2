package claudecode_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
)

const (
	allowDoc = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"x"}}`
	denyDoc  = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"x"}}`
)

// TestVerdict: the observed behaviour of Claude Code 2.1.329, without and with onFailure:
// "block".
func TestVerdict(t *testing.T) {
	t.Parallel()
	const runs, allowed, asks, defers, blocked, told = runner.Runs, runner.Allowed, runner.Asks, runner.Defers, runner.Blocked, runner.Told
	out := func(exit int, stdout, stderr string) runner.Outcome {
		return runner.Outcome{Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr)}
	}
	permission := func(word string) runner.Outcome {
		return out(0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"`+word+`"}}`, "")
	}
	for name, tc := range map[string]struct {
		event          claudecode.Event
		outcome        runner.Outcome
		without, block runner.Effect
	}{
		"deny and reason":             {claudecode.PreToolUse, out(0, denyDoc, ""), blocked, blocked},
		"deny without reason":         {claudecode.PreToolUse, permission("deny"), blocked, blocked},
		"deny and unknown member":     {claudecode.PreToolUse, out(0, `{"x":1,`+denyDoc[1:], ""), blocked, blocked},
		"deny and suppressOutput":     {claudecode.PreToolUse, out(0, `{"suppressOutput":true,`+denyDoc[1:], ""), blocked, blocked},
		"allow":                       {claudecode.PreToolUse, out(0, allowDoc, ""), allowed, allowed},
		"two documents, allow, deny":  {claudecode.PreToolUse, out(0, allowDoc+"\n"+denyDoc, ""), runs, blocked},
		"deny, exit 1":                {claudecode.PreToolUse, out(1, denyDoc, ""), blocked, blocked},
		"allow, exit 1":               {claudecode.PreToolUse, out(1, allowDoc, ""), runs, blocked},
		"a log line before the deny":  {claudecode.PreToolUse, out(0, "log\n"+denyDoc, ""), runs, runs},
		"a log line after the deny":   {claudecode.PreToolUse, out(0, denyDoc+"\nlog", ""), runs, runs},
		"truncated":                   {claudecode.PreToolUse, out(0, denyDoc[:40], ""), runs, runs},
		"nothing":                     {claudecode.PreToolUse, out(0, "", ""), runs, runs},
		"an empty document":           {claudecode.PreToolUse, out(0, "{}", ""), runs, runs},
		"an unknown word":             {claudecode.PreToolUse, permission("maybe"), runs, blocked},
		"two words":                   {claudecode.PreToolUse, permission("allow|deny"), runs, blocked},
		"a wrong type":                {claudecode.PreToolUse, out(0, `{"hookSpecificOutput":"deny"}`, ""), runs, blocked},
		"another event's document":    {claudecode.PreToolUse, out(0, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"allow"}}`, ""), runs, blocked},
		"ask":                         {claudecode.PreToolUse, permission("ask"), asks, asks},
		"defer":                       {claudecode.PreToolUse, permission("defer"), defers, defers},
		"the older approve":           {claudecode.PreToolUse, out(0, `{"decision":"approve"}`, ""), allowed, allowed},
		"the older block":             {claudecode.PreToolUse, out(0, `{"decision":"block"}`, ""), blocked, blocked},
		"continue false":              {claudecode.PreToolUse, out(0, `{"continue":false}`, ""), runs, runs},
		"exit 2 and stderr":           {claudecode.PreToolUse, out(2, "", "no"), blocked, blocked},
		"exit 2, empty stderr":        {claudecode.PreToolUse, out(2, "", ""), blocked, blocked},
		"exit 2, stderr, allow":       {claudecode.PreToolUse, out(2, allowDoc, "no"), blocked, blocked},
		"exit 3 and stderr":           {claudecode.PreToolUse, out(3, "", "no"), runs, blocked},
		"exit 1, stderr only":         {claudecode.PreToolUse, out(1, "", "no"), runs, blocked},
		"binary missing in a shell":   {claudecode.PreToolUse, out(127, "", "not found"), runs, blocked},
		"binary missing":              {claudecode.PreToolUse, runner.Outcome{NotStarted: true}, runs, blocked},
		"killed":                      {claudecode.PreToolUse, runner.Outcome{Signal: true, Stdout: []byte(denyDoc)}, runs, blocked},
		"time-out":                    {claudecode.PreToolUse, runner.Outcome{TimedOut: true}, runs, blocked},
		"time-out, then exit 2":       {claudecode.PreToolUse, runner.Outcome{TimedOut: true, Exit: 2, Stderr: []byte("no")}, runs, blocked},
		"permission: deny":            {claudecode.PermissionRequest, out(0, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}`, ""), blocked, blocked},
		"permission: allow":           {claudecode.PermissionRequest, out(0, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`, ""), allowed, allowed},
		"permission: ask":             {claudecode.PermissionRequest, out(0, `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"ask"}}}`, ""), runs, runs},
		"permission: exit 2":          {claudecode.PermissionRequest, out(2, "", "no"), runs, runs},
		"permission: the other words": {claudecode.PermissionRequest, out(0, denyDoc, ""), runs, runs},
		"permission: killed":          {claudecode.PermissionRequest, runner.Outcome{Signal: true}, runs, runs},
		"prompt: exit 0":              {claudecode.UserPromptSubmit, out(0, "", ""), runs, runs},
		"prompt: exit 2 and stderr":   {claudecode.UserPromptSubmit, out(2, "", "no"), blocked, blocked},
		"prompt: block":               {claudecode.UserPromptSubmit, out(0, `{"decision":"block","reason":"no"}`, ""), blocked, blocked},
		"prompt: a text":              {claudecode.UserPromptSubmit, out(0, "hello", ""), told, told},
		"prompt: exit 1":              {claudecode.UserPromptSubmit, out(1, "", "no"), runs, blocked},
		"prompt: killed":              {claudecode.UserPromptSubmit, runner.Outcome{Signal: true}, runs, blocked},
		"after: exit 2 and stderr":    {claudecode.PostToolUse, out(2, "", "no"), told, told},
		"after: exit 2, empty stderr": {claudecode.PostToolUse, out(2, "", " \n"), runs, runs},
		"after: exit 0":               {claudecode.PostToolUseFailure, out(0, "", ""), runs, runs},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := claudecode.Verdict(tc.event, tc.outcome, false); got != tc.without {
				t.Errorf("without onFailure: got %s, want %s", got, tc.without)
			}
			if got := claudecode.Verdict(tc.event, tc.outcome, true); got != tc.block {
				t.Errorf("onFailure block: got %s, want %s", got, tc.block)
			}
		})
	}
}

// TestVerdict_zero: nothing known is the worst.
func TestVerdict_zero(t *testing.T) {
	t.Parallel()
	for _, event := range claudecode.Events() {
		if got := claudecode.Verdict(event, runner.Outcome{}, false); got != runner.Runs || got.String() != "RUNS" {
			t.Errorf("%s: got %s, want RUNS", event, got)
		}
	}
}
