package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/machine/filelock"
	"github.com/callgate/callgate/host/internal/store/mask"

	_ "modernc.org/sqlite" // the database driver
)

// Store is an open store. Its methods are safe for concurrent use. The zero
// value is not usable; see [Open].
type Store struct {
	path   string
	now    func() time.Time
	lock   *filelock.Lock
	reads  *sql.DB // many connections, each query_only
	writes *sql.DB // the one connection of the writer
	writer *writer
	masker *mask.Masker
	rules  *ruleView
	seen   *sessionView
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
}

// readers is the number of connections for queries beside the writer.
const readers = 4

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
		return nil, fmt.Errorf("open store %s: %w", path, err)
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
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if err := makeDirectory(filepath.Dir(path)); err != nil {
		return nil, err
	}
	s := &Store{path: path, now: o.Now}
	defer func() {
		if err != nil {
			s.abandon()
		}
	}()
	if s.lock, err = takeLock(ctx, path+".lock", o.LockWait); err != nil {
		return nil, err
	}
	if err := makeFile(path); err != nil {
		return nil, err
	}
	if s.writes, err = connect(path, o.LockWait, 1, "synchronous(FULL)", "foreign_keys(1)"); err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		return nil, explain(path, err)
	}
	if s.reads, err = connect(path, o.LockWait, readers, "query_only(1)"); err != nil {
		return nil, err
	}
	return s, s.load(ctx, o.LockWait)
}

// load reads the data kept in memory and starts the writer.
func (s *Store) load(ctx context.Context, busy time.Duration) error {
	key, err := s.maskKey(ctx)
	if err != nil {
		return explain(s.path, err)
	}
	s.masker = mask.New(key)
	s.seen = newSessionView()
	if s.rules, err = s.loadRules(ctx); err != nil {
		return explain(s.path, err)
	}
	if s.writer, err = startWriter(ctx, s.writes, busy); err != nil {
		return explain(s.path, err)
	}
	return nil
}

// connect opens path with n connections. SQLite opens lazily: nothing is
// touched yet.
func connect(path string, busy time.Duration, n int, pragmas ...string) (*sql.DB, error) {
	q := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", busy.Milliseconds())}}
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	name := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: q.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}

// Path returns the absolute path of the store's file.
func (s *Store) Path() string { return s.path }

// Close writes waiting changes, closes the file and releases the lock. Methods called later return
// ErrClosed. Closing twice is harmless.
func (s *Store) Close() error {
	if !s.writer.stop() {
		return nil
	}
	err := errors.Join(s.reads.Close(), s.writes.Close(), s.lock.Release())
	if err != nil {
		return fmt.Errorf("close store %s: %w", s.path, err)
	}
	return nil
}

// abandon releases the resources of a failed open.
func (s *Store) abandon() {
	if s.writer != nil {
		s.writer.stop()
	}
	for _, db := range []*sql.DB{s.reads, s.writes} {
		if db != nil {
			_ = db.Close() // the open has already failed
		}
	}
	if s.lock != nil {
		_ = s.lock.Release() // the open has already failed
	}
}
