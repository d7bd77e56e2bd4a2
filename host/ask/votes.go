package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/people"
)

// ErrNotApprover means that whoever answered may not; errors.As gives the *NotApproverError.
var ErrNotApprover = errors.New("this person may not answer this ask so")

// NotApproverError tells somebody what they lack. Nothing has changed.
type NotApproverError struct {
	// Reason is a sentence without its full stop.
	Reason string
	// Again tells that the same person was told of this ask before.
	Again bool
}

// Error implements error.
func (e *NotApproverError) Error() string { return e.Reason }

// Is makes errors.Is(err, ErrNotApprover) true.
func (e *NotApproverError) Is(target error) bool { return target == ErrNotApprover }

// Person is who gives the answer.
func (a Answer) Person() people.Person {
	return people.Person{Name: a.By, Roles: a.Roles, Administrator: a.Administrator}
}

// DecidedBy names everybody who decided an ask: all who approved, or who denied.
// Empty when nobody did.
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

// ApprovedBy reports whether somebody of this name is one of those who approved it.
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

// authorise refuses an answer by somebody who may not give it, by the policy of the
// ask and by the one that holds when the answer comes.
func (e *entry) authorise(answer Answer) error {
	policy := e.ask.Approvers.With(answer.Policy...)
	may := policy.Authorise(e.ask.User, answer.Person())
	if answer.Verdict != Approve && may.MayDeny || answer.Verdict == Approve && may.MayApprove {
		return nil
	}
	return e.refused(answer.By, may.Reason)
}

// maxRefused bounds how many people are remembered that were told they may not.
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

// sameVoter reports whether two answers are one person's: of one name, whatever its case,
// or from one account of a chat. The configuration may give the account another name
// between them.
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

// vote adds an approval to those that count: of everybody one, the last, and only of
// those who may still approve. It reports whether they are enough.
func (a Ask) vote(answer Answer) (votes []Answer, enough bool) {
	for _, v := range a.Votes {
		if !v.sameVoter(answer) && a.Approvers.Authorise(a.User, v.Person()).MayApprove {
			votes = append(votes, v)
		}
	}
	votes = append(votes, answer)
	return votes, len(votes) >= a.Approvers.Quorum()
}

// keepVote stores an approval that is not yet enough, and tells everybody. The
// caller holds the turn.
func (b *Broker) keepVote(ctx context.Context, e *entry, votes []Answer, policy people.Policy) (Ask, error) {
	ctx, cancel := storeContext(ctx)
	defer cancel()
	next := e.ask
	next.Votes, next.Approvers = votes, policy
	ok, err := b.cfg.Store.CompareAndSetAsk(ctx, e.ask.State, next)
	if err == nil && !ok {
		err = fmt.Errorf("it is not %s in the store: is another daemon using this store?", e.ask.State)
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

// together is what several approvals mean as one: that of the last, with the rules
// that all of them accepted. Those who did not accept the same thing for the same
// place accepted nothing together: then no rule is stored. Of several ends the
// earliest counts.
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
	if !out.accepts() {
		out.ForSession, out.Scope, out.ExpiresAt = false, "", time.Time{}
	}
	return out
}

// sooner is the earlier of two ends; zero is none.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
