package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
)

// place is where a rule applies.
type place struct {
	scope engine.Scope
	key   string
}

// ruleView holds all stored rules in memory. It changes only after the file has.
type ruleView struct {
	mu      sync.RWMutex
	byID    map[string]numbered
	byPlace map[place]*placed
	// last is the last number given.
	last    int
	refused []engine.Rule // set once, while loading
}

// numbered is a rule with its number in the index of its place. RATIONALE.md, "Why does
// an index find rules, and the engine check them all the same?".
type numbered struct {
	engine.Rule
	number int
}

// placed are the rules of one place.
type placed struct {
	index engine.Index
	rules map[int]engine.Rule
}

func (v *ruleView) put(r engine.Rule) {
	v.mu.Lock()
	defer v.mu.Unlock()
	p := place{r.Scope, r.ScopeKey}
	if old, ok := v.byID[r.ID]; ok && old.Tool == r.Tool && sameContent(old.Content, r.Content) && old.Behavior == r.Behavior && p == (place{old.Scope, old.ScopeKey}) {
		v.byID[r.ID] = numbered{r, old.number} // it keeps its place in the order
		v.byPlace[p].rules[old.number] = r
		return
	}
	v.remove(r.ID)
	at := v.byPlace[p]
	if at == nil {
		at = &placed{rules: map[int]engine.Rule{}}
		v.byPlace[p] = at
	}
	v.last++
	v.byID[r.ID] = numbered{r, v.last}
	at.rules[v.last] = r
	at.index.Add(v.last, &r)
}

// sameContent reports whether two rules say the same to their tool.
func sameContent(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// replace takes over the rules of a view read anew. Its refused rules stay as they were at the
// start.
func (v *ruleView) replace(fresh *ruleView) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.byID, v.byPlace, v.last = fresh.byID, fresh.byPlace, fresh.last
}

func (v *ruleView) drop(id string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.remove(id)
}

// remove takes a rule out. The caller holds mu.
func (v *ruleView) remove(id string) {
	r, ok := v.byID[id]
	if !ok {
		return
	}
	p := place{r.Scope, r.ScopeKey}
	at := v.byPlace[p]
	at.index.Remove(r.number, &r.Rule)
	delete(at.rules, r.number)
	if len(at.rules) == 0 {
		delete(v.byPlace, p)
	}
	delete(v.byID, id)
}

// RulesFor returns the unexpired rules for calls of an agent in a session and project, as far as
// relevant for about, or all when about is nil, the oldest first. Empty names choose nothing of
// their scope. An allow rule of a session counts only while the session is known (TouchSession) and
// the agent's own: grants never serve another (threat T02). The answer comes from memory, is the
// caller's own, and takes time in proportion to its possible rules.
func (s *Store) RulesFor(ctx context.Context, agent, session, project string, about *engine.About) ([]engine.Rule, error) {
	if s.writer.isClosed() {
		return nil, ErrClosed
	}
	rules := s.rules.at(s.now(), about, place{engine.Global, ""}, place{engine.Project, project}, place{engine.Agent, agent}, place{engine.Session, session})
	isGrant := func(r engine.Rule) bool { return r.Scope == engine.Session && r.Behavior == engine.Allow }
	if !slices.ContainsFunc(rules, isGrant) {
		return rules, nil
	}
	owner, err := s.owner(ctx, session)
	if err != nil {
		return nil, fmt.Errorf("rules of agent %q, session %q: %w", agent, session, err)
	}
	if owner == "" || owner != agent {
		rules = slices.DeleteFunc(rules, isGrant)
	}
	return rules, nil
}

// RuleCount is how many rules are stored, expired ones included.
func (s *Store) RuleCount() int {
	s.rules.mu.RLock()
	defer s.rules.mu.RUnlock()
	return len(s.rules.byID)
}

