package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
)

// The bounds of an answer's texts, in bytes.
const (
	maxReason = 2000
	maxName   = 200
)

// Answer ends a visible ask as a person decided. The first valid answer wins; a
// later one gets a *SettledError that names the first and changes nothing. The
// ask returned is the ask as it ended, as Config.Ended shows it.
//
// Where several have to approve, an approval is a vote and the ask returned still
// waits, until as many different people have approved; one denial ends it. A second
// vote of the same person takes the place of the first. The ask is then approved as
// its voters did together: a rule is stored only if every one of them accepted it, for
// the same scope, and until the earliest end that one of them gave it.
//
// Other errors, each without any change: ErrUnknown, ErrNotShown,
// ErrNotApprover, ErrUnconfirmed, ErrBadAnswer, or the store's. Who answers is the
// surface's to know; who may is the policies', of the ask and of the answer.
func (b *Broker) Answer(ctx context.Context, id string, answer Answer) (Ask, error) {
	return b.answer(ctx, id, answer, CauseAnswered, func(e *entry) error {
		if e.ask.State != Shown && answer.Together == 0 {
			return ErrNotShown
		}
		if err := e.authorise(answer); err != nil {
			return err
		}
		if why := e.ask.NeedsOwnAnswer(answer); why != "" {
			return fmt.Errorf("%w: %s", ErrBadAnswer, why)
		}
		return validAnswer(e.ask, answer, b.cfg.Now(), b.isForeign(e.ask) && !b.attended(e))
	})
}

// NeedsOwnAnswer says why an approval of several asks at once does not reach this one;
// empty when it does, and for every other answer.
func (a Ask) NeedsOwnAnswer(answer Answer) string {
	switch {
	case answer.Together == 0 || answer.Verdict != Approve:
		return ""
	case a.Decision.Safety():
		return "a safety check needs its own answer"
	case a.ShowsSecret():
		return "it shows a secret, so it needs its own answer"
	case a.Long():
		return "the call is too long for a card, so it needs its own answer"
	case answer.accepts() || answer.Input != nil:
		return "several asks are approved once: no rule, no folder and no changed input"
	case a.Approvers.With(answer.Policy...).Quorum() > 1:
		return "several have to approve this ask, each on its own card"
	}
	return ""
}

// ShowsSecret reports whether the call may show a secret.
func (a Ask) ShowsSecret() bool {
	return slices.ContainsFunc(a.Effects, func(e engine.Effect) bool { return e.Kind == engine.Secret })
}

// ResolveCovered approves a waiting ask that a rule covers which answer.By has just
// accepted on another card. The approver must have been shown this card, or
// nobody must have: then its call is simply decided by the rule, as a later one
// would be.
// It refuses safety checks, asks with a quorum, and asks of other approvers. The answer carries no
// rules of its own.
func (b *Broker) ResolveCovered(ctx context.Context, id string, answer Answer) (Ask, error) {
	return b.answer(ctx, id, answer, CauseCovered, func(e *entry) error {
		switch {
		case answer.Verdict != Approve || answer.accepts():
			return fmt.Errorf("%w: settling approves and stores nothing", ErrBadAnswer)
		case e.ask.Decision.Safety():
			return fmt.Errorf("%w: a safety check needs its own answer", ErrBadAnswer)
		case b.otherEyes(answer.By, e):
			return ErrNotSeen
		case !validName(answer.By):
			return fmt.Errorf("%w: it names no approver", ErrBadAnswer)
		case e.ask.Approvers.With(answer.Policy...).Quorum() > 1:
			return e.refused(answer.By, "several have to approve this ask, each on its own card")
		}
		return e.authorise(answer)
	})
}

