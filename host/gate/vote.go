package gate

import (
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/store"
)

// approvers are who may answer asks about an agent's calls of a tool, by what the
// operator says.
func (g *Gate) approvers(agent, tool string) people.Policy {
	entry := g.c.Catalog.Lookup(tool)
	return g.c.Settings().Approvers(agent, entry.Entry.Names(tool)...)
}

// turnedAway writes the row of somebody who answered and may not: once for each of
// them and ask. The error is the answer's own, with what went wrong besides.
func (g *Gate) turnedAway(ctx context.Context, a ask.Ask, answer ask.Answer, err error) error {
	var not *ask.NotApproverError
	if !errors.As(err, &not) || not.Again {
		return err
	}
	if auditErr := g.noteAnswer(ctx, a, answer, store.EventAnswerRefused, not.Reason); auditErr != nil {
		return fmt.Errorf("%w (and that could not be audited: %w)", err, auditErr)
	}
	return err
}

// noteAnswer writes the row of an answer that does not end its ask.
func (g *Gate) noteAnswer(ctx context.Context, a ask.Ask, answer ask.Answer, event store.Event, detail string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	_, err := g.c.Store.Append(ctx, store.Row{
		Time: g.c.Now(), Event: event, Agent: a.Agent, Session: a.Session, User: a.User, Tool: a.Tool,
		Action: a.Action, DecidedBy: answer.By, Detail: fmt.Sprintf("%s: %s", answer.Verdict, detail), AskID: a.ID,
		CallID: a.CallID, Digest: a.Digest,
	})
	return err
}

// rulesOf are the rules to store of an ask that has been approved, with their
// examples. waiting is the ask before, which has its input.
func (g *Gate) rulesOf(ctx context.Context, waiting, settled ask.Ask) ([]engine.Rule, error) {
	if settled.State != ask.Approved || settled.Answer == nil {
		return nil, nil
	}
	waiting.State, waiting.Answer, waiting.Votes = settled.State, settled.Answer, settled.Votes
	rules, err := acceptedRules(waiting, *settled.Answer)
	if err != nil {
		return nil, err
	}
	return g.exemplified(ctx, waiting, rules), nil
}

// voteNotes tell a voter how the ask stands, and that a rule which not all of them
// accepted is not stored.
func voteNotes(a ask.Ask, answer ask.Answer) []string {
	var notes []string
	if a.State.Waiting() {
		notes = append(notes, a.Progress())
	}
	accepts := len(answer.Sets) > 0 || answer.WholeTool
	if a.State == ask.Approved && accepts && len(a.Answer.Sets) == 0 && !a.Answer.WholeTool {
		notes = append(notes, "no rule is stored: not all who approved accepted the same one for the same place")
	}
	return notes
}
