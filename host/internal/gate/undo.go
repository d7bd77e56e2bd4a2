package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
)

// UndoFor is how long after the end of an ask UndoAnswer takes its rules back.
const UndoFor = 10 * time.Minute

// The errors of UndoAnswer.
var (
	// ErrUndoTooLate: the ask ended longer ago than UndoFor.
	ErrUndoTooLate = fmt.Errorf("an answer can be taken back for %d minutes: remove its rules with /allow -RULE or `callgate rules remove`", UndoFor/time.Minute)
	// ErrNothingToUndo: the answer stored no rule, or none remains.
	ErrNothingToUndo = errors.New("nothing to take back: the answer stored no rule of its own, or it is removed already")
)

// maxUndo bounds how often others may remove one of the rules meanwhile.
const maxUndo = 5

// UndoAnswer removes the rules stored by the answer to an ask, and returns them: all of them
// or, on an error, none. The approved call has run, and so have those answered by the rules
// meanwhile; no call asks again. Until UndoFor after the ask's end the approver may do so, and
// anyone who may change such rules: by ask_approvers, or permission_grants for rules:global.
// Earlier rules stay.
//
// Errors: ask.ErrUnknown, ErrNothingToUndo, ErrUndoTooLate, authority.ErrNotEntitled (with a
// row in the audit), the store's, and that of a failed row, with the rules gone nevertheless.
// RATIONALE.md, "Whose rules does Undo take back?".
func (g *Gate) UndoAnswer(ctx context.Context, id string, p approvers.Person) ([]engine.Rule, error) {
	a, err := g.c.Asks.Get(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case a.State != ask.Approved || a.Answer == nil:
		return nil, ErrNothingToUndo
	case g.c.Now().Sub(a.EndedAt) > UndoFor:
		return nil, ErrUndoTooLate
	}
	for range maxUndo {
		rules, err := g.RulesOf(ctx, a.ID)
		if err == nil && len(rules) == 0 {
			err = ErrNothingToUndo
		}
		if err != nil {
			return nil, err
		}
		if err := g.mayUndo(ctx, a, p, rules); err != nil {
			return nil, err
		}
		change := store.Change{By: p.Name}
		for _, r := range rules {
			change.Remove = append(change.Remove, r.ID)
		}
		_, err = g.c.Store.ChangeRules(context.WithoutCancel(ctx), change)
		if errors.Is(err, store.ErrNotFound) {
			continue // one of them was removed just now
		}
		if err != nil {
			return nil, err
		}
		return rules, g.noteUndone(ctx, a, p, rules)
	}
	return nil, ErrNothingToUndo
}

// RulesOf are the remaining rules stored by the answer to an ask; it waits for those of an
// answer under way.
func (g *Gate) RulesOf(ctx context.Context, id string) ([]engine.Rule, error) {
	id = ask.NormalID(id)
	if err := g.awaitRules(ctx, id); err != nil {
		return nil, err
	}
	allow := engine.Allow
	return g.c.Store.Rules(ctx, store.RuleFilter{Source: SourceOfAsk(id), Behavior: &allow})
}

// SourceOfAsk is the source of the rules stored by the answer to an ask.
func SourceOfAsk(id string) string { return "ask " + id }

// mayUndo refuses those who neither approved an ask nor may change its rules.
func (g *Gate) mayUndo(ctx context.Context, a ask.Ask, p approvers.Person, rules []engine.Rule) error {
	if p.Name != "" && a.ApprovedBy(p.Name) {
		return nil
	}
	may := g.c.Settings().MayGrant(p, approvers.GlobalRules) == nil
	for _, r := range rules {
		if !may && !g.c.Authority.MayApprove(ctx, p, r.Scope, r.ScopeKey, []engine.Rule{r}) {
			refused := fmt.Errorf("%w: %s did not approve ask %s and may not change its rules: allowed are %s, the agent's ask_approvers, and holders of the grant %s",
				authority.ErrNotEntitled, who(p), a.ID, a.DecidedBy(), approvers.GlobalRules)
			return errors.Join(refused, g.c.Authority.NoteAsk(ctx, a, store.EventAnswerRefused, store.Row{DecidedBy: who(p), Detail: "undo: " + refused.Error()}))
		}
	}
	return nil
}

func who(p approvers.Person) string {
	if p.Name == "" {
		return "nobody"
	}
	return p.Name
}

func (g *Gate) noteUndone(ctx context.Context, a ask.Ask, p approvers.Person, rules []engine.Rule) error {
	texts := make([]string, len(rules))
	for i, r := range rules {
		texts[i] = r.String()
	}
	row := store.Row{DecidedBy: p.Name, Detail: "taken back: " + strings.Join(texts, ", ")}
	if err := g.c.Authority.NoteAsk(ctx, a, store.EventAnswerUndone, row); err != nil {
		return fmt.Errorf("the rules were removed, but the removal could not be audited: %w", err)
	}
	return nil
}
