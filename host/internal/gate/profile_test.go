package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

func profileOf(t *testing.T, text string) *config.AgentProfile {
	t.Helper()
	c, err := config.Parse("test.yaml", []byte("defaults: {profile: "+text+"}\n"), config.Dirs{Home: "/home/op"})
	if err != nil {
		t.Fatal(err)
	}
	return c.Agent("any").Profile
}

// TestJudge has a row for each way of false actions of a call.
func TestJudge(t *testing.T) {
	t.Parallel()
	own := modules.Entry{Entry: engine.Entry{Name: "Bash", Aliases: []string{"shell"}, Own: true}, Embedded: true}
	foreign := modules.Entry{Entry: engine.Entry{Name: "Deploy", Aliases: []string{"ship"}, Own: true}}
	broken := modules.Entry{Entry: engine.Entry{Name: "Deploy", Err: errors.New("no module")}}
	analysed := func(actions ...string) modules.Description {
		return modules.Description{Action: actions[0], Actions: actions, Analysed: true}
	}
	opaque := analysed("tool:bash:npm i", "tool:bash:npm i $(x")
	opaque.Analysed = false
	unread := modules.Description{Action: `tool:Bash:{}`, Unread: true}
	tests := []struct {
		name, profile string
		entry         modules.Entry
		desc          modules.Description
		err           error
		want          engine.Behavior
	}{
		{"each part matches", `{allow: ["tool:bash:npm .*"]}`, own, analysed("tool:bash:npm i", "tool:bash:npm test"), nil, engine.Allow},
		{"T04: one part does not", `{allow: ["tool:bash:npm .*"]}`, own, analysed("tool:bash:npm i", "tool:bash:curl x", "tool:bash:sh"), nil, engine.Deny},
		{"one part asks", `{allow: ["tool:bash:npm .*"], ask: ["tool:bash:.*"]}`, own, analysed("tool:bash:npm i", "tool:bash:ls"), nil, engine.Ask},
		{"T04: a line that was not analysed", `{allow: ["tool:bash:npm .*"]}`, own, opaque, nil, engine.Deny},
		{"not analysed, and asked about", `{allow: ["tool:bash:npm .*"], ask: ["tool:bash:.*"]}`, own, opaque, nil, engine.Ask},
		{"not analysed, and everything is allowed", `open`, own, opaque, nil, engine.Allow},
		{"not analysed, and every command is allowed", `{allow: ["tool:bash:.*"]}`, own, opaque, nil, engine.Allow},
		{"its targets could not be resolved", `{allow: ["tool:bash:npm .*"]}`, own, analysed("tool:bash:npm i"), errors.New("too many"), engine.Deny},
		{"an input that the tool cannot read", `{allow: ["tool:Bash:.*"]}`, own, unread, nil, engine.Deny},
		{"an input that the tool cannot read, open", `open`, own, unread, nil, engine.Allow},
		{"no module", `{allow: ["tool:Deploy:.*"]}`, broken, analysed("tool:Deploy:{}"), nil, engine.Deny},
		{"no module, open", `open`, broken, analysed("tool:Deploy:{}"), nil, engine.Allow},
		{"another's module names its own tool", `{allow: ["tool:Deploy:staging"]}`, foreign, analysed("tool:Deploy:staging"), nil, engine.Allow},
		{"another's module names its alias", `{allow: ["tool:ship:staging"]}`, foreign, analysed("tool:ship:staging"), nil, engine.Allow},
		{"another's module names the shell", `{allow: ["tool:bash:ls"]}`, foreign, analysed("tool:bash:ls"), nil, engine.Deny},
		{"another's module names the shell, and the profile its own tool", `{allow: ["tool:bash:ls", "tool:Deploy:.*"]}`, foreign, analysed("tool:bash:ls"), nil, engine.Allow},
		{"another's module hides from a deny pattern", `{allow: ["(?s)tool:.*"], deny: ["tool:Deploy:.*"]}`, foreign, analysed("tool:bash:ls"), nil, engine.Deny},
		{"a name that only begins like its own", `{allow: ["tool:Deployment:.*"]}`, foreign, analysed("tool:Deployment:x"), nil, engine.Deny},
		{"a module of the binary may name another's", `{allow: ["tool:git:push.*"]}`, own, analysed("tool:git:push origin main"), nil, engine.Allow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			call := &engine.Call{Tool: "shell", Input: json.RawMessage(`{"x":1}`)}
			got := describe.Judge(profileOf(t, tt.profile), tt.entry, call, tt.desc, tt.err)
			if got.Behavior != tt.want {
				t.Errorf("got %+v, want %s", *got, tt.want)
			}
		})
	}
	if got := describe.Judge(nil, own, &engine.Call{}, opaque, nil); got != nil {
		t.Errorf("no profile: got %+v, want nil", got)
	}
}

