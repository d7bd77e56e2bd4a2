package gate

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/command"
	"github.com/callgate/callgate/host/store"
)

// SourceChat is the source of a session's rules that come from a chat's own lists.
const SourceChat = "chat"

// Listed is what became of a chat's lists.
type Listed struct {
	Session string `json:"session"`
	// Mode is the session's own; empty for the agent's.
	Mode string `json:"mode,omitempty"`
	// Added and Removed are the rules that were stored and deleted; the rest were
	// in force already.
	Added   []engine.Rule `json:"added"`
	Removed []engine.Rule `json:"removed"`
	// Notes tell what a rule will not do, one sentence each.
	Notes []string `json:"notes,omitempty"`
}

// SetLists puts a chat's lists, and its mode unless that is empty, in force for a
// session in the place of those that the chat had before, as a whole. The session's
// other rules, as its grants, stay. A rule that its tool cannot read, ErrBadRule
// with the list and the index as in "ask[2]", leaves all as it was.
func (g *Gate) SetLists(ctx context.Context, c Change, session string, lists command.State) (Listed, error) {
	p, err := g.placeOf(ctx, Where{Scope: engine.Session, Key: session})
	if err != nil {
		return Listed{}, err
	}
	change, err := g.chatRules(ctx, p, lists)
	if err != nil {
		return Listed{}, err
	}
	if err := g.chatMode(ctx, session, lists.Mode, &change); err != nil {
		return Listed{}, err
	}
	out := Listed{Session: session, Added: []engine.Rule{}, Removed: []engine.Rule{}}
	t, done := g.trial()
	defer done()
	k := p.known(t.Known(ctx))
	for _, r := range change.Add {
		for _, note := range k.Order(r, lists) {
			out.Notes = append(out.Notes, r.String()+": "+note)
		}
	}
	added, removed, err := g.apply(ctx, c, p, change)
	if err != nil {
		return Listed{}, err
	}
	out.Added, out.Removed = append(out.Added, added...), append(out.Removed, removed...)
	known, err := g.c.Store.Session(ctx, session)
	if err == nil && known.Mode != nil {
		out.Mode = known.Mode.String()
	}
	return out, err
}

// chatRules are the rules that lists add to those of the chat, and the chat's own
// that they no longer name.
func (g *Gate) chatRules(ctx context.Context, p place, lists command.State) (store.Change, error) {
	var c store.Change
	named := map[string]bool{}
	t, done := g.trial()
	defer done()
	key := func(r engine.Rule) string { return r.Behavior.String() + " " + r.String() }
	for _, b := range []engine.Behavior{engine.Deny, engine.Ask, engine.Allow} {
		for i, text := range *p.list(&lists, b) {
			r, err := engine.ParseRule(text)
			r.Behavior, r.Source, r.Scope, r.ScopeKey = b, SourceChat, p.scope, p.key
			if err == nil {
				err = t.Try(ctx, &r)
			}
			if err != nil {
				return c, fmt.Errorf("%w: %s[%d]: %w", ErrBadRule, b, i, err)
			}
			// One that ends, as somebody else's denial for an hour, is stored for good.
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
func (g *Gate) chatMode(ctx context.Context, session, word string, c *store.Change) error {
	if word == "" {
		return nil
	}
	mode, err := engine.ParseMode(word)
	if err != nil {
		return fmt.Errorf("%w: mode: %w", ErrBadRequest, err)
	}
	known, err := g.c.Store.Session(ctx, session)
	if err != nil || known.Mode != nil && *known.Mode == mode {
		return err
	}
	c.Session, c.Mode, c.SetMode = session, &mode, true
	return nil
}
