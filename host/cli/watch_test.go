package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/terminal"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
)

// newClient starts a daemon of its own and connects as its admin, over a port: over a
// socket it would matter whether the test has a terminal.
func newClient(t *testing.T) *client.Client {
	t.Helper()
	w := world.New(t, "")
	w.Port = true
	d, _ := w.Serve(nil)
	w.ChoosePIN(d)
	return w.Admin(d.Address().String())
}

func TestWatchAnswersByKey(t *testing.T) {
	t.Parallel()
	client := newClient(t)
	var screen bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	watching := make(chan error, 1)
	w := watcher{client: client, by: "ann", out: &screen, terminal: terminal.New(strings.NewReader("s0815 4711\r4711 0815\ryn"), &screen)}
	go func() { watching <- w.run(ctx) }()

	for _, tt := range []struct {
		name, command string
		want          engine.Behavior
		by            string
	}{
		{"accepted for the session, with the PIN", "npm run build", engine.Allow, "ann"},
		{"allowed by its rule", "npm run lint", engine.Allow, ""},
		{"approved once", "npm install", engine.Allow, "ann"},
		{"denied", "npm publish", engine.Deny, "ann"},
	} {
		input, err := json.Marshal(map[string]string{"command": tt.command})
		if err != nil {
			t.Fatal(err)
		}
		res, err := client.Check(t.Context(), wire.Request{Tool: "Bash", Input: input, Context: wire.CallContext{CWD: "/"}}, nil)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if res.Decision.Behavior != tt.want || res.DecidedBy != tt.by {
			t.Errorf("%s: got %s by %q, want %s by %q", tt.name, res.Decision.Behavior, res.DecidedBy, tt.want, tt.by)
		}
	}
	cancel()
	if err := <-watching; err != nil {
		t.Errorf("watch: %v", err)
	}
	for _, want := range []string{"Run? npm install", "\nAllowed ", "stored \"allow Bash(npm run {build,bundle,check,", " for this session · take back: callgate rules remove ", "\nRun? \"npm run build\" · agent ", "Approver PIN: \nwrong PIN: 4 attempts left\nApprover PIN: \n"} {
		if !strings.Contains(screen.String(), want) {
			t.Errorf("screen: want %q in\n%s", want, screen.String())
		}
	}
}

// TestWatchAlarm: an alarm is a line of its own, with --json the notice.
func TestWatchAlarm(t *testing.T) {
	t.Parallel()
	changed := make(chan watched, 1)
	data := `{"event":"HookAlarm","reason":"The hook of codex\u001b does not check its calls"}`
	if err := forward(t.Context(), client.Event{Name: protocol.EventHookAlarm, Data: []byte(data)}, changed); err != nil {
		t.Fatal(err)
	}
	event := <-changed
	for asJSON, want := range map[bool]string{
		true:  `"event":"HookAlarm"`,
		false: "\r\nThe hook of codex",
	} {
		var out bytes.Buffer
		watcher{out: &out, json: asJSON}.tellAlarm(*event.alarm)
		line := strings.TrimSpace(out.String())
		if !strings.Contains(out.String(), want) || strings.ContainsAny(line, "\x1b\n") || asJSON && !json.Valid([]byte(line)) {
			t.Errorf("json %t: got %q, want %s", asJSON, out.String(), want)
		}
	}
}
