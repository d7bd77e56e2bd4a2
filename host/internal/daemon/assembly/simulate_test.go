package assembly_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config/project"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/gate/mcptools"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
)

// pastSession opens a session of an agent whose calls are put into the audit by these tests.
func (w *world) pastSession(t testing.TB, agent, id string) {
	t.Helper()
	_, err := w.Store.TouchSession(context.Background(), store.Session{ID: id, Agent: agent, Token: caller(agent).Token, CWD: w.project})
	if err != nil {
		t.Fatal(err)
	}
}

// past puts a call with an outcome into the audit, as the gate would.
func (w *world) past(t interface{ Fatal(...any) }, at time.Time, agent, session, tool, input string, outcome store.Outcome) {
	_, err := w.Store.Append(context.Background(), store.Row{
		Time: at, Agent: agent, Session: session, Tool: tool, Input: input, Decision: outcome, Digest: gate.Digest(tool, []byte(input), w.project),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// drawnCall is a past call of a property test.
type drawnCall struct {
	agent, session, tool, input string
	outcome                     store.Outcome
}

// pastCalls draws calls of all tools, some of them twice.
func pastCalls() *rapid.Generator[[]drawnCall] {
	file := rapid.SampledFrom([]string{"out/a", "secret/key", "a.txt", "/etc/hosts"})
	one := rapid.Custom(func(t *rapid.T) drawnCall {
		c := drawnCall{agent: rapid.SampledFrom([]string{"default", "default", "accept_edits", "explore", "bypass", "dont_ask"}).Draw(t, "agent")}
		c.session = rapid.SampledFrom([]string{"s1", "s2"}).Draw(t, "session") + c.agent
		c.outcome = rapid.SampledFrom([]store.Outcome{store.Allowed, store.Allowed, store.Denied, store.AskApproved, store.AskDenied, store.AskTimeout}).Draw(t, "outcome")
		switch c.tool = rapid.SampledFrom([]string{"Bash", "Bash", "Bash", "Write", "Read", "WebFetch"}).Draw(t, "tool"); c.tool {
		case "Bash":
			line := rapid.OneOf(command(), rapid.SampledFrom([]string{"npm install x", "make all", "make all && npm install x", "cat a.txt", "git push", "ls > out/x"}))
			c.input = string(object("command", line.Draw(t, "command")))
		case "Write":
			c.input = string(object("file_path", file.Draw(t, "file"), "content", "x"))
		case "Read":
			c.input = string(object("file_path", file.Draw(t, "file")))
		default:
			c.input = string(object("prompt", "x", "url", rapid.SampledFrom([]string{"https://evil.example/x", "https://example.org/"}).Draw(t, "url")))
		}
		return c
	})
	return rapid.Custom(func(t *rapid.T) []drawnCall {
		calls := rapid.SliceOfN(one, 1, 4).Draw(t, "calls")
		return append(calls, rapid.SliceOfN(rapid.SampledFrom(calls), 0, 3).Draw(t, "again")...)
	})
}

// changedRule draws a rule that a person may store.
func (w *world) changedRule() *rapid.Generator[engine.Rule] {
	return rapid.Custom(func(t *rapid.T) engine.Rule {
		r, err := engine.ParseRule(rapid.SampledFrom([]string{
			"Bash", "Bash(npm install:*)", "Bash(make:*)", "Bash(git push:*)", "Bash(cat:*)", "Bash(ls:*)", "Write", "Write(secret/**)", "Write(out/**)", "Read(/etc/**)",
			"Read(secret/**)", "Edit", "WebFetch(domain:example.org)", "mcp__x", "*Fetch",
			"effect:reaches", "effect:deletes", "effect:installs(npm:x)",
		}).Draw(t, "rule"))
		if err != nil {
			t.Fatal(err)
		}
		behaviors := []engine.Behavior{engine.Allow, engine.Allow, engine.Deny, engine.Ask}
		if engine.IsEffectName(r.Tool) {
			behaviors = []engine.Behavior{engine.Deny, engine.Ask}
		}
		r.Behavior = rapid.SampledFrom(behaviors).Draw(t, "behavior")
		switch r.Scope = rapid.SampledFrom([]engine.Scope{engine.Global, engine.Global, engine.Agent, engine.Session, engine.Project}).Draw(t, "scope"); r.Scope {
		case engine.Agent:
			r.ScopeKey = rapid.SampledFrom([]string{"default", "dont_ask"}).Draw(t, "key")
		case engine.Session:
			r.ScopeKey = rapid.SampledFrom([]string{"s1default", "s2accept_edits"}).Draw(t, "key")
		case engine.Project:
			r.ScopeKey = rapid.SampledFrom([]string{w.project, "/srv/other"}).Draw(t, "key")
		}
		return r
	})
}

// TestSimulate_judgesAgain: the result of a simulation is that of storing the change and deciding
// each call before and after it, whatever the simulation leaves out.
func TestSimulate_judgesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, lattice)
	w.write(".git/HEAD", "ref: refs/heads/main\n")
	for _, agent := range []string{"default", "accept_edits", "explore", "bypass", "dont_ask"} {
		w.pastSession(t, agent, "s1"+agent)
		w.pastSession(t, agent, "s2"+agent)
	}
	clock := time.Now().Add(-time.Hour)
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		w.write(project.Name, rapid.SampledFrom([]string{"", "", "ask: [Bash(make:*)]\n", "deny: ["}).Draw(t, "project file"))
		since := clock.Add(time.Second)
		clock = since.Add(time.Second)
		calls := pastCalls().Draw(t, "calls")
		for _, c := range calls {
			w.past(t, clock, c.agent, c.session, c.tool, c.input, c.outcome)
		}
		var stored []string
		for _, r := range rapid.SliceOfN(w.changedRule(), 0, 2).Draw(t, "before") {
			kept, _, err := w.Gate.AddRule(ctx, "ann", r)
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, kept.ID)
		}
		s := gate.Simulation{Since: since, Rows: 100}
		s.Add = rapid.SliceOfN(w.changedRule(), 0, 2).Draw(t, "add")
		if len(stored) > 0 && rapid.Bool().Draw(t, "remove") {
			s.Remove = stored[:1]
		}
		got, err := w.Gate.Simulate(ctx, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := w.byHand(t, s, calls, &stored)
		if got.Calls != len(calls) || got.Changed != want.Changed || got.Allowed != want.Allowed || got.Asked != want.Asked || got.Denied != want.Denied ||
			got.Overruled != want.Overruled || got.Unread+got.Moved+got.Untried != 0 || len(got.Rows) != want.Changed {
			t.Errorf("the simulation says %+v, by hand it is %+v", got, want)
		}
		for _, id := range stored {
			_ = w.Gate.RemoveRule(ctx, "ann", id) // the one that was removed is gone
		}
	})
}

