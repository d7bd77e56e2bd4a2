package store

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Node is one daemon of a store.
type Node struct {
	ID      string
	Name    string
	Version string
	// Since is its start, Seen its last sign of life by the database's clock.
	Since time.Time
	Seen  time.Time
	// Alive is false when it gave no sign for longer than a few seconds.
	Alive bool
	// Epoch is the last change of rules, settings, tokens and sessions it has in force, Behind the
	// number of later ones.
	Epoch  int64
	Behind int64
	// Leases are the tasks it does for all, such as "discord".
	Leases []string
	// Self is the answering daemon.
	Self bool
}

// Signs of life.
const (
	presenceEvery = time.Second
	deadAfter     = "4 seconds"
	goneAfter     = "1 day"
	changesKept   = 100_000
)

// presenceLoop gives a sign of life, and removes daemons without one for long.
func (t *team) presenceLoop(ctx context.Context) {
	tick := time.NewTicker(presenceEvery)
	defer tick.Stop()
	for {
		_, _ = t.db.reads.ExecContext(ctx, `INSERT INTO nodes VALUES (?, ?, ?, now(), now(), ?)
			ON CONFLICT (id) DO UPDATE SET seen = now(), epoch = excluded.epoch`, t.node, t.daemon.Name, t.daemon.Version, t.epoch.Load()) // the next one may work
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// leave takes this daemon out of the list and gives its leases back, and old ones with it.
func (t *team) leave(ctx context.Context) {
	for _, query := range []string{
		"DELETE FROM leases WHERE holder = ?",
		"DELETE FROM nodes WHERE id = ? OR seen < now() - interval '" + goneAfter + "'",
	} {
		_, _ = t.db.reads.ExecContext(ctx, query, t.node) // they run out by themselves
	}
	// A daemon that was away for longer reads everything.
	_, _ = t.db.reads.ExecContext(ctx, "DELETE FROM changes WHERE epoch < (SELECT epoch FROM audit_head WHERE one = 1) - ?", changesKept)
}

// Nodes returns the daemons of the store, the oldest first; none where one daemon has the store.
func (s *Store) Nodes(ctx context.Context) ([]Node, error) {
	if s.team == nil {
		return nil, nil
	}
	rows, err := s.reads.QueryContext(ctx, `SELECT n.id, n.name, n.version, n.since, n.seen, n.seen > now() - interval '`+deadAfter+`', n.epoch, h.epoch - n.epoch,
		coalesce((SELECT string_agg(l.name, ' ' ORDER BY l.name) FROM leases l WHERE l.holder = n.id AND l.until > now()), '')
		FROM nodes n, audit_head h WHERE h.one = 1 ORDER BY n.since, n.id`)
	if err != nil {
		return nil, fmt.Errorf("list daemons: %w", s.closedOr(err))
	}
	defer rows.Close() // its error comes out of rows.Err
	var found []Node
	for rows.Next() {
		var n Node
		var leases string
		if err := rows.Scan(&n.ID, &n.Name, &n.Version, &n.Since, &n.Seen, &n.Alive, &n.Epoch, &n.Behind, &leases); err != nil {
			return nil, fmt.Errorf("list daemons: %w", err)
		}
		n.Since, n.Seen, n.Self = n.Since.UTC(), n.Seen.UTC(), n.ID == s.team.node
		if leases != "" {
			n.Leases = strings.Fields(leases)
		}
		found = append(found, n)
	}
	return found, rows.Err()
}
