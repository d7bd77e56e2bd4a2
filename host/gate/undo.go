package gate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/store"
)

// UndoFor is how long after the end of an ask UndoAnswer takes its rules back.
const UndoFor = 10 * time.Minute

// The errors of UndoAnswer.
var (
	// ErrUndoTooLate: the ask ended longer ago than UndoFor.
	ErrUndoTooLate = fmt.Errorf("an answer can be taken back for %d minutes: remove its rules with /allow -RULE or `callgate rules remove`", UndoFor/time.Minute)
	// ErrNothingToUndo: the answer stored no rule, or none is left of them.
	ErrNothingToUndo = errors.New("nothing to take back: the answer stored no rule of its own, or it is removed already")
)

// maxUndo bounds how often others may remove one of the rules meanwhile.
const maxUndo = 5

// UndoAnswer removes the rules that the answer to an ask stored, and returns them: all
// of them or, on an error, none. The call that was approved has run, and so have those
// that the rules answered meanwhile; nothing is asked again. Until UndoFor after the
// ask's end those may who approved it, and those who may change such rules: whom
// ask_approvers names for them, or permission_grants for rules:global. Rules that were
// there before stay.
//
// Errors: ask.ErrUnknown, ErrNothingToUndo, ErrUndoTooLate, ErrNotEntitled (with a row
// in the audit), the store's, and that of a row that could not be written, with the
// rules that are gone nevertheless.
func (g *Gate) UndoAnswer(ctx context.Context, id string, p people.Person) ([]engine.Rule, error) {
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
			continue // somebody removed one of them just now
		}
		if err != nil {
			return nil, err
		}
		return rules, g.noteUndone(ctx, a, p, rules)
	}
	return nil, ErrNothingToUndo
}

// RulesOf are the rules that the answer to an ask stored and that are still there; those
// of an answer under way are waited for.
func (g *Gate) RulesOf(ctx context.Context, id string) ([]engine.Rule, error) {
	id = ask.NormalID(id)
	if err := g.awaitRules(ctx, id); err != nil {
		return nil, err
	}
	allow := engine.Allow
	return g.c.Store.Rules(ctx, store.RuleFilter{Source: SourceOfAsk(id), Behavior: &allow})
}

// SourceOfAsk is the source of the rules that the answer to an ask stores.
func SourceOfAsk(id string) string { return "ask " + id }

// mayUndo refuses those who neither approved an ask nor may change its rules.
func (g *Gate) mayUndo(ctx context.Context, a ask.Ask, p people.Person, rules []engine.Rule) error {
	if p.Name != "" && a.ApprovedBy(p.Name) {
		return nil
	}
	may := g.c.Settings().MayGrant(p, people.GlobalRules) == nil
	for _, r := range rules {
		if !may && !g.mayApprove(ctx, p, place{scope: r.Scope, key: r.ScopeKey}, []engine.Rule{r}) {
			refused := fmt.Errorf("%w: %s did not approve ask %s and may not change its rules: it takes %s, somebody named in ask_approvers for the agent, or the grant %s",
				ErrNotEntitled, who(p), a.ID, a.DecidedBy(), people.GlobalRules)
			return errors.Join(refused, g.noteAsk(ctx, a, store.EventAnswerRefused, store.Row{DecidedBy: who(p), Detail: "undo: " + refused.Error()}))
		}
	}
	return nil
}

func who(p people.Person) string {
	if p.Name == "" {
		return "nobody"
	}
	return p.Name
}

func (g *Gate) noteUndone(ctx context.Context, a ask.Ask, p people.Person, rules []engine.Rule) error {
	texts := make([]string, len(rules))
	for i, r := range rules {
		texts[i] = r.String()
	}
	row := store.Row{DecidedBy: p.Name, Detail: "taken back: " + strings.Join(texts, ", ")}
	if err := g.noteAsk(ctx, a, store.EventAnswerUndone, row); err != nil {
		return fmt.Errorf("the rules are removed, but that could not be audited: %w", err)
	}
	return nil
}
