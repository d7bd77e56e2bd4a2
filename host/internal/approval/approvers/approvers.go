package approvers

import (
	"fmt"
	"slices"
	"strings"
)

// Approvers says who may answer an ask. The zero value lets everybody answer who
// reaches it, one of them.
type Approvers struct {
	// Users and Roles are those who may; without any of both everybody may.
	Users []string `json:"users,omitempty"`
	Roles []string `json:"roles,omitempty"`
	// Quorum is how many of them have to approve; 0 means one.
	Quorum int `json:"quorum,omitempty"`
	// ExcludeRequester keeps the person behind the call from approving it.
	ExcludeRequester bool `json:"exclude_requester,omitempty"`
	// Passkey demands that a device of the person has signed the approval.
	Passkey bool `json:"passkey,omitempty"`
	// PasskeyForRules demands it only of an approval that widens for longer than the session: with
	// a rule or with trust in a folder.
	PasskeyForRules bool `json:"passkey_for_rules,omitempty"`
}

// Policy is who may answer, said several times: each of them has to agree. It has two
// members while a changed configuration waits for a person, and one more when it was
// changed while the ask waited.
type Policy []Approvers

// Answering are the permitted answers of a person.
type Answering struct {
	MayApprove, MayDeny bool
	// Unsigned means: they may approve with a passkey, and only the signature is missing.
	Unsigned bool
	// Reason says why they may not approve, or not answer at all: the missing right. Empty when
	// they may do both.
	Reason string
}

// Authorise returns p's permitted answers to an ask triggered by requester; an empty requester
// is unknown. It is the only place to decide so, for every surface.
//
// Users and holders of a role in the policy may approve and deny. Being an administrator is no
// role. With Passkey only a signed approval counts, and a denial needs no signature. The requester may always deny their own call. With ExcludeRequester they may not
// approve it, and no one may while the requester is unknown. RATIONALE.md, "Who may answer an
// ask?".
func (policy Policy) Authorise(requester string, p Person) Answering {
	out := Answering{MayApprove: true, MayDeny: true}
	for _, a := range policy {
		if reason := a.refuses(p); reason != "" {
			out = Answering{Reason: reason}
			break
		}
		reason, unsigned := a.excludes(requester, p), a.Passkey && !p.Signed
		switch {
		case !out.MayApprove && !out.Unsigned: // the first reason stays
		case reason != "":
			out.MayApprove, out.Unsigned, out.Reason = false, false, reason
		case unsigned && out.MayApprove:
			out.MayApprove, out.Unsigned, out.Reason = false, true, "this approval takes a passkey: answer in the web console (callgate console)"
		}
	}
	if requester != "" && strings.EqualFold(requester, p.Name) {
		out.MayDeny = true
	}
	return out
}

// refuses says why p is none of those who answer.
func (a Approvers) refuses(p Person) string {
	if len(a.Users)+len(a.Roles) == 0 || p.Name != "" && slices.Contains(a.Users, p.Name) || p.has(a.Roles) && p.Name != "" {
		return ""
	}
	return fmt.Sprintf("%s may not answer: it takes %s", p.who(), a.whom(asItIs, asItIs))
}

// excludes says why p may not approve although they may answer.
func (a Approvers) excludes(requester string, p Person) string {
	switch {
	case !a.ExcludeRequester:
		return ""
	case requester == "":
		return "no one may approve: the person who triggered the call may not, and that person is unknown (set user for the agent)"
	case p.Name == "" || strings.EqualFold(requester, p.Name):
		return fmt.Sprintf("%s triggered the call and may not approve it, only deny it: another approver has to", p.who())
	}
	return ""
}

// whom names those who may answer, with names as user and role write them.
func (a Approvers) whom(user, role func(string) string) string {
	var parts []string
	list := func(names []string, write func(string) string) string {
		var out []string
		for _, name := range names {
			out = append(out, write(name))
		}
		return strings.Join(out, ", ")
	}
	if len(a.Users) > 0 {
		parts = append(parts, list(a.Users, user))
	}
	if len(a.Roles) == 1 {
		parts = append(parts, "the role "+role(a.Roles[0]))
	} else if len(a.Roles) > 1 {
		parts = append(parts, "one of the roles "+list(a.Roles, role))
	}
	return strings.Join(parts, " or ")
}

func asItIs(name string) string { return name }

// ForRules is the policy for an approval that widens for longer than the session.
func (policy Policy) ForRules() Policy {
	out := slices.Clone(policy)
	for i := range out {
		out[i].Passkey = out[i].Passkey || out[i].PasskeyForRules
	}
	return out
}

// NobodyApproves reports whether no person may approve: the requester may not, and is unknown.
func (policy Policy) NobodyApproves(requester string) bool {
	return requester == "" && slices.ContainsFunc(policy, func(a Approvers) bool { return a.ExcludeRequester })
}

// Named reports whether the policy says who may answer, and not only how many.
func (policy Policy) Named() bool {
	return slices.ContainsFunc(policy, func(a Approvers) bool { return len(a.Users)+len(a.Roles) > 0 })
}

// Quorum is how many different people have to approve, at least 1.
func (policy Policy) Quorum() int {
	n := 1
	for _, a := range policy {
		n = max(n, a.Quorum)
	}
	return n
}

// String says who may answer, for people; empty when everybody may, one of them.
func (policy Policy) String() string { return policy.Text(asItIs, asItIs) }

// Text is String with each user's and each role's name as user and role write it.
func (policy Policy) Text(user, role func(string) string) string {
	var parts []string
	add := func(part string) {
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	for _, a := range policy {
		if whom := a.whom(user, role); whom != "" {
			add(whom)
		}
	}
	if n := policy.Quorum(); n > 1 {
		add(fmt.Sprintf("%d have to approve", n))
	}
	for _, a := range policy {
		if a.ExcludeRequester {
			add("not the person who triggered the call")
		}
		switch {
		case a.Passkey:
			add("with a passkey")
		case a.PasskeyForRules:
			add("a lasting rule takes a passkey")
		}
	}
	return strings.Join(parts, "; ")
}

// Within reports whether a is at least as strict: everyone who may approve under a may under
// wider, and a needs no fewer people. The holders of roles are not compared, so a user in place
// of a role counts as looser.
func (a Approvers) Within(wider Approvers) bool {
	open := len(wider.Users)+len(wider.Roles) == 0
	closed := len(a.Users)+len(a.Roles) > 0
	in := func(list []string) func(string) bool {
		return func(name string) bool { return !slices.Contains(list, name) }
	}
	return (open || closed && !slices.ContainsFunc(a.Users, in(wider.Users)) && !slices.ContainsFunc(a.Roles, in(wider.Roles))) &&
		max(a.Quorum, 1) >= wider.Quorum && (a.ExcludeRequester || !wider.ExcludeRequester) && (a.Passkey || !wider.Passkey) &&
		(a.Passkey || a.PasskeyForRules || !wider.PasskeyForRules)
}

// Restricting is the policy with only its restricting members; nil without any.
func (policy Policy) Restricting() Policy { return Policy(nil).With(policy...) }

// With is the policy with one more member, unless it changes nothing.
func (policy Policy) With(more ...Approvers) Policy {
	out := slices.Clone(policy)
	for _, a := range more {
		if !(Approvers{}).Within(a) && !slices.ContainsFunc(out, func(known Approvers) bool { return known.Within(a) }) {
			out = append(out, a)
		}
	}
	return out
}
