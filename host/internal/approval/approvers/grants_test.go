package approvers_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/approval/approvers"
)

// seeds is the mapping of Chorus, with our additions.
var seeds = approvers.Grants{
	"admin":     {"open", "standard", "locked", "mode:bypass", approvers.GlobalRules},
	"developer": {"standard", "locked", "mode:acceptEdits"},
	"viewer":    {"locked"},
	"idle":      {},
}

func TestCheck(t *testing.T) {
	with := func(roles ...string) approvers.Person { return approvers.Person{Name: "ann", Roles: roles} }
	boss := approvers.Person{Name: "ann", Administrator: true}
	for _, tt := range []struct {
		name   string
		grants approvers.Grants
		person approvers.Person
		what   string
		want   string // part of the refusal; empty when granted
	}{
		{"the seed's admin", seeds, with("admin"), "open", ""},
		{"the seed's developer, open", seeds, with("developer"), "open", "ann may not grant the profile open: it takes the role admin"},
		{"the seed's developer, standard", seeds, with("developer"), "standard", ""},
		{"the seed's viewer, standard", seeds, with("viewer"), "standard", "it takes the role admin or developer"},
		{"the seed's viewer, locked", seeds, with("viewer"), "locked", ""},
		{"several roles", seeds, with("viewer", "admin"), "open", ""},
		{"no role", seeds, with(), "locked", "it takes the role admin or developer or viewer"},
		{"another case", seeds, with("Admin"), "open", "it takes the role admin"},
		{"an administrator, with a mapping", seeds, boss, "open", "it takes the role admin"},
		{"an administrator, without", nil, boss, "open", ""},
		{"a role, without a mapping", nil, with("admin"), "open", "only an administrator"},
		{"an empty mapping", approvers.Grants{}, boss, "open", "no one may grant the profile open"},
		{"nobody", nil, approvers.Person{Administrator: true}, "open", "the person behind this call is unknown"},
		{"nobody, with the role", seeds, approvers.Person{Roles: []string{"admin"}}, "open", "the person behind this call is unknown"},
		{"what no role has", seeds, with("admin"), "mine", `no role in permission_grants has "mine"`},
		{"a mode", seeds, with("admin"), "mode:bypass", ""},
		{"a mode that asks more", seeds, with("admin"), "mode:accept_edits", ""},
		{"a mode by another name", seeds, with("developer"), "mode:accept_edits", ""},
		{"a mode that asks less", seeds, with("developer"), "mode:bypass", "it takes the role admin"},
		{"trusted, which bypass does not give", seeds, with("admin"), "mode:trusted", "no one may grant the mode trusted"},
		{"a mode that is none", seeds, with("admin"), "mode:auto", "no one may grant the mode auto"},
		{"rules", seeds, with("admin"), approvers.GlobalRules, ""},
		{"rules, without the role", seeds, with("developer"), approvers.GlobalRules, "a stored rule: it takes the role admin"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.grants.Check(tt.person, tt.what)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if err != nil && !errors.Is(err, approvers.ErrNotGranted) {
				t.Error("the refusal is no ErrNotGranted")
			}
		})
	}
}

// entries are the possible entries of a mapping, and wishes.
func entries() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"open", "standard", "locked", "mine", "mode:default", "mode:plan", "mode:acceptEdits", "mode:bypass", "mode:trusted", "mode:dont_ask", "mode:auto", approvers.GlobalRules, ""})
}

func grants() *rapid.Generator[approvers.Grants] {
	return rapid.Custom(func(t *rapid.T) approvers.Grants {
		return rapid.MapOf(roles(), rapid.SliceOf(entries())).Draw(t, "grants")
	})
}

func roles() *rapid.Generator[string] {
	return rapid.SampledFrom([]string{"admin", "ops", "dev", "viewer"})
}

func person() *rapid.Generator[approvers.Person] {
	return rapid.Custom(func(t *rapid.T) approvers.Person {
		return approvers.Person{
			Name:          rapid.SampledFrom([]string{"", "ann", "bob", "cy", "dan"}).Draw(t, "name"),
			Roles:         rapid.SliceOfDistinct(roles(), rapid.ID[string]).Draw(t, "roles"),
			Administrator: rapid.Bool().Draw(t, "administrator"),
		}
	})
}

// A role taken from a person, or an entry from a role, never lets them grant more; a refusal
// names roles, each of them sufficient.
func TestCheckIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, p, what := grants().Draw(t, "grants"), person().Draw(t, "person"), entries().Draw(t, "what")
		err := g.Check(p, what)
		less := both(p, person().Draw(t, "other"))
		if err != nil && g.Check(less, what) == nil {
			t.Fatalf("%+v may not, %+v may grant %q", p, less, what)
		}
		var r *approvers.Refusal
		if errors.As(err, &r) && p.Name != "" {
			for _, role := range r.Roles {
				if g.Check(approvers.Person{Name: p.Name, Roles: []string{role}}, what) != nil {
					t.Fatalf("the role %s was said to do for %q, and does not", role, what)
				}
			}
		}
		fewer := approvers.Grants{}
		for role, may := range g {
			if rapid.Bool().Draw(t, "keep "+role) {
				fewer[role] = may
			}
		}
		if err != nil && fewer.Check(p, what) == nil {
			t.Fatalf("fewer grants grant %q to %+v", what, p)
		}
	})
}

// both is p according to both of two callers: the roles given by both, an administrator only
// when both say so.
func both(a, b approvers.Person) approvers.Person {
	out := approvers.Person{Name: a.Name, Administrator: a.Administrator && b.Administrator}
	for _, role := range a.Roles {
		if slices.Contains(b.Roles, role) {
			out.Roles = append(out.Roles, role)
		}
	}
	return out
}
