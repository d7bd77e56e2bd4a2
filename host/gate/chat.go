package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/store"
)

// RefuseAnswer writes the row of somebody who may not answer an ask, where their surface
// knows that before the Gate does: once for each of them and ask. Who it is, a.By or the
// account of a.Origin tells. An ask that has ended or is unknown needs none. The error is
// that of a row that could not be written; the refusal stands all the same.
func (g *Gate) RefuseAnswer(ctx context.Context, id string, a ask.Answer, reason string) error {
	who := g.c.Settings().Person(a.By).Name
	if a.By = who; who == "" && a.Origin != nil {
		who = a.Origin.Account
	}
	waiting, err := g.c.Asks.TurnAway(ctx, id, cmp.Or(who, "nobody"), reason)
	var not *ask.NotApproverError
	switch {
	case errors.Is(err, ask.ErrSettled) || errors.Is(err, ask.ErrUnknown):
		return nil
	case !errors.As(err, &not):
		return err
	case not.Again:
		return nil
	}
	a.By = cmp.Or(who, "nobody")
	return g.noteAnswer(ctx, waiting, a, store.EventAnswerRefused, reason)
}

// CardChanged is the alarm that somebody changed the card of an ask: what its approvers
// see is not what was asked. The ask is cancelled and nobody's approval of it counts; the
// audit and the log tell it. Threat T27. detail says what was found, for people. The
// error is that of an ask that is unknown or could not be cancelled, or of a row that
// could not be written; an ask that has ended gets its row only.
func (g *Gate) CardChanged(ctx context.Context, id, detail string) error {
	ended, err := g.c.Asks.Withdraw(context.WithoutCancel(ctx), id, ask.CauseCardChanged)
	var settled *ask.SettledError
	if errors.As(err, &settled) {
		ended, err = settled.Ask, nil
	}
	g.c.Log.Error("the card of an ask was changed by somebody: no answer to it counts", "ask", id, "error", err)
	if ended.ID == "" {
		return err
	}
	row := store.Row{DecidedBy: "callgate", Detail: clip(detail, 500), Code: string(ask.CauseCardChanged)}
	if auditErr := g.noteAsk(ctx, ended, store.EventCardChanged, row); auditErr != nil {
		err = errors.Join(err, fmt.Errorf("audit the changed card of ask %s: %w", ended.ID, auditErr))
	}
	return err
}

// noteOrigin writes the row of an answer that came from a chat, and that of a vote. An
// answer that counts stands without; the note tells it.
func (g *Gate) noteOrigin(ctx context.Context, a ask.Ask, answer ask.Answer) []string {
	event, detail := store.EventAskAnswered, answer.Reason
	switch {
	case a.State.Waiting():
		event, detail = store.EventAskVoted, a.Progress()
	case answer.Origin == nil:
		return nil
	}
	if err := g.noteAnswer(ctx, a, answer, event, detail); err != nil {
		return []string{"the answer counts, but could not be audited: " + err.Error()}
	}
	return nil
}
