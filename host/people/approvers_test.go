package people_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/people"
)

func TestAuthorise(t *testing.T) {
	ops := people.Approvers{Users: []string{"cy"}, Roles: []string{"ops", "admin"}}
	excluding := people.Approvers{Roles: []string{"ops"}, ExcludeRequester: true}
	with := func(name string, roles ...string) people.Person { return people.Person{Name: name, Roles: roles} }
	for _, tt := range []struct {
		name          string
		policy        people.Policy
		requester     string
		person        people.Person
		approve, deny bool
		why           string
	}{
		{"nothing configured", nil, "ann", with("bob"), true, true, ""},
		{"an empty policy", people.Policy{{}}, "", with("bob"), true, true, ""},
		{"a user", people.Policy{ops}, "ann", with("cy"), true, true, ""},
		{"a role", people.Policy{ops}, "ann", with("bob", "dev", "ops"), true, true, ""},
		{"a bystander", people.Policy{ops}, "ann", with("bob", "dev"), false, false, "bob may not answer: it takes cy or one of the roles ops, admin"},
		{"an administrator without a role", people.Policy{ops}, "ann", people.Person{Name: "bob", Administrator: true}, false, false, "bob may not answer"},
		{"a role in another case", people.Policy{ops}, "ann", with("bob", "OPS"), false, false, "bob may not answer"},
		{"a user in another case", people.Policy{ops}, "ann", with("Cy"), false, false, "Cy may not answer"},
		{"nobody", people.Policy{ops}, "ann", with("", "ops"), false, false, "an unknown person may not answer"},
		{"the requester, a bystander", people.Policy{ops}, "ann", with("ann"), false, true, "ann may not answer"},
		{"the requester, not excluded", people.Policy{ops}, "cy", with("cy"), true, true, ""},
		{"the requester, excluded", people.Policy{excluding}, "ann", with("ann", "ops"), false, true, "ann triggered the call and may not approve it, only deny it"},
		{"the requester, excluded, in another case", people.Policy{excluding}, "ann", with("ANN", "ops"), false, true, "may not approve it"},
		{"another than the requester", people.Policy{excluding}, "ann", with("bob", "ops"), true, true, ""},
		{"an unknown requester", people.Policy{excluding}, "", with("bob", "ops"), false, true, "is not known"},
		{"excluded for everybody", people.Policy{{ExcludeRequester: true}}, "ann", with("ann"), false, true, "may not approve it"},
		{"both of two", people.Policy{ops, excluding}, "ann", with("bob", "ops"), true, true, ""},
		{"one of two", people.Policy{ops, excluding}, "ann", with("cy"), false, false, "it takes the role ops"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.policy.Authorise(tt.requester, tt.person)
			if got.MayApprove != tt.approve || got.MayDeny != tt.deny || !strings.Contains(got.Reason, tt.why) || (got.Reason == "") != (tt.why == "") {
				t.Errorf("got %+v, want approve %t, deny %t, %q", got, tt.approve, tt.deny, tt.why)
			}
		})
	}
}

func approvers() *rapid.Generator[people.Approvers] {
	return rapid.Custom(func(t *rapid.T) people.Approvers {
		return people.Approvers{
			Users:            rapid.SliceOfDistinct(rapid.SampledFrom([]string{"ann", "bob", "cy"}), rapid.ID[string]).Draw(t, "users"),
			Roles:            rapid.SliceOfDistinct(roles(), rapid.ID[string]).Draw(t, "roles"),
			Quorum:           rapid.IntRange(0, 3).Draw(t, "quorum"),
			ExcludeRequester: rapid.Bool().Draw(t, "exclude"),
		}
	})
}

// A further policy never lets anybody answer who could not without it, nor with fewer
// people; one within another lets nobody answer whom that does not; without a reason
// everything is allowed; whoever may approve may deny; and whoever triggered the call
// never approves where one policy excludes them.
func TestAuthoriseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := people.Policy(rapid.SliceOfN(approvers(), 0, 3).Draw(t, "policy"))
		p, more := person().Draw(t, "person"), approvers().Draw(t, "more")
		requester := rapid.SampledFrom([]string{"", "ann", "bob"}).Draw(t, "requester")
		before, after := policy.Authorise(requester, p), policy.With(more).Authorise(requester, p)
		if after.MayApprove && !before.MayApprove || after.MayDeny && !before.MayDeny || policy.With(more).Quorum() < policy.Quorum() {
			t.Fatalf("with %+v: got %+v, before %+v", more, after, before)
		}
		if alone := (people.Policy{more}).Authorise(requester, p); after.MayApprove && !alone.MayApprove || policy.With(more).Quorum() < max(more.Quorum, 1) {
			t.Fatalf("%+v was added and does not count", more)
		}
		if (before.Reason == "") != (before.MayApprove && before.MayDeny) || before.MayApprove && !before.MayDeny {
			t.Fatalf("got %+v", before)
		}
		if policy.NobodyApproves(requester) && before.MayApprove {
			t.Fatalf("%+v is said to let nobody approve", policy)
		}
		for _, a := range policy {
			if a.ExcludeRequester && requester == "" && !policy.NobodyApproves("") {
				t.Fatalf("%+v is not said to let nobody approve", policy)
			}
			if a.ExcludeRequester && (requester == "" || requester == p.Name) && before.MayApprove {
				t.Fatalf("%+v lets %q approve what %q triggered", a, p.Name, requester)
			}
			if a.Within(more) && (people.Policy{a}).Authorise(requester, p).MayApprove && !(people.Policy{more}).Authorise(requester, p).MayApprove {
				t.Fatalf("%+v is said to be within %+v", a, more)
			}
		}
	})
}