// answer is Answer and ResolveCovered with their own condition.
func (b *Broker) answer(ctx context.Context, id string, answer Answer, cause Cause, valid func(*entry) error) (Ask, error) {
	e, err := b.turnFor(ctx, "answer", id)
	if err != nil {
		return Ask{}, err
	}
	defer b.release()
	if b.overdue(e) {
		b.timeOut(ctx, e)
		ended := b.cfg.Ended(e.ask)
		return ended, &SettledError{Ask: ended}
	}
	for range maxMoves {
		if err := valid(e); err != nil {
			return e.ask, fmt.Errorf("answer ask %s: %w", e.ask.ID, err)
		}
		a, err := b.decide(ctx, e, answer, cause)
		if !errors.Is(err, errMoved) || !e.ask.State.Waiting() {
			return a, err
		}
	}
	return e.ask, fmt.Errorf("answer ask %s: it changes too often in the store: try again", e.ask.ID)
}

// turnFor acquires the turn and finds the waiting ask of an id as it was typed; what is
// to be done with it, errors say. Without an error the caller releases the turn.
func (b *Broker) turnFor(ctx context.Context, what, id string) (e *entry, err error) {
	id = NormalID(id)
	if err := b.acquire(ctx); err != nil {
		return nil, fmt.Errorf("%s ask %s: %w", what, id, err)
	}
	defer func() {
		if e == nil { // also after a panic
			b.release()
		}
	}()
	return b.locate(ctx, id)
}

// locate returns the waiting entry; an ask that has ended is a *SettledError.
func (b *Broker) locate(ctx context.Context, id string) (*entry, error) {
	b.mu.Lock()
	e := b.find(id)
	b.mu.Unlock()
	if e != nil {
		return e, nil
	}
	stored, err := b.cfg.Store.Ask(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("answer ask %q: %w", id, err)
	}
	if !stored.State.Waiting() {
		return nil, &SettledError{Ask: stored}
	}
	e = b.adopt(ctx, stored)
	b.advance(ctx, laneOf(stored))
	if !e.ask.State.Waiting() {
		return nil, &SettledError{Ask: b.cfg.Ended(e.ask)}
	}
	return e, nil
}

// decide stores the answer and passes it on.
func (b *Broker) decide(ctx context.Context, e *entry, answer Answer, cause Cause) (Ask, error) {
	answer.At, answer.Origin = b.cfg.Now(), answer.Origin.clean()
	answer.Input, answer.Edited = slices.Clone(answer.Input), answer.Input != nil
	answer.Sets = slices.Clone(answer.Sets)
	if answer.ForSession {
		answer.Scope = engine.Session
	}
	next := e.ask
	next.Approvers, answer.Policy = next.Approvers.With(answer.Policy...), nil
	next.State = Denied
	if answer.Verdict == Approve {
		votes, enough := next.vote(answer)
		if !enough {
			return b.keepVote(ctx, e, votes, next.Approvers)
		}
		next.State = Approved
		if len(votes) > 1 {
			next.Votes, answer = votes, together(votes)
		}
	}
	next.Answer, next.Cause = &answer, cause
	err := b.end(ctx, e, next)
	if err != nil && e.ask.State.Waiting() {
		return e.ask, fmt.Errorf("answer ask %s: %w", next.ID, err)
	}
	if err == nil {
		b.settleStreak(ctx, e.ask)
	}
	b.advance(ctx, laneOf(e.ask))
	return b.cfg.Ended(e.ask), err
}

// accepts reports whether the answer wants a rule stored, or a folder trusted.
func (a Answer) accepts() bool { return len(a.Sets) > 0 || a.WholeTool || a.Folder != "" }

