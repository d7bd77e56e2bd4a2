package canary

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/wire"
)

const (
	codexAllow = `{"hookSpecificOutput":{"hookEventName":"PreToolUse"}}`
	codexDeny  = `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`
)

// TestVerdict is what each client was measured to do with the outcomes of its hook (Codex 0.169.0,
// Gemini CLI 0.61.0, opencode 1.18.33).
func TestVerdict(t *testing.T) {
	t.Parallel()
	out := func(exit int, stdout, stderr string) runner.Outcome {
		return runner.Outcome{Exit: exit, Stdout: []byte(stdout), Stderr: []byte(stderr)}
	}
	const b, r, a, asks = runner.Blocked, runner.Runs, runner.Allowed, runner.Asks
	for name, test := range map[string]struct {
		o                       runner.Outcome
		codex, gemini, opencode runner.Effect
	}{
		"code 2 with a reason":        {out(2, "", "no"), b, b, b},
		"code 2 without one":          {out(2, "", ""), r, r, b},
		"code 1":                      {out(1, "", "x"), r, r, b},
		"code 3 with a text":          {out(3, "", "x"), r, b, b},
		"nothing, code 0":             {out(0, "", ""), r, r, b},
		"garbage, code 0":             {out(0, "loading\n", ""), r, r, b},
		"Codex's allow":               {out(0, codexAllow, ""), a, r, b},
		"an allow with a decision":    {out(0, codexAllow[:len(codexAllow)-2]+`,"permissionDecision":"allow"}}`, ""), r, r, b},
		"Codex's denial":              {out(0, codexDeny, ""), b, r, b},
		"Codex's denial, code 1":      {out(1, codexDeny, ""), r, r, b},
		"a denial with one more name": {out(0, codexDeny[:len(codexDeny)-1]+`,"suppressOutput":true}`, ""), r, r, b},
		"a line before the denial":    {out(0, "log\n"+codexDeny, ""), r, r, b},
		"Gemini's allow":              {out(0, `{"decision":"allow"}`, ""), r, a, a},
		"its allow, code 2":           {out(2, `{"decision":"allow"}`, "no"), b, a, b},
		"its denial, code 1":          {out(1, `{"decision":"deny","reason":"no"}`, ""), r, b, b},
		"another decision":            {out(0, `{"decision":"maybe"}`, ""), r, r, b},
		"ask":                         {out(0, `{"decision":"ask"}`, ""), r, asks, b},
		"a signal":                    {runner.Outcome{Signal: true, Exit: -1}, r, r, b},
		"too late":                    {runner.Outcome{TimedOut: true}, r, r, b},
		"not started":                 {runner.Outcome{NotStarted: true}, r, r, b},
	} {
		for word, want := range map[settings.Client]runner.Effect{settings.Codex: test.codex, settings.GeminiCLI: test.gemini, "opencode": test.opencode} {
			c, ok := Find(word)
			if got := c.Verdict(settings.Hook{}, test.o); !ok || got != want {
				t.Errorf("%s, %s: got %s, want %s", name, word, got, want)
			}
		}
	}
}

// TestPayload: each payload names a call of its client, and the todo list is empty.
func TestPayload(t *testing.T) {
	t.Parallel()
	for _, c := range Clients() {
		var said struct {
			Session string         `json:"session_id"`
			Tool    string         `json:"tool_name"`
			Input   map[string]any `json:"tool_input"`
		}
		if err := json.Unmarshal(c.Harmless("s", "/p"), &said); err != nil || said.Session != "s" || said.Tool != c.todo || len(said.Input[c.list].([]any)) != 0 {
			t.Errorf("%s: got %+v, %v", c.Word, said, err)
		}
	}
}

// TestProbe: the state is the comparison of the client's reaction and the daemon's decision.
func TestProbe(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the hooks are lines of a POSIX shell")
	}
	const deny, allow, runs = "echo no >&2; exit 2", `printf %s '{"decision":"allow"}'`, "exit 0"
	decided := func(o wire.Outcome) Decision {
		return func(context.Context, string) (wire.Outcome, bool) { return o, o != "" }
	}
	for name, test := range map[string]struct {
		line             string
		find             Decision
		denied, harmless State
	}{
		"denied by the daemon":          {deny, decided(wire.Denied), Judged, Judged},
		"denied without it":             {deny, decided(""), Unseen, Unseen},
		"allowed by the daemon":         {allow, decided(wire.Allowed), Unjudged, Judged},
		"allowed without it":            {allow, decided(""), Unjudged, Unjudged},
		"allowed against the daemon":    {allow, decided(wire.Denied), Unjudged, Unjudged},
		"blocked, though it is allowed": {deny, decided(wire.Allowed), Unjudged, Unjudged},
		"runs":                          {runs, decided(""), Unjudged, Unjudged},
		"runs, though it is denied":     {runs, decided(wire.Denied), Unjudged, Unjudged},
		"denied, unread":                {deny, nil, Unread, Unread},
		"allowed, unread":               {allow, nil, Unjudged, Unread},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := Find(settings.GeminiCLI)
			c.bash = "sh" // bash is not on every machine
			got := c.Probe(t.Context(), settings.Hook{Command: test.line, File: "f"}, t.TempDir(), "/x", time.Minute, test.find)
			if len(got) != 2 || got[0].State != test.denied || got[1].State != test.harmless || got[0].File != "f" {
				t.Errorf("got %+v, want %s and %s", got, test.denied, test.harmless)
			}
		})
	}
}