// at returns the unexpired rules of places, the oldest first. A place but the global
// one without a key has none.
func (v *ruleView) at(now time.Time, about *engine.About, places ...place) []engine.Rule {
	v.mu.RLock()
	defer v.mu.RUnlock()
	found := []engine.Rule{}
	for _, p := range places {
		at := v.byPlace[p]
		if at == nil || p.key == "" && p.scope != engine.Global {
			continue
		}
		for _, r := range at.about(about) {
			if !expired(r, now) {
				found = append(found, r)
			}
		}
	}
	sortRules(found)
	return found
}

func (at *placed) about(about *engine.About) []engine.Rule {
	if about == nil {
		return slices.Collect(maps.Values(at.rules))
	}
	numbers := at.index.Find(about)
	rules := make([]engine.Rule, len(numbers))
	for i, n := range numbers {
		rules[i] = at.rules[n]
	}
	return rules
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

// sortRules puts the oldest first, for a stable order of lists and traces.
func sortRules(rules []engine.Rule) {
	older := func(a, b engine.Rule) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), strings.Compare(a.ID, b.ID))
	}
	if !slices.IsSortedFunc(rules, older) {
		slices.SortFunc(rules, older)
	}
}

// RuleFilter chooses rules. Zero fields choose everything but expired
// rules.
type RuleFilter struct {
	Scope engine.Scope
	Key   string
	// Tool is a name or glob over names, as in a rule.
	Tool     string
	Behavior *engine.Behavior
	// Source is where the rule came from, exactly.
	Source string
	// Expired includes expired rules not yet deleted.
	Expired bool
}

// Rule returns one stored rule, expired or not. ErrNotFound when there is none.
func (s *Store) Rule(_ context.Context, id string) (engine.Rule, error) {
	s.rules.mu.RLock()
	defer s.rules.mu.RUnlock()
	if r, ok := s.rules.byID[id]; ok {
		return r.Rule, nil
	}
	return engine.Rule{}, fmt.Errorf("rule %q: %w", id, ErrNotFound)
}

// Rules returns the stored rules chosen by f, the oldest first.
func (s *Store) Rules(_ context.Context, f RuleFilter) ([]engine.Rule, error) {
	now := s.now()
	s.rules.mu.RLock()
	defer s.rules.mu.RUnlock()
	var found []engine.Rule
	choose := func(r engine.Rule) {
		if f.Chooses(r, now) {
			found = append(found, r)
		}
	}
	if at := (place{f.Scope, f.Key}); f.Scope == engine.Global || f.Scope != "" && f.Key != "" {
		if here := s.rules.byPlace[at]; here != nil {
			for _, r := range here.rules {
				choose(r)
			}
		}
	} else {
		for _, r := range s.rules.byID {
			choose(r.Rule)
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
		(f.Source == "" || f.Source == r.Source) &&
		(f.Expired || !expired(r, now))
}

// refuses reports whether the stored rule of this id is not used. An id is never given twice, so
// one removed since does no harm here.
func (v *ruleView) refuses(id string) bool {
	return slices.ContainsFunc(v.refused, func(r engine.Rule) bool { return r.ID == id })
}

// RefusedRules returns the allow rules not used since the store was opened, because no audit row
// proves that Callgate stored them in this form (threat T15). Removing them, or adding them again,
// settles it.
func (s *Store) RefusedRules() []engine.Rule {
	return append([]engine.Rule(nil), s.rules.refused...)
}

// loadRules reads the rules into memory. One changed outside Callgate counts where it tightens and
// not where it widens.
func loadRules(ctx context.Context, q queryer) (*ruleView, error) {
	v := &ruleView{byID: map[string]numbered{}, byPlace: map[place]*placed{}}
	stored, err := selectRules(ctx, q, "")
	if err != nil {
		return nil, err
	}
	rows, err := admissions(ctx, q)
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

// admissions returns the audit rows named by stored rules, by their number.
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

// admits reports whether an audit row is whole and matches the rule.
func admits(row Row, r engine.Rule) bool {
	sum, _ := row.sum(nil)
	return sum == row.Hash && row.Digest == ruleDigest(r) &&
		(row.Event == EventRuleAdded || row.Event == EventRuleExtended || row.Event == EventRuleKept)
}
