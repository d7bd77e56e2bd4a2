package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/wire"
)

// ErrNotApprover means: this person may not answer; errors.As gives the *NotApproverError.
var ErrNotApprover = errors.New("this person may not answer this ask so")

// NotApproverError names a person's missing right. Nothing has changed.
type NotApproverError struct {
	// Reason is a sentence without its full stop.
	Reason string
	// Again means: the same person was refused for this ask before.
	Again bool
	// Unsigned means: the same answer with the person's passkey would count.
	Unsigned bool
}

// Error implements error.
func (e *NotApproverError) Error() string { return e.Reason }

// Is makes errors.Is(err, ErrNotApprover) true.
func (e *NotApproverError) Is(target error) bool { return target == ErrNotApprover }

// Person is who gives the answer.
func (a Answer) Person() approvers.Person {
	return approvers.Person{Name: a.By, Roles: a.Roles, Administrator: a.Administrator, Signed: len(a.Proof) > 0}
}

// DecidedBy names the people who decided an ask: all who approved, or who denied. Empty without
// any.
func (a Ask) DecidedBy() string { return strings.Join(a.Deciders(), ", ") }

// Deciders are those whom DecidedBy names, one by one.
func (a Ask) Deciders() []string {
	if a.Answer == nil {
		return nil
	}
	if a.State != Approved || len(a.Votes) == 0 {
		return []string{a.Answer.By}
	}
	return a.voters()
}

// ApprovedBy reports whether a person of this name approved it.
func (a Ask) ApprovedBy(name string) bool {
	if a.State != Approved || a.Answer == nil {
		return false
	}
	return slices.ContainsFunc(a.Deciders(), func(by string) bool { return strings.EqualFold(by, name) })
}

func (a Ask) voters() []string {
	var names []string
	for _, v := range a.Votes {
		names = append(names, v.By)
	}
	return names
}

// Progress says how many of those who have to approve did: "1 of 2 approved: ann".
// Empty where one is enough.
func (a Ask) Progress() string {
	if a.Approvers.Quorum() < 2 {
		return ""
	}
	text := fmt.Sprintf("%d of %d approved", len(a.Votes), a.Approvers.Quorum())
	if len(a.Votes) > 0 {
		text += ": " + strings.Join(a.voters(), ", ")
	}
	return text
}

// authorise refuses an answer without the right to it, by the policy of the ask and by the one
// in force when the answer comes.
func (e *entry) authorise(answer Answer) error {
	policy := e.ask.Approvers.With(answer.Policy...)
	if answer.lasting() {
		policy = policy.ForRules()
	}
	may := policy.Authorise(e.ask.User, answer.Person())
	if answer.Verdict != Approve && may.MayDeny || answer.Verdict == Approve && may.MayApprove {
		return nil
	}
	if may.Unsigned { // a step of the dialogue and no refusal of the person
		return &NotApproverError{Reason: may.Reason, Again: true, Unsigned: true}
	}
	return e.refused(answer.By, may.Reason)
}

// maxRefused bounds the remembered refused people.
const maxRefused = 100

func (e *entry) refused(by, reason string) error {
	again := e.turnedAway[by] || len(e.turnedAway) >= maxRefused
	if !again {
		if e.turnedAway == nil {
			e.turnedAway = map[string]bool{}
		}
		e.turnedAway[by] = true
	}
	return &NotApproverError{Reason: reason, Again: again}
}

// sameVoter reports whether two answers are one person's: of one name, in any case, or from one
// account of a chat. The configuration may give the account another name between them.
func (a Answer) sameVoter(other Answer) bool {
	account := func(a Answer) string {
		if a.Origin == nil {
			return ""
		}
		return a.Origin.Account
	}
	mine, others := account(a), account(other)
	return strings.EqualFold(a.By, other.By) || mine != "" && (mine == others || mine == other.By) || others != "" && others == a.By
}

// vote adds an approval to the valid ones: one per person, the last, and only of those who may
// still approve. It reports whether they are enough.
func (a Ask) vote(answer Answer) (votes []Answer, enough bool) {
	for _, v := range a.Votes {
		if !v.sameVoter(answer) && a.Approvers.Authorise(a.User, v.Person()).MayApprove {
			votes = append(votes, v)
		}
	}
	votes = append(votes, answer)
	return votes, len(votes) >= a.Approvers.Quorum()
}

// keepVote stores an approval, not yet enough, and publishes it. The caller holds the turn.
func (b *Broker) keepVote(ctx context.Context, e *entry, votes []Answer, policy approvers.Policy) (Ask, error) {
	ctx, cancel := storeContext(ctx)
	defer cancel()
	next := e.ask
	next.Votes, next.Approvers = votes, policy
	ok, err := b.swap(ctx, e.ask.State, &next)
	if err == nil && !ok && b.reread(ctx, e) {
		return e.ask, errMoved
	}
	if err == nil && !ok {
		err = fmt.Errorf("it is not %s in the store", e.ask.State)
	}
	if err != nil {
		return e.ask, fmt.Errorf("answer ask %s: %w", next.ID, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e.ask = next
	b.publish(Event{Kind: EventVoted, Ask: next})
	return next, nil
}

// together merges several approvals: the last one, with the rules accepted by all. If they did
// not accept the same thing for the same place, no rule is stored. Of several ends the earliest
// counts, and a folder gets the least of their accesses.
func together(votes []Answer) Answer {
	out := votes[len(votes)-1]
	out.Sets = slices.Clone(out.Sets)
	for _, v := range votes[:len(votes)-1] {
		if v.ForSession != out.ForSession || v.Scope != out.Scope || v.WholeTool != out.WholeTool {
			out.Sets, out.WholeTool = nil, false
			break
		}
		out.Sets = slices.DeleteFunc(out.Sets, func(set int) bool { return !slices.Contains(v.Sets, set) })
		out.ExpiresAt = sooner(out.ExpiresAt, v.ExpiresAt)
	}
	for _, v := range votes {
		out.Folder = lesser(out.Folder, v.Folder)
	}
	if !out.accepts() {
		out.ForSession, out.Scope, out.ExpiresAt = false, "", time.Time{}
	}
	return out
}

// lesser is the common folder access of two approvals.
func lesser(a, b wire.FolderAccess) wire.FolderAccess {
	switch {
	case a == "" || b == "":
		return ""
	case a == wire.ReadFolder:
		return a
	}
	return b
}

// sooner is the earlier of two ends; zero is none.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
