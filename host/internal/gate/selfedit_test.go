package gate_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

const chorus = `
profiles:
  mine: {allow: ["tool:view:.*"]}
people:
  ann: {roles: [admin]}
  dev: {roles: [developer]}
permission_grants:
  admin: [open, standard, locked]
  developer: [standard, locked]
  viewer: [locked]
agents:
  worker: {user: dev}
  boss: {user: ann}
  nobody: {}
  nightly: {user: ann, kind: background}
`

func selfEdit(input string, c wire.CallContext) wire.Request {
	return wire.Request{Tool: "self_edit_permissions", Input: json.RawMessage(input), Context: c}
}

// TestSelfEdit_refused: there is no ask about a profile the trigger may not grant.
func TestSelfEdit_refused(t *testing.T) {
	w := newWorld(t, chorus)
	robot := authority.Caller{Token: "bot", Kind: authority.Integrator}
	for _, tt := range []struct {
		name   string
		caller authority.Caller
		input  string
		claim  wire.CallContext
		want   string
	}{
		{"the seed's developer", worker, `{"profile":"open"}`, wire.CallContext{}, "dev may not grant the profile open: it takes the role admin"},
		{"a check token's own words", worker, `{"profile":"open"}`, wire.CallContext{User: "ann", Roles: []string{"admin"}, Administrator: true}, "dev may not grant"},
		{"nobody", authority.Caller{Token: "check:nobody", Agent: "nobody"}, `{"profile":"locked"}`, wire.CallContext{}, "the person behind this call is unknown"},
		{"in the background", authority.Caller{Token: "check:nightly", Agent: "nightly"}, `{"profile":"open"}`, wire.CallContext{}, "background"},
		{"background as claimed", authority.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":"open"}`, wire.CallContext{Kind: "background"}, "background"},
		{"a name that is none", authority.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":"opne"}`, wire.CallContext{}, `unknown profile "opne": did you mean open?`},
		{"a name like none", authority.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":"guarded"}`, wire.CallContext{}, "want one of locked, mine, open, standard"},
		{"a profile that no role has", authority.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":"mine"}`, wire.CallContext{}, "no one may grant the profile mine"},
		{"another member", authority.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":"locked","Profile":"open"}`, wire.CallContext{}, "one member"},
		{"no member", authority.Caller{Token: "check:boss", Agent: "boss"}, `{}`, wire.CallContext{}, "one member"},
		{"null", authority.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":null}`, wire.CallContext{}, "one member"},
		{"an integrator's member", robot, `{"profile":"open"}`, wire.CallContext{Agent: "boss", User: "eve", Roles: []string{"viewer"}}, "eve may not grant the profile open"},
		{"an integrator's name alone", robot, `{"profile":"open"}`, wire.CallContext{Agent: "boss", User: "dev"}, "dev may not grant"},
		{"an integrator's roles of nobody", robot, `{"profile":"open"}`, wire.CallContext{Agent: "nobody", Roles: []string{"admin"}}, "the person behind this call is unknown"},
		{"an administrator, with a mapping", robot, `{"profile":"open"}`, wire.CallContext{Agent: "boss", User: "eve", Administrator: true}, "eve may not grant"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.T = t
			res := w.Check(tt.caller, selfEdit(tt.input, tt.claim))
			if res.Decision.Behavior != engine.Deny || res.Outcome != store.Denied || res.AskID != "" || !strings.Contains(res.Decision.Reason, tt.want) {
				t.Errorf("got %s (%s): %s, want a denial that says %q", res.Decision.Behavior, res.Outcome, res.Decision.Reason, tt.want)
			}
			if row := w.LastRow(); row.Decision != store.Denied || row.Detail != res.Decision.Reason {
				t.Errorf("audit: got %s %q", row.Decision, row.Detail)
			}
			if given, err := w.Gate.GivenProfiles(context.Background()); err != nil || len(given) > 0 {
				t.Errorf("got %+v, %v, want no profile given", given, err)
			}
		})
	}
}

// TestSelfEdit_withoutAMapping: only administrators grant.
func TestSelfEdit_withoutAMapping(t *testing.T) {
	w := newWorld(t, "people: {ann: {administrator: true}, bob: {roles: [admin]}}\nagents: {a: {user: ann, mode: bypass}, b: {user: bob, mode: bypass}}")
	if res := w.Check(authority.Caller{Token: "check:b", Agent: "b"}, selfEdit(`{"profile":"open"}`, wire.CallContext{})); !strings.Contains(res.Decision.Reason, "only an administrator may") {
		t.Errorf("a role: got %s: %s, want a denial", res.Decision.Behavior, res.Decision.Reason)
	}
	asked, done := w.Start(authority.Caller{Token: "check:a", Agent: "a"}, selfEdit(`{"profile":"open"}`, wire.CallContext{}))
	w.Answer(asked.ID, ask.Answer{Verdict: ask.Approve, ConfirmID: asked.ID})
	if res := <-done; res.Decision.Behavior != engine.Allow || w.given("a") != "open" {
		t.Errorf("an administrator: got %s: %s, given %q; want open", res.Decision.Behavior, res.Decision.Reason, w.given("a"))
	}
}

// TestSelfEdit_neverUnasked: in any mode, with any rule, profile and tool, nothing but an
// approval gives an agent a profile.
func TestSelfEdit_neverUnasked(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"default", "accept_edits", "bypass", "trusted"} {
		for name, says := range map[string]engine.Verdict{
			"nothing": {Behavior: engine.Passthrough}, "allow": {Behavior: engine.Allow}, "a safety check": {Behavior: engine.Ask, BypassImmune: true},
		} {
			w := newWorld(t, "people: {ann: {administrator: true}}\nrules: [{allow: self_edit_permissions}]\nagents: {a: {user: ann, profile: {allow: ['(?s)tool:.*'], deny: ['tool:none']}, mode: "+mode+"}}")
			w.Tool.Check = func(*engine.Call) engine.Verdict { return says }
			a := authority.Caller{Token: "check:a", Agent: "a"}
			asked, done := w.Start(a, selfEdit(`{"profile":"open"}`, wire.CallContext{}))
			if got := w.given("a"); got != "" || len(asked.Decision.Suggestions) > 0 {
				t.Errorf("%s, the tool says %s: given %q and suggestions %v before anybody answers", mode, name, got, asked.Decision.Suggestions)
			}
			w.Answer(asked.ID, ask.Answer{Verdict: ask.Deny})
			if res := <-done; res.Decision.Behavior != engine.Deny || w.given("a") != "" {
				t.Errorf("%s, the tool says %s, denied: got %s, given %q", mode, name, res.Decision.Behavior, w.given("a"))
			}
		}
	}
	w := newWorld(t, "people: {ann: {administrator: true}}\nagents: {a: {user: ann, mode: dont_ask}}")
	w.Tool.Check = func(*engine.Call) engine.Verdict { return engine.Verdict{Behavior: engine.Allow} }
	if res := w.Check(authority.Caller{Token: "check:a", Agent: "a"}, selfEdit(`{"profile":"open"}`, wire.CallContext{})); res.Decision.Behavior != engine.Deny || res.Decision.ConvertedBy != "dont_ask" || w.given("a") != "" {
		t.Errorf("dont_ask: got %s (%s), given %q", res.Decision.Behavior, res.Decision.Reason, w.given("a"))
	}
}

// given is an agent's given profile; empty when it has the configuration's.
func (w *world) given(agent string) string {
	w.T.Helper()
	all, err := w.Gate.GivenProfiles(context.Background())
	if err != nil {
		w.T.Fatal(err)
	}
	for _, p := range all {
		if p.Agent == agent {
			return p.Profile
		}
	}
	return ""
}

// TestSelfEdit_applied: an approved call gives the profile, at once and after a
// restart, until the configuration gives the agent another one.
func TestSelfEdit_applied(t *testing.T) {
	w := newWorld(t, chorus)
	boss := authority.Caller{Token: "check:boss", Agent: "boss"}
	asked, done := w.Start(boss, selfEdit(`{"profile":"open"}`, wire.CallContext{}))
	if w.given("boss") != "" {
		t.Fatal("the profile was given before anybody approved")
	}
	if _, err := w.Gate.Answer(context.Background(), asked.ID, ask.Answer{Verdict: ask.Approve, By: "carl", Surface: "test", ConfirmID: asked.ID}); err != nil {
		t.Fatal(err)
	}
	res := <-done
	if res.Outcome != store.AskApproved || !strings.Contains(res.Decision.Reason, "boss has the profile open from its next call on, granted by ann") {
		t.Errorf("got %s: %s", res.Outcome, res.Decision.Reason)
	}
	rows := w.EventsOf(store.EventProfileGiven)
	if len(rows) != 1 || rows[0].User != "ann" || rows[0].DecidedBy != "carl" || rows[0].Agent != "boss" || !strings.Contains(rows[0].Detail, "profile open in place of none") {
		t.Errorf("audit: got %+v", rows)
	}
	w.Close()
	w.Open()
	if got := w.given("boss"); got != "open" {
		t.Fatalf("after a restart: got %q, want open", got)
	}
	*w.Settings = *w.parse(strings.Replace(chorus, "boss: {", "boss: {profile: locked, ", 1))
	if got := w.given("boss"); got != "" {
		t.Errorf("the configuration changed the agent's profile: got %q, want the configuration's", got)
	}
	if err := w.Gate.SettleProfiles(context.Background()); err != nil {
		t.Fatal(err)
	}
	*w.Settings = *w.parse(chorus)
	if got := w.given("boss"); got != "" {
		t.Errorf("the configuration is as before: got %q, want the given profile forgotten", got)
	}
	if rows := w.EventsOf(store.EventProfileReset); len(rows) != 1 {
		t.Errorf("audit: got %d resets, want 1", len(rows))
	}
}

func (w *world) parse(yaml string) *config.Config {
	w.T.Helper()
	cfg, err := config.Parse("test.yaml", []byte(yaml), w.Settings.Dirs())
	if err != nil {
		w.T.Fatal(err)
	}
	return cfg
}

// TestSelfEdit_rolesAtTheAnswer: a trigger losing the role during an ask grants nothing,
// although the call is approved.
func TestSelfEdit_rolesAtTheAnswer(t *testing.T) {
	w := newWorld(t, chorus)
	asked, done := w.Start(authority.Caller{Token: "check:boss", Agent: "boss"}, selfEdit(`{"profile":"open"}`, wire.CallContext{}))
	*w.Settings = *w.parse(strings.Replace(chorus, "ann: {roles: [admin]}", "ann: {roles: [viewer]}", 1))
	if _, err := w.Gate.Answer(context.Background(), asked.ID, ask.Answer{Verdict: ask.Approve, By: "carl", Surface: "test", ConfirmID: asked.ID}); err != nil {
		t.Fatal(err)
	}
	if res := <-done; res.Decision.Behavior != engine.Deny || !strings.Contains(res.Decision.Reason, "it takes the role admin") || w.given("boss") != "" {
		t.Errorf("got %s: %s, given %q", res.Decision.Behavior, res.Decision.Reason, w.given("boss"))
	}
}

// TestT15_GivenProfilesForged: a store changed behind our back is not trusted, and a person can
// clear it.
func TestT15_GivenProfilesForged(t *testing.T) {
	w := newWorld(t, chorus)
	ctx := context.Background()
	if _, err := w.Gate.GiveProfile(ctx, "worker", "locked", "ann", ""); err != nil {
		t.Fatal(err)
	}
	w.Close()
	forge(t, w, `{"worker":{"agent":"worker","profile":"open","replaces":"","by":"ann","at":"2026-01-01T00:00:00Z"}}`)
	w.Open()
	if got, err := w.Gate.GivenProfiles(ctx); err == nil {
		t.Errorf("got %+v, want an error", got)
	}
	if err := w.Gate.ResetProfiles(ctx, "ann"); err != nil {
		t.Fatal(err)
	}
	if got := w.given("worker"); got != "" {
		t.Errorf("after the reset: got %q", got)
	}
}

// forge writes the given profiles past the store.
func forge(t *testing.T, w *world, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(w.Dir, "state", "callgate.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a second error says nothing more
	if _, err := db.Exec("UPDATE settings SET value = ? WHERE name = 'agent_profiles'", []byte(text)); err != nil {
		t.Fatal(err)
	}
}
