package approvers_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/approval/approvers"
)

func TestAuthorise(t *testing.T) {
	ops := approvers.Approvers{Users: []string{"cy"}, Roles: []string{"ops", "admin"}}
	excluding := approvers.Approvers{Roles: []string{"ops"}, ExcludeRequester: true}
	with := func(name string, roles ...string) approvers.Person { return approvers.Person{Name: name, Roles: roles} }
	for _, tt := range []struct {
		name          string
		policy        approvers.Policy
		requester     string
		person        approvers.Person
		approve, deny bool
		why           string
	}{
		{"nothing configured", nil, "ann", with("bob"), true, true, ""},
		{"an empty policy", approvers.Policy{{}}, "", with("bob"), true, true, ""},
		{"a user", approvers.Policy{ops}, "ann", with("cy"), true, true, ""},
		{"a role", approvers.Policy{ops}, "ann", with("bob", "dev", "ops"), true, true, ""},
		{"a bystander", approvers.Policy{ops}, "ann", with("bob", "dev"), false, false, "bob may not answer: it takes cy or one of the roles ops, admin"},
		{"an administrator without a role", approvers.Policy{ops}, "ann", approvers.Person{Name: "bob", Administrator: true}, false, false, "bob may not answer"},
		{"a role in another case", approvers.Policy{ops}, "ann", with("bob", "OPS"), false, false, "bob may not answer"},
		{"a user in another case", approvers.Policy{ops}, "ann", with("Cy"), false, false, "Cy may not answer"},
		{"nobody", approvers.Policy{ops}, "ann", with("", "ops"), false, false, "an unknown person may not answer"},
		{"the requester, a bystander", approvers.Policy{ops}, "ann", with("ann"), false, true, "ann may not answer"},
		{"the requester, not excluded", approvers.Policy{ops}, "cy", with("cy"), true, true, ""},
		{"the requester, excluded", approvers.Policy{excluding}, "ann", with("ann", "ops"), false, true, "ann triggered the call and may not approve it, only deny it"},
		{"the requester, excluded, in another case", approvers.Policy{excluding}, "ann", with("ANN", "ops"), false, true, "may not approve it"},
		{"another than the requester", approvers.Policy{excluding}, "ann", with("bob", "ops"), true, true, ""},
		{"an unknown requester", approvers.Policy{excluding}, "", with("bob", "ops"), false, true, "is unknown"},
		{"excluded for everybody", approvers.Policy{{ExcludeRequester: true}}, "ann", with("ann"), false, true, "may not approve it"},
		{"both of two", approvers.Policy{ops, excluding}, "ann", with("bob", "ops"), true, true, ""},
		{"one of two", approvers.Policy{ops, excluding}, "ann", with("cy"), false, false, "it takes the role ops"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.policy.Authorise(tt.requester, tt.person)
			if got.MayApprove != tt.approve || got.MayDeny != tt.deny || !strings.Contains(got.Reason, tt.why) || (got.Reason == "") != (tt.why == "") {
				t.Errorf("got %+v, want approve %t, deny %t, %q", got, tt.approve, tt.deny, tt.why)
			}
		})
	}
}

func someApprovers() *rapid.Generator[approvers.Approvers] {
	return rapid.Custom(func(t *rapid.T) approvers.Approvers {
		return approvers.Approvers{
			Users:            rapid.SliceOfDistinct(rapid.SampledFrom([]string{"ann", "bob", "cy"}), rapid.ID[string]).Draw(t, "users"),
			Roles:            rapid.SliceOfDistinct(roles(), rapid.ID[string]).Draw(t, "roles"),
			Quorum:           rapid.IntRange(0, 3).Draw(t, "quorum"),
			ExcludeRequester: rapid.Bool().Draw(t, "exclude"),
		}
	})
}

// A further policy never adds approvers, nor lowers their number; one within another has no
// approvers outside it; without a reason everything is allowed; approvers may deny; and the
// requester never approves where one policy excludes them.
func TestAuthoriseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy := approvers.Policy(rapid.SliceOfN(someApprovers(), 0, 3).Draw(t, "policy"))
		p, more := person().Draw(t, "person"), someApprovers().Draw(t, "more")
		requester := rapid.SampledFrom([]string{"", "ann", "bob"}).Draw(t, "requester")
		before, after := policy.Authorise(requester, p), policy.With(more).Authorise(requester, p)
		if after.MayApprove && !before.MayApprove || after.MayDeny && !before.MayDeny || policy.With(more).Quorum() < policy.Quorum() {
			t.Fatalf("with %+v: got %+v, before %+v", more, after, before)
		}
		if alone := (approvers.Policy{more}).Authorise(requester, p); after.MayApprove && !alone.MayApprove || policy.With(more).Quorum() < max(more.Quorum, 1) {
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
			if a.Within(more) && (approvers.Policy{a}).Authorise(requester, p).MayApprove && !(approvers.Policy{more}).Authorise(requester, p).MayApprove {
				t.Fatalf("%+v is said to be within %+v", a, more)
			}
		}
	})
}