// validAnswer refuses what the card did not offer.
func validAnswer(a Ask, answer Answer, now time.Time, elsewhere bool) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrBadAnswer}, args...)...)
	}
	switch {
	case !validName(answer.By):
		return bad("it has to name its approver in at most %d printable bytes", maxName)
	case answer.Surface != "" && !validName(answer.Surface):
		return bad("its surface is not a name")
	case answer.Verdict != Approve && answer.Verdict != Deny:
		return bad("verdict %d is neither approve nor deny", answer.Verdict)
	case len(answer.Reason) > maxReason || !utf8.ValidString(answer.Reason):
		return bad("the reason must be UTF-8 text of at most %d bytes", maxReason)
	case answer.Verdict == Deny && answer.accepts():
		return bad("a denial stores no rule and trusts no folder")
	case answer.Input != nil && (answer.Verdict != Approve || answer.accepts()):
		return bad("a changed input is approved once, and stores no rule")
	case answer.Input != nil && !a.TakesInput:
		return bad("its client cannot take a changed input: deny it with a reason")
	case answer.Input != nil && elsewhere:
		return bad("the call waits at another daemon, which does not get a changed input: change it there, or deny it with a reason")
	case answer.Input != nil && a.Approvers.With(answer.Policy...).Quorum() > 1:
		return bad("several have to approve this ask, so its input cannot be changed: deny it with a reason")
	case !answer.accepts() && (answer.ForSession || answer.Scope != "" || !answer.ExpiresAt.IsZero()):
		return bad("scope and expiry need an accepted suggestion")
	}
	if answer.accepts() {
		if err := validAcceptance(a, answer, now, bad); err != nil {
			return err
		}
	}
	// A changed call is judged again, and shown again where it needs the id itself.
	if answer.Input == nil && a.WantsID(answer) && NormalID(answer.ConfirmID) != a.ID {
		return ErrUnconfirmed
	}
	return nil
}

// validName keeps out what could hide in a message or a log line.
func validName(name string) bool {
	return name != "" && len(name) <= maxName && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// validAcceptance checks the rules that an approval wants stored.
func validAcceptance(a Ask, answer Answer, now time.Time, bad func(string, ...any) error) error {
	switch {
	case a.Long():
		return bad("the card does not show the input whole, so it offers no rule")
	case answer.Folder != "" && (len(answer.Sets) > 0 || answer.WholeTool || answer.ForSession || answer.Scope != "" || !answer.ExpiresAt.IsZero()):
		return bad("a folder or a rule, not both; trust in a folder has no scope and no expiry")
	case answer.Folder != "" && !a.offers(answer.Folder):
		return bad("the card does not offer to trust a folder for %q", answer.Folder)
	case answer.WholeTool && len(answer.Sets) > 0:
		return bad("the whole tool or a suggestion, not both")
	case answer.WholeTool && !answer.ForSession:
		return bad("the whole tool is granted for the session only")
	case answer.WholeTool && !a.OffersWholeTool():
		return bad("a grant would not answer this ask: %s", a.Decision.Stage)
	case answer.ForSession && answer.Scope != "" && answer.Scope != engine.Session:
		return bad("for the session, yet with scope %s", answer.Scope)
	case !answer.ExpiresAt.IsZero() && !answer.ExpiresAt.After(now):
		return bad("the expiry %s has passed", answer.ExpiresAt.UTC().Format(time.RFC3339))
	case answer.Scope == engine.Project && a.ProjectRoot == "":
		return bad("the call is in no project")
	}
	if answer.Scope != "" {
		if _, err := engine.ParseScope(string(answer.Scope)); err != nil {
			return bad("%w", err)
		}
	}
	for _, set := range answer.Sets {
		if !slices.ContainsFunc(a.Decision.Suggestions, func(s engine.Suggestion) bool { return s.Set == set }) {
			return bad("there is no suggestion %d", set)
		}
	}
	return nil
}

// OffersWholeTool reports whether a session grant on the whole tool is offered:
// not where an ask rule, a profile or a safety check would ask all the same, not
// when the card does not show the input whole, and not for a name that a rule
// would read as a pattern over the names of other tools.
func (a Ask) OffersWholeTool() bool {
	if strings.ContainsAny(a.Tool, "*?") {
		return false
	}
	switch a.Decision.Stage {
	case engine.StageMode, engine.StageToolCheck:
		return !a.Decision.Safety() && !a.Long()
	}
	return false
}
