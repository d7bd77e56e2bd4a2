package slash_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/discord/member"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
)

// o are options.
type o = map[string]any

// TestCommands: each command's answer, and its refusals.
func TestCommands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		before  func(*world)
		who     member.Actor
		channel string
		command string
		options o
		// want are parts of the answer, not forbidden ones; refused counts the rows of
		// refusals.
		want, not []string
		refused   int
	}{
		{"an empty list", nil, bob, workersRoom, "allow", nil, []string{"**/allow** of the agent `worker`", "the allow list is empty"}, nil, 0},
		{"an approver allows for their agent", nil, bob, workersRoom, "allow", o{"rule": "Probe(npm test)"}, []string{"added Probe(npm test) to the allow list", "of the agent `worker`", "To take it back: `/allow -Probe(npm test)`"}, nil, 0},
		{"an approver allows for another agent", nil, bob, workersRoom, "allow", o{"rule": "Probe(x)", "agent": "loose"}, []string{"Refused", "it takes the role lead"}, []string{"added"}, 1},
		{"an approver allows for everybody", nil, bob, workersRoom, "allow", o{"rule": "Probe(x)", "global": true}, []string{"Refused", "it takes the role lead"}, []string{"added"}, 1},
		{"a role allows for everybody", nil, lead, workersRoom, "allow", o{"rule": "Probe(x)", "global": true}, []string{"added Probe(x)", "for every agent"}, nil, 0},
		{"being an administrator is no role", nil, chief, workersRoom, "allow", o{"rule": "Probe(x)", "global": true}, []string{"Refused", "200000000000000003 may not grant", "lead"}, nil, 1},
		{"everybody with commands tightens", nil, chief, workersRoom, "deny", o{"rule": "Probe(x)", "global": true}, []string{"added Probe(x) to the deny list"}, nil, 0},
		{"a guest", nil, eve, workersRoom, "deny", o{"rule": "Probe(x)"}, []string{"You may not use the commands"}, []string{"added"}, 1},
		{"nobody", nil, member.Actor{Listed: true}, workersRoom, "permissions show", nil, []string{"You may not use the commands"}, []string{"the deny list"}, 1},
		{"take off as text", func(w *world) { w.rule("/ask Probe(x)", agentWorker) }, bob, workersRoom, "ask", o{"rule": "-Probe(x)"}, []string{"removed Probe(x) from the ask list", "To put it back: `/ask Probe(x)`"}, nil, 0},
		{"take off by option", func(w *world) { w.rule("/ask Probe(x)", agentWorker) }, bob, workersRoom, "ask", o{"remove": "Probe(x)"}, []string{"removed Probe(x)"}, nil, 0},
		{"take off with a dash", func(w *world) { w.rule("/ask Probe(x)", agentWorker) }, bob, workersRoom, "ask", o{"remove": "-Probe(x)"}, []string{"removed Probe(x)"}, nil, 0},
		{"take off what is not there", nil, bob, workersRoom, "ask", o{"rule": "-Probe(x)"}, []string{"Probe(x) was not on the ask list"}, nil, 0},
		{"take off by an id that is gone", nil, bob, workersRoom, "ask", o{"remove": "#nothing"}, []string{"Nothing was changed", `no rule of the ask list has the id "nothing"`}, nil, 0},
		{"both", nil, bob, workersRoom, "ask", o{"remove": "x", "rule": "y"}, []string{"not both"}, nil, 0},
		{"a tool that is none", nil, bob, workersRoom, "ask", o{"rule": "Prob"}, []string{"Nothing was changed", "did you mean Probe?"}, nil, 0},
		{"a rule that hides", nil, bob, workersRoom, "ask", o{"rule": "Probe(a\u202eb)"}, []string{"Nothing was changed", "cannot be seen"}, []string{"\u202e"}, 0},
		{"two places", nil, bob, workersRoom, "ask", o{"agent": "worker", "global": true}, []string{"name one of agent, session, project and global"}, nil, 0},
		{"take off from the one place where it is", func(w *world) { w.rule("/ask Probe(x)", agentWorker) }, bob, sharedRoom, "ask", o{"rule": "-Probe(x)"}, []string{"removed Probe(x)", "of the agent `worker`"}, []string{"What is it about?"}, 0},
		{"take an allow rule off a session in the agent's channel", func(w *world) {
			w.open("worker", "s1")
			w.rule("/allow Probe(x)", admin.Where{Scope: engine.Session, Key: "s1"})
		}, bob, workersRoom, "allow", o{"rule": "-Probe(x)"}, []string{"removed Probe(x)", "of the session `s1`"}, nil, 0},
		{"a deny rule of a session stays in the agent's channel", func(w *world) {
			w.open("worker", "s1")
			w.rule("/deny Probe(x)", admin.Where{Scope: engine.Session, Key: "s1"})
		}, bob, workersRoom, "deny", o{"rule": "-Probe(x)"}, []string{"Probe(x) was not on the deny list"}, nil, 0},
		{"take off what is in two places", func(w *world) {
			w.rule("/ask Probe(x)", agentWorker)
			w.rule("/ask Probe(x)", admin.Where{Scope: engine.Global})
		}, bob, sharedRoom, "ask", o{"rule": "-Probe(x)"}, []string{"What is it about?"}, []string{"removed"}, 0},
		{"which place", nil, bob, sharedRoom, "ask", o{"rule": "Probe"}, []string{"What is it about?"}, []string{"added"}, 0},
		{"the agent of calls that name none", nil, bob, sharedRoom, "deny", o{"rule": "Probe(x)", "agent": "default"}, []string{"added Probe(x)", "of the agent `default`"}, nil, 0},
		{"an unknown session", nil, bob, workersRoom, "ask", o{"session": "none"}, []string{"Nothing was changed", "none"}, nil, 0},
		{"a project", nil, bob, workersRoom, "deny", o{"rule": "Probe(x)", "project": "/"}, []string{"added Probe(x)", "of the project `/`"}, nil, 0},

		{"show", func(w *world) { w.rule("/ask Probe(x)", agentWorker) }, bob, workersRoom, "permissions show", nil, []string{"the deny list is empty", "the ask list:\n  Probe(x)", "the mode is default", "the profile is standard"}, nil, 0},
		{"show in a thread", func(w *world) { w.open("worker", "s1") }, bob, thread, "permissions show", nil, []string{"of the session `s1`"}, nil, 0},

		{"the mode", nil, bob, workersRoom, "permission", nil, []string{"the mode is default"}, nil, 0},
		{"a stricter mode", func(w *world) { w.open("worker", "s1") }, bob, thread, "permission", o{"mode": "plan"}, []string{"the mode is now plan", "of the session `s1`"}, nil, 0},
		{"a looser mode", func(w *world) { w.open("worker", "s1") }, bob, thread, "permission", o{"mode": "bypassPermissions"}, []string{"Refused", "the role lead"}, []string{"is now"}, 1},
		{"a looser mode by a role", func(w *world) { w.open("worker", "s1") }, lead, thread, "permissions mode", o{"mode": "bypassPermissions"}, []string{"the mode is now bypassPermissions"}, nil, 0},
		{"trusted takes its own grant", func(w *world) { w.open("worker", "s1") }, lead, thread, "permission", o{"mode": "trusted"}, []string{"Refused"}, nil, 1},
		{"a mode that is none", func(w *world) { w.open("worker", "s1") }, lead, thread, "permission", o{"mode": "auto"}, []string{"Nothing was changed"}, nil, 0},
		{"which session", func(w *world) { w.open("worker", "s1") }, lead, workersRoom, "permission", o{"mode": "plan"}, []string{"Which session?"}, []string{"is now"}, 0},
		{"the forks' mode", func(w *world) { w.open("worker", "s1") }, lead, thread, "permission", o{"mode": "bypassPermissions", "forks": true}, []string{"its interactive forks is now bypass"}, nil, 0},
		{"the forks' looser mode", func(w *world) { w.open("worker", "s1") }, bob, thread, "permission", o{"mode": "bypassPermissions", "forks": true}, []string{"Refused"}, nil, 1},
		{"the forks' mode, shown", func(w *world) { w.open("worker", "s1") }, bob, thread, "permission", o{"forks": true}, []string{"its interactive forks have the session's mode"}, nil, 0},
		{"the agent's mode", func(w *world) { w.open("worker", "s1") }, lead, thread, "permission", o{"mode": "agent"}, []string{"the mode is now the agent's"}, nil, 0},
		{"the forks' mode of the session", func(w *world) { w.open("worker", "s1") }, lead, thread, "permission", o{"mode": "agent", "forks": true}, []string{"have the session's mode again"}, nil, 0},
		{"a mode with a session and an agent", func(w *world) { w.open("worker", "s1") }, lead, elsewhere, "permission", o{"mode": "plan", "session": "s1", "agent": "worker"}, []string{"the mode is now plan"}, nil, 0},

		{"profiles", nil, bob, workersRoom, "permissions profile", nil, []string{"standard (preset)", "agent worker: standard, of the configuration"}, nil, 0},
		{"a profile's patterns", nil, bob, workersRoom, "permissions profile", o{"profile": "standard", "patterns": true}, []string{"in the order in which it is looked at", "else denied"}, nil, 0},
		{"a profile that is none", nil, lead, workersRoom, "permissions profile", o{"profile": "standart"}, []string{"Nothing was changed", "standard"}, nil, 0},
		{"a wider profile", nil, bob, workersRoom, "permissions profile", o{"profile": "open"}, []string{"Refused", "the profile open: it takes the role lead"}, nil, 1},
		{"a wider profile by a role", nil, lead, workersRoom, "permissions profile", o{"profile": "open"}, []string{"it has the profile open in place of standard"}, nil, 0},
		{"a profile for nobody", nil, lead, elsewhere, "permissions profile", o{"profile": "open"}, []string{"name the agent"}, nil, 0},
		{"a profile for a name mistyped", nil, lead, elsewhere, "permissions profile", o{"profile": "open", "agent": "wroker"}, []string{`no agent "wroker"`}, nil, 0},
		{"a profile taken back that was not given", nil, lead, workersRoom, "permissions profile", o{"reset": true}, []string{"Nothing was changed", "its profile from the configuration"}, nil, 0},
		{"profile and reset", nil, lead, workersRoom, "permissions profile", o{"reset": true, "profile": "open"}, []string{"not both"}, nil, 0},

		{"nothing waits", nil, bob, workersRoom, "asks", nil, []string{"waiting: 0. Paused sessions: 0."}, nil, 0},
		{"an ask that is none", nil, bob, workersRoom, "asks", o{"id": "K7Q2PD"}, []string{"Nothing was changed"}, nil, 0},
		{"resume what is not paused", func(w *world) { w.open("worker", "s1") }, bob, workersRoom, "asks", o{"resume": "s1"}, []string{"session is not paused"}, nil, 0},
		{"resume by who may not approve", func(w *world) { w.open("worker", "s1") }, ann, workersRoom, "asks", o{"resume": "s1"}, []string{"Refused", "it takes bob"}, nil, 1},

		{"an empty audit", nil, bob, workersRoom, "audit", nil, []string{"There are no rows"}, nil, 0},
		{"a row that is none", nil, bob, workersRoom, "audit", o{"row": 77}, []string{"row 77 of the audit"}, nil, 0},
		{"a time that is none", nil, bob, workersRoom, "audit", o{"since": "yesterday"}, []string{"want a time"}, nil, 0},
		{"an outcome that is none", nil, bob, workersRoom, "audit", o{"decision": "perhaps"}, []string{"want one of"}, nil, 0},
		{"search", func(w *world) { w.open("worker", "s1") }, bob, workersRoom, "audit", o{"text": "NPM", "agent": "worker", "since": "1h"}, []string{"worker", "Probe"}, nil, 0},

		{"clear one ask", func(w *world) { w.waits("asker", "s1", "npm run build") }, bob, elsewhere, "clear", o{"session": "s1"}, []string{"1 ask cancelled, 0 grants dropped"}, nil, 0},
		{"clear", func(w *world) { w.open("worker", "s1") }, bob, thread, "clear", nil, []string{"0 asks cancelled, 0 grants dropped", "of the session `s1`"}, nil, 0},
		{"clear which", func(w *world) { w.open("worker", "s1") }, bob, workersRoom, "clear", nil, []string{"Which session?"}, []string{"cancelled"}, 0},
		{"clear where no session is", nil, bob, workersRoom, "clear", nil, []string{"no session is known yet"}, nil, 0},
		{"clear what a rule holds down", func(w *world) {
			w.open("loose", "s1")
			w.rule("/deny Probe(x)", admin.Where{Scope: engine.Session, Key: "s1"})
		}, bob, thread, "clear", nil, []string{"Refused"}, []string{"cancelled"}, 1},
		{"another version's command", nil, bob, workersRoom, "permissions explode", nil, []string{"another version"}, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if tt.before != nil {
				tt.before(w)
			}
			m := w.run(tt.who, tt.channel, tt.command, tt.options)
			for _, part := range tt.want {
				if !strings.Contains(whole(m), part) {
					t.Errorf("got %q, want %q in it", whole(m), part)
				}
			}
			for _, part := range tt.not {
				if strings.Contains(whole(m), part) {
					t.Errorf("got %q, want no %q in it", whole(m), part)
				}
			}
			if rows := w.rows(store.EventGrantRefused); len(rows) != tt.refused {
				t.Errorf("%d rows of refusals, want %d: %+v", len(rows), tt.refused, rows)
			}
		})
	}
}

