package config_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/config"
)

// TestParse_people: impossible statements about people are refused, with the place and the fix.
func TestParse_people(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, yaml, want string }{
		{"a profile of another name", "permission_grants:\n  admin: [opne]", `permission_grants.admin[0]: unknown profile "opne": did you mean open?`},
		{"a profile that is far", "permission_grants:\n  admin: [everything]", `unknown profile "everything": want one of locked, mode:NAME, open, rules:global, standard`},
		{"an own profile", "profiles: {mine: {allow: ['tool:view:.*']}}\npermission_grants: {admin: [mine]}", ""},
		{"a mode", "permission_grants: {admin: ['mode:bypas']}", `unknown mode "bypas": did you mean bypass?`},
		{"a mode that is reserved", "permission_grants: {admin: ['mode:auto']}", "reserved"},
		{"a mode as clients call it", "permission_grants: {admin: ['mode:acceptEdits']}", ""},
		{"rules", "permission_grants: {admin: ['rules:global']}", ""},
		{"rules of another scope", "permission_grants: {admin: ['rules:agent']}", "unknown profile"},
		{"a role without a name", "permission_grants: {'': [open]}", "is not a name"},
		{"a role of blanks", "people: {ann: {roles: [' admin']}}", "people.ann.roles[0]"},
		{"a role twice", "people: {ann: {roles: [a, a]}}", "people.ann.roles[1]: duplicate a; keep"},
		{"a name that hides something", "people: {\"a\\u202eb\": {}}", "is not a name"},
		{"an unknown key", "people: {ann: {role: [a]}}", "did you mean roles?"},
		{"a quorum of more than there are", "defaults: {ask_approvers: {users: [a, b], quorum: 3}}", "defaults.ask_approvers.quorum: 3 approvals are required, but users has only 2, so no call could ever be"},
		{"a quorum of roles", "defaults: {ask_approvers: {users: [a], roles: [r], quorum: 3}}", ""},
		{"a quorum of everybody", "defaults: {ask_approvers: {quorum: 3}}", ""},
		{"a quorum of none", "tools: {Bash: {ask_approvers: {quorum: 0}}}", "tools.Bash.ask_approvers.quorum: 0: want 1 to 50"},
		{"a quorum of many", "tools: {Bash: {ask_approvers: {quorum: 51}}}", "want 1 to 50"},
		{"a quorum of safety checks that is none", "defaults: {ask_approvers: {safety_checks: {quorum: 0}}}", "defaults.ask_approvers.safety_checks.quorum: 0: want 1 to 50"},
		{"a quorum of safety checks of more than there are", "defaults: {ask_approvers: {safety_checks: {users: [a], quorum: 2}}}", "defaults.ask_approvers.safety_checks.quorum: 2 approvals are required, but users has"},
		{"safety checks of the requester alone", "agents: {x: {user: a, ask_approvers: {exclude_requester: true, safety_checks: {users: [a]}}}}", "agents.x.ask_approvers.safety_checks: 1 approvals are required, but users has only 0 besides"},
		{"safety checks with a slip", "defaults: {ask_approvers: {safety_checks: {role: [a]}}}", "did you mean roles?"},
		{"one person by two names", "{people: {a: {discord: 212345678901234567}}, defaults: {ask_approvers: {users: [a, '212345678901234567'], quorum: 2}}}", "defaults.ask_approvers.users[1]: duplicate a; keep"},
		{"the requester counted", "agents: {x: {user: a, ask_approvers: {users: [a, b], quorum: 2, exclude_requester: true}}}", "agents.x.ask_approvers.quorum: 2 approvals are required, but users has only 1 besides"},
		{"the requester alone", "agents: {x: {user: a, tools: {Bash: {ask_approvers: {users: [a], exclude_requester: true}}}}}", "agents.x.tools.Bash.ask_approvers: 1 approvals are required, but users has only 0 besides"},
		{"another than the requester", "agents: {x: {user: c, ask_approvers: {users: [a, b], quorum: 2, exclude_requester: true}}}", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := config.Parse("callgate.yaml", []byte(tt.yaml), config.Dirs{Home: "/h", Config: "/c", State: "/s", Cache: "/k"})
			if (err == nil) != (tt.want == "") || err != nil && (!strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "callgate.yaml:")) {
				t.Errorf("got %v, want %q with its place", err, tt.want)
			}
		})
	}
}

