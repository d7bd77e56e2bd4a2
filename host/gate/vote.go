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
	return g.c.Settings().Approvers(agent, g.named(tool).Names(tool)...)
}

// approversOf are who may answer asks that say d: of safety checks, fewer.
func (g *Gate) approversOf(agent, tool string, d engine.Decision) people.Policy {
	if !d.Safety() {
		return g.approvers(agent, tool)
	}
	return g.c.Settings().SafetyApprovers(agent, g.named(tool).Names(tool)...)
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

// noteAnswer writes the row of an answer besides that of the call: with where in a chat
// it was given, and how long after the card was shown.
func (g *Gate) noteAnswer(ctx context.Context, a ask.Ask, answer ask.Answer, event store.Event, detail string) error {
	text := answer.Verdict.String()
	for _, part := range []string{detail, answer.Evidence()} {
		if part != "" {
			text += ": " + part
		}
	}
	row := store.Row{DecidedBy: answer.By, Detail: text}
	switch o := answer.Origin; {
	case o != nil && o.Latency > 0:
		row.Latency = o.Latency
	case !a.ShownAt.IsZero():
		row.Latency = max(0, g.c.Now().Sub(a.ShownAt))
	}
	return g.noteAsk(ctx, a, event, row)
}

// noteAsk writes a row about an ask that is no decision.
func (g *Gate) noteAsk(ctx context.Context, a ask.Ask, event store.Event, row store.Row) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	row.Time, row.Event = g.c.Now(), event
	row.Agent, row.Session, row.User, row.Tool, row.Action = a.Agent, a.Session, a.User, a.Tool, a.Action
	row.AskID, row.CallID, row.Digest = a.ID, a.CallID, a.Digest
	_, err := g.c.Store.Append(ctx, row)
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
