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
	// Problems say why it cannot use a tool module, one line for each.
	Problems []string
	// AuditKey names the key with which it signs the audit: the first half of the SHA-256 of the
	// public one, in hex. Empty for an earlier version.
	AuditKey string
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
		_, _ = t.db.reads.ExecContext(ctx, `INSERT INTO nodes (id, name, version, since, seen, epoch, problems, audit_key) VALUES (?, ?, ?, now(), now(), ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET seen = now(), epoch = excluded.epoch, problems = excluded.problems, audit_key = excluded.audit_key`,
			t.node, t.daemon.Name, t.daemon.Version, t.epoch.Load(), t.problems(), t.auditKey.Load()) // the next one may work
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// meetLoop tells the listener which daemons give signs of life, as often as they do. It is not the
// loop of this daemon's own signs: those must not wait for the listener.
func (t *team) meetLoop(ctx context.Context) {
	tick := time.NewTicker(presenceEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		meet := t.meet.Load()
		if meet == nil {
			continue
		}
		if alive, err := t.alive(ctx); err == nil { // a database that is away tells nothing of the others
			(*meet)(ctx, alive)
		}
	}
}

// alive are the ids of the daemons with a sign of life.
func (t *team) alive(ctx context.Context) (map[string]bool, error) {
	rows, err := t.db.reads.QueryContext(ctx, "SELECT id FROM nodes WHERE seen > now() - interval '"+deadAfter+"'")
	if err != nil {
		return nil, err
	}
	defer rows.Close() // its error comes out of rows.Err
	alive := map[string]bool{}
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		alive[id] = true
	}
	return alive, rows.Err()
}

// Alive are the ids of the running daemons of the store, this one among them; none where one daemon
// has the store.
func (s *Store) Alive(ctx context.Context) (map[string]bool, error) {
	if s.team == nil {
		return nil, nil
	}
	alive, err := s.team.alive(ctx)
	if err != nil {
		return nil, fmt.Errorf("list daemons: %w", s.closedOr(err))
	}
	return alive, nil
}

// OnMeet sets the listener for the ids of the daemons that run. It hears them each second, also when
// they are the same.
func (s *Store) OnMeet(meet func(ctx context.Context, alive map[string]bool)) {
	if s.team != nil {
		s.team.meet.Store(&meet)
	}
}

// maxProblems bounds the text of a daemon's problems in the list, in bytes.
const maxProblems = 8 << 10

// problems is the text of the daemon's problems for the list.
func (t *team) problems() string {
	report := t.report.Load()
	if report == nil {
		return ""
	}
	var lines []string
	for _, line := range (*report)() {
		lines = append(lines, strings.Join(strings.Fields(clip(line, 1<<10)), " "))
	}
	return clip(strings.Join(lines, "\n"), maxProblems)
}

// clip cuts a text to a number of bytes, as valid UTF-8 without NUL.
func clip(text string, most int) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text[:min(len(text), most)], "\x00", ""), "")
}

// OnList sets the source of Node.Problems of this daemon.
func (s *Store) OnList(problems func() []string) {
	if s.team != nil {
		s.team.report.Store(&problems)
	}
}

// SetAuditKey sets Node.AuditKey of this daemon.
func (s *Store) SetAuditKey(name string) {
	if s.team != nil {
		s.team.auditKey.Store(name)
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
		coalesce((SELECT string_agg(l.name, ' ' ORDER BY l.name) FROM leases l WHERE l.holder = n.id AND l.until > now()), ''), n.problems, n.audit_key
		FROM nodes n, audit_head h WHERE h.one = 1 ORDER BY n.since, n.id`)
	if err != nil {
		return nil, fmt.Errorf("list daemons: %w", s.closedOr(err))
	}
	defer rows.Close() // its error comes out of rows.Err
	var found []Node
	for rows.Next() {
		var n Node
		var leases, problems string
		if err := rows.Scan(&n.ID, &n.Name, &n.Version, &n.Since, &n.Seen, &n.Alive, &n.Epoch, &n.Behind, &leases, &problems, &n.AuditKey); err != nil {
			return nil, fmt.Errorf("list daemons: %w", err)
		}
		n.Since, n.Seen, n.Self = n.Since.UTC(), n.Seen.UTC(), n.ID == s.team.node
		if leases != "" {
			n.Leases = strings.Fields(leases)
		}
		if problems != "" {
			n.Problems = strings.Split(problems, "\n")
		}
		found = append(found, n)
	}
	return found, rows.Err()
}