// TestApprovers: the most particular place with an entry replaces the others.
func TestApprovers(t *testing.T) {
	t.Parallel()
	c := parse(t, `
defaults: {ask_approvers: {users: [d]}, tools: {Read: {ask_approvers: {users: [dt]}}}}
tools: {Bash: {ask_approvers: {users: [t]}}, Read: {ask_approvers: {users: [unused]}}, Write: {ask_approvers: {}}}
agents:
  a: {ask_approvers: {users: [a]}, tools: {Bash: {ask_approvers: {users: [at]}}, shell: {ask_approvers: {quorum: 2}}}}
  b: {}
`)
	for _, tt := range []struct{ agent, tools, want string }{
		{"a", "Bash", "at"}, {"a", "Bash shell", "at; 2 have to approve"}, {"a", "Edit", "a"}, {"a", "Read", "dt"}, {"a", "Write", ""},
		{"b", "Bash", "t"}, {"b", "Edit", "d"}, {"", "Edit", "d"}, {"other", "Read view", "dt"},
	} {
		if got := c.Approvers(tt.agent, strings.Fields(tt.tools)...).String(); got != tt.want {
			t.Errorf("%s, %s: got %q, want %q", tt.agent, tt.tools, got, tt.want)
		}
	}
}

// drawnPeople is a random configuration of people, of few words.
func drawnPeople(t *rapid.T, label string) string {
	list := func(key string, from ...string) string {
		return "[" + strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, 3, rapid.ID[string]).Draw(t, label+" "+key), ", ") + "]"
	}
	maybe := func(key, value string) string {
		if !rapid.Bool().Draw(t, label+" has "+key) {
			return ""
		}
		return value
	}
	approvers := func(key string) string {
		return maybe(key, "ask_approvers: {roles: "+list(key+" roles", "r", "s")+maybe(key+" q", ", quorum: 2")+maybe(key+" e", ", exclude_requester: true")+
			maybe(key+" safety", ", safety_checks: {roles: "+list(key+" safety roles", "r", "s")+maybe(key+" sq", ", quorum: 3")+"}")+"}")
	}
	return "people: {ann: {roles: " + list("ann", "r", "s") + maybe("boss", ", administrator: true") + "}}\n" +
		maybe("grants", "permission_grants: {r: "+list("r", "open", "locked", "'mode:bypass'", "'mode:default'")+", s: "+list("s", "open", "'rules:global'")+"}\n") +
		"defaults: {" + approvers("defaults") + "}\nagents: {a: {" + approvers("agent") + "}}\ntools: {Bash: {" + approvers("tool") + "}}\n"
}

// TestStricter_people: for any two configurations, their combination lets no one grant or
// approve beyond either of them, and equals the next one where it widens nothing.
func TestStricter_people(t *testing.T) {
	t.Parallel()
	dirs := config.Dirs{Home: "/h", Config: "/c", State: "/s", Cache: "/k"}
	rapid.Check(t, func(r *rapid.T) {
		var both [2]*config.Config
		for i := range both {
			var err error
			if both[i], err = config.Parse("callgate.yaml", []byte(drawnPeople(r, string(rune('a'+i)))), dirs); err != nil {
				r.Fatal(err)
			}
		}
		c, waiting := both[0].Tighten(both[1])
		what := rapid.SampledFrom([]string{"open", "locked", "mode:bypass", "mode:default", "mode:plan", approvers.GlobalRules}).Draw(r, "what")
		agent, tool := rapid.SampledFrom([]string{"a", "b"}).Draw(r, "agent"), rapid.SampledFrom([]string{"Bash", "Read"}).Draw(r, "tool")
		p := c.Person("ann")
		grants := c.MayGrant(p, what) == nil
		approvers := (*config.Config).Approvers
		policy := c.Approvers(agent, tool)
		if rapid.Bool().Draw(r, "safety check") {
			approvers, policy = (*config.Config).SafetyApprovers, c.SafetyApprovers(agent, tool)
			if plain := c.Approvers(agent, tool); policy.Authorise("bob", p).MayApprove && !plain.Authorise("bob", p).MayApprove || policy.Quorum() < plain.Quorum() {
				r.Fatalf("safety checks %s, others %s", policy, plain)
			}
		}
		for i, one := range both[:1] { // the file's further removals may wait
			if grants && one.MayGrant(one.Person("ann"), what) != nil {
				r.Fatalf("%s is granted, %d does not grant it", what, i)
			}
			own := approvers(one, agent, tool)
			if policy.Authorise("bob", p).MayApprove && !own.Authorise("bob", one.Person("ann")).MayApprove || policy.Quorum() < own.Quorum() {
				r.Fatalf("in force %s, %d says %s", policy, i, own)
			}
		}
		if len(waiting) > 0 {
			return
		}
		next := both[1]
		if !grants && next.MayGrant(next.Person("ann"), what) == nil {
			r.Fatalf("nothing widens, yet the next one alone grants %s", what)
		}
		if own := approvers(next, agent, tool); policy.Quorum() > own.Quorum() || own.Authorise("bob", next.Person("ann")).MayApprove && !policy.Authorise("bob", p).MayApprove {
			r.Fatalf("nothing widens, yet the next one alone says %s, both %s", own, policy)
		}
	})
}
