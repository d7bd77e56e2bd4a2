package approvers_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/approval/approvers"
)

func TestAuthorise_passkey(t *testing.T) {
	t.Parallel()
	signed := approvers.Person{Name: "ann", Signed: true}
	plain := approvers.Person{Name: "ann"}
	for name, c := range map[string]struct {
		policy              approvers.Policy
		person              approvers.Person
		may, deny, unsigned bool
	}{
		"demanded, missing":            {approvers.Policy{{Passkey: true}}, plain, false, true, true},
		"demanded, given":              {approvers.Policy{{Passkey: true}}, signed, true, true, false},
		"for rules only":               {approvers.Policy{{PasskeyForRules: true}}, plain, true, true, false},
		"for rules, a rule":            {approvers.Policy{{PasskeyForRules: true}}.ForRules(), plain, false, true, true},
		"another may, with a passkey":  {approvers.Policy{{Users: []string{"bob"}, Passkey: true}}, signed, false, false, false},
		"the requester, with one":      {approvers.Policy{{Passkey: true, ExcludeRequester: true}}, approvers.Person{Name: "req", Signed: true}, false, true, false},
		"the requester, without one":   {approvers.Policy{{Passkey: true}, {ExcludeRequester: true}}, approvers.Person{Name: "req"}, false, true, false},
		"the second member demands it": {approvers.Policy{{Users: []string{"ann"}}, {Passkey: true}}, plain, false, true, true},
	} {
		got := c.policy.Authorise("req", c.person)
		if got.MayApprove != c.may || got.MayDeny != c.deny || got.Unsigned != c.unsigned || (got.Reason == "") != (c.may && c.deny) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestWithin_passkey(t *testing.T) {
	t.Parallel()
	none, rules, all := approvers.Approvers{}, approvers.Approvers{PasskeyForRules: true}, approvers.Approvers{Passkey: true}
	order := []approvers.Approvers{none, rules, all}
	for i, looser := range order {
		for j, stricter := range order {
			if got := stricter.Within(looser); got != (j >= i) {
				t.Errorf("%+v within %+v: %t", stricter, looser, got)
			}
		}
	}
	if got := (approvers.Policy{none}).With(rules).With(all); len(got) != 3 || !got.ForRules()[1].Passkey {
		t.Errorf("the policy is %+v", got)
	}
}
