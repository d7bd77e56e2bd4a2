package store

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
)

// maxViews bounds how many callers' rule lists are kept ready.
const maxViews = 1024

// place is where a rule applies.
type place struct {
	scope engine.Scope
	key   string
}

// caller is for whom a list of rules is kept ready.
type caller struct{ agent, session, project string }

// readyList is a caller's rules until one of them expires.
type readyList struct {
	rules []engine.Rule
	until time.Time // zero: for ever
}

// ruleView holds all stored rules in memory. It changes only after the file has.
type ruleView struct {
	mu      sync.RWMutex
	byID    map[string]engine.Rule
	byPlace map[place]map[string]struct{}
	ready   map[caller]readyList
	// changes counts what made ready lists void: a list that was begun before
	// the last of them is not kept.
	changes uint64
	refused []engine.Rule // set once, while loading
}

func (v *ruleView) put(r engine.Rule) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := place{r.Scope, r.ScopeKey}
	if v.byPlace[p] == nil {
		v.byPlace[p] = map[string]struct{}{}
	}
	v.byPlace[p][r.ID] = struct{}{}
	v.byID[r.ID] = r
	v.outdate()
}

func (v *ruleView) drop(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	r, ok := v.byID[id]
	if !ok {
		return
	}
	p := place{r.Scope, r.ScopeKey}
	delete(v.byID, id)
	if delete(v.byPlace[p], id); len(v.byPlace[p]) == 0 {
		delete(v.byPlace, p)
	}
	v.outdate()
}

// forget drops the ready lists, after a session was opened.
func (v *ruleView) forget() {
	v.mu.Lock()
	v.outdate()
	v.mu.Unlock()
}

func (v *ruleView) outdate() {
	v.changes++
	clear(v.ready)
}

// RulesFor returns all unexpired rules that apply to calls of an agent in a
// session and project, in no order that matters. Empty names choose nothing of
// their scope. An allow rule of a session counts only while that session is
// known (TouchSession) and the agent's own: grants never serve another (threat
// T02). The answer comes from memory and is shared: the caller must not change it.
func (s *Store) RulesFor(ctx context.Context, agent, session, project string) ([]engine.Rule, error) {
	if s.writer.isClosed() {
		return nil, ErrClosed
	}
	now, c := s.now(), caller{agent, session, project}
	s.rules.mu.RLock()
	list, ok := s.rules.ready[c]
	changes := s.rules.changes
	s.rules.mu.RUnlock()
	if ok && (list.until.IsZero() || list.until.After(now)) {
		return list.rules, nil
	}
	owner, err := s.owner(ctx, session)
	if err != nil {
		return nil, fmt.Errorf("rules of agent %q, session %q: %w", agent, session, err)
	}
	return s.rules.build(c, session != "" && owner == agent, now, changes), nil
}

// owner returns the agent of a session, empty when the session is not known.
func (s *Store) owner(ctx context.Context, session string) (string, error) {
	if session == "" {
		return "", nil
	}
	known, err := s.Session(ctx, session)
	if isNotFound(err) {
		return "", nil
	}
	return known.Agent, err
}

func (v *ruleView) build(c caller, owns bool, now time.Time, changes uint64) []engine.Rule {
	v.mu.Lock()
	defer v.mu.Unlock()
	list := readyList{rules: []engine.Rule{}}
	for _, p := range []place{{engine.Global, ""}, {engine.Project, c.project}, {engine.Agent, c.agent}, {engine.Session, c.session}} {
		if p.key == "" && p.scope != engine.Global {
			continue
		}
		for id := range v.byPlace[p] {
			r := v.byID[id]
			if expired(r, now) || r.Scope == engine.Session && r.Behavior == engine.Allow && !owns {
				continue
			}
			list.rules = append(list.rules, r)
			if !r.ExpiresAt.IsZero() && (list.until.IsZero() || r.ExpiresAt.Before(list.until)) {
				list.until = r.ExpiresAt
			}
		}
	}
	sortRules(list.rules)
	list.rules = list.rules[:len(list.rules):len(list.rules)]
	if len(v.ready) >= maxViews {
		clear(v.ready)
	}
	if v.changes == changes {
		v.ready[c] = list
	}
	return list.rules
}