var agentWorker = admin.Where{Scope: engine.Agent, Key: "worker"}

// rule stores a rule as a person at a terminal would.
func (w *world) rule(text string, where admin.Where) {
	w.t.Helper()
	out, err := w.gate.Command(w.t.Context(), admin.Change{By: "op", Confirm: func() error { return nil }}, where, text)
	if err != nil || !out.OK {
		w.t.Fatalf("%s: %+v, %v", text, out, err)
	}
}

// TestWhichIsAnsweredOnce: the chosen place counts, once, for the asked person.
func TestWhichIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open("loose", "s9")
	m := w.run(bob, sharedRoom, "ask", o{"rule": "Probe(x)"})
	if got := labels(m, "place"); len(got) != 4 || got[0] != "the agent worker" || got[2] != "the session s9 of loose" || got[3] != "every agent" {
		t.Fatalf("choices: %q", got)
	}
	for _, bad := range [][]string{{"9"}, {"-1"}, {"01"}, {}, {"0", "1"}, {"worker"}} {
		if r := w.press(bob, m, "place", bad...); !strings.Contains(r.Message.Content, "Nothing was changed") {
			t.Errorf("%q: got %s", bad, r.Message.Content)
		}
	}
	if r := w.press(ann, m, "place", "0"); !strings.Contains(r.Message.Content, "done already") {
		t.Errorf("somebody else's choice: got %s", r.Message.Content)
	}
	if r := w.press(bob, m, "place", "0"); !strings.Contains(r.Message.Content, "added Probe(x)") || !strings.Contains(r.Message.Content, "of the agent `worker`") {
		t.Errorf("got %s", r.Message.Content)
	}
	if r := w.press(bob, m, "place", "0"); !strings.Contains(r.Message.Content, "done already") {
		t.Errorf("the second choice: got %s", r.Message.Content)
	}
	rules, err := w.gate.Rules(t.Context(), store.RuleFilter{})
	if err != nil || len(rules) != 1 || rules[0].ScopeKey != "worker" || rules[0].CreatedBy != "bob" {
		t.Errorf("rules: %+v, %v", rules, err)
	}
}

