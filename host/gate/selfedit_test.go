package gate_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
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

func selfEdit(input string, c gate.Claim) gate.Request {
	return gate.Request{Tool: "self_edit_permissions", Input: json.RawMessage(input), Context: c}
}

// TestSelfEdit_refused: nobody is asked about a profile that whoever triggered the
// call may not grant.
func TestSelfEdit_refused(t *testing.T) {
	w := newWorld(t, chorus)
	robot := gate.Caller{Token: "bot", Standing: gate.Integrator}
	for _, tt := range []struct {
		name   string
		caller gate.Caller
		input  string
		claim  gate.Claim
		want   string
	}{
		{"the seed's developer", worker, `{"profile":"open"}`, gate.Claim{}, "dev may not grant the profile open: it takes the role admin"},
		{"a check token's own words", worker, `{"profile":"open"}`, gate.Claim{User: "ann", Roles: []string{"admin"}, Administrator: true}, "dev may not grant"},
		{"nobody", gate.Caller{Token: "check:nobody", Agent: "nobody"}, `{"profile":"locked"}`, gate.Claim{}, "nobody is known to have triggered this"},
		{"in the background", gate.Caller{Token: "check:nightly", Agent: "nightly"}, `{"profile":"open"}`, gate.Claim{}, "background"},
		{"background as claimed", gate.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":"open"}`, gate.Claim{Kind: "background"}, "background"},
		{"a name that is none", gate.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":"opne"}`, gate.Claim{}, `unknown profile "opne": did you mean open?`},
		{"a name like none", gate.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":"guarded"}`, gate.Claim{}, "want one of locked, mine, open, standard"},
		{"a profile that no role has", gate.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":"mine"}`, gate.Claim{}, "nobody may grant the profile mine"},
		{"another member", gate.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":"locked","Profile":"open"}`, gate.Claim{}, "one member"},
		{"no member", gate.Caller{Token: "check:boss", Agent: "boss"}, `{}`, gate.Claim{}, "one member"},
		{"null", gate.Caller{Token: "check:boss", Agent: "boss"}, `{"profile":null}`, gate.Claim{}, "one member"},
		{"an integrator's member", robot, `{"profile":"open"}`, gate.Claim{Agent: "boss", User: "eve", Roles: []string{"viewer"}}, "eve may not grant the profile open"},
		{"an integrator's name alone", robot, `{"profile":"open"}`, gate.Claim{Agent: "boss", User: "dev"}, "dev may not grant"},
		{"an integrator's roles of nobody", robot, `{"profile":"open"}`, gate.Claim{Agent: "nobody", Roles: []string{"admin"}}, "nobody is known"},
		{"an administrator, with a mapping", robot, `{"profile":"open"}`, gate.Claim{Agent: "boss", User: "eve", Administrator: true}, "eve may not grant"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.t = t
			res := w.check(tt.caller, selfEdit(tt.input, tt.claim))
			if res.Decision.Behavior != engine.Deny || res.Outcome != store.Denied || res.AskID != "" || !strings.Contains(res.Decision.Reason, tt.want) {
				t.Errorf("got %s (%s): %s, want a denial that says %q", res.Decision.Behavior, res.Outcome, res.Decision.Reason, tt.want)
			}
			if row := w.lastRow(); row.Decision != store.Denied || row.Detail != res.Decision.Reason {
				t.Errorf("audit: got %s %q", row.Decision, row.Detail)
			}
			if given, err := w.gate.GivenProfiles(context.Background()); err != nil || len(given) > 0 {
				t.Errorf("got %+v, %v, want no profile given", given, err)
			}
		})
	}
}

// TestSelfEdit_withoutAMapping: only administrators grant.
func TestSelfEdit_withoutAMapping(t *testing.T) {
	w := newWorld(t, "people: {ann: {administrator: true}, bob: {roles: [admin]}}\nagents: {a: {user: ann, mode: bypass}, b: {user: bob, mode: bypass}}")
	if res := w.check(gate.Caller{Token: "check:b", Agent: "b"}, selfEdit(`{"profile":"open"}`, gate.Claim{})); !strings.Contains(res.Decision.Reason, "only an administrator may") {
		t.Errorf("a role: got %s: %s, want a denial", res.Decision.Behavior, res.Decision.Reason)
	}
	if res := w.check(gate.Caller{Token: "check:a", Agent: "a"}, selfEdit(`{"profile":"open"}`, gate.Claim{})); res.Decision.Behavior != engine.Allow {
		t.Errorf("an administrator: got %s: %s, want allow", res.Decision.Behavior, res.Decision.Reason)
	}
}

// given is what an agent was given; nothing when it has the configuration's.
func (w *world) given(agent string) string {
	w.t.Helper()
	all, err := w.gate.GivenProfiles(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, p := range all {
		if p.Agent == agent {
			return p.Profile
		}
	}
	return ""
}

func (w *world) eventsOf(event store.Event) (rows []store.Row) {
	w.t.Helper()
	for row, err := range w.store.Audit(context.Background(), store.Filter{Event: event}) {
		if err != nil {
			w.t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestSelfEdit_applied: an approved call gives the profile, at once and after a
// restart, until the configuration gives the agent another one.
func TestSelfEdit_applied(t *testing.T) {
	w := newWorld(t, chorus)
	boss := gate.Caller{Token: "check:boss", Agent: "boss"}
	asked, done := w.start(boss, selfEdit(`{"profile":"open"}`, gate.Claim{}))
	if w.given("boss") != "" {
		t.Fatal("the profile was given before anybody approved")
	}
	if _, err := w.gate.Answer(context.Background(), asked.ID, ask.Answer{Verdict: ask.Approve, By: "carl", Surface: "test", ConfirmID: asked.ID}); err != nil {
		t.Fatal(err)
	}
	res := <-done
	if res.Outcome != store.AskApproved || !strings.Contains(res.Decision.Reason, "boss has the profile open from its next call on, granted by ann") {
		t.Errorf("got %s: %s", res.Outcome, res.Decision.Reason)
	}
	rows := w.eventsOf(store.EventProfileGiven)
	if len(rows) != 1 || rows[0].User != "ann" || rows[0].DecidedBy != "carl" || rows[0].Agent != "boss" || !strings.Contains(rows[0].Detail, "profile open in place of none") {
		t.Errorf("audit: got %+v", rows)
	}
	w.close()
	w.open()
	if got := w.given("boss"); got != "open" {
		t.Fatalf("after a restart: got %q, want open", got)
	}
	*w.settings = *w.parse(strings.Replace(chorus, "boss: {", "boss: {profile: locked, ", 1))
	if got := w.given("boss"); got != "" {
		t.Errorf("the configuration changed the agent's profile: got %q, want the configuration's", got)
	}
	if err := w.gate.SettleProfiles(context.Background()); err != nil {
		t.Fatal(err)
	}
	*w.settings = *w.parse(chorus)
	if got := w.given("boss"); got != "" {
		t.Errorf("the configuration is as before: got %q, want the given profile forgotten", got)
	}
	if rows := w.eventsOf(store.EventProfileReset); len(rows) != 1 {
		t.Errorf("audit: got %d resets, want 1", len(rows))
	}
}

func (w *world) parse(yaml string) *config.Config {
	w.t.Helper()
	cfg, err := config.Parse("test.yaml", []byte(yaml), w.settings.Dirs())
	if err != nil {
		w.t.Fatal(err)
	}
	return cfg
}

// TestSelfEdit_rolesAtTheAnswer: who loses the role while a person is asked grants
// nothing, although the call is approved.
func TestSelfEdit_rolesAtTheAnswer(t *testing.T) {
	w := newWorld(t, chorus)
	asked, done := w.start(gate.Caller{Token: "check:boss", Agent: "boss"}, selfEdit(`{"profile":"open"}`, gate.Claim{}))
	*w.settings = *w.parse(strings.Replace(chorus, "ann: {roles: [admin]}", "ann: {roles: [viewer]}", 1))
	if _, err := w.gate.Answer(context.Background(), asked.ID, ask.Answer{Verdict: ask.Approve, By: "carl", Surface: "test", ConfirmID: asked.ID}); err != nil {
		t.Fatal(err)
	}
	if res := <-done; res.Decision.Behavior != engine.Deny || !strings.Contains(res.Decision.Reason, "it takes the role admin") || w.given("boss") != "" {
		t.Errorf("got %s: %s, given %q", res.Decision.Behavior, res.Decision.Reason, w.given("boss"))
	}
}

// TestT15_GivenProfilesForged: what was changed in the store behind our back is
// nothing to go by, and a person can clear it.
func TestT15_GivenProfilesForged(t *testing.T) {
	w := newWorld(t, chorus)
	ctx := context.Background()
	if _, err := w.gate.GiveProfile(ctx, "worker", "locked", "ann", ""); err != nil {
		t.Fatal(err)
	}
	w.close()
	forge(t, w, `{"worker":{"agent":"worker","profile":"open","replaces":"","by":"ann","at":"2026-01-01T00:00:00Z"}}`)
	w.open()
	if got, err := w.gate.GivenProfiles(ctx); err == nil {
		t.Errorf("got %+v, want an error", got)
	}
	if err := w.gate.ResetProfiles(ctx, "ann"); err != nil {
		t.Fatal(err)
	}
	if got := w.given("worker"); got != "" {
		t.Errorf("after the reset: got %q", got)
	}
}

// forge writes the given profiles past the store.
func forge(t *testing.T, w *world, text string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(w.dir, "state", "callgate.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a second error says nothing more
	if _, err := db.Exec("UPDATE settings SET value = ? WHERE name = 'agent_profiles'", []byte(text)); err != nil {
		t.Fatal(err)
	}
}
