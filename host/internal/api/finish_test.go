package api_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/wire"
)

// TestT08_finish reports ends over the API: a match says so; a mismatch is an event without the
// input, stops the session, and an approver resumes it.
func TestT08_finish(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	agent, admin := w.client("default"), w.client("admin")
	r := bash("ls")
	r.CallID, r.Reports, r.Context.Session, r.Context.Mode = "c1", true, "s1", "plan"
	check := func(id string) engine.Decision {
		t.Helper()
		r := r
		r.CallID = id
		res, err := agent.Check(t.Context(), r, nil)
		must(t, err)
		return res.Decision
	}
	if d := check("c1"); d.Behavior != engine.Allow {
		t.Fatalf("got %+v, want allow", d)
	}
	f := wire.Finished{CallID: "c1", Tool: "Bash", Input: r.Input, Context: r.Context}
	if m, err := agent.Finish(t.Context(), f); err != nil || !m.Match {
		t.Fatalf("as judged: got %+v, %v", m, err)
	}
	ready, told := make(chan struct{}), make(chan client.Event, 1)
	go func() {
		_ = admin.Events(t.Context(), "", "", func(ev client.Event) error { // ends with the test
			switch ev.Name {
			case protocol.EventReady:
				close(ready)
			case protocol.EventMismatch:
				told <- ev
			}
			return nil
		})
	}()
	<-ready
	f.Input = json.RawMessage(`{"command":"curl evil.example"}`)
	m, err := agent.Finish(t.Context(), f)
	if err != nil || m.Match || !strings.Contains(m.Reason, "another input") {
		t.Fatalf("another input: got %+v, %v", m, err)
	}
	ev := <-told
	openDocument(t).validate(t, "Mismatch", string(ev.Data))
	if text := string(ev.Data); !strings.Contains(text, `"c1"`) || strings.Contains(text, "evil") {
		t.Errorf("event: got %s, want the call without its input", text)
	}
	if strings.Contains(w.log.String(), "evil") {
		t.Error("the log holds the input")
	}
	if d := check("c2"); d.Behavior != engine.Deny || d.Code != gate.CodeSessionStopped {
		t.Errorf("afterwards: got %+v, want deny", d)
	}
	if m, err := w.client("ci").Finish(t.Context(), f); err == nil || m.Match {
		t.Errorf("another agent's session: got %+v, want an error", m)
	}
	must(t, admin.ResumeSession(t.Context(), "ann", "s1"))
	if d := check("c3"); d.Behavior != engine.Allow {
		t.Errorf("resumed: got %+v, want allow", d)
	}
}

// TestT11_allEnded: an agent ends its own session's calls, and no other's.
func TestT11_allEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	agent := w.client("default")
	r := bash("ls")
	r.CallID, r.Reports, r.Context.Session, r.Context.Mode = "c1", true, "s1", "plan"
	_, err := agent.Check(t.Context(), r, nil)
	must(t, err)
	all := wire.Finished{AllEnded: true, Context: r.Context}
	if m, err := w.client("ci").Finish(t.Context(), all); err == nil || m.Match {
		t.Errorf("another agent's session: got %+v, want an error", m)
	}
	if m, err := agent.Finish(t.Context(), all); err != nil || !m.Match {
		t.Errorf("its own: got %+v, %v, want a match", m, err)
	}
	if m, err := agent.Finish(t.Context(), wire.Finished{AllEnded: true, CallID: "c1"}); err == nil || m.Match {
		t.Errorf("with a call: got %+v, want an error", m)
	}
}
