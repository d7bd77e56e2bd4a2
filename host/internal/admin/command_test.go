package admin_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

const granting = twoDirs + `
people:
  ann: {roles: [lead]}
  bob: {roles: [viewer]}
permission_grants:
  lead: ["rules:global", "mode:bypass"]
  viewer: [locked]
`

// command runs a text command with a person at a terminal for confirmation.
func (w *world) command(where admin.Where, text string) wire.CommandResult {
	w.T.Helper()
	out, err := w.Gate.Command(context.Background(), admin.Change{By: "ann", Confirm: func() error { return nil }}, where, text)
	if err != nil {
		w.T.Fatalf("Command(%s): %v", text, err)
	}
	return out
}

var (
	everybody = admin.Where{Scope: engine.Global}
	session1  = admin.Where{Scope: engine.Session, Key: "s1"}
)

func yaml(w string) string { return strings.NewReplacer("%q", `"/"`).Replace(w) }

func TestCommand(t *testing.T) {
	t.Parallel()
	w := newWorld(t, yaml(granting))
	out := w.command(everybody, "/ask probe(x)")
	if !out.OK || out.Message != "added Probe(x) to the ask list" || len(out.Added) != 1 || out.Added[0].Source != admin.SourceCommand || out.Added[0].CreatedBy != "ann" {
		t.Fatalf("got %+v, want a rule of ann", out)
	}
	out = w.command(everybody, "/allow Probe(x)")
	if len(out.Notes) != 1 || out.Notes[0] != "still asks because of the ask list: Probe(x)" {
		t.Errorf("notes: got %q", out.Notes)
	}
	// A rule of another scope counts as well, and is named by its place.
	out = w.command(admin.Where{Scope: engine.Agent, Key: "worker"}, "/allow Probe(x)")
	if len(out.Notes) != 1 || out.Notes[0] != "still asks because of the ask rules of every agent: Probe(x)" || out.ScopeKey != "worker" {
		t.Errorf("notes: got %q", out.Notes)
	}
	// An invalid text stores nothing.
	if out := w.command(everybody, "/allow Prob(x)"); out.OK || !strings.Contains(out.Message, "did you mean Probe?") || len(out.Added) != 0 {
		t.Errorf("got %+v, want a question whether Probe was meant", out)
	}
	if out := w.command(everybody, "/permission plan"); out.OK || !strings.Contains(out.Message, "for one session") {
		t.Errorf("a mode for everybody: got %+v", out)
	}
	out = w.command(everybody, "/ask -Probe(x)")
	if len(out.Removed) != 1 || len(out.Lists.Ask) != 0 || !slices.Equal(out.Lists.Allow, []string{"Probe(x)"}) {
		t.Errorf("removed: got %+v", out)
	}
	events := map[store.Event]int{}
	for row, err := range w.Store.Audit(context.Background(), store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		events[row.Event]++
	}
	if events[store.EventRuleAdded] != 3 || events[store.EventRuleRemoved] != 1 {
		t.Errorf("the audit: got %v, want 3 rules added and 1 removed", events)
	}
}

// TestCommand_manyRules: with more rules than can be tried in reasonable time the
// answer says so.
func TestCommand_manyRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, yaml(granting))
	var rules []engine.Rule
	for i := range 300 {
		content := fmt.Sprint("v", i)
		rules = append(rules, engine.Rule{Tool: "Probe", Content: &content, Behavior: engine.Ask, Scope: engine.Global})
	}
	if _, err := w.Store.ChangeRules(t.Context(), store.Change{Add: rules, By: "test"}); err != nil {
		t.Fatal(err)
	}
	out := w.command(everybody, "/allow Probe(x)")
	if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "too many rules of this tool") {
		t.Errorf("got %q, want a note that not all were tried", out.Notes)
	}
}