// sortRules puts the oldest first, so that lists and traces read the same twice.
func sortRules(rules []engine.Rule) {
	sort.Slice(rules, func(i, j int) bool {
		if !rules[i].CreatedAt.Equal(rules[j].CreatedAt) {
			return rules[i].CreatedAt.Before(rules[j].CreatedAt)
		}
		return rules[i].ID < rules[j].ID
	})
}

// RuleFilter chooses rules. Zero fields choose everything but expired
// rules.
type RuleFilter struct {
	Scope engine.Scope
	Key   string
	// Tool is a name or glob over names, as in a rule.
	Tool     string
	Behavior *engine.Behavior
	// Expired includes rules whose time is over but which are not yet deleted.
	Expired bool
}

// Rule returns one stored rule, expired or not. ErrNotFound when there is none.
func (s *Store) Rule(_ context.Context, id string) (engine.Rule, error) {
	s.rules.mu.RLock()
	defer s.rules.mu.RUnlock()
	if r, ok := s.rules.byID[id]; ok {
		return r, nil
	}
	return engine.Rule{}, fmt.Errorf("rule %q: %w", id, ErrNotFound)
}

// Rules returns the stored rules that f chooses, the oldest first.
func (s *Store) Rules(_ context.Context, f RuleFilter) ([]engine.Rule, error) {
	now := s.now()
	s.rules.mu.RLock()
	defer s.rules.mu.RUnlock()
	var found []engine.Rule
	for _, r := range s.rules.byID {
		if f.Chooses(r, now) {
			found = append(found, r)
		}
	}
	sortRules(found)
	return found, nil
}

// Chooses reports whether f chooses the rule at this time.
func (f RuleFilter) Chooses(r engine.Rule, now time.Time) bool {
	return (f.Scope == "" || f.Scope == r.Scope) &&
		(f.Key == "" || f.Key == r.ScopeKey) &&
		(f.Tool == "" || engine.MatchName(f.Tool, r.Tool)) &&
		(f.Behavior == nil || *f.Behavior == r.Behavior) &&
		(f.Expired || !expired(r, now))
}

// refuses reports whether the stored rule of this id is not used. An id is never
// given twice, so one that was removed since does no harm here.
func (v *ruleView) refuses(id string) bool {
	return slices.ContainsFunc(v.refused, func(r engine.Rule) bool { return r.ID == id })
}

// RefusedRules returns the allow rules that were not used when the store was
// opened, because no
// audit row tells that Callgate stored them as they are now (threat T15).
// Removing them, or adding them again, settles it.
func (s *Store) RefusedRules() []engine.Rule {
	return append([]engine.Rule(nil), s.rules.refused...)
}

// loadRules reads the rules into memory. One that was changed outside Callgate
// counts where it tightens and not where it widens.
func (s *Store) loadRules(ctx context.Context) (*ruleView, error) {
	v := &ruleView{byID: map[string]engine.Rule{}, byPlace: map[place]map[string]struct{}{}, ready: map[caller]readyList{}}
	stored, err := selectRules(ctx, s.writes, "")
	if err != nil {
		return nil, err
	}
	rows, err := admissions(ctx, s.writes)
	if err != nil {
		return nil, err
	}
	for _, r := range stored {
		if r.Behavior == engine.Allow && !admits(rows[r.auditSeq], r.Rule) {
			v.refused = append(v.refused, r.Rule)
			continue
		}
		v.put(r.Rule)
	}
	return v, nil
}

// admissions returns the audit rows that stored rules name, by their number.
func admissions(ctx context.Context, q queryer) (map[int64]Row, error) {
	rows, err := q.QueryContext(ctx, "SELECT "+columns+" FROM audit_log WHERE seq IN (SELECT audit_seq FROM rules)")
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error comes out of rows.Err
	found := map[int64]Row{}
	for rows.Next() {
		var r Row
		if err := r.scan(rows); err != nil {
			return nil, err
		}
		found[r.Seq] = r
	}
	return found, rows.Err()
}

// admits reports whether an audit row is whole and says what the rule says.
func admits(row Row, r engine.Rule) bool {
	sum, _ := row.sum(nil)
	return sum == row.Hash && row.Digest == ruleDigest(r) &&
		(row.Event == EventRuleAdded || row.Event == EventRuleExtended || row.Event == EventRuleKept)
}
