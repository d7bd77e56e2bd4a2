package authority

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// RefuseAnswer writes the row of a person who may not answer an ask, where their surface knows
// it before the Gate does: once for each of them and ask. a.By or the account of a.Origin
// identifies them. An ended or unknown ask needs none. The error is that of a failed row; the
// refusal stands all the same.
func (au *Authority) RefuseAnswer(ctx context.Context, id string, a ask.Answer, reason string) error {
	who := au.c.Settings().Person(a.By).Name
	if a.By = who; who == "" && a.Origin != nil {
		who = a.Origin.Account
	}
	waiting, err := au.c.Asks.TurnAway(ctx, id, cmp.Or(who, "nobody"), reason)
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
	return au.noteAnswer(ctx, waiting, a, store.EventAnswerRefused, reason)
}

// CardChanged is the alarm for a changed card of an ask: its approvers see another text than
// the ask's. The ask is cancelled and no approval of it counts; the audit and the log record
// it. Threat T27. detail describes the finding, for people. The error is that of an unknown
// ask, a failed cancellation, or a failed row; an ended ask gets its row only.
func (au *Authority) CardChanged(ctx context.Context, id, detail string) error {
	ended, err := au.c.Asks.Withdraw(context.WithoutCancel(ctx), id, ask.CauseCardChanged)
	var settled *ask.SettledError
	if errors.As(err, &settled) {
		ended, err = settled.Ask, nil
	}
	au.c.Log.Error("someone changed the card of an ask; answers to it do not count", "ask", id, "error", err)
	if ended.ID == "" {
		return err
	}
	row := store.Row{DecidedBy: "callgate", Detail: detail[:min(len(detail), 500)], Code: string(ask.CauseCardChanged)}
	if auditErr := au.NoteAsk(ctx, ended, store.EventCardChanged, row); auditErr != nil {
		err = errors.Join(err, fmt.Errorf("audit the changed card of ask %s: %w", ended.ID, auditErr))
	}
	return err
}

// NoteOrigin writes the row of an answer from a chat, of a signed one, and of a vote. A valid answer stands
// without it; the note reports a failure.
func (au *Authority) NoteOrigin(ctx context.Context, a ask.Ask, answer ask.Answer) []string {
	event, detail := store.EventAskAnswered, answer.Reason
	switch {
	case a.State.Waiting():
		event, detail = store.EventAskVoted, a.Progress()
	case answer.Proof != nil:
		event = store.EventAskSigned
	case answer.Origin == nil:
		return nil
	}
	if err := au.noteAnswer(ctx, a, answer, event, detail); err != nil {
		return []string{"the answer counts, but could not be audited: " + err.Error()}
	}
	return nil
}

// TurnedAway writes the row of a person who answered and may not: once for each of them and
// ask. The error is the answer's own, with a failure of the row added.
func (au *Authority) TurnedAway(ctx context.Context, a ask.Ask, answer ask.Answer, err error) error {
	var not *ask.NotApproverError
	if !errors.As(err, &not) || not.Again {
		return err
	}
	if auditErr := au.noteAnswer(ctx, a, answer, store.EventAnswerRefused, not.Reason); auditErr != nil {
		return fmt.Errorf("%w (not audited: %w)", err, auditErr)
	}
	return err
}

// noteAnswer writes the row of an answer besides that of the call: with its place in a chat,
// and its delay after the card.
func (au *Authority) noteAnswer(ctx context.Context, a ask.Ask, answer ask.Answer, event store.Event, detail string) error {
	text := answer.Verdict.String()
	for _, part := range []string{detail, answer.Evidence()} {
		if part != "" {
			text += ": " + part
		}
	}
	row := store.Row{DecidedBy: answer.By, Detail: text, Evidence: string(answer.Proof)}
	switch o := answer.Origin; {
	case o != nil && o.Latency > 0:
		row.Latency = o.Latency
	case !a.ShownAt.IsZero():
		row.Latency = max(0, au.c.Now().Sub(a.ShownAt))
	}
	return au.NoteAsk(ctx, a, event, row)
}

// NoteAsk writes a row about an ask other than a decision.
func (au *Authority) NoteAsk(ctx context.Context, a ask.Ask, event store.Event, row store.Row) error {
	ctx, cancel := store.Lasting(ctx)
	defer cancel()
	row.Time, row.Event = au.c.Now(), event
	row.Agent, row.Session, row.User, row.Tool, row.Action = a.Agent, a.Session, a.User, a.Tool, a.Action
	row.AskID, row.CallID, row.Digest = a.ID, a.CallID, a.Digest
	_, err := au.c.Store.Append(ctx, row)
	return err
}
