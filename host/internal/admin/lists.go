package admin

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// SourceChat is the source of a session's rules from a chat's own lists.
const SourceChat = "chat"

// SetLists replaces a session's lists from a chat, and its mode unless the mode is empty, as a
// whole. The session's other rules, such as its grants, stay. After an unreadable rule,
// ruletest.ErrBadRule with the list and the index as in "ask[2]", everything stays as it was.
func (ad *Admin) SetLists(ctx context.Context, c Change, session string, lists command.State) (wire.ListResult, error) {
	p, err := ad.placeOf(ctx, Where{Scope: engine.Session, Key: session})
	if err != nil {
		return wire.ListResult{}, err
	}
	change, err := ad.chatRules(ctx, p, lists)
	if err != nil {
		return wire.ListResult{}, err
	}
	if err := ad.chatMode(ctx, session, lists.Mode, &change); err != nil {
		return wire.ListResult{}, err
	}
	out := wire.ListResult{Session: session, Added: []engine.Rule{}, Removed: []engine.Rule{}}
	t, done := ad.c.Rules.Tester()
	defer done()
	k := p.known(Known(ctx, t))
	for _, r := range change.Add {
		for _, note := range k.Order(r, lists) {
			out.Notes = append(out.Notes, r.String()+": "+note)
		}
	}
	added, removed, err := ad.apply(ctx, c, p, change)
	if err != nil {
		return wire.ListResult{}, err
	}
	out.Added, out.Removed = append(out.Added, added...), append(out.Removed, removed...)
	known, err := ad.c.Store.Session(ctx, session)
	if err == nil && known.Mode != nil {
		out.Mode = known.Mode.String()
	}
	return out, err
}

// chatRules are the rules to add to those of the chat, and the chat's own rules to remove.
func (ad *Admin) chatRules(ctx context.Context, p place, lists command.State) (store.Change, error) {
	var c store.Change
	named := map[string]bool{}
	t, done := ad.c.Rules.Tester()
	defer done()
	key := func(r engine.Rule) string { return r.Behavior.String() + " " + r.String() }
	for _, b := range []engine.Behavior{engine.Deny, engine.Ask, engine.Allow} {
		for i, text := range *p.list(&lists, b) {
			r, err := engine.ParseRule(text)
			r.Behavior, r.Source, r.Scope, r.ScopeKey = b, SourceChat, p.scope, p.key
			if err == nil {
				err = t.Test(ctx, &r)
			}
			if err != nil {
				return c, fmt.Errorf("%w: %s[%d]: %w", ruletest.ErrBadRule, b, i, err)
			}
			// A rule with an end, such as another person's denial for an hour, is stored for good.
			there := slices.ContainsFunc(p.stored, func(old engine.Rule) bool {
				return key(old) == key(r) && (old.Behavior == engine.Allow || old.ExpiresAt.IsZero())
			})
			if !there && !named[key(r)] {
				c.Add = append(c.Add, r)
			}
			named[key(r)] = true
		}
	}
	for _, old := range p.stored {
		if old.Source == SourceChat && !named[key(old)] {
			c.Remove = append(c.Remove, old.ID)
		}
	}
	return c, nil
}

// chatMode adds a chat's mode to a change when it is not the session's already.
func (ad *Admin) chatMode(ctx context.Context, session, word string, c *store.Change) error {
	if word == "" {
		return nil
	}
	mode, err := engine.ParseMode(word)
	if err != nil {
		return fmt.Errorf("%w: mode: %w", authority.ErrBadRequest, err)
	}
	known, err := ad.c.Store.Session(ctx, session)
	if err != nil || known.Mode != nil && *known.Mode == mode {
		return err
	}
	c.Session, c.Mode, c.SetMode = session, &mode, true
	return nil
}
