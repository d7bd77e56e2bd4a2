package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// secretPIN is the PIN of these tests; nothing else holds its digits in a row.
const secretPIN = "90817263549"

// asked is a world with answering people, and all its output.
type asked struct {
	*gateWorld
	admin, agent *client.Client
	events       chan client.Event
	// told is the output, by its place.
	told  map[string]string
	calls int
}

func newAsked(t *testing.T, w *gateWorld) *asked {
	t.Helper()
	a := &asked{gateWorld: w, told: map[string]string{}, events: make(chan client.Event, 1024)}
	a.admin, a.agent = w.Admin(w.Dirs.Socket()), w.Agent(w.Dirs.Socket(), tokenfile.DefaultAgent)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() {
		_ = a.admin.Events(ctx, "", "", func(ev client.Event) error { // it ends with the test
			a.events <- ev
			return nil
		})
	}()
	if ev := a.event(); ev.Name != protocol.EventReady {
		t.Fatalf("first event: got %s, want %s", ev.Name, protocol.EventReady)
	}
	return a
}

// event takes the next event. The approver's view of a waiting call is the only part not
// searched.
func (a *asked) event() client.Event {
	a.t.Helper()
	select {
	case ev := <-a.events:
		if ev.Name == protocol.EventAsk {
			one, err := ev.Ask()
			if err != nil {
				a.t.Fatal(err)
			}
			if one.Ask.State.Waiting() {
				return ev
			}
		}
		a.told["the event "+ev.Name] += string(ev.Data) + "\n"
		return ev
	case <-time.After(patience):
		a.t.Fatal("no event came")
		return client.Event{}
	}
}

// put puts a call, lets answer end its ask once it is shown, if it is, and
// returns when the decision was told.
func (a *asked) put(tool string, input map[string]any, limit time.Duration, answer func(ask.Ask)) {
	a.t.Helper()
	a.calls++
	text, err := json.Marshal(input)
	if err != nil {
		a.t.Fatal(err)
	}
	r := wire.Request{Tool: tool, Input: text, Timeout: limit, Context: wire.CallContext{Session: fmt.Sprint("s", a.calls), CWD: "/"}}
	done := make(chan error, 1)
	go func() {
		res, err := a.agent.Check(a.t.Context(), r, nil)
		if err == nil && res.Decision.Behavior == engine.Ask {
			err = fmt.Errorf("got an ask as the answer")
		}
		done <- err
	}()
	for {
		switch ev := a.event(); ev.Name {
		case protocol.EventDecision:
			if err := <-done; err != nil {
				a.t.Errorf("%s %s: %v", tool, text, err)
			}
			return
		case protocol.EventAsk:
			if one, err := ev.Ask(); err == nil && one.Kind == ask.EventShown && answer != nil {
				answer(one.Ask)
			}
		case protocol.EventLagged:
			a.t.Fatal("events were missed")
		}
	}
}

// end answers an ask as ann; an approval takes the first rule on offer.
func (a *asked) end(shown ask.Ask, answer ask.Answer) {
	a.t.Helper()
	answer.By, answer.Surface, answer.ConfirmID = "ann", "test", shown.ID
	if s := shown.Decision.Suggestions; answer.Verdict == ask.Approve && len(s) > 0 {
		answer.Sets = []int{s[0].Set}
	}
	out, err := a.d.Host.Gate.Answer(a.t.Context(), shown.ID, answer)
	if err != nil {
		a.t.Fatalf("answer %s: %v", shown.Action, err)
	}
	a.tell("the answer", out)
	view, err := a.admin.Ask(a.t.Context(), shown.ID)
	if err != nil {
		a.t.Fatal(err)
	}
	a.tell("an ask that ended", view)
}

func (a *asked) tell(where string, v any) {
	a.t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		a.t.Fatal(err)
	}
	a.told[where] += string(text) + "\n"
}

// run runs the program as the daemon's account and keeps its output; a report of problems is no
// failure.
func (a *asked) run(args ...string) {
	a.t.Helper()
	cmd := exec.Command("callgate", args...)
	cmd.Env, cmd.Dir = append(os.Environ(), a.XDG()...), a.Dirs.Home
	out, err := cmd.CombinedOutput()
	if len(out) == 0 {
		a.t.Errorf("callgate %s printed nothing: %v", strings.Join(args, " "), err)
	}
	a.told["callgate "+strings.Join(args, " ")] = string(out)
}