// TestCommand_grants: a widening needs the person's roles; a tightening none.
func TestCommand_grants(t *testing.T) {
	t.Parallel()
	w := newWorld(t, yaml(granting))
	w.Check(authority.Caller{Token: "check:loose", Agent: "loose"}, call("x")) // bypass: opens s1
	as := func(name string) approvers.Person {
		return w.Gate.Person(authority.Caller{Token: "chat", Kind: authority.Integrator}, name, nil, false)
	}
	for _, c := range []struct {
		who, text string
		where     admin.Where
		granted   bool
	}{
		{"bob", "/deny Probe(a)", everybody, true},
		{"bob", "/ask Probe(a)", everybody, true},
		{"bob", "/allow Probe(a)", everybody, false},
		{"", "/allow Probe(a)", everybody, false},
		{"ann", "/allow Probe(a)", everybody, true},
		{"bob", "/deny -Probe(a)", everybody, false},
		{"bob", "/allow -Probe(a)", everybody, true},
		{"bob", "/permission plan", session1, true},
		{"bob", "/permission bypassPermissions", session1, false},
		{"bob", "/permission acceptEdits", session1, false},
		{"ann", "/permission acceptEdits", session1, true}, // it asks more than bypass
		{"ann", "/permission bypassPermissions", session1, true},
		{"bob", "/permission default", session1, true},
		{"bob", "/allow Probe(b)", session1, false},
		{"bob", "/allow", everybody, true},
	} {
		before, err := w.Store.Rules(t.Context(), store.RuleFilter{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = w.Gate.Command(t.Context(), admin.Change{Person: as(c.who)}, c.where, c.text)
		if granted := err == nil; granted != c.granted || err != nil && !errors.Is(err, authority.ErrNotEntitled) {
			t.Errorf("%s: %s: got %v, want it granted: %t", c.who, c.text, err, c.granted)
		}
		after, err := w.Store.Rules(t.Context(), store.RuleFilter{})
		if err != nil || !c.granted && len(after) != len(before) {
			t.Errorf("%s: %s: refused, and the rules changed: %v, %v", c.who, c.text, after, err)
		}
	}
}

// TestCommand_approvers: a sole approver for an agent may store rules for it, and for no other.
func TestCommand_approvers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
people: {bob: {roles: [duty]}, eve: {roles: [guest]}}
permission_grants: {lead: ["rules:global"]}
agents:
  worker: {ask_approvers: {roles: [duty]}}
  pair: {ask_approvers: {roles: [duty], quorum: 2}}
  open: {}
`)
	for i, c := range []struct {
		who     string
		where   admin.Where
		granted bool
	}{
		{"bob", admin.Where{Scope: engine.Agent, Key: "worker"}, true},
		{"eve", admin.Where{Scope: engine.Agent, Key: "worker"}, false},
		{"", admin.Where{Scope: engine.Agent, Key: "worker"}, false},
		{"bob", admin.Where{Scope: engine.Agent, Key: "pair"}, false},
		{"bob", admin.Where{Scope: engine.Agent, Key: "open"}, false},
		{"bob", admin.Where{Scope: engine.Project, Key: w.Dir}, false},
		{"bob", everybody, false},
	} {
		person := w.Gate.Person(authority.Caller{Token: "chat", Kind: authority.Integrator}, c.who, nil, false)
		_, err := w.Gate.Command(t.Context(), admin.Change{Person: person}, c.where, fmt.Sprintf("/allow Probe(%d)", i))
		if granted := err == nil; granted != c.granted {
			t.Errorf("%q at %+v: got %v, want it granted: %t", c.who, c.where, err, c.granted)
		}
	}
}

// TestCommand_confirm: a person at a terminal confirms a widening, and only that.
func TestCommand_confirm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, yaml(granting))
	no := errors.New("no PIN")
	for text, asked := range map[string]bool{"/deny Probe(c)": false, "/allow Probe(c)": true, "/allow": false} {
		confirmed := false
		_, err := w.Gate.Command(t.Context(), admin.Change{By: "ann", Confirm: func() error { confirmed = true; return no }}, everybody, text)
		if confirmed != asked || errors.Is(err, no) != asked {
			t.Errorf("%s: got %v, asked %t, want %t", text, err, confirmed, asked)
		}
	}
}

// TestCommand_nearest: without a place it is the current project, else the agent, else
// everybody.
func TestCommand_nearest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, yaml(granting))
	project := filepath.Join(w.Dir, "shop")
	if err := os.MkdirAll(filepath.Join(project, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(project, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		where admin.Where
		scope engine.Scope
		key   string
	}{
		{admin.Where{CWD: project, Agent: "worker"}, engine.Project, project},
		{admin.Where{CWD: "/", Agent: "worker"}, engine.Agent, "worker"},
		{admin.Where{CWD: "/"}, engine.Global, ""},
		{admin.Where{}, engine.Global, ""},
	} {
		if out := w.command(c.where, "/allow"); out.Scope != c.scope || out.ScopeKey != c.key {
			t.Errorf("%+v: got %s %q, want %s %q", c.where, out.Scope, out.ScopeKey, c.scope, c.key)
		}
	}
	for _, bad := range []admin.Where{{CWD: "here"}, {Scope: engine.Project, Key: "here"}, {Scope: engine.Agent}, {Scope: "galaxy", Key: "x"}} {
		if _, err := w.Gate.Command(t.Context(), admin.Change{}, bad, "/allow"); !errors.Is(err, authority.ErrBadRequest) {
			t.Errorf("%+v: got %v, want ErrBadRequest", bad, err)
		}
	}
	if _, err := w.Gate.Command(t.Context(), admin.Change{}, admin.Where{Scope: engine.Session, Key: "none"}, "/allow"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("an unknown session: got %v, want ErrNotFound", err)
	}
}

// TestResumed_namesTheRule: a resumed session's ask rule is a denial with the needed change,
// and making it with the text commands lets the call through. Source: docs/seeds.md, "Handling
// Resume Sessions".
func TestResumed_namesTheRule(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "defaults: {resume_asks: deny}\nagents: {worker: {}}\n")
	resumed := call("x")
	resumed.Context.Resumed = true
	w.command(everybody, "/ask Probe(x)")
	got := w.Check(worker, resumed)
	const says = "ask rule Probe(x) in a resumed session: remove it and add the allow rule Probe(x)"
	if got.Decision.Behavior != engine.Deny || !strings.Contains(got.Decision.Message, says) {
		t.Fatalf("got %s: %q, want a denial that says %q", got.Decision.Behavior, got.Decision.Message, says)
	}
	w.command(everybody, "/ask -Probe(x)")
	w.command(everybody, "/allow Probe(x)")
	if got := w.Check(worker, resumed); got.Decision.Behavior != engine.Allow {
		t.Errorf("after doing what it says: got %s: %s", got.Decision.Behavior, got.Decision.Reason)
	}
}

func TestSetLists(t *testing.T) {
	t.Parallel()
	w := newWorld(t, yaml(granting))
	w.command(everybody, "/deny Probe(never)")
	w.Check(authority.Caller{Token: "check:loose", Agent: "loose"}, call("x")) // bypass: opens s1
	sure := admin.Change{By: "ann", Confirm: func() error { return nil }}
	grant := engine.Rule{Tool: "Probe", Behavior: engine.Allow, Scope: engine.Session, ScopeKey: "s1", Source: "ask"}
	if _, err := w.Store.AddRule(t.Context(), grant); err != nil {
		t.Fatal(err)
	}
	first := command.State{Allow: []string{"probe(a)", "Probe(a)", "Probe(never)"}, Ask: []string{"Probe(b)"}, Mode: "plan"}
	out, err := w.Gate.SetLists(t.Context(), sure, "s1", first)
	if err != nil || len(out.Added) != 3 || out.Mode != "explore" || len(out.Notes) != 1 {
		t.Fatalf("got %+v, %v; want three rules, a mode and a note about what denies one", out, err)
	}
	// Again is no change; entries gone from the lists go, and the grant stays.
	if out, err := w.Gate.SetLists(t.Context(), sure, "s1", first); err != nil || len(out.Added)+len(out.Removed) != 0 {
		t.Errorf("again: got %+v, %v, want no change", out, err)
	}
	out, err = w.Gate.SetLists(t.Context(), sure, "s1", command.State{Ask: []string{"Probe(b)"}})
	if err != nil || len(out.Added) != 0 || len(out.Removed) != 2 || out.Mode != "explore" {
		t.Errorf("got %+v, %v; want two rules gone and the mode kept", out, err)
	}
	rules, err := w.Store.Rules(t.Context(), store.RuleFilter{Scope: engine.Session, Key: "s1"})
	if err != nil || len(rules) != 2 {
		t.Errorf("the session's rules: got %v, %v, want the grant and the ask rule", rules, err)
	}
	// An invalid list, and an unconfirmed widening, change nothing.
	for name, try := range map[string]func() error{
		"bad rule": func() error {
			_, err := w.Gate.SetLists(t.Context(), sure, "s1", command.State{Deny: []string{"Probe(x)", "Probe("}})
			if err != nil && !strings.Contains(err.Error(), "deny[1]") {
				t.Errorf("got %v, want it to name deny[1]", err)
			}
			return err
		},
		"bad mode": func() error {
			_, err := w.Gate.SetLists(t.Context(), sure, "s1", command.State{Mode: "yolo"})
			return err
		},
		"widens": func() error {
			_, err := w.Gate.SetLists(t.Context(), admin.Change{By: "bob"}, "s1", command.State{})
			return err
		},
	} {
		if try() == nil {
			t.Errorf("%s: got no error", name)
		}
		if again, err := w.Store.Rules(t.Context(), store.RuleFilter{Scope: engine.Session, Key: "s1"}); err != nil || len(again) != len(rules) {
			t.Errorf("%s: the rules changed: %v, %v", name, again, err)
		}
	}
}

func TestChangeRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, yaml(granting))
	sure := admin.Change{By: "ann", Confirm: func() error { return nil }}
	x := "x"
	rule := engine.Rule{Tool: "probe", Content: &x, Behavior: engine.Allow, Scope: engine.Global, Source: "template:test"}
	w.command(everybody, "/ask Probe(x)")
	plan, err := w.Gate.ChangeRules(t.Context(), sure, []engine.Rule{rule}, nil, true)
	if err != nil || plan.Stored || plan.Rules[0].Exists || len(plan.Rules[0].Notes) != 1 {
		t.Fatalf("dry run: got %+v, %v; want a plan with a note about the ask rule", plan, err)
	}
	done, err := w.Gate.ChangeRules(t.Context(), sure, []engine.Rule{rule}, nil, false)
	if err != nil || !done.Stored || done.Rules[0].Rule.ID == "" || done.Rules[0].Rule.Tool != "Probe" {
		t.Fatalf("got %+v, %v; want it stored", done, err)
	}
	if plan, err := w.Gate.ChangeRules(t.Context(), sure, []engine.Rule{rule}, nil, true); err != nil || !plan.Rules[0].Exists {
		t.Errorf("again: got %+v, %v; want it told that it is there", plan, err)
	}
	if _, err := w.Gate.ChangeRules(t.Context(), admin.Change{By: "bob"}, []engine.Rule{rule, {Tool: "Other", Behavior: engine.Allow, Scope: engine.Global}}, nil, false); !errors.Is(err, authority.ErrNotEntitled) {
		t.Errorf("without a yes: got %v, want ErrNotEntitled", err)
	}
	gone, err := w.Gate.ChangeRules(t.Context(), sure, nil, []string{done.Rules[0].Rule.ID}, false)
	if err != nil || len(gone.Removed) != 1 {
		t.Errorf("removed: got %+v, %v", gone, err)
	}
}

// Attack: a chat's list names another person's denial for an hour. Mistaken for the chat's own,
// the chat's denial would end with the hour.
func TestSetLists_outlivesWhatEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, yaml(granting))
	w.Check(authority.Caller{Token: "check:loose", Agent: "loose"}, call("x"))
	content := "never"
	brief := engine.Rule{Tool: "Probe", Content: &content, Behavior: engine.Deny, Scope: engine.Session, ScopeKey: "s1", Source: "api", ExpiresAt: time.Now().Add(time.Hour)}
	if _, err := w.Store.AddRule(t.Context(), brief); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Gate.SetLists(t.Context(), admin.Change{By: "bob"}, "s1", command.State{Deny: []string{"Probe(never)"}}); err != nil {
		t.Fatal(err)
	}
	rules, err := w.Store.Rules(t.Context(), store.RuleFilter{Scope: engine.Session, Key: "s1"})
	if err != nil || len(rules) != 1 || !rules[0].ExpiresAt.IsZero() {
		t.Errorf("got %v, %v, want one denial without an end", rules, err)
	}
}
