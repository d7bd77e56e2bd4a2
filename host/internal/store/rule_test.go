package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

// clock is a settable time.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time { return c.now }

// timed opens a new store with a clock.
func timed(t *testing.T) (*store.Store, *clock) {
	t.Helper()
	c := newClock()
	return opened(t, place(t), store.Options{Now: c.Now}), c
}

// texts are the rules for a caller, as text, sorted.
func texts(t *testing.T, s *store.Store, agent, session, project string) []string {
	t.Helper()
	rules, err := s.RulesFor(t.Context(), agent, session, project, nil)
	must(t, err)
	out := []string{}
	for _, r := range rules {
		out = append(out, r.Behavior.String()+" "+r.String())
	}
	slices.Sort(out)
	return out
}

func added(t *testing.T, s *store.Store, r engine.Rule) engine.Rule {
	t.Helper()
	got, err := s.AddRule(t.Context(), r)
	must(t, err)
	return got
}

func TestAddRule_keepsEveryField(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	in := engine.Rule{Tool: "Bash", Content: text("npm run *"), Behavior: engine.Ask, Source: "userSettings", Scope: engine.Project, ScopeKey: "/p",
		CreatedBy: "ann", ExpiresAt: c.now.Add(time.Hour), Reason: "é", Match: []string{"npm run build", ""}, NotMatch: []string{"npm i"}}
	want := added(t, s, in)
	if len(want.ID) != 16 || !want.CreatedAt.Equal(c.now) {
		t.Errorf("got id %q, created %v", want.ID, want.CreatedAt)
	}
	must(t, s.Close())
	s = opened(t, s.Path(), store.Options{Now: c.Now})
	got, err := s.Rule(t.Context(), want.ID)
	must(t, err)
	if *got.Content != *in.Content || !slices.Equal(got.Match, in.Match) || !slices.Equal(got.NotMatch, in.NotMatch) || !got.ExpiresAt.Equal(in.ExpiresAt) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got.Content, got.Match, got.NotMatch, want.Content, want.Match, want.NotMatch = nil, nil, nil, nil, nil, nil
	if got.ID != want.ID || got.Reason != want.Reason || got.CreatedBy != want.CreatedBy || got.Source != want.Source || got.Scope != want.Scope || got.Behavior != want.Behavior {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if refused := s.RefusedRules(); len(refused) != 0 {
		t.Errorf("refused: got %v, want none", refused)
	}
}

func TestAddRule_sameRuleTwice(t *testing.T) {
	t.Parallel()
	s, _ := timed(t)
	first := added(t, s, allow("Bash", "npm test"))
	other := allow("Bash", "npm test")
	other.Reason, other.CreatedBy = "again", "bob"
	if got := added(t, s, other); got.ID != first.ID || got.CreatedBy != "ann" {
		t.Errorf("got %+v, want the first, %+v", got, first)
	}
	for name, differs := range map[string]func(*engine.Rule){
		"tool":     func(r *engine.Rule) { r.Tool = "Shell" },
		"content":  func(r *engine.Rule) { r.Content = text("npm i") },
		"whole":    func(r *engine.Rule) { r.Content = nil },
		"behavior": func(r *engine.Rule) { r.Behavior = engine.Deny },
		"scope":    func(r *engine.Rule) { r.Scope, r.ScopeKey = engine.Agent, "a" },
		"key":      func(r *engine.Rule) { r.Scope, r.ScopeKey = engine.Agent, "b" },
	} {
		r := allow("Bash", "npm test")
		differs(&r)
		if got := added(t, s, r); got.ID == first.ID {
			t.Errorf("another %s: got the same rule", name)
		}
	}
}

// "" and "*" mean what no content means.
// TestT26_RulesOfServers: a rule is kept once for each MCP server it was accepted
// for, comes back with it, and is not used when somebody changes it.
func TestT26_RulesOfServers(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	rule := engine.Rule{Tool: "mcp__gh__get", Behavior: engine.Allow, Scope: engine.Agent, ScopeKey: "a"}
	var ids []string
	for _, server := range []string{"", "gh@user#1", "gh@project#2", "gh@user#1"} {
		rule.Server = server
		got := added(t, s, rule)
		if got.Server != server {
			t.Errorf("got server %q, want %q", got.Server, server)
		}
		ids = append(ids, got.ID)
	}
	if ids[1] != ids[3] || ids[1] == ids[2] || ids[0] == ids[1] {
		t.Errorf("got ids %v, want one for each server", ids)
	}
	must(t, s.Close())
	tamper(t, s.Path(), "UPDATE rules SET server = 'gh@user#3' WHERE server = 'gh@project#2'")
	s = opened(t, s.Path(), store.Options{Now: c.Now})
	rules, err := s.RulesFor(t.Context(), "a", "", "", nil)
	must(t, err)
	if len(rules) != 2 || rules[0].Server == rules[1].Server {
		t.Errorf("got %+v, want the two that nobody changed", rules)
	}
	for _, bad := range []engine.Rule{
		{Tool: "mcp__gh__get", Behavior: engine.Deny, Scope: engine.Global, Server: "gh@user#1"},
		{Tool: "mcp__gh__get", Behavior: engine.Allow, Scope: engine.Global, Server: strings.Repeat("x", 300)},
	} {
		if _, err := s.AddRule(t.Context(), bad); !errors.Is(err, store.ErrBadRule) {
			t.Errorf("%+v: got %v, want ErrBadRule", bad, err)
		}
	}
}

func TestAddRule_wholeToolHasOneSpelling(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	want := added(t, s, engine.Rule{Tool: "Bash", Behavior: engine.Deny, Scope: engine.Global})
	for _, content := range []string{"", "*"} {
		if got := added(t, s, engine.Rule{Tool: "Bash", Content: text(content), Behavior: engine.Deny, Scope: engine.Global}); got.ID != want.ID || got.Content != nil {
			t.Errorf("content %q: got %+v, want %+v", content, got, want)
		}
	}
}

func TestAddRule_livesAsLongAsTheLonger(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	expiring := func(after time.Duration) engine.Rule {
		r := allow("Bash", "npm test")
		if after > 0 {
			r.ExpiresAt = c.now.Add(after)
		}
		return r
	}
	hour := added(t, s, expiring(time.Hour))
	for _, step := range []struct{ add, want time.Duration }{{time.Minute, time.Hour}, {2 * time.Hour, 2 * time.Hour}, {0, 0}, {time.Hour, 0}} {
		got := added(t, s, expiring(step.add))
		want := time.Time{}
		if step.want > 0 {
			want = c.now.Add(step.want)
		}
		if got.ID != hour.ID || !got.ExpiresAt.Equal(want) {
			t.Errorf("after adding one of %v: got %s until %v, want %s until %v", step.add, got.ID, got.ExpiresAt, hour.ID, want)
		}
	}
	if refused := reopened(t, s).RefusedRules(); len(refused) != 0 {
		t.Errorf("refused after an extension: got %v, want none", refused)
	}
}

func TestAddRule_refuses(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	for name, spoil := range map[string]func(*engine.Rule){
		"no tool":             func(r *engine.Rule) { r.Tool = " " },
		"passthrough":         func(r *engine.Rule) { r.Behavior = engine.Passthrough },
		"no scope":            func(r *engine.Rule) { r.Scope = "" },
		"unknown scope":       func(r *engine.Rule) { r.Scope = "team" },
		"global with a key":   func(r *engine.Rule) { r.ScopeKey = "x" },
		"agent without a key": func(r *engine.Rule) { r.Scope = engine.Agent },
		"long content":        func(r *engine.Rule) { r.Content = text(strings.Repeat("a", 64<<10+1)) },
		"long tool":           func(r *engine.Rule) { r.Tool = strings.Repeat("a", 257) },
		"many examples":       func(r *engine.Rule) { r.Match = make([]string, 101) },
		"invalid UTF-8":       func(r *engine.Rule) { r.Content = text("\xff") },
		"NUL":                 func(r *engine.Rule) { r.Reason = "a\x00b" },
		"expired":             func(r *engine.Rule) { r.ExpiresAt = c.now },
		"of a project file":   func(r *engine.Rule) { r.Source = engine.SourceProjectFile },
	} {
		r := allow("Bash", "npm test")
		spoil(&r)
		if got, err := s.AddRule(t.Context(), r); err == nil {
			t.Errorf("%s: got %+v, want an error", name, got)
		}
	}
	if got := texts(t, s, "a", "", ""); len(got) != 0 {
		t.Errorf("rules: got %v, want none", got)
	}
}

func TestRulesFor_scopes(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	_, err := s.TouchSession(t.Context(), store.Session{ID: "s1", Agent: "a", Token: "t"})
	must(t, err)
	for scope, key := range map[engine.Scope]string{engine.Global: "", engine.Project: "/p", engine.Agent: "a", engine.Session: "s1"} {
		added(t, s, engine.Rule{Tool: "T" + string(scope), Behavior: engine.Allow, Scope: scope, ScopeKey: key})
	}
	added(t, s, engine.Rule{Tool: "Dsession", Behavior: engine.Deny, Scope: engine.Session, ScopeKey: "s1"})
	const g, p, a, one, deny = "allow Tglobal", "allow Tproject", "allow Tagent", "allow Tsession", "deny Dsession"
	for name, c := range map[string]struct {
		agent, session, project string
		want                    []string
	}{
		"all":                 {"a", "s1", "/p", []string{a, g, p, one, deny}},
		"nothing":             {"", "", "", []string{g}},
		"other project":       {"a", "s1", "/p/q", []string{a, g, one, deny}},
		"other agent":         {"b", "", "/p", []string{g, p}},
		"other session":       {"a", "s2", "", []string{a, g}},
		"T02 foreign session": {"b", "s1", "", []string{g, deny}},
		"no agent":            {"", "s1", "", []string{g, deny}},
	} {
		want := slices.Sorted(slices.Values(c.want))
		if got := texts(t, s, c.agent, c.session, c.project); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// The list kept ready for a caller follows every change at once.
func TestRulesFor_followsChanges(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	expect := func(when string, want ...string) {
		t.Helper()
		if got := texts(t, s, "a", "s1", ""); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
	}
	expect("at first")
	first := added(t, s, allow("Bash", "x"))
	expect("after adding", "allow Bash(x)")
	must(t, s.RemoveRule(t.Context(), first.ID, "ann"))
	expect("after removing")
	added(t, s, engine.Rule{Tool: "Read", Behavior: engine.Allow, Scope: engine.Session, ScopeKey: "s1"})
	expect("before the session is known")
	_, err := s.TouchSession(t.Context(), store.Session{ID: "s1", Agent: "a", Token: "t"})
	must(t, err)
	expect("once it is", "allow Read")
	short := allow("Bash", "y")
	short.ExpiresAt = c.now.Add(time.Minute)
	added(t, s, short)
	expect("before the expiry", "allow Bash(y)", "allow Read")
	c.now = c.now.Add(time.Minute)
	expect("at the expiry", "allow Read")
	if n, err := s.ExpireRules(t.Context()); n != 1 || err != nil {
		t.Errorf("expire: got %d, %v, want 1", n, err)
	}
	if n, err := s.ClearSession(t.Context(), "s1", "ann"); n != 1 || err != nil {
		t.Errorf("clear: got %d, %v, want 1", n, err)
	}
	expect("after clearing")
}

// An expired rule, not yet deleted, does not stand in the way of a new one.
func TestAddRule_replacesAnExpiredOne(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	r := allow("Bash", "x")
	r.ExpiresAt = c.now.Add(time.Minute)
	old := added(t, s, r)
	c.now = c.now.Add(time.Hour)
	next := added(t, s, allow("Bash", "x"))
	if next.ID == old.ID {
		t.Error("got the expired rule again")
	}
	if _, err := s.Rule(t.Context(), old.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the expired one: got %v, want ErrNotFound", err)
	}
}

func TestRemoveRule_unknown(t *testing.T) {
	t.Parallel()
	if err := fresh(t).RemoveRule(t.Context(), "0", "ann"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestRules_filter(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	for _, r := range []engine.Rule{
		{Tool: "Bash", Behavior: engine.Allow, Scope: engine.Global, Source: "ask k3m9qd"},
		{Tool: "Bash", Behavior: engine.Deny, Scope: engine.Agent, ScopeKey: "a"},
		{Tool: "mcp__gh__x", Behavior: engine.Ask, Scope: engine.Agent, ScopeKey: "b", ExpiresAt: c.now.Add(time.Minute)},
	} {
		added(t, s, r)
		c.now = c.now.Add(time.Second)
	}
	c.now = c.now.Add(time.Hour)
	deny := engine.Deny
	for name, cse := range map[string]struct {
		f    store.RuleFilter
		want int
	}{
		"all":            {store.RuleFilter{}, 2},
		"with expired":   {store.RuleFilter{Expired: true}, 3},
		"scope":          {store.RuleFilter{Scope: engine.Agent}, 1},
		"key":            {store.RuleFilter{Key: "b", Expired: true}, 1},
		"tool":           {store.RuleFilter{Tool: "Bash"}, 2},
		"tool glob":      {store.RuleFilter{Tool: "mcp__*", Expired: true}, 1},
		"deny behavior":  {store.RuleFilter{Behavior: &deny}, 1},
		"source":         {store.RuleFilter{Source: "ask k3m9qd"}, 1},
		"other source":   {store.RuleFilter{Source: "ask k3m9q"}, 0},
		"nothing at all": {store.RuleFilter{Tool: "Read"}, 0},
	} {
		got, err := s.Rules(t.Context(), cse.f)
		if err != nil || len(got) != cse.want {
			t.Errorf("%s: got %v, %v, want %d", name, got, err, cse.want)
		}
	}
}

func TestRules_areAudited(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	r := added(t, s, allow("Bash", "npm test"))
	must(t, s.RemoveRule(t.Context(), r.ID, "bob"))
	short := allow("Bash", "x")
	short.ExpiresAt = c.now.Add(time.Second)
	added(t, s, short)
	c.now = c.now.Add(time.Minute)
	_, err := s.ExpireRules(t.Context())
	must(t, err)
	var got []string
	for _, row := range rowsOf(t, s, store.Filter{}) {
		got = append(got, string(row.Event)+" by "+row.DecidedBy+": "+row.RuleText)
	}
	want := []string{"rule_added by ann: allow Bash(npm test)", "rule_removed by bob: allow Bash(npm test)",
		"rule_added by ann: allow Bash(x)", "rule_expired by callgate: allow Bash(x)"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// T15: an allow rule written into the file by a stranger is not used; a deny is.
func TestT15_rulesWithoutTheirAuditRowAreNotUsed(t *testing.T) {
	t.Parallel()
	const planted = `INSERT INTO rules SELECT 'planted', 'Bash', 'rm:*', %s, source, scope, scope_key, created_by, created_at, expires_at, reason, match, not_match, audit_seq, server FROM rules`
	for name, c := range map[string]struct {
		query   string
		want    []string
		refused int
	}{
		"untouched":        {"UPDATE rules SET reason = reason", []string{"allow Bash(npm test)"}, 0},
		"planted allow":    {strings.Replace(planted, "%s", "'allow'", 1), []string{"allow Bash(npm test)"}, 1},
		"planted deny":     {strings.Replace(planted, "%s", "'deny'", 1), []string{"allow Bash(npm test)", "deny Bash(rm:*)"}, 0},
		"widened":          {"UPDATE rules SET content = NULL", []string{}, 1},
		"other tool":       {"UPDATE rules SET tool = 'Write'", []string{}, 1},
		"later expiry":     {"UPDATE rules SET expires_at = 9000000000000000000", []string{}, 1},
		"other scope":      {"UPDATE rules SET scope = 'agent', scope_key = 'a'", []string{}, 1},
		"its row is gone":  {"DELETE FROM audit_log", []string{}, 1},
		"its row edited":   {"UPDATE audit_log SET digest = 'x'", []string{}, 1},
		"allow made deny":  {"UPDATE rules SET behavior = 'deny'", []string{"deny Bash(npm test)"}, 0},
		"other audit row":  {"UPDATE rules SET audit_seq = 2", []string{}, 1},
		"no row by number": {"UPDATE rules SET audit_seq = 99", []string{}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := fresh(t)
			added(t, s, allow("Bash", "npm test"))
			appendMany(t, s, 1)
			must(t, s.Close())
			tamper(t, s.Path(), c.query)
			s = opened(t, s.Path(), store.Options{})
			if got := texts(t, s, "a", "", ""); !slices.Equal(got, c.want) {
				t.Errorf("used: got %v, want %v", got, c.want)
			}
			if got := s.RefusedRules(); len(got) != c.refused {
				t.Errorf("refused: got %v, want %d", got, c.refused)
			}
		})
	}
}

// A planted rule came into force when a person added the same rule, and lived as long as the
// planted one said.
func TestT15_addingARefusedRuleAgain(t *testing.T) {
	t.Parallel()
	s, c := timed(t)
	added(t, s, allow("Bash", "npm test"))
	must(t, s.Close())
	tamper(t, s.Path(), "UPDATE rules SET created_by = 'mallory'")
	s = opened(t, s.Path(), store.Options{Now: c.Now})
	refused := s.RefusedRules()
	if len(refused) != 1 {
		t.Fatalf("refused: got %v, want the planted rule", refused)
	}
	hour := allow("Bash", "npm test")
	hour.ExpiresAt = c.now.Add(time.Hour)
	got := added(t, s, hour)
	if got.ID == refused[0].ID || got.CreatedBy != "ann" || !got.ExpiresAt.Equal(hour.ExpiresAt) {
		t.Errorf("got %+v, want a rule of its own for an hour", got)
	}
	must(t, s.Close())
	s = opened(t, s.Path(), store.Options{Now: c.Now})
	if refused := s.RefusedRules(); len(refused) != 0 {
		t.Errorf("afterwards refused: got %v, want none", refused)
	}
	if found, err := s.Rules(t.Context(), store.RuleFilter{}); err != nil || len(found) != 1 {
		t.Errorf("afterwards stored: got %v, %v, want one", found, err)
	}
}