// files reads the daemon's files except those of the tokens, and returns their secrets.
func (a *asked) files(when string) (secrets []string) {
	a.t.Helper()
	err := filepath.WalkDir(a.Dirs.State, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.HasSuffix(path, "token") {
			secrets = append(secrets, strings.TrimSpace(string(text)))
			return err
		}
		a.told["the file "+filepath.Base(path)+" "+when] = string(text)
		return err
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return secrets
}

// TestT14_canariesOfAsks: secrets in calls put to people, answered in every way, are in nothing
// kept or sent after the ask: with the daemon still running, and after it.
func TestT14_canariesOfAsks(t *testing.T) {
	t.Parallel()
	w := newGateWorld(t, "agents:\n  default: {mode: default}\n")
	w.stop()
	var log bytes.Buffer
	w.log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.start()
	if err := w.d.Presence.Set(t.Context(), "", secretPIN, pin.Who{By: "ann"}); err != nil {
		t.Fatal(err)
	}
	a := newAsked(t, w)
	if _, err := w.d.Presence.Unlock(t.Context(), secretPIN, pin.Who{By: "ann", Terminal: "test"}); err != nil {
		t.Fatal(err)
	}
	shown := 0
	for kind, c := range canaries {
		line := strings.ReplaceAll(c.text, "\n", " ")
		for _, call := range []struct {
			tool  string
			input map[string]any
		}{
			{"Bash", map[string]any{"command": "make x; " + line}},
			{"Bash", map[string]any{"command": "curl -H \"X: " + line + "\" https://x"}},
			{"mcp__a__b", map[string]any{"note": c.text, "deep": []any{map[string]any{"x": c.text}}}},
		} {
			for end, answer := range map[string]func(ask.Ask){
				"timed out": nil,
				"denied":    func(s ask.Ask) { a.end(s, ask.Answer{Verdict: ask.Deny, Reason: "not " + c.text}) },
				"approved":  func(s ask.Ask) { a.end(s, ask.Answer{Verdict: ask.Approve}) },
			} {
				call.input["description"] = fmt.Sprint(end, " ", kind) // otherwise it is the denied call
				limit := patience
				if answer == nil {
					limit = 20 * time.Millisecond
				}
				a.put(call.tool, call.input, limit, func(s ask.Ask) {
					shown++
					if answer != nil {
						answer(s)
					}
				})
			}
		}
	}
	a.put("Bash", map[string]any{"command": "npm run build"}, patience, func(s ask.Ask) { a.end(s, ask.Answer{Verdict: ask.Approve}) })
	rules, err := a.admin.Rules(t.Context(), store.RuleFilter{})
	if err != nil || len(rules) == 0 || shown < len(canaries)*3 {
		t.Fatalf("got %d rules, %d asks shown, %v; want some of each", len(rules), shown, err)
	}
	a.tell("the rules", rules)
	for _, format := range []string{"csv", "jsonl"} {
		var out bytes.Buffer
		if err := a.admin.ExportAudit(t.Context(), store.Filter{}, format, &out); err != nil || out.Len() == 0 {
			t.Fatalf("export %s: %d bytes, %v", format, out.Len(), err)
		}
		a.told["the audit as "+format] = out.String()
	}
	a.searchAudit()
	a.run("doctor", "--json")
	a.run("record", "s1")
	a.run("rules", "list")
	a.run("asks", "list")
	secrets := a.files("while the daemon runs")
	w.stop()
	a.files("after the daemon")
	a.told["the log"] = log.String()
	if len(secrets) < 2 {
		t.Fatalf("got %d tokens, want the admin's and the agent's", len(secrets))
	}
	a.search(append(secrets, secretPIN))
}

// search looks for the canaries, and for these, in the output.
func (a *asked) search(secrets []string) {
	a.t.Helper()
	for _, c := range canaries {
		secrets = append(secrets, c.secret)
	}
	for where, text := range a.told {
		for _, secret := range secrets {
			if at := strings.Index(text, secret); at >= 0 {
				a.t.Errorf("%s tells a secret: …%q…", where, text[max(0, at-120):min(len(text), at+60)])
			}
		}
	}
}