const profiled = `
agents:
  worker: {profile: mixed, user: ann}
  silent: {profile: mixed, mode: dont_ask}
  loose: {profile: mixed, mode: bypass}
  lost: {profile: mixde}
  locked: {profile: locked, mode: bypass}
  last: {profile: mixed, resume_asks: deny}
profiles:
  mixed:
    allow: ['tool:Probe:\{"value":"good"\}']
    ask: ['tool:Probe:\{"value":"(fair|npm test)"\}']
`

func agent(name string) authority.Caller {
	return authority.Caller{Token: "check:" + name, Agent: name}
}

// TestProfile_decides walks the ways of a call through the gate.
func TestProfile_decides(t *testing.T) {
	t.Parallel()
	w := newWorld(t, profiled)
	tests := []struct {
		name, agent, value string
		change             func(*wire.Request)
		want               engine.Behavior
		reason             string
	}{
		{"within the profile", "worker", "good", nil, engine.Ask, "no rule allows this call and mode default asks"},
		{"within the profile in bypass", "loose", "good", nil, engine.Allow, "mode bypass allows calls that no rule denies"},
		{"within the profile in dont_ask", "silent", "good", nil, engine.Deny, "mode dont_ask denies calls without an allow rule"},
		{"asked about", "worker", "fair", nil, engine.Ask, "profile mixed: "},
		{"asked about in bypass", "loose", "fair", nil, engine.Ask, "profile mixed: "},
		{"not matched", "worker", "bad", nil, engine.Deny, `profile mixed: no pattern matches tool:Probe:{"value":"bad"}`},
		{"not matched in bypass", "loose", "bad", nil, engine.Deny, "profile mixed: no pattern matches"},
		{"locked", "locked", "good", nil, engine.Deny, `profile locked: no pattern matches`},
		{"a profile that does not exist", "lost", "good", nil, engine.Deny, `profile mixde: unknown profile "mixde": did you mean mixed`},
		{"asked about in the background", "worker", "fair", func(r *wire.Request) { r.Context.Kind = "background" }, engine.Deny, "a background session may not ask: profile mixed"},
		{"asked about in dont_ask", "worker", "fair", func(r *wire.Request) { r.Context.Mode = "dontAsk" }, engine.Deny, "mode dont_ask denies calls without an allow rule"},
		{"asked about when resumed", "last", "fair", func(r *wire.Request) { r.Context.Resumed = true }, engine.Deny, "a resumed session may not ask: profile mixed"},
		{"asked about when resumed, with an approver", "worker", "fair", func(r *wire.Request) { r.Context.Resumed = true }, engine.Ask, "profile mixed"},
		{"within the profile in the background", "worker", "good", func(r *wire.Request) { r.Context.Kind = "background" }, engine.Deny, "a background session may not ask: no rule allows"},
	}
	for _, tt := range tests {
		r := call(tt.value)
		r.Context.Session = tt.name
		if tt.change != nil {
			tt.change(&r)
		}
		res, err := w.Gate.Evaluate(context.Background(), agent(tt.agent), r)
		if err != nil {
			t.Fatal(err)
		}
		if d := res.Decision; d.Behavior != tt.want || !strings.Contains(d.Reason, tt.reason) {
			t.Errorf("%s: got %s (%s), want %s (%s)", tt.name, d.Behavior, d.Reason, tt.want, tt.reason)
		}
		if d := res.Decision; d.Stage == engine.StageProfile && d.Behavior == engine.Ask && (len(d.Suggestions) > 0 || !strings.Contains(d.SuggestionsNote, "the profile asks every time")) {
			t.Errorf("%s: got suggestions %v (%s), want none, and why", tt.name, d.Suggestions, d.SuggestionsNote)
		}
	}
}

