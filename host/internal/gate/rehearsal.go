package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
)

// rehearsal is a Simulation under way.
type rehearsal struct {
	gate  *Gate
	s     Simulation
	tools describe.Snapshot
	// removed are the rules of s.Remove; rules are these and the added ones.
	removed, rules []engine.Rule
	// index has all rules of the change, owned the tightening ones.
	index, owned engine.Index
	// wide means that a tightening rule is of a tool that owns targets of other tools' calls.
	wide bool

	tool   map[string]bool // whether the change can concern a tool
	places map[placeKey]*rehearsalPlace
	bySeen map[[2]string]*rehearsalPlace // by agent and session
	same   map[sameCall]*rehearsed
	// different are the calls to decide, calls all their repeats; both the newest first.
	different []*rehearsed
	calls     []past

	mu sync.Mutex
	// failing tells of project roots whether their files cannot be read.
	failing map[string]bool

	out history.Simulated
}

// past is a past call that the change can concern.
type past struct {
	seq  int64
	was  store.Outcome
	same *rehearsed
}

// sameCall tells calls apart that may be decided differently.
type sameCall struct {
	at           *rehearsalPlace
	tool, digest string
}

// rehearsed is a call to decide again, for all its repeats.
type rehearsed struct {
	call store.PastCall
	at   *rehearsalPlace
	// without and with are its decisions without the change and with it, once it is judged; moved
	// means in another directory.
	without, with engine.Behavior
	moved         bool
	state         rehearsedState
}

type rehearsedState uint8

const (
	untried rehearsedState = iota
	judged
	unread
)

// placeKey are the properties of a session that decisions depend on.
type placeKey struct {
	agent, token, user, cwd, root, mode, forkMode string
	kind                                          engine.Kind
	// session is set where rules of the session itself count.
	session string
}

// rehearsalPlace is where calls are decided again.
type rehearsalPlace struct {
	known store.Session
	// concerned is false where no rule of the change holds.
	concerned bool

	mu sync.Mutex
	// roots are the project roots of calls by their directory, once one was decided there.
	roots map[string]rehearsalRoots
}

func (g *Gate) newRehearsal(ctx context.Context, s Simulation) (*rehearsal, error) {
	r := &rehearsal{
		gate: g, s: s, tools: g.c.Catalog(), tool: map[string]bool{}, places: map[placeKey]*rehearsalPlace{},
		bySeen: map[[2]string]*rehearsalPlace{}, same: map[sameCall]*rehearsed{}, failing: map[string]bool{}, out: history.Simulated{Since: s.Since, Rows: []history.SimulatedRow{}},
	}
	stored, err := g.c.Store.Rules(ctx, store.RuleFilter{})
	if err != nil {
		r.tools.Release()
		return nil, err
	}
	for _, id := range s.Remove {
		i := slices.IndexFunc(stored, func(old engine.Rule) bool { return old.ID == id })
		if i < 0 {
			r.tools.Release()
			return nil, fmt.Errorf("rule %q: %w", id, store.ErrNotFound)
		}
		r.removed = append(r.removed, stored[i])
	}
	r.rules = slices.Concat(s.Add, r.removed)
	for i, rule := range r.rules {
		r.index.Add(i, &rule)
		if rule.Behavior != engine.Allow {
			r.owned.Add(i, &rule)
		}
	}
	for _, name := range describe.Owners() {
		r.wide = r.wide || len(r.owned.Find(r.about(name))) > 0
	}
	return r, nil
}

// only reports whether the change adds rules of one behavior and removes none.
func (r *rehearsal) only(b engine.Behavior) bool {
	return len(r.removed) == 0 && !slices.ContainsFunc(r.s.Add, func(rule engine.Rule) bool { return rule.Behavior != b })
}

// about are the rules that can matter for calls of a tool by their own tool.
func (r *rehearsal) about(tool string) *engine.About {
	req := engine.Request{Call: &engine.Call{Tool: tool}, Entry: r.tools.Lookup(tool).Entry}
	return req.About()
}