// TestOthersDaemons: commands with another instance's word, or an ask's, are not answered.
func TestOthersDaemons(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{
		message.CustomID{Instance: "other", Subject: message.CommandSubject, Verb: "place", Arg: "x"}.String(),
		message.CustomID{Instance: instance, Subject: "k7q2pd", Verb: message.VerbApprove}.String(), "free text", "",
	} {
		if r := w.send(ann, workersRoom, 3, map[string]any{"custom_id": id, "component_type": 2}); r != nil {
			t.Errorf("%q: got %+v, want silence", id, r)
		}
	}
}

// TestAsks: waiting asks are listed with their cards, shown whole, and a paused session is
// resumed by its approvers.
func TestAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.waits("asker", "s1", "npm run build")
	w.places.links[a.ID] = "https://discord.com/channels/1/2/3"
	m := w.run(ann, elsewhere, "asks", nil)
	for _, part := range []string{"waiting: 1.", "**" + a.ID + "**", "agent `asker`", "[its card](https://discord.com/channels/1/2/3)", "<t:"} {
		if !strings.Contains(m.Content, part) {
			t.Errorf("got %q, want %q in it", m.Content, part)
		}
	}
	r := w.press(ann, m, "show", "0")
	if r.Type != 4 || !strings.Contains(r.Message.Content, "npm run build") {
		t.Errorf("got %+v", r.Message)
	}
	if shown := w.run(ann, elsewhere, "asks", o{"id": strings.ToUpper(a.ID)}); shown.Content != r.Message.Content {
		t.Errorf("by id: got %q, want %q", shown.Content, r.Message.Content)
	}
	if err := w.broker.Pause(t.Context(), "s1", "too much was denied"); err != nil {
		t.Fatal(err)
	}
	m = w.run(ann, elsewhere, "asks", nil)
	if !strings.Contains(m.Content, "Paused sessions: 1.") || !strings.Contains(m.Content, "too much was denied") {
		t.Errorf("got %q", m.Content)
	}
	if r := w.press(ann, m, "resume", "0"); !strings.Contains(r.Message.Content, "Refused") || w.broker.Stopped("s1") == "" {
		t.Errorf("who may not approve: got %q", r.Message.Content)
	}
	if m := w.run(bob, elsewhere, "asks", o{"resume": "s1"}); !strings.Contains(m.Content, "it may ask again") || w.broker.Stopped("s1") != "" {
		t.Errorf("got %q", m.Content)
	}
	if m := w.run(bob, elsewhere, "clear", o{"session": "s1"}); !strings.Contains(m.Content, "1 ask cancelled") && !strings.Contains(m.Content, "0 asks cancelled") {
		t.Errorf("got %q", m.Content)
	}
	if m := w.run(ann, elsewhere, "asks", o{"id": a.ID}); !strings.Contains(m.Content, "Denied") || strings.Contains(m.Content, "npm run build\n") {
		t.Errorf("an ask that has ended: got %q", m.Content)
	}
}
