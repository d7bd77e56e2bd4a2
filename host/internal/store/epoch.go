package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/callgate/callgate/engine"
)

// ErrStale means the rules, settings, tokens or sessions changed since a decision was made, or a
// setting since it was read: nothing is stored. Decide again after CatchUp.
// RATIONALE.md, "Why is a decision stored only on the rules it was made with?".
var ErrStale = errors.New("another change came first")

// ErrBusy is a listener's answer when its own change is under way. CatchUp tries again.
var ErrBusy = errors.New("a change is under way")

// Kinds of changes.
const (
	KindRule    = "rule"    // by the rule's id
	KindSession = "session" // by the session's id
	KindSetting = "setting" // by its name
	KindToken   = "token"   // by its name
	KindStreak  = "streak"  // by the session's id
	// KindAll means that the changes since are unknown: everything has to be read again.
	KindAll = "all"
)

// Changed is one change of something decisions depend on, made by another daemon.
type Changed struct {
	Epoch    int64
	Kind, ID string
}

// news are the changes of one transaction, for the other daemons.
type news struct {
	shared  bool // whether there can be others
	epoch   int64
	changes []Changed
	asks    []string
}

func (n *news) clear() { n.changes, n.asks = n.changes[:0], n.asks[:0] }

// next is the store's epoch after the changes so far.
func (n *news) next() int64 {
	if len(n.changes) > 0 {
		return n.epoch + 1
	}
	return n.epoch
}

// changed notes a change of something decisions depend on.
func (t *tx) changed(kind, id string) {
	if n := &t.chain.news; n.shared {
		n.changes = append(n.changes, Changed{n.epoch + 1, kind, id})
	}
}

// told notes a change of an ask.
func (t *tx) told(id string) {
	if n := &t.chain.news; n.shared {
		n.asks = append(n.asks, id)
	}
}

// noteRead remembers a setting's value as this process knows it.
func (s *Store) noteRead(name string, value []byte) {
	if s.team != nil {
		s.team.read.Store(name, sha256.Sum256(value))
	}
}

// noteMissing remembers that a setting was never stored.
func (s *Store) noteMissing(name string) {
	if s.team != nil {
		s.team.read.Store(name, [sha256.Size]byte{})
	}
}

// checkRead refuses to replace a setting that another daemon changed since this one read it.
func (s *Store) checkRead(ctx context.Context, t *tx, name string) error {
	if s.team == nil {
		return nil
	}
	known, ok := s.team.read.Load(name)
	if !ok {
		return nil
	}
	value, err := settingIn(ctx, t, name)
	if err != nil || value == nil {
		return err
	}
	if sum := sha256.Sum256(value); known != sum {
		s.team.read.Store(name, sum)
		return fmt.Errorf("%w: another daemon changed it at the same time: try again", ErrStale)
	}
	return nil
}

// Epoch is the number of the last change this process knows. A decision reads it first, and then
// the rules. 0 where one daemon has the store.
func (s *Store) Epoch() int64 {
	if s.team == nil {
		return 0
	}
	return s.team.epoch.Load()
}

// Node is this daemon's id among several; empty where one daemon has the store.
func (s *Store) Node() string { return s.team.id() }

// Again makes the next CatchUp report a change of everything, for a listener that was set later.
func (s *Store) Again() {
	if s.team != nil {
		s.team.epoch.Store(0)
	}
}

// CatchUp brings everything in memory up to the present epoch of the database. It returns at once
// where one daemon has the store.
func (s *Store) CatchUp(ctx context.Context) error {
	if s.team == nil {
		return nil
	}
	if err := s.team.catchUp(ctx); err != nil {
		return fmt.Errorf("read the changes of other daemons: %w", s.db.explain(err))
	}
	return nil
}

// OwnChanges reports whether all changes since an epoch are this daemon's own, of the session or of
// agents' profiles, and returns the present epoch.
func (s *Store) OwnChanges(ctx context.Context, since int64, session string) (epoch int64, own bool, err error) {
	if s.team == nil {
		return 0, true, nil
	}
	var others int
	err = s.reads.QueryRowContext(ctx, `SELECT h.epoch, (SELECT count(*) FROM changes c WHERE c.epoch > ? AND c.epoch <= h.epoch
		AND NOT (c.node = ? AND (c.kind = 'session' AND c.id = ? OR c.kind = 'setting' AND c.id = 'agent_profiles')))
		FROM audit_head h WHERE h.one = 1`, since, s.team.node, session).Scan(&epoch, &others)
	return epoch, err == nil && others == 0, err
}

// TokenUsable reports whether a token of this name is in force in the database.
func (s *Store) TokenUsable(ctx context.Context, name string) (bool, error) {
	found, err := selectTokens(ctx, s.reads, " WHERE revoked_at = 0 AND name = ? AND (expires_at = 0 OR expires_at > ?)", name, s.now().UnixNano())
	return len(found) > 0, err
}

// OnChange sets the listener for changes by other daemons. It is called before decisions are made
// on them, one call at a time, and must not wait for a lock that is held during a change of its
// own: it returns ErrBusy instead. After any error the changes come again.
func (s *Store) OnChange(listen func(ctx context.Context, changes []Changed) error) {
	if s.team != nil {
		s.team.listen.Store(&listen)
	}
}

// OnAsk sets the listener for changes of asks by other daemons. An empty id means that some may
// have been missed.
func (s *Store) OnAsk(hear func(ctx context.Context, id string)) {
	if s.team != nil {
		s.team.hear.Store(&hear)
	}
}

// follow applies changes to the views of rules and sessions.
func (s *Store) follow(ctx context.Context, changes []Changed) error {
	rules := map[string]bool{}
	for _, c := range changes {
		switch c.Kind {
		case KindAll:
			s.seen.clear()
			return s.rereadRules(ctx)
		case KindRule:
			rules[c.ID] = true
		case KindSession:
			if err := s.rereadSession(ctx, c.ID); err != nil {
				return err
			}
		}
	}
	if len(rules) > maxReread {
		return s.rereadRules(ctx)
	}
	for id := range rules {
		if err := s.rereadRule(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// maxReread is how many changed rules are read one by one.
const maxReread = 50

func (s *Store) rereadSession(ctx context.Context, id string) error {
	known, err := oneSession(ctx, s.reads, id)
	switch {
	case isNotFound(err):
		s.seen.drop([]string{id})
		return nil
	case err != nil:
		return err
	}
	s.seen.put(known)
	return nil
}

// rereadRule reads one rule, as loadRules does.
func (s *Store) rereadRule(ctx context.Context, id string) error {
	stored, err := selectRules(ctx, s.reads, " WHERE id = ?", id)
	if err != nil {
		return err
	}
	for _, r := range stored {
		row, err := rowAt(ctx, s.reads, r.auditSeq)
		if err != nil {
			return err
		}
		if r.Behavior != engine.Allow || admits(row, r.Rule) {
			s.rules.put(r.Rule)
			return nil
		}
	}
	s.rules.drop(id)
	return nil
}

func (s *Store) rereadRules(ctx context.Context) error {
	fresh, err := loadRules(ctx, s.reads)
	if err != nil {
		return err
	}
	s.rules.replace(fresh)
	return nil
}
