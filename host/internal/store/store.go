package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/store/mask"
)

// Store is an open store. Its methods are safe for concurrent use. The zero
// value is not usable; see [Open].
type Store struct {
	db     database
	now    func() time.Time
	reads  *sql.DB // many connections that only read
	writes *sql.DB // the one connection of the writer
	writer *writer
	masker *mask.Masker
	rules  *ruleView
	seen   *sessionView
	team   *team // the other daemons of the same store; nil where there can be none
	// pruning is held while rows of the audit are removed, and shared while the
	// audit is verified.
	pruning sync.RWMutex
}

// Options configure a store. The zero value is the daemon's.
type Options struct {
	// LockWait is how long Open waits for another process to leave the store,
	// and any write for another program's lock on the file. Default 2 s.
	LockWait time.Duration
	// Now is the clock of created_at, expiry and the audit. Default time.Now.
	Now func() time.Time
	// Daemon is set for a program that decides calls; several may share a store in PostgreSQL.
	// Without it the store is opened alone.
	Daemon *Daemon
	// Failed, when set, hears why the store can no longer be written, and nil when it can again. It
	// must return at once.
	Failed func(error)
}

// Errors for callers to tell apart.
var (
	// ErrLocked means another process has the store open.
	ErrLocked = errors.New("store is in use")
	// ErrCorrupt means the file is no sound Callgate store.
	ErrCorrupt = errors.New("store is corrupt")
	// ErrNewer is a store written by a later version of Callgate.
	ErrNewer = errors.New("store is newer than this program")
	// ErrReadOnly means the store cannot be written.
	ErrReadOnly = errors.New("store is read-only")
	// ErrUnsafe means other users could change the store.
	ErrUnsafe = errors.New("store is not private")
	// ErrClosed means the store was closed.
	ErrClosed = errors.New("store is closed")
	// ErrNotFound means the rule, session or ask does not exist.
	ErrNotFound = errors.New("not found")
	// ErrBadRule means the rule cannot be stored as it is.
	ErrBadRule = errors.New("rule refused")
	// ErrForeignSession means another token, or another agent, opened the session.
	ErrForeignSession = errors.New("session belongs to another token")
)

// Open opens the store at path and makes a missing one, its directory with mode 0700 and the file
// with 0600. An older store is backed up to path.bak-VERSION and migrated. It refuses an unsafe
// file with one of the package's errors and a fix, and overwrites nothing. The caller owns the
// store and closes it.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	s, err := open(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", Name(path), err)
	}
	return s, nil
}

func open(ctx context.Context, path string, o Options) (_ *Store, err error) {
	if o.LockWait == 0 {
		o.LockWait = 2 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{now: o.Now}
	if s.db, err = databaseAt(path, o); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.abandon()
		}
	}()
	if s.writes, s.reads, err = s.db.open(ctx); err != nil {
		return nil, err
	}
	if err := s.load(ctx, o); err != nil {
		return nil, err
	}
	s.team.begin()
	return s, nil
}

// load reads the data kept in memory and starts the writer.
func (s *Store) load(ctx context.Context, o Options) error {
	if err := checkUnfinished(ctx, s.reads, s.db.name()); err != nil {
		return s.db.explain(err)
	}
	key, err := s.maskKey(ctx)
	if err != nil {
		return s.db.explain(err)
	}
	s.masker = mask.New(key)
	s.seen = newSessionView()
	if pg, ok := s.db.(*postgres); ok {
		if s.team, err = joinTeam(ctx, s, pg, o.Daemon); err != nil {
			return s.db.explain(err)
		}
	}
	if s.rules, err = loadRules(ctx, s.writes); err != nil {
		return s.db.explain(err)
	}
	if s.writer, err = startWriter(ctx, s.db, s.team, o.Failed); err != nil {
		return s.db.explain(err)
	}
	return nil
}

// maskKey returns the store's own random key for masked secrets: equal secrets look equal in its
// audit and mean nothing in another's.
func (s *Store) maskKey(ctx context.Context) ([]byte, error) {
	fresh := make([]byte, 32)
	rand.Read(fresh)
	if _, err := s.writes.ExecContext(ctx, "INSERT INTO meta (name, value) VALUES ('mask_key', ?) ON CONFLICT DO NOTHING", fresh); err != nil {
		return nil, err
	}
	var key []byte
	err := s.writes.QueryRowContext(ctx, "SELECT value FROM meta WHERE name = 'mask_key'").Scan(&key)
	return key, err
}

// Path returns the absolute path of the store's file.
func (s *Store) Path() string { return s.db.name() }

// Close writes waiting changes, closes the file and releases the lock. Methods called later return
// ErrClosed. Closing twice is harmless.
func (s *Store) Close() error {
	if !s.writer.stop() {
		return nil
	}
	s.team.end()
	if err := s.db.close(); err != nil {
		return fmt.Errorf("close store %s: %w", s.Path(), err)
	}
	return nil
}

// abandon releases the resources of a failed open.
func (s *Store) abandon() {
	if s.writer != nil {
		s.writer.stop()
	}
	s.team.end()
	_ = s.db.close() // the open has already failed
}