// concerns reports whether the change can concern calls of a tool, at any place.
func (r *rehearsal) concerns(tool string) bool {
	if r.wide {
		return true
	}
	known, ok := r.tool[tool]
	if !ok {
		known = len(r.index.Find(r.about(tool))) > 0
		r.tool[tool] = known
	}
	return known
}

// placeOf is the place of a past call; sessions that differ in nothing share one.
func (r *rehearsal) placeOf(ctx context.Context, call store.PastCall) (*rehearsalPlace, error) {
	seen := [2]string{call.Agent, call.Session}
	if at := r.bySeen[seen]; at != nil {
		return at, nil
	}
	known, err := r.gate.c.Store.Session(ctx, call.Session)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	known.ID, known.Agent, known.Shell = call.Session, call.Agent, nil
	key := placeKey{agent: call.Agent, token: known.Token, user: known.User, cwd: known.CWD, root: known.ProjectRoot, kind: known.Kind}
	if known.Mode != nil {
		key.mode = known.Mode.String()
	}
	if known.ForkMode != nil {
		key.forkMode = known.ForkMode.String()
	}
	own, err := r.gate.c.Store.Rules(ctx, store.RuleFilter{Scope: engine.Session, Key: call.Session})
	if err != nil {
		return nil, err
	}
	isOwn := func(rule engine.Rule) bool { return rule.Scope == engine.Session && rule.ScopeKey == call.Session }
	if len(own) > 0 || slices.ContainsFunc(r.rules, isOwn) {
		key.session = call.Session
	}
	at := r.places[key]
	if at == nil {
		at = &rehearsalPlace{known: known, roots: map[string]rehearsalRoots{}}
		at.concerned = slices.ContainsFunc(r.rules, func(rule engine.Rule) bool {
			return rule.Scope != engine.Agent && rule.Scope != engine.Session || rule.Scope == engine.Agent && rule.ScopeKey == call.Agent || isOwn(rule)
		})
		r.places[key] = at
	}
	r.bySeen[seen] = at
	return at, nil
}

// rehearsalRoots are the names of the call's own project, and the roots of all projects around it.
type rehearsalRoots struct{ own, all []string }

// holds reports whether a rule of the change holds in a place whose project and the projects around
// it are known.
func (at *rehearsalPlace) holds(rule engine.Rule, roots rehearsalRoots) bool {
	switch rule.Scope {
	case engine.Project:
		return slices.Contains(roots.own, rule.ScopeKey) || rule.Behavior != engine.Allow && slices.Contains(roots.all, rule.ScopeKey)
	case engine.Agent:
		return rule.ScopeKey == at.known.Agent
	case engine.Session:
		return rule.ScopeKey == at.known.ID && (rule.Behavior != engine.Allow || at.known.Kind != engine.Background)
	}
	return true
}

// holding are those of the rules that hold.
func (at *rehearsalPlace) holding(rules []engine.Rule, roots rehearsalRoots) (in []engine.Rule) {
	for _, rule := range rules {
		if at.holds(rule, roots) {
			in = append(in, rule)
		}
	}
	return in
}

// elsewhere reports whether the project of calls in a directory is known, and no rule of the change
// holds there.
func (at *rehearsalPlace) elsewhere(cwd string, rules []engine.Rule) bool {
	at.mu.Lock()
	roots, known := at.roots[cwd]
	at.mu.Unlock()
	return known && !slices.ContainsFunc(rules, func(rule engine.Rule) bool { return at.holds(rule, roots) })
}

func (at *rehearsalPlace) note(cwd string, roots rehearsalRoots) {
	at.mu.Lock()
	defer at.mu.Unlock()
	at.roots[cwd] = roots
}

// until is the end of the time for deciding again; the zero time for none.
func (s Simulation) until(now time.Time) time.Time {
	if s.Within <= 0 {
		return time.Time{}
	}
	return now.Add(s.Within)
}