// byHand stores the change and decides each call before and after. The ids of all rules that are
// stored afterwards are in stored.
func (w *world) byHand(t *rapid.T, s gate.Simulation, calls []drawnCall, stored *[]string) (want history.Simulated) {
	ctx := context.Background()
	decide := func() (all []engine.Behavior) {
		for _, c := range calls {
			r := w.request(c.tool, []byte(c.input))
			r.Context.Session = c.session
			res, err := w.Gate.Evaluate(ctx, caller(c.agent), r)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, res.Decision.Behavior)
		}
		return all
	}
	before := decide()
	added, err := w.Store.ChangeRules(ctx, store.Change{Add: s.Add, Remove: s.Remove, By: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range added {
		*stored = append(*stored, r.ID)
	}
	after := decide()
	was := map[store.Outcome]engine.Behavior{store.Allowed: engine.Allow, store.Denied: engine.Deny, store.AskApproved: engine.Ask, store.AskDenied: engine.Ask, store.AskTimeout: engine.Ask}
	for i, c := range calls {
		if before[i] == after[i] || after[i] == was[c.outcome] {
			continue
		}
		want.Changed++
		switch after[i] {
		case engine.Allow:
			want.Allowed++
			if c.outcome == store.AskDenied {
				want.Overruled++
			}
		case engine.Ask:
			want.Asked++
		default:
			want.Denied++
		}
	}
	return want
}

// TestSimulate_leavesOut: a call whose secret the audit removed is not decided again, one of another
// directory is marked, and the time bounds the rest.
func TestSimulate_leavesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, lattice)
	w.pastSession(t, "default", "s1")
	now := time.Now()
	since := now.Add(-time.Minute)
	w.past(t, now, "default", "s1", "Bash", `{"command":"curl -H 'Authorization: Bearer ghp_0123456789abcdefghij0123456789abcdef' https://example.org"}`, store.AskDenied)
	w.past(t, now, "default", "s1", "Bash", `{"command":"make all"}`, store.AskDenied)
	if _, err := w.Store.Append(t.Context(), store.Row{Agent: "default", Session: "s1", Tool: "Bash", Input: `{"command":"make elsewhere"}`, Decision: store.AskApproved, Digest: gate.Digest("Bash", []byte(`{"command":"make elsewhere"}`), "/srv/elsewhere")}); err != nil {
		t.Fatal(err)
	}
	content := "make:*"
	s := gate.Simulation{Add: []engine.Rule{{Tool: "Bash", Content: &content, Behavior: engine.Allow, Scope: engine.Global}}, Since: since, Rows: 1}
	got, err := w.Gate.Simulate(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Calls != 3 || got.Unread != 1 || got.Moved != 1 || got.Allowed != 2 || got.Overruled != 1 || len(got.Rows) != 1 || got.Rows[0].Row.Input != `{"command":"make elsewhere"}` {
		t.Errorf("got %+v", got)
	}
	s.Within = time.Nanosecond
	if got, err = w.Gate.Simulate(t.Context(), s, nil); err != nil || got.Untried != 3 || got.Changed != 0 {
		t.Errorf("without time: got %+v, %v", got, err)
	}
	s.Within, s.Most = 0, 1
	if got, err = w.Gate.Simulate(t.Context(), s, nil); err != nil || got.Most != 1 || !strings.Contains(strings.Join(got.Limits(), " "), "Older calls were not read") {
		t.Errorf("with room for one call: got %+v, %v", got, err)
	}
	s.Remove = []string{"nosuch"}
	if _, err = w.Gate.Simulate(t.Context(), s, nil); err == nil {
		t.Error("a rule that is not stored was taken back")
	}
}

// TestSimulate_definitionsAreTexts: the daemon's question about the tools of an MCP server is decided
// again as it was: no path in a definition is a target. A rule about files leaves it alone, and one
// about the server's program does not.
func TestSimulate_definitionsAreTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, lattice)
	w.pastSession(t, "default", "s1")
	now := time.Now()
	w.past(t, now, "default", "s1", mcptools.NewServer, `{"server":"files","program":"/opt/files/run","new_tools":{"read":{"description":"/etc/hosts"}}}`, store.AskApproved)
	for content, want := range map[string]int{"/etc/**": 0, "/opt/**": 1} {
		s := gate.Simulation{Add: []engine.Rule{{Tool: "Read", Content: &content, Behavior: engine.Deny, Scope: engine.Global}}, Since: now.Add(-time.Minute), Rows: 1}
		if got, err := w.Gate.Simulate(t.Context(), s, nil); err != nil || got.Judged != 1 || got.Denied != want {
			t.Errorf("deny Read(%s): got %+v, %v, want %d denied", content, got, err, want)
		}
	}
}
