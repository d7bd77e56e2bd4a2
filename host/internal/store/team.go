package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Daemon describes a program that decides calls.
type Daemon struct {
	// Name is for people; default the machine's host name.
	Name string
	// Version is the program's.
	Version string
}

// team is this process among the daemons of one database. Its zero pointer is a store of one daemon.
type team struct {
	s      *Store
	db     *postgres
	daemon *Daemon // nil for a program that decides no calls
	node   string

	epoch  atomic.Int64
	follow sync.Mutex // held while changes are applied
	listen atomic.Pointer[func(context.Context, []Changed) error]
	hear   atomic.Pointer[func(context.Context, string)]
	meet   atomic.Pointer[func(context.Context, map[string]bool)]
	report atomic.Pointer[func() []string]
	// auditKey is a string.
	auditKey atomic.Value
	read     sync.Map // the SHA-256 of settings as read or written last, by name

	woken  chan struct{}
	cancel context.CancelFunc
	ended  sync.WaitGroup
}

func joinTeam(ctx context.Context, s *Store, db *postgres, daemon *Daemon) (*team, error) {
	t := &team{s: s, db: db, daemon: daemon, woken: make(chan struct{}, 1)}
	if daemon != nil {
		host, _ := os.Hostname() // a name is a help, not a need
		t.daemon = &Daemon{Name: cmp.Or(daemon.Name, host), Version: daemon.Version}
		t.node = strings.ToLower(rand.Text()[:12])
	}
	t.auditKey.Store("")
	db.node = t.node
	epoch, err := t.stored(ctx)
	t.epoch.Store(epoch)
	return t, err
}

// id is the daemon's own among those of the database.
func (t *team) id() string {
	if t == nil {
		return ""
	}
	return t.node
}

// stored is the epoch in the database.
func (t *team) stored(ctx context.Context) (epoch int64, err error) {
	err = t.db.reads.QueryRowContext(ctx, "SELECT epoch FROM audit_head WHERE one = 1").Scan(&epoch)
	return epoch, err
}

// begin starts the work beside the writer.
func (t *team) begin() {
	if t == nil || t.daemon == nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel = cancel
	for _, work := range []func(context.Context){t.followLoop, t.listenLoop, t.presenceLoop, t.meetLoop} {
		t.ended.Go(func() { work(ctx) })
	}
}

// end stops the work and takes the daemon out of the list.
func (t *team) end() {
	if t == nil || t.cancel == nil {
		return
	}
	t.cancel()
	t.ended.Wait()
	t.cancel = nil
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	t.leave(ctx)
}

// wake makes the follower look for changes.
func (t *team) wake() {
	select {
	case t.woken <- struct{}{}:
	default:
	}
}

// followLoop applies changes soon after they are made, so few decisions are made on old rules.
func (t *team) followLoop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.woken:
		}
		_ = t.catchUp(ctx) // the next decision finds out
	}
}

// catchUp applies the changes up to now. One under way elsewhere is waited for.
func (t *team) catchUp(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := t.apply(ctx)
		if !errors.Is(err, ErrBusy) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(busyPause):
		}
	}
}

// busyPause is the pause before a listener under a change of its own is called again.
const busyPause = 2 * time.Millisecond

func (t *team) apply(ctx context.Context) error {
	t.follow.Lock()
	defer t.follow.Unlock()
	known := t.epoch.Load()
	changes, last, err := t.since(ctx, known)
	if err != nil || last == known {
		return err
	}
	if err := t.s.follow(ctx, changes); err != nil {
		return err
	}
	if listen := t.listen.Load(); listen != nil && len(changes) > 0 {
		if err := (*listen)(ctx, changes); err != nil {
			return err
		}
	}
	t.epoch.Store(last)
	return nil
}

// since returns the changes after an epoch by other daemons, and the last epoch. This process makes
// its own changes known itself.
func (t *team) since(ctx context.Context, known int64) (changes []Changed, last int64, err error) {
	rows, err := t.db.reads.QueryContext(ctx, `SELECT h.epoch, coalesce((SELECT min(epoch) FROM changes), h.epoch + 1), coalesce(c.epoch, 0), coalesce(c.kind, ''), coalesce(c.id, ''), coalesce(c.node, '')
		FROM audit_head h LEFT JOIN changes c ON c.epoch > ? AND c.epoch <= h.epoch WHERE h.one = 1 ORDER BY c.epoch`, known)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close() // its error comes out of rows.Err
	for rows.Next() {
		var c Changed
		var first int64
		var node string
		if err := rows.Scan(&last, &first, &c.Epoch, &c.Kind, &c.ID, &node); err != nil {
			return nil, 0, err
		}
		if last < known || first > known+1 && last > known {
			return []Changed{{Epoch: last, Kind: KindAll}}, last, nil
		}
		if c.Kind != "" && (node != t.node || c.Kind == KindRule || c.Kind == KindSession) {
			changes = append(changes, c)
		}
	}
	return changes, last, rows.Err()
}