// TestProfile_auditSaysWhich: the row names the profile and the pattern.
func TestProfile_auditSaysWhich(t *testing.T) {
	t.Parallel()
	w := newWorld(t, profiled)
	for agentName, want := range map[string]string{"worker": `profile mixed: no pattern matches tool:Probe:{"value":"bad"}`, "lost": `profile mixde: unknown profile "mixde"`} {
		r := call("bad")
		r.Context.Session = agentName
		w.Check(agent(agentName), r)
		row := w.LastRow()
		if row.Decision != store.Denied || row.Stage != string(engine.StageProfile) || !strings.HasPrefix(row.Detail, want) || row.Action != `tool:Probe:{"value":"bad"}` {
			t.Errorf("%s: got %s at %s, %q, %q; want %q", agentName, row.Decision, row.Stage, row.Action, row.Detail, want)
		}
	}
}

// TestProfile_theToolComesBefore: a call allowed by a profile may still be denied or asked
// about by the tool, and by an own deny rule as well.
func TestProfile_theToolComesBefore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, profiled+"rules: [{deny: 'Probe(good)'}]\n")
	if res := w.Check(worker, call("good")); res.Decision.Stage != engine.StageDenyRule {
		t.Errorf("a deny rule: got %s at %s", res.Decision.Behavior, res.Decision.Stage)
	}
	w = newWorld(t, profiled)
	w.Tool.Check = func(*engine.Call) engine.Verdict { return engine.Verdict{Behavior: engine.Ask, BypassImmune: true} }
	res, err := w.Gate.Evaluate(context.Background(), worker, call("good"))
	if err != nil || res.Decision.Behavior != engine.Ask || !res.Decision.BypassImmune {
		t.Errorf("a safety check: got %+v, %v; want an immune ask", res.Decision, err)
	}
	// An ask of the profile is silenced by no allow rule.
	if _, _, err := w.Gate.AddRule(context.Background(), "ann", engine.Rule{Tool: "Probe", Behavior: engine.Allow, Scope: engine.Global}); err != nil {
		t.Fatal(err)
	}
	if res, err = w.Gate.Evaluate(context.Background(), worker, call("fair")); err != nil || res.Decision.Stage != engine.StageProfile {
		t.Errorf("an allow rule: got %s at %s, %v; want the profile's ask", res.Decision.Behavior, res.Decision.Stage, err)
	}
}

// TestProfile_approvedOnce: an approval of a profile's ask holds for this very call, while the
// profile says the same; a newer denial wins (the Chorus program checked again and refused
// approved calls).
func TestProfile_approvedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, profiled)
	a, done := w.Start(worker, call("fair"))
	if a.Decision.Stage != engine.StageProfile {
		t.Fatalf("got stage %s, want profile", a.Decision.Stage)
	}
	w.Answer(a.ID, ask.Answer{Verdict: ask.Approve})
	if res := <-done; res.Decision.Behavior != engine.Allow || w.LastRow().Decision != store.AskApproved {
		t.Errorf("approved: got %+v", res.Decision)
	}
	a, done = w.Start(worker, call("npm test"))
	narrow, err := config.Parse("test.yaml", []byte(strings.ReplaceAll(profiled, "profile: mixed", "profile: locked")), w.Settings.Dirs())
	if err != nil {
		t.Fatal(err)
	}
	*w.Settings = *narrow
	w.Answer(a.ID, ask.Answer{Verdict: ask.Approve})
	if res := <-done; res.Decision.Behavior != engine.Deny || res.Decision.Stage != engine.StageProfile {
		t.Errorf("approved after the profile was narrowed: got %s at %s, want its denial", res.Decision.Behavior, res.Decision.Stage)
	}
}
